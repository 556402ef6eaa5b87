"""Crawls with a model that the caller brings."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import honeyguide
from honeyguide.crawl.session import Session
from honeyguide.errors import InputError
from honeyguide.page.spans import Spans
from honeyguide.relevance import saved
from honeyguide.relevance.base import Scores
from honeyguide.relevance.material import Material
from honeyguide.relevance.spec import ModelSpec
from honeyguide.relevance.text import Text

from .kit import PaperWeb, about, run, topic

HOME = "http://a.example/"
WEB = {HOME: about("honey", "/wax", "/rail"), f"{HOME}wax": about("wax"), f"{HOME}rail": about("rail")}


@dataclass(eq=False)
class Has:
    """Whether a text has one of some words."""

    words: list[str]
    threshold: float = 0.5

    @classmethod
    def fit(cls, material: Material, threshold: float) -> Has:
        return cls([*material.words().words, *(word for text in material.positive for word in text.words)], threshold)

    def score(self, text: Text, spans: Spans) -> Scores:
        found = [any(word in self.words for word in text.words[first:last]) for first, last in spans.tolist()]
        return np.array(found, float)


SPEC = ModelSpec("has", "whether a text has a word", 0.75, Has.fit)


class Unkept(Has):
    def __init__(self) -> None:
        super().__init__(["wax"])
        self.words = {"wax"}  # type: ignore[assignment]


class NoDataclass:
    threshold = 0.5

    def score(self, text: Text, spans: Spans) -> Scores:
        return np.ones(len(spans))


def crawled(out: Path, model: Any, **options: Any) -> list[str]:
    wanted = topic([HOME], "wax", **options.pop("tables", {}))
    options = {"workers": 0, "fetcher": lambda: PaperWeb(WEB), **options}
    return sorted(page.url for page in honeyguide.crawl(wanted, out=out, model=model, **options))


@pytest.mark.parametrize("model", [Has(["wax"]), Has, SPEC, f"{__name__}:Has", f"{__name__}:SPEC"])
def test_an_instance_a_class_a_spec_or_a_path(tmp_path: Path, model: Any) -> None:
    assert crawled(tmp_path, model) == [f"{HOME}wax"]
    kept = saved.load(tmp_path / "test" / saved.FOLDER)
    assert isinstance(kept, Has)
    assert kept.words == ["wax"]
    # The crawl has no more to fetch; what it goes on with is what it began with.
    assert crawled(tmp_path, model) == []


def test_a_name_is_the_topics_setting(tmp_path: Path) -> None:
    assert crawled(tmp_path, "vsm", relevance={"threshold": 0.01}) == [f"{HOME}wax"]
    text = (tmp_path / "test" / "topic.toml").read_text()
    assert 'model = "vsm"' in text
    assert "threshold = 0.01" in text
    assert crawled(tmp_path, f"{__name__}:Has", relevance={"threshold": 0.01}) == []
    assert isinstance(saved.load(tmp_path / "test" / saved.FOLDER), Has)


def test_a_crawl_goes_on_with_another_model_after_what_it_has_was_judged_by_it(tmp_path: Path) -> None:
    assert crawled(tmp_path, Has(["nothing"])) == []
    assert crawled(tmp_path, Has(["wax"])) == []  # nothing is fetched, so nothing is new
    assert saved.load(tmp_path / "test" / saved.FOLDER).words == ["wax"]  # type: ignore[attr-defined]
    with honeyguide.Crawl.open(tmp_path / "test") as crawl:
        assert [page.url for page in crawl.pages()] == [f"{HOME}wax"]


@pytest.mark.parametrize("model", [Has, SPEC])
def test_the_examples_are_learnt_from(tmp_path: Path, model: Any) -> None:
    for number in range(3):
        (tmp_path / f"{number}.html").write_text(f"<p>rail wagon{number}</p>")
    tables = {"examples": {"positive": [str(tmp_path / f"{number}.html") for number in range(3)]}}
    assert crawled(tmp_path / "out", model, tables=tables) == [f"{HOME}rail", f"{HOME}wax"]
    kept = saved.load(tmp_path / "out" / "test" / saved.FOLDER)
    assert kept.threshold == 1.0  # what nine of ten examples score when they are held back


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            3,
            "model: an object of type int is not a model; pass a name or an object with a threshold and a score method",
        ),
        (NoDataclass, "is not a model; give a ModelSpec, or a class with a class method fit"),
        (
            NoDataclass(),
            "model: NoDataclass is not a dataclass, so it cannot be saved with a crawl; make it a dataclass",
        ),
        (Unkept(), "Unkept.words: a value of type set cannot be saved"),
        ("hass", "relevance.model: no model 'hass'; "),
        ("no.such:Model", "relevance.model: there is no module no "),
        (ModelSpec("x", "x", 0.5, lambda _, threshold: NoDataclass()), "model: NoDataclass is not a dataclass"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_left(tmp_path: Path, model: Any, message: str) -> None:
    with pytest.raises(InputError) as refused:
        crawled(tmp_path / "out", model)
    assert message in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_session_refuses_what_it_could_not_keep(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="NoDataclass is not a dataclass"):
        Session(topic([HOME]), tmp_path / "crawl", model=NoDataclass())
    assert list(tmp_path.iterdir()) == []


def test_workers_cannot_have_a_model_of_the_script_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Has, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "Has", Has, raising=False)
    with pytest.raises(InputError, match="model: Has is defined in the script itself, where workers cannot import it"):
        Session(topic([HOME]), tmp_path / "crawl", model=Has(["wax"]), workers=1)
    assert run(topic([HOME]), tmp_path / "crawl", lambda: PaperWeb(WEB), model=Has(["wax"])).tally.relevant == 1
    assert saved.load(tmp_path / "crawl" / saved.FOLDER).threshold == 0.5
