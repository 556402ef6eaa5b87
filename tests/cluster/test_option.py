"""The option --cluster, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.cluster.ray_edge import ray_module
from honeyguide.errors import InputError

from .kit import topic_of

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
