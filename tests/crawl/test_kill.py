"""SIGKILL at random moments costs nothing: the crawl ends as if it had never been disturbed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from honeyguide.demo import DemoWeb, read_visits, run_in_process

from .kit import Crawlers, check_archive, check_tables, copied, crawlers_in, rows

PATIENCE = 60.0  # seconds until a test gives up on something that should happen at once
SETTLED = "SELECT url FROM urls WHERE state > 1"
PAGES = "SELECT url, status, digest, relevance FROM pages JOIN urls USING (id) ORDER BY url"
URLS = "SELECT url, state FROM urls ORDER BY url"


class Kill(NamedTuple):
    """What was known for sure when the crawler had died."""

    moment: float
    """On the server's clock."""
    settled: frozenset[str]
    """URLs that never need to be asked for again."""


class Place(NamedTuple):
    """A demo web being served, what crawls it, and the log of its visits."""

    folder: Path
    crawlers: Crawlers

    @property
    def log(self) -> Path:
        return self.folder / "visits"

    def visited(self) -> int:
        return self.log.read_bytes().count(b"\n")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    web = DemoWeb(pages=500, page_kb=6.0)
    subject = web.subjects[0]
    (tmp_path / "visits").touch()
    with run_in_process(web, log=tmp_path / "visits") as server, crawlers_in(tmp_path) as crawlers:
        # Slow enough for twenty kills to hit it, quick enough for a test.
        (tmp_path / "topic.toml").write_text(
            f"""
            name = "demo"
            seeds = {json.dumps(web.seeds(subject))}
            keywords = {json.dumps(web.keywords(subject))}
            budget = {{ pages = 0 }}
            [fetch]
            proxy = "{server.address}"
            allow_networks = ["127.0.0.0/8"]
            connections = 4
            delay = 0.02
            domain_delay = 0.0
            ip_delay = 0.0
            """
        )
        yield Place(tmp_path, crawlers)


def wait_for(place: Place, pid: int, lock: Path, visits: int) -> None:
    """Until the crawler has made so many visits; with none, until it has opened its folder."""
    enough = place.visited() + visits
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        if visits and place.visited() >= enough:
            return
        if not visits and lock.exists() and lock.read_text() == str(pid):
            return
        if not Path(f"/proc/{pid}").exists():
            break
        time.sleep(0.001)
    pytest.fail(f"the crawler did too little: {(place.folder / 'said').read_text()}")


def kill_and_look(place: Place, visits: int, number: int, workers: int) -> Kill:
    """Start the crawler, kill it after so many visits, and see what it had written down."""
    folder = place.folder / "killed" / "demo"
    pid = place.crawlers.start("killed", workers=workers)
    wait_for(place, pid, folder / ".lock", visits)
    place.crawlers.kill(pid)
    moment = time.monotonic()
    if not (folder / "crawl.sqlite").exists():
        return Kill(moment, frozenset())
    seen = copied(folder, place.folder / f"seen-{number}")
    if not rows(seen, "SELECT 1 FROM sqlite_master WHERE name = 'robots'"):
        return Kill(moment, frozenset())
    settled = {url for (url,) in rows(seen, SETTLED)}
    robots = {f"{origin}/robots.txt" for (origin,) in rows(seen, "SELECT origin FROM robots")}
    return Kill(moment, frozenset(settled | robots))


@pytest.mark.parametrize(("times", "most_visits", "workers"), [(20, 50, 0), (5, 100, 1)])
def test_killed_many_times_it_ends_as_if_undisturbed(place: Place, times: int, most_visits: int, workers: int) -> None:
    draw = random.Random(20)
    gaps = [draw.randrange(most_visits) for _ in range(times - 2)]
    # Twice while it opens its folder: the first time there is nothing yet, later there is everything to reload.
    kills = [kill_and_look(place, visits, number, workers) for number, visits in enumerate([0, *gaps, 0])]
    place.crawlers.finish("killed", workers)
    visits = read_visits(place.log)
    place.crawlers.finish("undisturbed")

    killed, undisturbed = place.folder / "killed" / "demo", place.folder / "undisturbed" / "demo"
    assert rows(killed, PAGES) == rows(undisturbed, PAGES)
    assert rows(killed, URLS) == rows(undisturbed, URLS)
    assert len(rows(killed, PAGES)) == 500
    asked_again = [
        (number, visit.target)
        for number, kill in enumerate(kills)
        for visit in visits
        if visit.began > kill.moment and f"http://{visit.host}{visit.target}" in kill.settled
    ]
    assert asked_again == []
    assert kills[-1].settled, "no kill came late enough to have something to lose"
    for folder in (killed, undisturbed):
        check_tables(folder)
        check_archive(folder)
    # Several files, so that kills came before, at and after the change from one to the next.
    assert len(list(killed.glob("pages-*.warc.gz"))) > 2
    assert len(rows(killed, "SELECT 1 FROM events WHERE kind = 'start'")) > times // 2
