"""What a topic file says, and the ways to say it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from honeyguide.errors import InputError
from honeyguide.fetch.settings import FetchSettings
from honeyguide.topic import Topic, changes
from honeyguide.topic.budget import BudgetSettings

FILE = """\
name = "graphs"
seeds = ["https://a.example/start", "b.example/x", "https://a.example/start"]
keywords = ["graph  theory", "vertex", "vertex", ""]
description = "  Graphs as in mathematics. "

[scope]
max_depth = 3
deny_paths = ["/login*"]

[budget]
minutes = 5

[fetch]
robots = false
contact = "mailto:me@a.example"
"""


def write(folder: Path, text: str, name: str = "graphs.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_file(tmp_path: Path) -> None:
    topic = Topic.load(write(tmp_path, FILE))
    assert topic.name == "graphs"
    assert topic.seeds == ("https://a.example/start", "https://b.example/x")
    assert topic.keywords == ("graph theory", "vertex")
    assert topic.description == "Graphs as in mathematics."
    assert topic.scope.max_depth == 3
    assert topic.scope.deny_paths == ("/login*",)
    assert topic.budget == BudgetSettings(minutes=5.0)
    assert isinstance(topic.budget.minutes, float)
    assert topic.fetch == FetchSettings(robots=False, contact="mailto:me@a.example")


def test_made_in_python_it_is_the_same(tmp_path: Path) -> None:
    made = Topic.make(
        name="graphs",
        seeds=(seed for seed in ["https://a.example/start", "https://b.example/x"]),
        keywords="graph theory, vertex,",
        description="Graphs as in mathematics.",
        scope={"max_depth": 3, "deny_paths": ("/login*",)},
        budget=BudgetSettings(minutes=5.0),
        fetch={"robots": False, "contact": "mailto:me@a.example"},
    )
    assert made == Topic.load(str(write(tmp_path, FILE)))
    assert pickle.loads(pickle.dumps(made)) == made


def test_the_name_defaults_to_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, 'seeds = ["https://a.example/"]\nkeywords = "x"', "trees.toml")
    assert Topic.load(path).name == "trees"


def test_a_file_that_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "graphs.toml"
    path.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    assert Topic.load(path).name == "graphs"


@pytest.mark.parametrize("name", ["graphs", "a", "graph_theory-2.1", "-x", "Gräser", "図", "x" * 100])
def test_names_a_folder_can_have(name: str) -> None:
    assert Topic.make(name=name, seeds=["https://a.example/"], keywords="x").name == name


def test_letters_of_a_name_are_composed() -> None:
    assert Topic.make(name="Gra\u0308ser", seeds=["https://a.example/"], keywords="x").name == "Gräser"


def test_a_description_is_enough() -> None:
    assert Topic.make(name="g", seeds=["https://a.example/"], description="図").keywords == ()


def test_single_settings_can_be_changed() -> None:
    topic = Topic.make(name="g", seeds=["https://a.example/"], keywords="x", budget={"pages": 7, "relevant": 2})
    changed = topic.with_settings(budget={"pages": 500}, fetch={"delay": 3}, keywords="y, z")
    assert (changed.budget.pages, changed.budget.relevant, changed.fetch.delay) == (500, 2, 3.0)
    assert changed.keywords == ("y", "z")
    assert topic.budget.pages == 7
    assert topic.with_settings() == topic
    assert topic.with_settings(budget=BudgetSettings()).budget == BudgetSettings()
    assert changes(topic, changed) == ("keywords", "budget.pages", "fetch.delay")
    assert changes(topic, topic) == ()


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"budget": {"pages": -1}}, "budget.pages"),
        ({"budget": {"page": 1}}, "budget.page"),
        ({"budget": 5}, "budget"),
        ({"budgets": {}}, "budgets"),
        ({"budget": BudgetSettings(pages=-1)}, "budget.pages"),
        ({"seeds": []}, "seeds"),
    ],
)
def test_changed_settings_are_checked(changed: dict[str, Any], place: str) -> None:
    topic = Topic.make(name="g", seeds=["https://a.example/"], keywords="x")
    with pytest.raises(InputError) as error:
        topic.with_settings(**changed)
    assert error.value.place == place


def test_changed_rules_for_urls_apply_to_the_seeds() -> None:
    topic = Topic.make(name="g", seeds=["https://a.example/?b=1&a=2"], keywords="x")
    assert topic.with_settings(urls={"sort_query": True}).seeds == ("https://a.example/?a=2&b=1",)
