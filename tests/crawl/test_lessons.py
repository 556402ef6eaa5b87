"""Labels for a running crawl: a new model, pages judged again, another order of what waits, and all taken back."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.session import CrawlResult
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.relevance.models import make_model
from honeyguide.store.commands import Command
from honeyguide.store.crawl import Crawl
from honeyguide.store.inbox import send
from honeyguide.teaching.labels import read_labels
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

from .kit import PaperWeb, about, check_tables, rows, run, topic

HOME, LASTS = "http://a.example/", [f"http://a.example/last/{number}" for number in range(1, 5)]
BEES = [f"http://a.example/bees/{number}" for number in range(8)]
BADGERS = [f"http://a.example/badgers/{number}" for number in range(8)]
FETCHED = [HOME, *BEES, *BADGERS]


def behind(url: str) -> str:
    return f"{url}/next"


class SchoolWeb(PaperWeb):
    """Pages about bees and about badgers, all of which say "honey"; each has a link to follow.

    The last pages do not arrive before the crawl has judged its pages as often as `lessons` says.
    """

    def __init__(self, folder: Path, lessons: int = 0) -> None:
        bees = {url: about("honey hive queen nectar pollen swarm", behind(url)) for url in BEES}
        badgers = {url: about("honey sett claws nocturnal mammal burrow", behind(url)) for url in BADGERS}
        lasts = {url: about("honey") for url in LASTS}
        super().__init__({HOME: about("honey", *BEES, *BADGERS), **bees, **badgers, **lasts})
        self._folder = folder
        self._lessons = lessons

    async def fetch(self, request: Request) -> Response | Failure:
        if request.url in LASTS:
            while len(events(self._folder, "judged again")) < self._lessons:  # noqa: ASYNC110 (of another process)
                await asyncio.sleep(0.02)
        return await super().fetch(request)


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [json.loads(text) for (text,) in rows(folder, "SELECT detail FROM events WHERE kind = ? ORDER BY id", kind)]


def crawl(folder: Path, pages: int, lessons: int = 0) -> tuple[SchoolWeb, CrawlResult]:
    web = SchoolWeb(folder, lessons)
    wanted = topic([*FETCHED, *LASTS], "honey", budget={"pages": pages}, relevance={"threshold": 0.05})
    return web, run(wanted, folder, lambda: web)


def keywords_of(folder: Path) -> tuple[str, ...]:
    return Topic.load(folder / "topic.toml").keywords


def tell(folder: Path, *words: str) -> None:
    send(folder, Command(words[0], words[1:]), by="test")


def label(folder: Path, *answers: tuple[str, str]) -> None:
    for url, answer in answers:
        send(folder, Command("label", (url, answer)), by="test")


def relevant(folder: Path) -> set[str]:
    return {url for (url,) in rows(folder, "SELECT url FROM urls JOIN pages USING (id) WHERE relevant")}


def relevances(folder: Path) -> dict[str, float]:
    return dict(rows(folder, "SELECT url, relevance FROM urls JOIN pages USING (id)"))


def promises(folder: Path, urls: list[str]) -> list[float]:
    found = dict(rows(folder, "SELECT url, priority FROM urls"))
    return [found[behind(url)] for url in urls]


def test_labels_change_what_is_relevant_and_what_comes_next_and_can_be_taken_back(tmp_path: Path) -> None:
    crawl(tmp_path, len(FETCHED))
    assert relevant(tmp_path) >= {*BEES, *BADGERS}
    before = promises(tmp_path, BEES), promises(tmp_path, BADGERS)
    assert min(before[0]) < max(before[1])

    label(tmp_path, *((url, "yes") for url in BEES[:5]), *((url, "no") for url in BADGERS[:5]))
    web, _ = crawl(tmp_path, len(FETCHED) + 1, lessons=1)
    assert web.asked_pages == LASTS[:1]  # stored pages are not fetched again
    assert set(read_labels(tmp_path)) == {*BEES[:5], *BADGERS[:5]}
    assert relevant(tmp_path) >= set(BEES)  # those without a label, too
    assert not relevant(tmp_path) & set(BADGERS)
    assert min(promises(tmp_path, BEES)) > max(promises(tmp_path, BADGERS))
    (taught,), (judged,) = events(tmp_path, "taught"), events(tmp_path, "judged again")
    assert (taught["relevant"], taught["others"]) == (5, 5)
    assert judged["lost"] >= len(BADGERS)
    assert set(judged["lost_urls"]) <= {*BADGERS, HOME}
    with Crawl.open(tmp_path) as stored:
        assert type(stored.model).__name__ == "Taught"
        assert stored.meta["relevant"] == stored.count()
    check_tables(tmp_path)

    label(tmp_path, ("all", "forget"))
    crawl(tmp_path, len(FETCHED) + 2, lessons=2)
    assert not read_labels(tmp_path)
    assert relevant(tmp_path) >= {*BEES, *BADGERS}
    assert not (tmp_path / "taught").exists()


def test_labels_that_a_crash_kept_from_their_file_come_back(tmp_path: Path) -> None:
    crawl(tmp_path, 3)
    label(tmp_path, (BEES[0], "no"), (BEES[1], "yes"), (BEES[1], "forget"))
    crawl(tmp_path, 4)
    (tmp_path / "labels.tsv").unlink()
    crawl(tmp_path, 5)
    assert [(one.url, one.relevant, one.by) for one in read_labels(tmp_path).values()] == [(BEES[0], False, "test")]


def test_a_label_needs_a_page_of_the_crawl(tmp_path: Path) -> None:
    crawl(tmp_path, 3)
    label(tmp_path, ("http://elsewhere.example/", "yes"), (BEES[0], "forget"))
    crawl(tmp_path, 4)
    told = events(tmp_path, "told")
    assert [one["ok"] for one in told] == [False, False]
    assert "not a page of this crawl" in told[0]["result"]
    assert "has no label" in told[1]["result"]
    assert not events(tmp_path, "taught")


def test_keywords_change_a_running_crawl_and_can_be_taken_back(tmp_path: Path) -> None:
    crawl(tmp_path, len(FETCHED))
    before = promises(tmp_path, BEES), promises(tmp_path, BADGERS)
    assert max(before[0]) < 1.5 * min(before[1])
    scores = relevances(tmp_path)

    tell(tmp_path, "keywords", "hive, queen, nectar, pollen, swarm")
    web, _ = crawl(tmp_path, len(FETCHED) + 1, lessons=1)
    assert web.asked_pages == LASTS[:1]  # it was judged while it ran, and nothing was fetched again
    assert not events(tmp_path, "judged")
    now = relevances(tmp_path)
    assert all(now[url] > 2 * scores[url] for url in BEES)
    assert all(now[url] < scores[url] for url in BADGERS)
    assert min(promises(tmp_path, BEES)) > max(promises(tmp_path, BADGERS))
    (told,), (taught,), (judged,) = (events(tmp_path, kind) for kind in ("told", "taught", "judged again"))
    assert told["ok"]
    assert taught["keywords"] == ["honey", "hive", "queen", "nectar", "pollen", "swarm"]
    assert (taught["relevant"], taught["others"]) == (0, 0)
    assert judged["pages"] == len(FETCHED)
    assert keywords_of(tmp_path) == tuple(taught["keywords"])
    check_tables(tmp_path)

    crawl(tmp_path, len(FETCHED) + 2)  # a restart changes nothing, and the next page is judged by the same model
    again = relevances(tmp_path)
    assert again == {**now, LASTS[1]: again[LASTS[0]]}
    assert len(events(tmp_path, "judged again")) == 1
    assert keywords_of(tmp_path) == tuple(taught["keywords"])

    tell(tmp_path, "forget", "hive, queen, nectar, pollen, swarm")
    tell(tmp_path, "forget", "honey")
    crawl(tmp_path, len(FETCHED) + 3, lessons=2)
    back = relevances(tmp_path)
    # Nearly: the first pages had been judged before the model had learnt words from the others.
    assert {url: back[url] for url in scores} == pytest.approx(scores, rel=0.02)
    assert keywords_of(tmp_path) == ("honey",)
    assert not (tmp_path / "taught").exists()
    assert [one["ok"] for one in events(tmp_path, "told")] == [
        True,
        True,
        False,
    ]
    crawl(tmp_path, len(FETCHED) + 4)
    assert keywords_of(tmp_path) == ("honey",)


def test_keywords_and_labels_are_learnt_together(tmp_path: Path) -> None:
    crawl(tmp_path, len(FETCHED))
    label(tmp_path, *((url, "yes") for url in BEES[:5]), *((url, "no") for url in BADGERS[:5]))
    tell(tmp_path, "keywords", "hive")
    crawl(tmp_path, len(FETCHED) + 1, lessons=1)
    taught = events(tmp_path, "taught")[-1]
    assert (taught["keywords"], taught["relevant"], taught["others"]) == (["honey", "hive"], 5, 5)
    assert not relevant(tmp_path) & set(BADGERS)
    with Crawl.open(tmp_path) as stored:
        assert type(stored.model).__name__ == "Taught"
    label(tmp_path, ("all", "forget"))
    crawl(tmp_path, len(FETCHED) + 2, lessons=2)
    with Crawl.open(tmp_path) as stored:
        assert type(stored.model).__name__ == "Vsm"  # of the keywords alone, with the new one
    assert keywords_of(tmp_path) == ("honey", "hive")


def test_keywords_that_were_not_learnt_when_the_run_ended_are_learnt_by_the_next(tmp_path: Path) -> None:
    crawl(tmp_path, len(FETCHED))
    scores = relevances(tmp_path)
    tell(tmp_path, "keywords", "hive, queen, nectar, pollen, swarm")
    crawl(tmp_path, len(FETCHED) + 1)  # it ends before the model is there
    assert {url: one for url, one in relevances(tmp_path).items() if url in scores} == scores
    crawl(tmp_path, len(FETCHED) + 2, lessons=1)
    assert all(relevances(tmp_path)[url] > 2 * scores[url] for url in BEES)


def test_a_model_that_was_not_made_from_keywords_takes_none(tmp_path: Path) -> None:
    wanted = topic([*FETCHED, *LASTS], "honey", budget={"pages": 3}, relevance={"threshold": 0.05})
    own = make_model(material_of(topic([HOME], "badger", relevance={"threshold": 0.05})))
    run(wanted, tmp_path, lambda: SchoolWeb(tmp_path), model=own)
    tell(tmp_path, "keywords", "hive")
    run(replace(wanted, budget=replace(wanted.budget, pages=4)), tmp_path, lambda: SchoolWeb(tmp_path), model=own)
    (told,) = events(tmp_path, "told")
    assert not told["ok"]
    assert "not made from keywords" in told["result"]
    assert keywords_of(tmp_path) == ("honey",)
