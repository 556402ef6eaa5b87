"""Faults of our own code cost the URL they happen on, with a traceback, and nothing else."""

from __future__ import annotations

import errno
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl import recorder, robots
from honeyguide.crawl.pacing import StandardPacing
from honeyguide.fetch.base import Failure, Response
from honeyguide.fetch.robots import Rules
from honeyguide.frontier import State
from honeyguide.lab.memory_recorder import MemoryRecorder
from honeyguide.lab.replay import replay
from honeyguide.relevance.models import make_model
from honeyguide.testing.web import SmallWeb
from honeyguide.topic.material import material_of

from .kit import PaperWeb, about, answer, check_tables, rows, run, topic

HOME = "http://home.example/"
BAD = "http://bad.example/"
STATES = "SELECT url, state FROM urls"


def web(**changed: Any) -> PaperWeb:
    """A page with links to two hosts of three pages each; `bad` and `robots` are what BAD and its robots.txt answer."""
    urls = [f"{host}{place}" for host in (HOME, BAD) for place in range(3)]
    pages: dict[str, Any] = {HOME: about("honey", BAD, *urls), BAD: about("honey bee")}
    pages |= {url: about(f"honey {url}") for url in urls}
    if "bad" in changed:
        pages[BAD] = changed["bad"]
    if "robots" in changed:
        pages[f"{BAD}robots.txt"] = changed["robots"]
    return PaperWeb(pages)


def raising(error: Exception) -> Any:
    def fail(*_: object) -> Any:
        raise error

    return fail


def check_only(folder: Path, outcome: Any, failed: set[str], problem: str) -> None:
    """Only some URLs failed, every time with a traceback; all others were fetched, and no slot of a host is lost."""
    assert outcome.stop.kind == "exhausted"
    states = dict(rows(folder, STATES))
    assert {url for url, state in states.items() if state == State.FAILED} == failed
    assert {state for url, state in states.items() if url not in failed} == {State.DONE}
    assert outcome.tally.errors["internal"] == len(failed)
    details = [json.loads(detail) for (detail,) in rows(folder, "SELECT detail FROM events WHERE kind = 'failed'")]
    assert details == [{"kind": "internal", "detail": problem}] * len(failed)
    log = (folder / "errors.log").read_text()
    assert log.count("Traceback") == len(failed)
    assert all(f"internal error on {url}: {problem}" in log for url in failed)
    check_tables(folder)


