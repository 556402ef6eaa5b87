"""Commands while a crawl runs, between its runs, and across a crash: what is asked of hosts, and what is recorded."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cli.main import main
from honeyguide.crawl.blocking import CHANGED, LOOKED_AT, Blocking
from honeyguide.crawl.session import CrawlResult
from honeyguide.errors import InputError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.store.commands import Command
from honeyguide.store.inbox import Inbox, pending, result_of, send
from honeyguide.topic import Topic

from .jumping import BEGAN, TimedWeb, run_jumping
from .kit import PaperWeb, about, answer, check_tables, rows, run, topic

A, B = "http://a.example/", "http://b.example/"
COUNT = 20


def web_of(*hosts: str) -> dict[str, Any]:
    """Pages on each host in a chain, each of which leads to all of the first pages, too."""
    firsts = [f"{host}{number}" for host in hosts for number in range(1, COUNT)]
    pages = {url: about(f"honey {url}") for url in firsts}
    return {**pages, **{host: about(f"honey {host}", *firsts) for host in hosts}}


class ToldWeb(TimedWeb):
    """A web that takes 0.3 s for each answer; when a page is asked for the first time, something is told the crawl."""

    def __init__(self, pages: dict[str, Any], folder: Path, **when: tuple[float, str]) -> None:
        super().__init__(pages, lambda _: 0.3)
        self._folder = folder
        self._when = list(when.values())

    async def fetch(self, request: Request) -> Response | Failure:
        while self._when:
            after, command = self._when.pop()
            name, *arguments = command.split()
            asyncio.get_running_loop().call_later(after, tell, self._folder, name, *arguments)
        return await super().fetch(request)

    def since(self, seconds: float, part: str) -> list[str]:
        """What was asked for from a time on, of the URLs that have a part."""
        return [url for time, url in zip(self.times, self.asked, strict=True) if time >= seconds and part in url]


def tell(folder: Path, name: str, *arguments: str) -> str:
    return send(folder, Command(name, arguments), by="test")


def told(folder: Path) -> list[tuple[float, bool, str]]:
    """When each command was applied, in seconds since the first run began, whether it was, and what came of it."""
    found = rows(folder, "SELECT time, detail FROM events WHERE kind = 'told' ORDER BY id")
    return [(time - BEGAN, json.loads(text)["ok"], json.loads(text)["result"]) for time, text in found]


def missing(request: Request) -> Response:
    return answer(request.url, "", status=404)


def states(folder: Path, part: str) -> set[int]:
    return {state for (state,) in rows(folder, "SELECT state FROM urls WHERE instr(url, ?)", part)}


def wanted(pages: int = 0, **tables: Any) -> Topic:
    tables = {"budget": {"pages": pages, "haste": 1.0}, "fetch": {"robots": False}, **tables}
    return topic([A, B], **tables)


def crawl(folder: Path, pages: int = 0, **when: tuple[float, str]) -> tuple[ToldWeb, CrawlResult]:
    web = ToldWeb(web_of(A, B), folder, **when)
    return web, run_jumping(wanted(pages), folder, web)


def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object) -> str:
    """What a command prints, which must succeed."""
    monkeypatch.setattr(sys, "argv", ["honeyguide", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    return capsys.readouterr().out


# ---- blocking ----


@pytest.mark.parametrize("entry", ["b.example", "b.example/*", "example"])
def test_nothing_is_asked_of_a_blocked_host(tmp_path: Path, entry: str) -> None:
    web, outcome = crawl(tmp_path, block=(2.0, f"block {entry}"))
    ((time, is_ok, _),) = told(tmp_path)
    assert is_ok
    assert 2.0 <= time < 3.5
    assert web.since(0.0, B)
    assert not web.since(time + 0.3, B)
    assert bool(web.since(time + 0.3, A)) == (entry != "example")
    assert states(tmp_path, B) == {2, 4}
    assert outcome.stop.kind == "exhausted"
    assert outcome.tally.refused["blocked"] == rows(tmp_path, "SELECT count(*) FROM urls WHERE state = 4")[0][0]
    check_tables(tmp_path)


def test_a_pattern_blocks_pages_of_all_hosts(tmp_path: Path) -> None:
    web, _ = crawl(tmp_path, block=(1.0, "block */1*"))
    ((time, _, _),) = told(tmp_path)
    assert not web.since(time + 0.3, "example/1")
    assert {url[-2:] for url in web.asked} >= {"/2", "/9"}
    assert states(tmp_path, "a.example/2") == {2}
    assert 4 in states(tmp_path, "example/1")


@pytest.mark.parametrize("before", [0, LOOKED_AT + 10])
def test_what_is_found_at_a_blocked_host_later_is_dropped_too(tmp_path: Path, before: int) -> None:
    """Even if it comes behind so many links that it has not been looked at when its turn comes."""
    links = [*(f"{A}far/{number}" for number in range(before)), B]
    pages = {A: about("honey", f"{A}1"), f"{A}1": about("bee", *links)}
    web = ToldWeb(pages, tmp_path, block=(0.0, "block b.example"))
    web._takes = lambda _: 2.0
    settings = {"robots": False, "connections": 4}
    run_jumping(topic([A], budget={"pages": 0, "minutes": 0.5}, fetch=settings), tmp_path, web)
    assert web.asked[:2] == [A, f"{A}1"]
    assert not web.asked_at(B)
    assert states(tmp_path, B) == {4}


def test_a_blocked_host_is_not_asked_for_the_robots_txt_of_another(tmp_path: Path) -> None:
    elsewhere = answer(f"{A}robots.txt", "", ("Location", f"{B}robots.txt"), status=301)
    web = TimedWeb({f"{A}robots.txt": elsewhere, f"{B}robots.txt": "", A: about("honey"), f"{A}late": about("bee")})
    run_jumping(topic([f"{A}late"], fetch={"robots": False}), tmp_path / "crawl", web)
    tell(tmp_path / "crawl", "block", "b.example")
    web.asked.clear()
    run_jumping(topic([A]), tmp_path / "crawl", web, began=BEGAN + 1000)
    assert web.asked == [f"{A}robots.txt"]
    assert states(tmp_path / "crawl", A) == {2, 3}


def test_why_and_urls_name_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(tmp_path, block=(2.0, "block b.example"))
    ((url,), *_) = rows(tmp_path, "SELECT url FROM urls WHERE state = 4")
    assert "refused on " in (text := said(capsys, monkeypatch, "why", tmp_path, url))
    assert "blocked by a user of the crawl" in text
    listed = said(capsys, monkeypatch, "urls", tmp_path, "--state", "refused", "--reason", "blocked")
    assert url in listed
    assert "blocked by a user" in said(capsys, monkeypatch, "urls", tmp_path)


def test_unblocked_everything_waits_again_and_is_fetched(tmp_path: Path) -> None:
    web, outcome = crawl(tmp_path, block=(1.0, "block b.example"), unblock=(5.0, "unblock b.example"))
    (_, (time, is_ok, _)) = told(tmp_path)
    assert is_ok
    assert web.since(time, B)
    assert sorted(web.asked) == sorted(web_of(A, B))
    assert states(tmp_path, "example") == {2}
    assert outcome.tally.refused["blocked"] == 0
    check_tables(tmp_path)


def test_a_block_survives_the_end_of_a_run_and_so_does_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(tmp_path, 8, block=(1.0, "block b.example"))
    web, _ = crawl(tmp_path, 0)
    assert not web.since(0.0, B)
    tell(tmp_path, "unblock", "b.example")
    web, outcome = crawl(tmp_path, 0)
    assert web.since(0.0, B)
    assert not web.since(0.0, A)
    assert outcome.tally.pages == 2 * COUNT
    check_tables(tmp_path)
    listed = said(capsys, monkeypatch, "urls", tmp_path, "--state", "done").splitlines()
    assert len(listed) == len(set(listed)) == 2 * COUNT  # though some were refused before


def test_what_waits_is_dropped_at_once_also_while_the_crawl_is_paused(tmp_path: Path) -> None:
    blocks = {"first": (4.0, "block c.example"), "second": (6.0, "block b.example")}
    crawl(tmp_path, 0, pause=(1.0, "pause"), stop=(8.0, "stop"), **blocks)
    assert 0 in states(tmp_path, A)
    assert states(tmp_path, B) <= {2, 4}


def test_only_what_is_blocked_can_be_unblocked(tmp_path: Path) -> None:
    crawl(tmp_path, block=(1.0, "unblock b.example"))
    ((_, is_ok, text),) = told(tmp_path)
    assert not is_ok
    assert text == "unblock: b.example is not blocked; nothing is"


def test_pages_judged_again_leave_what_is_blocked_as_it_is(tmp_path: Path) -> None:
    crawl(tmp_path, 0, block=(1.0, "block b.example"))
    before = rows(tmp_path, "SELECT url, state FROM urls ORDER BY url")
    web = ToldWeb(web_of(A, B), tmp_path)
    outcome = run_jumping(wanted(relevance={"threshold": 0.9}), tmp_path, web)
    assert not web.asked
    assert rows(tmp_path, "SELECT url, state FROM urls ORDER BY url") == before
    assert outcome.tally.refused["blocked"] > 0
    tell(tmp_path, "unblock", "b.example")
    web = ToldWeb(web_of(A, B), tmp_path)
    run_jumping(wanted(), tmp_path, web)
    assert web.since(0.0, B)
    assert states(tmp_path, B) == {2}
    check_tables(tmp_path)


# ---- pause and stop ----


def test_no_request_starts_between_pause_and_resume(tmp_path: Path) -> None:
    web, outcome = crawl(tmp_path, pause=(2.0, "pause"), resume=(100.0, "resume"))
    (paused, _, text), (resumed, is_ok, _) = told(tmp_path)
    assert text.startswith("paused")
    assert is_ok
    assert resumed - paused > 90.0
    assert not [time for time in web.times if paused + 0.01 < time < resumed]
    assert outcome.tally.pages == 2 * COUNT
    assert outcome.tally.seconds == pytest.approx(2 * COUNT * 0.3, abs=1.5)  # the pause does not count


def test_a_paused_crawl_runs_when_it_is_started_again(tmp_path: Path) -> None:
    _, outcome = crawl(tmp_path, pause=(2.0, "pause"), stop=(50.0, "stop"))
    assert (outcome.stop.kind, outcome.stop.text[:15]) == ("interrupted", "stopped by test")
    assert rows(tmp_path, "SELECT value FROM meta WHERE key = 'paused'") == [(0,)]
    _, outcome = crawl(tmp_path)
    assert outcome.stop.kind == "exhausted"


def test_orders_for_a_run_that_has_ended_are_not_obeyed_by_the_next(tmp_path: Path) -> None:
    crawl(tmp_path, 3)
    for name in ("pause", "stop"):
        tell(tmp_path, name)
    _, outcome = crawl(tmp_path, 5)
    assert outcome.stop.kind == "pages"
    assert [(is_ok, "before this run began" in text) for _, is_ok, text in told(tmp_path)] == [(False, True)] * 2


# ---- budget ----


def test_the_budget_of_a_running_crawl_is_raised_and_stays_so(tmp_path: Path) -> None:
    _, outcome = crawl(tmp_path, 10, budget=(1.5, "budget pages=+5 minutes=60"))
    assert outcome.tally.pages == 15
    assert Topic.load(tmp_path / "topic.toml").budget.pages == 15
    web, outcome = crawl(tmp_path, 10)  # the same command again
    assert not web.asked
    assert outcome.stop.text == "the budget of 15 pages is used up"
    _, outcome = crawl(tmp_path, 17)  # the topic file has changed: it is newer
    assert outcome.tally.pages == 17
    _, outcome = crawl(tmp_path, 10)
    assert "the budget of 10 pages" in outcome.stop.text


def test_a_lower_budget_ends_the_crawl(tmp_path: Path) -> None:
    _, outcome = crawl(tmp_path, 0, budget=(2.0, "budget pages=3"))
    assert outcome.stop.kind == "pages"
    assert outcome.tally.pages < 12


def test_a_crawl_that_has_ended_goes_on_with_more(tmp_path: Path) -> None:
    crawl(tmp_path, 3)
    tell(tmp_path, "budget", "pages=+2")
    tell(tmp_path, "budget", "pages=+2")
    assert len(pending(tmp_path)) == 2
    web, outcome = crawl(tmp_path, 3)
    assert len(web.asked) == 4
    assert outcome.tally.pages == 7
    assert not pending(tmp_path)


# ---- seeds and keywords ----


def test_seeds_are_fetched_at_once_and_kept(tmp_path: Path) -> None:
    pages = {**web_of(A), B: about("honey, from elsewhere", f"{B}next"), f"{B}next": about("bee next")}
    web = ToldWeb(pages, tmp_path, seed=(1.0, f"seed {B} {A}1"))
    run_jumping(topic([A], fetch={"robots": False}), tmp_path, web)
    ((time, is_ok, _),) = told(tmp_path)
    assert is_ok
    assert B in web.since(time, "example")[:3]
    assert f"{B}next" in web.asked
    assert rows(tmp_path, "SELECT parent, depth FROM urls WHERE url = ?", B) == [(-1, 0)]
    assert Topic.load(tmp_path / "topic.toml").seeds == (A, B, f"{A}1")
    outcome = run_jumping(topic([A], fetch={"robots": False}), tmp_path, ToldWeb(pages, tmp_path))
    assert outcome.stop.kind == "exhausted"
    assert Topic.load(tmp_path / "topic.toml").seeds == (A, B, f"{A}1")
    check_tables(tmp_path)


def test_a_seed_that_failed_is_tried_again_and_a_blocked_one_is_refused(tmp_path: Path) -> None:
    web = PaperWeb({A: about("honey"), B: lambda request, count: about("bee") if count > 1 else missing(request)})
    run(topic([A, B], fetch={"robots": False}), tmp_path, lambda: web)
    tell(tmp_path, "seed", B)
    tell(tmp_path, "block", "c.example")
    tell(tmp_path, "seed", "http://c.example/")
    outcome = run(topic([A, B], fetch={"robots": False}), tmp_path, lambda: web)
    assert outcome.tally.pages == 2
    assert [is_ok for _, is_ok, _ in told(tmp_path)] == [True, True, False]
    assert "http://c.example/" not in web.asked


def test_a_seed_may_redirect_anywhere(tmp_path: Path) -> None:
    web = PaperWeb({A: about("honey"), B: answer(B, "", ("Location", "http://c.example/"), status=301)})
    wanted = topic([A], scope={"allow_domains": ["a.example"]})
    run(wanted, tmp_path, lambda: web)
    tell(tmp_path, "seed", B)
    run(wanted, tmp_path, lambda: web)
    assert "http://c.example/" in web.asked


def test_without_a_strategy_that_revises_what_waits_is_judged_again_at_the_next_start(tmp_path: Path) -> None:
    pages = {A: about("honey bee", f"{A}1", f"{A}2"), f"{A}1": about("propolis comb"), f"{A}2": about("nothing")}
    web = ToldWeb(pages, tmp_path, keywords=(0.0, "keywords propolis"))
    web._takes = lambda _: 1.5
    wanted = topic([A], "honey", strategy={"name": "best-first"})
    run_jumping(wanted, tmp_path, web)
    ((_, is_ok, text),) = told(tmp_path)
    assert is_ok
    assert text.startswith("keywords are honey, propolis now")
    relevance = "SELECT relevance FROM pages JOIN urls USING (id) WHERE url = ?"
    silent = PaperWeb({})
    for _ in range(2):
        run(wanted, tmp_path, lambda: silent)
        assert not silent.asked
        assert rows(tmp_path, relevance, f"{A}1")[0][0] > 0.1
        assert rows(tmp_path, relevance, f"{A}2") == [(0.0,)]
        assert Topic.load(tmp_path / "topic.toml").keywords == ("honey", "propolis")
        tell(tmp_path, "keywords", "propolis")
    assert told(tmp_path)[1][1:] == (True, "in use")
    assert len(rows(tmp_path, "SELECT 1 FROM events WHERE kind = 'judged'")) == 1
    assert not (tmp_path / "taught").exists()
    with pytest.raises(InputError, match="was crawled with other settings for keywords"):
        run(topic([A], "bee", strategy={"name": "best-first"}), tmp_path, lambda: silent)


def test_keywords_are_no_use_to_a_model_that_learns_from_examples(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text(about("honey"))
    (tmp_path / "topic.toml").write_text(f'seeds = ["{A}"]\n[examples]\npositive = ["good.html"]\n')
    with pytest.raises(InputError, match="trained with examples"):
        tell(tmp_path, "keywords", "comb")


# ---- what goes wrong ----


def test_rubbish_in_the_inbox_does_not_disturb_a_crawl(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    crawl(tmp_path, 3)
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    number = "00000000000000000001-0123456789abcdef"
    message = {"id": number, "time": 1.0, "by": "\ud800", "command": "dance", "arguments": ["\ud800"]}
    (inbox / f"{number}.json").write_text(json.dumps(message))
    (inbox / "x.json").write_text("{")
    with caplog.at_level(logging.WARNING):
        _, outcome = crawl(tmp_path, 5)
    assert outcome.tally.pages == 5
    assert [(is_ok, "there is no command 'dance'" in text) for _, is_ok, text in told(tmp_path)] == [(False, True)]
    assert [path.name for path in inbox.iterdir()] == ["x.json.set-aside-1"]
    assert "is not a command" in caplog.text


def test_a_file_that_cannot_be_deleted_is_a_command_that_is_applied_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    crawl(tmp_path, 3)
    number = tell(tmp_path, "budget", "pages=+2")

    unlink = Path.unlink

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        if path.parent.name == "inbox":
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        _, outcome = crawl(tmp_path, 3)
    assert outcome.tally.pages == 5
    assert caplog.text.count("cannot be deleted: Permission denied") == 1
    _, outcome = crawl(tmp_path, 3)
    assert (outcome.tally.pages, len(told(tmp_path))) == (5, 1)
    assert not pending(tmp_path)
    result = result_of(tmp_path, number)
    assert result is not None
    assert result.text == "pages is 5 now"


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from honeyguide.store.inbox import Inbox
from tests.crawl.test_control import crawl
Inbox.delete = lambda self: os.kill(os.getpid(), signal.SIGKILL) if self._returned else None
crawl(Path(sys.argv[1]), 3)
"""


