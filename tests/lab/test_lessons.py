"""Replayed crawls with a teacher: the same questions every time, better judgement, and pages that nobody fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import honeyguide
from honeyguide.errors import InputError

WEB: dict[str, Any] = {"web": "demo:400", "topics": ["subject.beekeeping"], "strategies": "guide", "pages": "x2"}


@pytest.fixture(scope="module")
def cells() -> dict[str, dict[str, Any]]:
    compared = honeyguide.compare(**WEB, examples=6, answers=(0, 12), questions=("ours", "uncertain", "random"))
    return {cell["strategy"]: cell for cell in compared.results["cells"]}


def test_each_number_of_answers_and_each_way_of_choosing_competes(cells: dict[str, dict[str, Any]]) -> None:
    names = ["guide", "guide + 12 answers", "guide + 12 uncertain answers", "guide + 12 random answers"]
    assert list(cells) == names
    assert [cell["answers"] for cell in cells.values()] == [0, 12, 12, 12]
    assert len({cell["order_digest"] for cell in cells.values()}) > 1
    assert all(cell["kept_f1"] is None or 0 <= cell["kept_f1"] <= 1 for cell in cells.values())


def test_a_teacher_gives_the_same_crawl_every_time(cells: dict[str, dict[str, Any]]) -> None:
    compared = honeyguide.compare(**WEB, examples=6, answers=(12,), questions=("random",))
    (cell,) = compared.results["cells"]
    assert cell["order_digest"] == cells["guide + 12 random answers"]["order_digest"]
    assert cell["model_f1"] == cells["guide + 12 random answers"]["model_f1"]


def test_wrong_answers_teach_something_else(cells: dict[str, dict[str, Any]]) -> None:
    compared = honeyguide.compare(**WEB, examples=6, answers=(12,), wrong=1.0)
    (cell,) = compared.results["cells"]
    right = cells["guide + 12 answers"]
    assert cell["model_average_precision"] < right["model_average_precision"]


def test_keywords_alone_become_a_learnt_model() -> None:
    compared = honeyguide.compare(**WEB, examples=0, model="auto", answers=(0, 20))
    none, taught = compared.results["cells"]
    assert taught["model_average_precision"] > none["model_average_precision"]


def test_an_unknown_way_of_choosing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no way to choose questions called 'magic'"):
        honeyguide.compare(**WEB, answers=(5,), questions="magic", out=tmp_path)
