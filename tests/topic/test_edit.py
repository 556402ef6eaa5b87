"""Lists written into topic files of every shape: what is meant changes, and not a byte besides."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from tomlkit.exceptions import TOMLKitError

from honeyguide.errors import InputError
from honeyguide.topic import Topic, template
from honeyguide.topic.edit import with_lists
from honeyguide.topic.file import TomlDocument

LISTS = {"genre": ["office hours", 'a "quoted" one'], "content": ["élan", "back\\slash"]}


def document(text: str) -> TomlDocument:
    return TomlDocument(Path("bees.toml"), text, tomllib.loads(text))


def edited(text: str, lists: dict[str, list[str]] | None = None) -> str:
    return with_lists(document(text), "terms", LISTS if lists is None else lists)


GENRE = 'genre = [\n    "office hours",\n    "a \\"quoted\\" one",\n]\n'
IN_BRACES = 'genre = ["office hours", "a \\"quoted\\" one"], content = ["élan", "back\\\\slash"]'
CONTENT = 'content = [\n    "élan",\n    "back\\\\slash",\n]\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Not there.
        ("", f"[terms]\n{GENRE}{CONTENT}"),
        ("seeds = []\n", f"seeds = []\n\n[terms]\n{GENRE}{CONTENT}"),
        ("seeds = []", f"seeds = []\n\n[terms]\n{GENRE}{CONTENT}"),
        ("[scope]\nx = 1 # end", f"[scope]\nx = 1 # end\n\n[terms]\n{GENRE}{CONTENT}"),
        # Under a header: empty, with others, with one of the two, with both, on one line or several.
        ("[terms]", f"[terms]\n{GENRE}{CONTENT}"),
        (
            "[ 'terms' ] # mine\n\nurl = ['x'] # keep\n[scope]\n",
            f"[ 'terms' ] # mine\n\nurl = ['x'] # keep\n{GENRE}{CONTENT}[scope]\n",
        ),
        ("[terms]\ngenre=['x']# c\n[scope]\n", f"[terms]\n{GENRE[:-1].replace(' = ', '=')}# c\n{CONTENT}[scope]\n"),
        (
            '[terms]\ncontent = [\n  \'x\', """#\n]""",\n]\n# a\ngenre = []\n',
            f"[terms]\n{CONTENT}# a\n{GENRE}",
        ),
        # Dotted.
        ("terms.url = ['x'] # c\nseeds = []\n", f"terms.url = ['x'] # c\nterms.{GENRE}terms.{CONTENT}seeds = []\n"),
        ("terms . genre = []\n[scope]\n", f"terms . {GENRE}terms .{CONTENT}[scope]\n"),
        # In braces.
        (
            "terms = {}\nseeds = []\n",
            f"terms = {{{IN_BRACES}}}\nseeds = []\n",
        ),
        ("terms={genre=['x']}\n", f"terms={{{IN_BRACES.replace(' = ', '=', 1)}}}\n"),
        ("terms = { url = ['}'] } # c\n", f"terms = {{ url = ['}}'],  {IN_BRACES}}} # c\n"),
        ("terms = {}\n#genre = []\n", f"terms = {{{IN_BRACES}}}\n#genre = []\n"),
        ("terms.url = []\n#genre = []\n", f"terms.url = []\nterms.{GENRE}terms.{CONTENT}#genre = []\n"),
        # As Windows ends lines.
        ("[terms]\r\nurl = []\r\n", f"[terms]\nurl = []\n{GENRE}{CONTENT}".replace("\n", "\r\n")),
    ],
)
def test_every_way_to_write_the_table(before: str, after: str) -> None:
    assert edited(before) == after


def test_in_the_file_that_init_writes_terms_stand_below_their_explanations() -> None:
    before = template("bees")
    after = edited(before)
    assert after == before.replace("#genre = []\n", f"#genre = []\n{GENRE}").replace(
        "#content = []\n", f"#content = []\n{CONTENT}"
    )


def test_what_looks_like_the_default_in_another_table_is_not_it() -> None:
    before = "[terms]\nurl = []\n\n  [scope]\n#genre = []\n"
    assert edited(before, {"genre": ["x"]}) == before.replace("url = []\n", 'url = []\ngenre = [\n    "x",\n]\n')


def test_an_empty_list() -> None:
    assert edited("[terms]\ngenre = ['x']\n", {"genre": []}) == "[terms]\ngenre = []\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[terms]\nurl = []\ngenre = [\n  'x', # why\n]\n", "bees.toml:3"),
        ("[terms]\ngenre = [ # why\n]\n", "bees.toml:2"),
        ("[terms]\ngenre = [\n 'x'\n # why\n]\n", "bees.toml:2"),
    ],
)
def test_comments_inside_a_list_are_not_thrown_away(text: str, place: str) -> None:
    with pytest.raises(InputError, match="comments inside") as refused:
        edited(text)
    assert refused.value.place == place


