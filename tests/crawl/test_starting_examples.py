"""Crawls that start at example pages: live, in several runs, with workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honeyguide.cli.why import why
from honeyguide.errors import InputError
from honeyguide.relevance.models import make_model
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

from .kit import PaperWeb, about, check_tables, rows, run, topic

HOME = "http://a.example/"
GOOD = [f"{HOME}good{number}" for number in range(6)]
WEB = {
    HOME: about("stone", f"{HOME}other"),
    f"{HOME}other": about("stone quarry"),
    f"{HOME}is": about("honey bee", *GOOD, f"{HOME}also"),
    f"{HOME}also": about("honey bee hive", f"{HOME}is"),
    **{url: about(f"honey bee wax {place}") for place, url in enumerate(GOOD)},
}
EXAMPLES = {"positive": [f"{HOME}is", f"{HOME}also"], "negative": [f"{HOME}other"]}


def wanted(**tables: Any) -> Topic:
    return topic([HOME], examples=EXAMPLES, relevance={"model": "vsm"}, **tables)


def crawled(folder: Path, *budgets: int, workers: int = 0) -> list[tuple[Any, ...]]:
    """The pages of a crawl in one run for each budget, in order, with what they promised."""
    for pages in budgets:
        run(wanted(budget={"pages": pages}), folder, lambda: PaperWeb(WEB), model=model(), workers=workers)
    check_tables(folder)
    sql = "SELECT urls.url, priority, depth FROM events JOIN urls ON urls.id = events.url WHERE kind = 'page'"
    return list(rows(folder, f"{sql} ORDER BY events.id"))


def model() -> Any:
    """By the keywords alone."""
    return make_model(material_of(topic([HOME])))


def test_the_first_pages_are_the_positive_examples_then_the_seeds(tmp_path: Path) -> None:
    pages = crawled(tmp_path / "crawl", 20)
    assert [page[0] for page in pages[:3]] == [f"{HOME}is", f"{HOME}also", HOME]
    assert sorted(page[0] for page in pages[3:9]) == GOOD
    assert len(pages) == len(WEB)


@pytest.mark.parametrize("budgets", [(1, 2, 3, 5, 20), (4, 20)])
def test_a_crawl_in_several_runs_is_the_same_as_in_one(tmp_path: Path, budgets: tuple[int, ...]) -> None:
    assert crawled(tmp_path / "several", *budgets) == crawled(tmp_path / "one", 20)


def test_with_a_worker_it_is_the_same(tmp_path: Path) -> None:
    assert crawled(tmp_path / "worker", 20, workers=1) == crawled(tmp_path / "one", 20)


@pytest.mark.parametrize(("strategy", "choice", "starts"), [
    ("guide", "never", False), ("guide", "always", True), ("best-first", "always", True), ("best-first", "auto", False),
])  # fmt: skip
def test_the_topic_decides(tmp_path: Path, strategy: str, choice: str, starts: bool) -> None:
    web = PaperWeb(WEB)
    own = wanted(strategy={"name": strategy, "start_at_examples": choice})
    run(own, tmp_path / "crawl", lambda: web, model=model())
    assert (f"{HOME}is" in web.asked_pages) == starts


def test_another_choice_is_refused() -> None:
    with pytest.raises(InputError, match=r'strategy\.start_at_examples: .*"auto" or "always" or "never"'):
        wanted(strategy={"start_at_examples": "perhaps"})


def test_why_names_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawled(tmp_path / "crawl", 20)
    why(tmp_path / "crawl", GOOD[0])
    first, second = [line.split()[0] for line in capsys.readouterr().out.splitlines()[:2]]
    assert (first, second) == ("example", "link")
