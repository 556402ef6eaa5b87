"""Ctrl-C and the like: once saves what is under way and leaves, twice leaves at once; nothing is lost either way."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from honeyguide.demo import DemoWeb, read_visits, run_in_process

from .kit import Crawlers, check_archive, check_tables, crawlers_in, rows

PATIENCE = 60.0
HANGING = "http://hanging.example/"  # takes a request and never answers


class Place(NamedTuple):
    folder: Path
    web: DemoWeb
    address: str
    crawlers: Crawlers

    @property
    def crawl(self) -> Path:
        return self.folder / "out" / "demo"

    def write_topic(self, *seeds: str) -> None:
        """A crawl of the whole web that takes a few seconds."""
        subject = self.web.subjects[0]
        (self.folder / "topic.toml").write_text(
            f"""
            name = "demo"
            seeds = {json.dumps([*self.web.seeds(subject), *seeds])}
            keywords = {json.dumps(self.web.keywords(subject))}
            [fetch]
            proxy = "{self.address}"
            allow_networks = ["127.0.0.0/8"]
            delay = 0.05
            domain_delay = 0.0
            """
        )

    def asked(self) -> set[str]:
        """The URLs that were asked for, robots.txt left out."""
        urls = {f"http://{visit.host}{visit.target}" for visit in read_visits(self.folder / "visits")}
        return {url for url in urls if not url.endswith("/robots.txt")}

    def kept(self) -> set[str]:
        return {url for (url,) in rows(self.crawl, "SELECT url FROM pages JOIN urls USING (id)")}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    web = DemoWeb(pages=100, page_kb=1.0)
    log = tmp_path / "visits"
    log.touch()
    with run_in_process(web, log=log) as server, crawlers_in(tmp_path) as crawlers:
        yield Place(tmp_path, web, server.address, crawlers)


def wait_until(true: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.002)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_once_lets_what_is_under_way_end(place: Place, number: signal.Signals) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests run under nohup, and so does the crawl")
    place.write_topic()
    pid = place.crawlers.start("out")
    wait_until(lambda: len(place.asked()) >= 20)
    os.kill(pid, number)
    code, said = place.crawlers.wait()
    assert code == 130, said
    assert "run the same command again to continue" in said
    assert place.kept() == place.asked()
    assert rows(place.crawl, "SELECT value FROM meta WHERE key = 'stop'") == [("interrupted",)]
    check_tables(place.crawl)
    check_archive(place.crawl)


def test_a_crawl_under_nohup_outlives_its_terminal(place: Place) -> None:
    place.write_topic()
    pid = place.crawlers.start("out", "--pages", "40", ignoring=signal.SIGHUP)
    wait_until(lambda: len(place.asked()) >= 10)
    os.kill(pid, signal.SIGHUP)
    code, said = place.crawlers.wait()
    assert code == 0, said
    assert len(place.kept()) == 40


def test_twice_leaves_at_once_and_the_next_run_goes_on(place: Place) -> None:
    place.write_topic(HANGING)
    pid = place.crawlers.start("out")
    wait_until(lambda: len(place.asked()) >= 20)
    os.kill(pid, signal.SIGINT)
    wait_until(lambda: "stopping" in place.crawlers.said())
    os.kill(pid, signal.SIGINT)  # the host that hangs would be waited for otherwise
    code, said = place.crawlers.wait()
    assert code == 130, said
    check_tables(place.crawl)
    check_archive(place.crawl)
    before = place.kept()
    assert before
    assert len(place.asked() - before) <= 16  # what was under way
    visits = len(read_visits(place.folder / "visits"))

    place.write_topic()  # the seed that hangs stays known; its answer does not come
    pid = place.crawlers.start("out")
    wait_until(lambda: len(place.asked()) >= 60)
    os.kill(pid, signal.SIGINT)
    wait_until(lambda: "stopping" in place.crawlers.said())
    os.kill(pid, signal.SIGINT)
    assert place.crawlers.wait()[0] == 130
    later = read_visits(place.folder / "visits")[visits:]
    assert not {f"http://{visit.host}{visit.target}" for visit in later} & before
    assert before < place.kept()
    check_tables(place.crawl)