@pytest.mark.parametrize(
    "text",
    [
        # Comments around a list, or what looks like one in a string, are in nobody's way.
        '[terms] # a\n# b\ngenre = [\'#x\', """#"""] # c\n# d\n',
        "[terms]\ngenre = [] # a",
    ],
)
def test_comments_around_a_list_stay(text: str) -> None:
    assert [part in edited(text) for part in ("# a", "# b\n", "# c\n# d\n") if part in text] != [False]
    assert tomllib.loads(edited(text))["terms"] == LISTS


@pytest.mark.parametrize("before", ['[terms]\nurl = ["""\n#genre = []\n"""]\n', "[terms]\nurl = [\n#genre = []\n]\n"])
def test_what_looks_like_the_default_in_a_text_or_a_list_is_not_it(before: str) -> None:
    assert edited(before) == f"{before}{GENRE}{CONTENT}"


def test_a_file_that_tomlkit_does_not_understand_is_left_to_people(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise TOMLKitError

    monkeypatch.setattr(tomlkit, "parse", refuse)
    with pytest.raises(
        InputError, match=r"bees.toml:2: genre and content cannot be written .* without damaging it; add"
    ):
        edited("name = 'x'\n[terms]\n")


# ---- any file ----

strings = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
spaces = st.sampled_from(["", " ", "\t"])
comments = st.sampled_from(["", " # genre = []", "# [terms]", ' # "']) | st.just("")
quoted = strings.map(lambda text: '"' + "".join(f"\\U{ord(c):08x}" for c in text) + '"') | st.sampled_from(
    ["'#'", "']'", "'}'", '"""[terms]\ngenre = ["""', "'''a\n#genre = []'''", '"\\""']
)
arrays = st.builds(
    lambda items, comma, gap: "[" + gap + ("," + gap).join(items) + (comma if items else "") + gap + "]",
    st.lists(quoted, max_size=3),
    st.sampled_from(["", ","]),
    st.sampled_from(["", " ", "\n", "\n  "]),
)
others = st.sampled_from(
    ["", "\n", "# a comment\n", "name = 'x'\n", "seeds = ['#', 'x']\n", "keywords = '''\n[terms]'''\n"]
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Topic files with the table in one of its shapes, and all sorts of things around it."""
    names = draw(st.lists(st.sampled_from(["genre", "content", "url"]), unique=True, max_size=3))
    pairs = [f"{draw(spaces)}{name}{draw(spaces)}={draw(spaces)}{draw(arrays)}{draw(spaces)}" for name in names]
    above = "".join(draw(st.lists(others, unique=True, max_size=3)))
    below = draw(st.sampled_from(["", "[scope]\nmax_depth = 3\n", "[relevance] # x\n#genre = []\n", "\n[fetch]"]))
    shape = draw(st.sampled_from(["none", "header", "dotted", "braces"]))
    lines = [f"{pair}{draw(comments)}\n" for pair in pairs]
    if shape == "header":
        defaults = draw(st.sampled_from(["", "#genre = []\n", "\n#content = []\n\n"]))
        table = f"[{draw(spaces)}terms{draw(spaces)}]{draw(comments)}\n{defaults}{''.join(lines)}"
    elif shape == "dotted":
        table = "".join(f"terms.{line.lstrip()}" for line in lines)
    else:
        table = f"terms = {{{', '.join(pairs)}}}{draw(comments)}\n" if shape == "braces" else ""
    text = above + table + below
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(files(), st.lists(strings, max_size=3), st.lists(strings, max_size=3))
def test_what_is_meant_changes_and_nothing_else(text: str, genre: list[str], content: list[str]) -> None:
    before = document(text)
    after = with_lists(before, "terms", {"genre": genre, "content": content})
    expected = {**before.data}
    table = before.data.get("terms", {})
    assert isinstance(table, dict)
    expected["terms"] = {**table, "genre": genre, "content": content}
    assert tomllib.loads(after) == expected
    # What was there and is no part of the two lists is there still, in its order.
    kept = iter(after)
    assert all(character in kept for character in without_lists(text))
    # Once more, and nothing happens.
    assert with_lists(document(after), "terms", {"genre": genre, "content": content}) == after


def without_lists(text: str) -> str:
    """The text without the two lists, each found by trying what can be replaced so that only its value changes."""
    data = tomllib.loads(text)
    found = []
    for name in ("genre", "content"):
        if name in data.get("terms", {}):
            wanted = {**data, "terms": {**data["terms"], name: 0}}
            starts = [i for i, c in enumerate(text) if c == "[" and text[:i].rstrip(" \t").endswith("=")]
            ends = [i + 1 for i, c in enumerate(text) if c == "]"]
            tried = ((start, end) for start in starts for end in ends if start < end)
            found.append(next(one for one in tried if says(f"{text[: one[0]]}0{text[one[1] :]}", wanted)))
    for start, end in sorted(found, reverse=True):
        text = text[:start] + text[end:]
    return text


def says(text: str, wanted: object) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except ValueError:
        return False


def test_what_was_written_is_what_a_topic_has(tmp_path: Path) -> None:
    path = tmp_path / "bees.toml"
    path.write_text(edited('seeds = ["http://a.example/"]\nkeywords = "bees"\n'), encoding="utf-8")
    topic = Topic.load(path)
    assert (list(topic.terms.genre), list(topic.terms.content)) == (LISTS["genre"], LISTS["content"])
