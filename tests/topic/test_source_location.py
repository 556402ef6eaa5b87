"""The line of every key of a TOML text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.topic.source_location import Key, dotted, lines_of


def test_a_file_as_people_write_it() -> None:
    text = """\
# a comment with name = "x"
name = "graphs"
seeds = [
    "https://a.example/",  # the first ]
    "https://b.example/", "https://c.example/",
]
fetch.delay = 2
budget = { pages = 5, minutes = 1.5 }

[scope]  # which links
max_depth = 3
"deny_paths" = [
  '/x*']
"""
    assert lines_of(text) == {
        ("name",): 2,
        ("seeds",): 3,
        ("seeds", 0): 4,
        ("seeds", 1): 5,
        ("seeds", 2): 5,
        ("fetch",): 7,
        ("fetch", "delay"): 7,
        ("budget",): 8,
        ("budget", "pages"): 8,
        ("budget", "minutes"): 8,
        ("scope",): 10,
        ("scope", "max_depth"): 11,
        ("scope", "deny_paths"): 12,
        ("scope", "deny_paths", 0): 13,
    }


def test_what_looks_like_toml_inside_strings_is_not_read() -> None:
    text = 'a = """\n[scope]\nb = 1 \\"""\n""""\nc = \'\'\'\nd = [\n\'\'\'\n"e\\"#" = 1\n'
    assert lines_of(text) == {("a",): 1, ("c",): 5, ('e"#',): 8}


def test_empty_and_windows_texts() -> None:
    assert lines_of("") == {}
    assert lines_of("# nothing") == {}
    assert lines_of("a = 1\r\n\r\n[b]\r\nc = 1979-05-27 07:32:00\r\nd = 2\r\n") == {
        ("a",): 1,
        ("b",): 3,
        ("b", "c"): 4,
        ("b", "d"): 5,
    }


def test_lists_of_tables_are_found_at_the_first() -> None:
    assert lines_of("\n[[scope]]\na = 1\n[[scope]]\na = 2\n") == {("scope",): 2, ("scope", "a"): 3}


def test_names_of_places() -> None:
    assert dotted(("budget", "pages")) == "budget.pages"
    assert dotted(("seeds", 1)) == "seeds[1]"
    assert dotted(("scope", "a b\n")) == 'scope."a b\\n"'


# Below, an @ stands for the number of its own line, so that what tomllib reads tells where it was.
SCALARS = (
    "@",
    '"@"',
    "'@'",
    '"# [x] y = { \\" @"',
    "'# ] } , \\ @'",
    '"""@\n[x]\ny = 1 \\"\\"\\" \n""""',
    "'''@\n# ]\ny = '' [\n'''",
)
BREAKS = ("", " ", "\n", " # a, ] \" ' comment\n", "\n\n\t")


@st.composite
def documents(draw: st.DrawFn) -> str:
    numbers = count()

    def key() -> str:
        name = f"k{next(numbers)}"
        return draw(st.sampled_from((name, f'"{name} ."', f"'{name}]'", f"{name}.x", f'{name} . "\\u0041.#"')))

    def value(depth: int) -> str:
        kind = draw(st.sampled_from(("scalar", "list", "table") if depth else ("scalar",)))
        if kind == "list":
            items = [f"{gap()}{value(depth - 1)}{gap()}" for _ in range(draw(st.integers(0, 3)))]
            return f"[{','.join(items)}{gap()}]"
        if kind == "table":
            return "{ " + ", ".join(f"{key()} = {value(depth - 1)}" for _ in range(draw(st.integers(0, 3)))) + " }"
        return draw(st.sampled_from(SCALARS))

    def gap() -> str:
        return draw(st.sampled_from(BREAKS))

    def line() -> str:
        if draw(st.integers(0, 4)) == 0:
            return draw(st.sampled_from((f"[{key()}]", f"[ {key()} ] # [no]")))
        return f"{key()} = {value(2)} # =" if draw(st.booleans()) else f"  {key()}={value(2)}"

    text = "\n".join(draw(st.sampled_from(("", "# a = 1\n"))) + line() for _ in range(draw(st.integers(0, 6))))
    return "\n".join(row.replace("@", str(number)) for number, row in enumerate(text.split("\n"), start=1))


def leaves(value: Any, key: Key = ()) -> Iterator[tuple[Key, Any]]:
    if isinstance(value, dict | list):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*key, name))
    else:
        yield key, value


@given(documents())
def test_every_value_is_found_on_its_line(text: str) -> None:
    lines = lines_of(text)
    for key, value in leaves(tomllib.loads(text)):
        written = value if isinstance(value, int) else int(re.findall(r"\d+", value)[0])
        assert lines[key] == written