def test_killed_between_recording_and_deleting_a_command_it_is_applied_once(tmp_path: Path) -> None:
    crawl(tmp_path, 3)
    tell(tmp_path, "budget", "pages=+2")
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path, root], cwd=root, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(told(tmp_path)) == 1
    assert len(pending(tmp_path)) == 1
    _, outcome = crawl(tmp_path, 3)
    assert (outcome.tally.pages, len(told(tmp_path))) == (5, 1)
    assert not pending(tmp_path)


def test_what_is_not_committed_is_applied_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl(tmp_path, 3)
    tell(tmp_path, "budget", "pages=+2")
    taken: Callable[[Inbox], Any] = Inbox.take

    def take_and_die(self: Inbox) -> Any:
        assert taken(self)
        raise OSError(5, "the disk has gone")

    with monkeypatch.context() as patch:
        patch.setattr(Inbox, "take", take_and_die)
        with pytest.raises(OSError, match="the disk has gone"):
            crawl(tmp_path, 3)
    assert not told(tmp_path)
    _, outcome = crawl(tmp_path, 3)
    assert (outcome.tally.pages, len(told(tmp_path))) == (5, 1)


def test_many_urls_are_dropped_in_small_steps_and_none_is_asked_for_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [f"{B}{number}" for number in range(3000)]
    pages = {A: about("honey", *many, f"{A}1"), f"{A}1": about("bee")}
    web = ToldWeb(pages, tmp_path, block=(0.0, "block b.example"), unblock=(60.0, "unblock b.example"))
    web._takes = lambda url: 90.0 if url == f"{A}1" else 0.3
    changed: list[int] = []
    step = Blocking.step

    def counted(self: Blocking, now: float) -> None:
        before = len(self._dropped)
        step(self, now)
        changed.append(abs(len(self._dropped) - before))

    monkeypatch.setattr(Blocking, "step", counted)
    settings = {"robots": False, "connections": 2}
    outcome = run_jumping(topic([A], budget={"pages": 0, "minutes": 2.0}, fetch=settings), tmp_path, web)
    (blocked, _, _), (unblocked, _, _) = told(tmp_path)
    assert not [time for time in web.asked_at(B) if blocked - 0.01 < time < unblocked - 0.01]
    assert len([time for time in web.asked_at(B) if time > unblocked]) > 100
    assert max(changed) == CHANGED
    assert sum(changed) > 5800
    assert outcome.tally.refused["blocked"] == 0
    check_tables(tmp_path)
