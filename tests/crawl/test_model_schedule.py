"""A crawl that learns from its first pages: always the same, in one go or in many, with or without workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.reliability.aftermath import misjudged

from honeyguide.crawl import model_schedule
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.demo.web import DemoWeb
from honeyguide.relevance.base import AcceptAll, Relevance
from honeyguide.relevance.learning import OnlineIdf, PUBootstrap
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text, Tokens
from honeyguide.strategy.reading import ReaderConfig
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

from .kit import PaperWeb, html, rows, run, topic

PAGES = "SELECT url, relevance, relevant FROM pages JOIN urls USING (id) ORDER BY seq"
MILESTONES = (5, 12, 30)
WEB = DemoWeb(pages=120, page_kb=1.0)
SUBJECT = WEB.subjects[0]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_schedule, "MILESTONES", MILESTONES)


def gathering(**tables: Any) -> tuple[Topic, Relevance]:
    """A topic, and a model that takes the crawl's first pages as unlabelled ones."""
    keywords = WEB.keywords(SUBJECT)
    wanted = topic(WEB.seeds(SUBJECT), ", ".join(keywords), **{"budget": {"pages": 45}, **tables})
    examples = [Text([*keywords, *keywords, "page", f"own{number}"]) for number in range(6)]
    return wanted, make_model(material_of(wanted, examples))


def counting(**tables: Any) -> tuple[Topic, Relevance]:
    """A topic, and a model that counts in how many pages words are."""
    wanted = topic(
        WEB.seeds(SUBJECT), ", ".join(WEB.keywords(SUBJECT)), relevance={"idf": "crawl"},
        **{"budget": {"pages": 45}, **tables},
    )  # fmt: skip
    return wanted, make_model(material_of(wanted))


def expanding(**tables: Any) -> tuple[Topic, Relevance]:
    """A topic, and a model that adds words to its keywords: what keywords alone are given."""
    wanted = topic(WEB.seeds(SUBJECT), WEB.keywords(SUBJECT)[0], **{"budget": {"pages": 45}, **tables})
    return wanted, make_model(material_of(wanted))


def crawl(folder: Path, wanted: Topic, model: Relevance, workers: int = 0) -> list[Any]:
    run(wanted, folder, lambda: DemoFetcher(WEB), model=model, workers=workers)
    return rows(folder, PAGES)


@pytest.mark.parametrize("learning", [gathering, counting])
def test_learning_changes_what_pages_score(tmp_path: Path, learning: Any) -> None:
    wanted, model = learning()
    assert isinstance(model, PUBootstrap | OnlineIdf)
    learnt = crawl(tmp_path / "learns", wanted, model)
    fixed = crawl(tmp_path / "not", wanted, model.interim if isinstance(model, PUBootstrap) else model.model)
    scores = [{url: score for url, score, _ in found} for found in (learnt, fixed)]
    shared = set(scores[0]) & set(scores[1])
    assert len(learnt) == len(fixed) == 45
    assert any(scores[0][url] != scores[1][url] for url in shared)


@pytest.mark.parametrize("learning", [gathering, counting, expanding])
def test_any_number_of_workers_gives_the_same(tmp_path: Path, learning: Any) -> None:
    wanted, model = learning()
    found = [crawl(tmp_path / str(workers), wanted, model, workers) for workers in (0, 2)]
    assert found[0] == found[1]


@pytest.mark.parametrize("learning", [gathering, counting, expanding])
def test_a_crawl_in_pieces_is_the_same(tmp_path: Path, learning: Any) -> None:
    whole = crawl(tmp_path / "whole", *learning())
    for pages in (3, 5, 6, 20, 30, 31, 45):  # before, at and behind the milestones
        wanted, model = learning(budget={"pages": pages})
        crawl(tmp_path / "pieces", wanted, model)
    assert rows(tmp_path / "pieces", PAGES) == whole


@pytest.mark.parametrize("learning", [gathering, counting, expanding])
@pytest.mark.parametrize("workers", [0, 1])
def test_a_page_under_way_when_the_model_changes_is_judged_by_the_new_one(
    tmp_path: Path, learning: Any, workers: int
) -> None:
    """Whatever was fetched at the same time, a page is judged as follows from the pages that are stored before it."""
    wanted, model = learning(fetch={"connections": 8})
    found = crawl(tmp_path / "test", wanted, model, workers)
    assert len({relevance for _, relevance, _ in found}) > 5
    assert misjudged(tmp_path / "test") == []


def test_pages_that_repeat_others_count_among_the_first(tmp_path: Path) -> None:
    texts = ("honey bee", "honey bee", "honey", "bee wax", "honey bee", "wax", "honey wax", "bee", "wax bee", "honey")
    names = [f"http://a.example/{number}" for number in range(len(texts))]
    same = f"<p>{'honey bee ' * 40}</p>"
    pages = {
        name: f"{same if number < 3 else html(text)}"
        for number, (name, text) in enumerate(zip(names, texts, strict=True))
    }
    for folder, budgets in (("whole", (10,)), ("pieces", (4, 6, 10))):
        for budget in budgets:
            wanted = topic(names, relevance={"idf": "crawl"}, budget={"pages": budget})
            run(wanted, tmp_path / folder, lambda: PaperWeb(pages))
    assert rows(tmp_path / "pieces", PAGES) == rows(tmp_path / "whole", PAGES)
    assert rows(tmp_path / "whole", "SELECT count(duplicate_of) FROM pages") == [(2,)]


# ---- which model is in force ----


class Counts(AcceptAll):
    """A learner whose models tell how many pages they have seen."""

    def learned(self, documents: list[Tokens]) -> Relevance:
        return AcceptAll(threshold=len(documents) / 100)


def test_models_change_at_milestones_alone() -> None:
    schedule = ModelSchedule(ReaderConfig(Counts(), "best-first"))
    assert schedule.config.sampling
    page = np.array([1, 2], np.uint32).tobytes()
    changed = [number for number in range(1, 60) if schedule.add(page)]
    assert changed == list(MILESTONES)
    assert schedule.config.model.threshold == 0.3
    assert not schedule.config.sampling


@pytest.mark.parametrize(
    ("pages", "seen"), [(0, 0.0), (4, 0.0), (5, 0.05), (11, 0.05), (29, 0.12), (30, 0.3), (99, 0.3)]
)
def test_going_on_means_the_model_of_the_last_milestone(pages: int, seen: float) -> None:
    schedule = ModelSchedule(
        ReaderConfig(Counts(), "best-first"), [np.array([number], np.uint32) for number in range(pages)]
    )
    assert schedule.config.model.threshold == seen
    assert schedule.config.sampling is (pages < 30)


def test_a_model_that_does_not_learn_asks_for_nothing() -> None:
    schedule = ModelSchedule(ReaderConfig(AcceptAll(), "best-first"))
    assert not schedule.config.sampling
    assert not schedule.add(b"")
