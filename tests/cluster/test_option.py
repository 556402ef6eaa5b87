"""The option --cluster, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.cluster.ray_edge import ray_module
from honeyguide.errors import InputError
from honeyguide.testing.web import SmallWeb, linked_pages

from .kit import run_alone, topic_of

SEEDS = ["http://bees.example/"]


def test_places() -> None:
    assert Place.parse("local:4") == Place("", 4)
    assert Place.parse("auto") == Place("auto")
    assert Place.parse("ray://head:10001") == Place("ray://head:10001")


@pytest.mark.parametrize("text", ["", "local", "local:0", "local:x", "head:10001", "ray://head"])
def test_what_is_no_place(text: str) -> None:
    with pytest.raises(InputError, match="local:4"):
        Place.parse(text)


def test_without_ray_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"honeyguide\[cluster\]"):
        ray_module()


def test_a_strategy_that_cannot_share_what_it_learns_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.cluster.drive.ray_module", lambda: None)
    with pytest.raises(InputError, match="one machine only"):
        ClusterSession(topic_of(SEEDS, strategy={"name": "opic"}), tmp_path / "crawl", Place("", 2))
    assert not list(tmp_path.iterdir())


def test_keywords_alone_are_given_a_model_that_all_machines_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.cluster.drive.ray_module", lambda: None)
    wanted, folder = topic_of(SEEDS), tmp_path / "crawl"
    ClusterSession(wanted, folder, Place("", 2))
    learns = topic_of(SEEDS, relevance={"model": "feedback"})
    with pytest.raises(InputError, match="which one machine has to fetch"):
        ClusterSession(learns, folder, Place("", 2))
    assert not list(tmp_path.iterdir())
    run_alone(wanted, folder, lambda: SmallWeb(linked_pages()))  # with a model that learns, which the crawl keeps
    with pytest.raises(InputError, match="which one machine has to fetch"):
        ClusterSession(wanted, folder, Place("", 2))
