"""The two texts that are written: the template of `honeyguide init`, and a topic as it was crawled."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.relevance.registry import models
from honeyguide.settings import Parameter, settings_of
from honeyguide.topic import TABLES, Topic, changes, dump, template

DEFAULT = Topic.make(name="graphs", seeds=["https://a.example/", "https://b.example/"], keywords=["vertex", "edge"])


def load(text: str, name: str = "graphs.toml") -> Topic:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return Topic.load(path)


def filled(text: str) -> str:
    """The template as a user fills it in."""
    for placeholder, own in (
        ("https://example.org/your-first-seed", "https://a.example/"),
        ("https://example.org/your-second-seed", "https://b.example/"),
        ("your first keyword", "vertex"),
        ("your second keyword", "edge"),
    ):
        assert text.count(placeholder) == 1
        text = text.replace(placeholder, own)
    return text


def test_the_template_is_refused_until_it_is_filled_in() -> None:
    with pytest.raises(InputError, match="is still the placeholder; write your own seeds"):
        load(template("graphs"))
    only_seeds = re.sub(r"example\.org/your", "a.example/my", template("graphs"))
    with pytest.raises(InputError, match="is still the placeholder; write your own keywords"):
        load(only_seeds)


def test_the_template_filled_in_has_every_default() -> None:
    assert load(filled(template("graphs"))) == DEFAULT


def test_the_template_with_every_setting_taken_out_of_its_comment() -> None:
    text = re.sub(r"(?m)^#(?! \S)", "", filled(template("graphs")))
    assert load(text) == DEFAULT
    for table, kind in TABLES.items():
        section = text.split(f"\n[{table}]\n")[1].split("\n[")[0]
        assert re.findall(r"(?m)^(\w+) =", section) == list(settings_of(kind))


def test_the_template_explains() -> None:
    text = template("graphs")
    assert max(map(len, text.splitlines())) <= 100
    assert "honeyguide crawl graphs.toml" in text
    flat = re.sub(r"\n# ", " ", text)
    for kind in TABLES.values():
        for declared in settings_of(kind).values():
            assert declared.help in flat
            assert declared.example in flat
            for choice in declared.choices:
                assert f'"{choice}"' in flat
    assert "# lowest score of a relevant page; 0: the default of the model (0 to 1)\n#threshold = 0.0\n" in text


def test_the_template_of_a_bad_name() -> None:
    with pytest.raises(InputError, match=r'^name: "a/b" cannot be the name of a folder'):
        template("a/b")


def test_a_dump_holds_the_subject_and_what_is_not_at_its_default() -> None:
    topic = DEFAULT.with_settings(budget={"pages": 5}, scope={"deny_domains": ["x.example"]}, fetch={"robots": False})
    assert dump(topic) == (
        'name = "graphs"\n'
        "seeds = [\n"
        '    "https://a.example/",\n'
        '    "https://b.example/",\n'
        "]\n"
        "keywords = [\n"
        '    "vertex",\n'
        '    "edge",\n'
        "]\n"
        'description = ""\n'
        "\n[scope]\n"
        'deny_domains = ["x.example"]\n'
        "\n[budget]\n"
        "pages = 5\n"
        "\n[fetch]\n"
        "robots = false\n"
    )


texts = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\"\\\n\r\t'\0\x1f\x7f\u2028#[]{}=, aé🐝")


def values_of(name: str, declared: Parameter) -> st.SearchStrategy[Any]:
    low, high, kind = declared.minimum, declared.maximum, type(declared.default)
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(int(low or 0), 2**63 - 1 if high is None else int(high))
    if kind is float:
        return st.floats(low, high, allow_nan=False, allow_infinity=False)
    if name == "model":
        return st.sampled_from(["auto", *models()])
    if name == "fetcher":
        return st.just("http")
    if name in {"browser", "program"}:  # others need what may not be installed
        return st.sampled_from(["", "never"] if name == "browser" else [""])
    if name == "contact":
        return st.sampled_from(["", "mailto:me@a.example", "me@a.example", "https://a.example/bot"])
    if name == "language":
        return st.sampled_from(["auto", "english", "japanese"])
    if name == "languages":
        return st.lists(st.sampled_from(["de", "ja", "gsw"]), max_size=3).map(tuple)
    if name == "types":
        return st.lists(st.sampled_from(["text/html", "text/x-é", "application/xml"]), max_size=3).map(tuple)
    if name == "name":  # of a strategy
        return st.sampled_from(["breadth-first", "page+btw(window=40, beta=0.5)", "mix( rule = equal )"])
    one = st.sampled_from(declared.choices) if declared.choices else texts
    return st.lists(one, max_size=30).map(tuple) if kind is tuple else one


tables = st.fixed_dictionaries(
    {},
    optional={
        name: st.fixed_dictionaries({}, optional={key: values_of(key, one) for key, one in settings_of(kind).items()})
        for name, kind in TABLES.items()
        if name != "urls"  # these change the seeds: see the next test
    },
)
topics = st.fixed_dictionaries(
    {
        "name": st.from_regex(r"\A[\w-][\w.-]{0,30}\Z"),
        "seeds": st.lists(st.from_regex(r"\Ahttps://[a-z]{1,5}\.example/[!-~]{0,20}\Z"), min_size=1, max_size=5),
        "keywords": st.lists(texts, max_size=5).map(lambda some: [*some, "vertex"]),
        "description": texts,
    }
)


@given(topics, tables)
def test_what_is_dumped_loads_to_an_equal_topic(subject: dict[str, Any], settings: dict[str, Any]) -> None:
    topic = Topic.make(**subject, **settings)
    assert load(dump(topic), "another-name.toml") == topic


def test_the_rules_for_urls_are_dumped_too() -> None:
    urls = {"sort_query": True, "drop_sessions": False, "drop_parameters": ["b"], "keep_parameters": ["sid"]}
    topic = Topic.make(name="g", seeds=["https://a.example/?sid=1&b=2&a=3"], keywords="x", urls=urls)
    assert topic.seeds == ("https://a.example/?a=3&sid=1",)
    assert load(dump(topic)) == topic


@given(tables)
def test_changes_names_what_differs_and_nothing_else(settings: dict[str, Any]) -> None:
    changed = DEFAULT.with_settings(**settings)
    expected = {
        f"{table}.{name}"
        for table, kind in TABLES.items()
        for name, declared in settings_of(kind).items()
        if settings.get(table, {}).get(name, declared.default) != declared.default
    }
    assert set(changes(DEFAULT, changed)) == expected
    assert changes(DEFAULT, changed) == changes(changed, DEFAULT)


def test_changes_of_the_subject() -> None:
    for field, value in (
        ("name", "x"),
        ("seeds", ("https://x.example/",)),
        ("keywords", ("x",)),
        ("description", "x"),
    ):
        assert changes(DEFAULT, dataclasses.replace(DEFAULT, **{field: value})) == (field,)  # type: ignore[arg-type]