@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), OSError(errno.EIO, "not our disk"), MemoryError()])
def test_a_fetcher_that_raises(tmp_path: Path, error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    outcome = run(topic([HOME]), tmp_path, lambda: web(bad=raising(error)))
    problem = f"{type(error).__name__}: {error}".removesuffix(": ")
    check_only(tmp_path, outcome, {BAD}, problem)
    (record,) = [record for record in caplog.records if record.levelname == "ERROR"]
    assert (vars(record)["event"], vars(record)["url"]) == ("internal error", BAD)


def test_a_robots_txt_on_which_the_fetcher_raises(tmp_path: Path) -> None:
    fetcher = web(robots=raising(ZeroDivisionError("oops")))
    outcome = run(topic([HOME]), tmp_path, lambda: fetcher)
    check_only(tmp_path, outcome, {BAD, *(f"{BAD}{place}" for place in range(3))}, "ZeroDivisionError: oops")
    assert not [url for url in fetcher.asked_pages if url.startswith(BAD)]  # its rules are unknown


class Fragile(StandardPacing):
    """Fails on everything about one host."""

    def answered(self, host: int, response: Response, now: float) -> None:
        if response.url == BAD:
            raise OverflowError("too large")
        super().answered(host, response, now)

    def failed(self, host: int, failure: Failure, now: float) -> None:
        if failure.url == BAD:
            raise OverflowError("too large")
        super().failed(host, failure, now)


@pytest.mark.parametrize(
    "bad", [about("honey bee"), Failure(BAD, "connect", "refused", True), answer(BAD, "", status=503)]
)
def test_a_pacing_that_raises(tmp_path: Path, bad: Any) -> None:
    outcome = run(topic([HOME]), tmp_path, lambda: web(bad=bad), pacing=Fragile)
    check_only(tmp_path, outcome, {BAD}, "OverflowError: too large")


class FragileRules(StandardPacing):
    """Fails on the rules of one host, and so does every run that knows them."""

    def robots_known(self, origin: str, crawl_delay: float | None) -> None:
        if crawl_delay is not None:
            raise OverflowError("too large")
        super().robots_known(origin, crawl_delay)


def test_rules_on_which_the_pacing_raises_do_not_end_this_run_or_the_next(tmp_path: Path) -> None:
    fetcher = web(robots="User-agent: *\nCrawl-delay: 0.001\n")
    outcome = run(topic([HOME]), tmp_path, lambda: fetcher, pacing=FragileRules)
    (failed,) = [url for url, state in rows(tmp_path, STATES) if state == State.FAILED]
    check_only(tmp_path, outcome, {failed}, "OverflowError: too large")
    # They are on disk, and known when the crawl goes on.
    again = run(topic([HOME, f"{HOME}more"]), tmp_path, web, pacing=FragileRules)
    assert again.stop.kind == "exhausted"
    assert f"internal error on {BAD}robots.txt: OverflowError" in (tmp_path / "errors.log").read_text()


def test_rules_that_were_stored_and_cannot_be_read_any_more_are_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(topic([HOME], budget={"pages": 2}), tmp_path, web)
    with monkeypatch.context() as broken:
        broken.setattr(robots, "read_robots", raising(OverflowError("too large")))
        run(topic([HOME], budget={"pages": 2}), tmp_path, web)
    fetcher = web()
    assert run(topic([HOME]), tmp_path, lambda: fetcher).tally.pages == 8


def test_a_url_whose_visit_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = Rules.allowed

    def fragile(self: Rules, url: str) -> bool:
        if url == BAD:
            raise ValueError("odd")
        return allowed(self, url)

    monkeypatch.setattr(Rules, "allowed", fragile)
    check_only(tmp_path, run(topic([HOME]), tmp_path, web), {BAD}, "ValueError: odd")


def test_a_borrowed_slot_is_given_back(tmp_path: Path) -> None:
    """The robots.txt of one host leads to another host, where something breaks: that host goes on to be crawled."""
    moved = answer(f"{BAD}robots.txt", "", ("Location", f"{HOME}rules.txt"), status=301)
    fetcher = web(robots=moved)
    fetcher.pages[f"{HOME}rules.txt"] = raising(ZeroDivisionError("oops"))  # type: ignore[index]
    outcome = run(topic([HOME]), tmp_path, lambda: fetcher)
    check_only(tmp_path, outcome, {BAD, *(f"{BAD}{place}" for place in range(3))}, "ZeroDivisionError: oops")


def test_a_recorder_that_raises_after_the_page_was_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = recorder.Recorder.page

    def fragile(self: recorder.Recorder, number: int, response: Response, reading: Any, rendered: bytes = b"") -> None:
        if response.url == BAD:
            raise KeyError("odd")
        page(self, number, response, reading, rendered)

    monkeypatch.setattr(recorder.Recorder, "page", fragile)
    check_only(tmp_path, run(topic([HOME]), tmp_path, web), {BAD}, "KeyError: 'odd'")


def test_tracebacks_do_not_fill_the_disk(tmp_path: Path) -> None:
    count = recorder._MAX_TRACEBACKS + 20
    pages: dict[str, Any] = {HOME: about("honey", *(f"/{place}" for place in range(count)))}
    pages |= {f"{HOME}{place}": raising(ZeroDivisionError("oops")) for place in range(count)}
    outcome = run(topic([HOME]), tmp_path, lambda: PaperWeb(pages))
    assert outcome.tally.errors["internal"] == count
    assert (tmp_path / "errors.log").read_text().count("Traceback") == count - 20


def test_a_host_that_rests_until_the_end_of_time_does_not_end_every_run(tmp_path: Path) -> None:
    run(topic([HOME], budget={"pages": 1}), tmp_path, web)
    with closing(sqlite3.connect(tmp_path / "crawl.sqlite")) as database, database:
        for name in ("home.example", "bad.example"):
            database.execute("INSERT OR REPLACE INTO hosts VALUES (?, ?)", (name, 1e30))
    outcome = run(topic([HOME]), tmp_path, web)
    assert outcome.stop.kind == "waiting"


@pytest.mark.parametrize("part", [(SmallWeb, "response"), (MemoryRecorder, "page")])
def test_in_the_lab_it_ends_the_trial(monkeypatch: pytest.MonkeyPatch, part: tuple[type, str]) -> None:
    """Of a trial that lacks a page nobody could say how good its strategy is."""
    monkeypatch.setattr(*part, raising(ZeroDivisionError("oops")))
    wanted = topic([HOME])
    with pytest.raises(ZeroDivisionError, match="oops"):
        replay(wanted, make_model(material_of(wanted)), SmallWeb({HOME: about("honey").encode()}))
