"""While a crawl runs: pages appear as they come, and the crawl does what it is told."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from honeyguide.demo import DemoWeb
from honeyguide.store.inbox import pending

from .kit import Browser, Running, dashboard, until


@pytest.fixture
def running(web: DemoWeb, tmp_path: Path) -> Iterator[tuple[Running, Browser]]:
    crawl = Running(web, tmp_path / "bees", 400)
    crawl.gate.allowed = 5
    crawl.thread.start()
    try:
        until(crawl.session.begun.is_set)
        until((tmp_path / "bees" / "crawl.sqlite").exists)
        with dashboard(tmp_path / "bees") as browser:
            yield crawl, browser
    finally:
        crawl.stop()


@contextmanager
def events(browser: Browser) -> Iterator[Iterator[dict[str, Any]]]:
    connection = HTTPConnection(browser.host, timeout=30)
    connection.request("GET", "/events", headers={"Cookie": browser.cookie})
    response = connection.getresponse()
    assert response.getheader("Content-Type") == "text/event-stream"

    def read() -> Iterator[dict[str, Any]]:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            line = response.readline()
            if line.startswith(b"data: "):
                yield json.loads(line[6:])

    try:
        yield read()
    finally:
        connection.close()


def test_pages_appear_as_they_come(running: tuple[Running, Browser]) -> None:
    crawl, browser = running
    with events(browser) as stream:
        first = next(stream)
        assert "Running." in first["fragments"]["state"]
        crawl.gate.allowed = 15
        numbers: list[int] = []
        while len(numbers) < 10:
            numbers = [int(row.partition('data-seq="')[2].partition('"')[0]) for row in next(stream)["rows"]]
        assert numbers == list(range(len(numbers)))
    words = until(lambda: (text := browser.get("/").words) and f"page {len(numbers)} ·" in text and text)
    assert "Running." in words


def tell(browser: Browser, command: str, **fields: str) -> str:
    form = {"form_token": browser.form_token, "back": "/", **fields, "command": command}
    answer = browser.post("/control", form, Origin=f"http://{browser.host}")
    assert answer.status == 303
    note = browser.get(answer.headers["Location"]).tree.css_first(".told")
    assert note is not None
    return note.text()


def test_a_crawl_is_paused_resumed_and_stopped(running: tuple[Running, Browser]) -> None:
    crawl, browser = running
    until(lambda: crawl.gate.allowed == 0)
    assert "pause: paused" in tell(browser, "pause")
    assert "Paused." in browser.get("/").words
    assert browser.get("/").tree.css_first("button[value=resume]") is not None
    assert "resume" in tell(browser, "resume")
    until(lambda: "Running." in browser.get("/").words)
    crawl.gate.allowed = 3
    assert "stop" in tell(browser, "stop")
    crawl.gate.allowed = 3
    crawl.thread.join(20)
    assert crawl.result is not None
    words = until(lambda: (text := browser.get("/").words) and "Ended: " in text and text)
    assert "dashboard sent: pause" in words
    assert browser.get("/").tree.css_first("button[value=pause]") is None


def test_a_host_is_blocked_and_no_request_follows(running: tuple[Running, Browser]) -> None:
    crawl, browser = running
    until(lambda: len(crawl.gate.asked) >= 5)
    host = until(lambda: browser.get("/hosts?order=waiting").tree.css_first(".hosts td a")).text()
    assert f"block {host}" in tell(browser, "block", argument=host)
    before = len(crawl.gate.asked)
    crawl.gate.allowed = 30
    until(lambda: crawl.gate.allowed <= 0 or not crawl.thread.is_alive())
    assert len(crawl.gate.asked) > before + 10
    assert not [url for url in crawl.gate.asked[before + 1 :] if f"//{host}/" in url]
    assert host in (browser.get("/hosts").tree.css_first(".plain.controls") or pytest.fail("nothing is blocked")).text()


def test_the_budget_and_the_seeds(running: tuple[Running, Browser], web: DemoWeb) -> None:
    crawl, browser = running
    assert "pages=+50" in tell(browser, "budget", limit="pages", amount="50")
    assert crawl.session.crawler is not None
    assert crawl.session.crawler.topic.budget.pages == 450
    seed = web.seeds("astronomy")[0]
    assert "seed" in tell(browser, "seed", argument=seed)
    until(lambda: seed in browser.get("/seeds").words)


@pytest.mark.parametrize(
    ("command", "fields", "problem"),
    [
        ("fly", {}, "there is no command"),
        ("budget", {"limit": "pages", "amount": "-5"}, "pages"),
        ("budget", {"limit": "wishes", "amount": "5"}, "is not a limit"),
        ("seed", {"argument": "javascript:alert(1)"}, "seed"),
        ("seed", {}, "needs a URL"),
    ],
)
def test_what_cannot_be_done_is_said(browser: Browser, command: str, fields: dict[str, str], problem: str) -> None:
    assert problem in tell(browser, command, **fields)


def test_what_a_crawl_that_does_not_run_is_told_waits_for_it(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "bees", ignore=shutil.ignore_patterns("watch.sqlite*"))
    with dashboard(copy) as browser:
        button = browser.get("/page/0").tree.css_first("button[data-answer=yes]")
        assert button is not None
        mark = str(button.attributes["value"])
        assert "takes effect when the crawl is run again" in tell(browser, "label", mark=mark)
        assert "takes effect" in tell(browser, "block", argument="example.org")
    label, block = pending(copy)
    assert (label.command.name, label.command.arguments[1], label.by) == ("label", "yes", "dashboard")
    assert str(block.command) == "block example.org"
