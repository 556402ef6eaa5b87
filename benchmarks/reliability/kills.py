"""kill -9 at random moments of crawls of the demo web with all of its faults: each must end as if undisturbed.

    python -m benchmarks.reliability.kills --kills 1000

No page that has a row may be lost or fetched again, by the log of the server; the pages must be exactly those of a
crawl that was never killed, judged as follows from their order; database and archive must be whole. In turns, pages are
read in the crawl's own process and in a worker. Crawls commit every 50 ms and begin a new archive file after 150 kB, so
that kills hit every phase of both.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.reliability.aftermath import check_archive, check_tables, copied, misjudged, rows
from benchmarks.reliability.crawlers import Crawlers, crawlers_in
from honeyguide.demo import DemoWeb, FaultOutcome, faults, read_visits, run_in_process
from honeyguide.page.url import host_of

_PATIENCE = 120.0  # seconds until something that should happen at once is given up
_PAGES_PER_HOST = 80  # more than any host of the demo web has, except those without an end
_SETTLED = "SELECT url FROM urls WHERE state > 1"
_PAGES = "SELECT url, status, iif(truncated = '', digest, truncated) FROM pages JOIN urls USING (id) ORDER BY url"
"""Of a page that is not whole, how many bytes arrived depends on the network, and so does their digest. The relevance
of a page depends on the pages before it, if the model learns from them: see `misjudged`."""
_STATES = "SELECT url, state FROM urls ORDER BY url"
_TRAPS = frozenset(host_of(fault.url) for fault in faults() if fault.outcome is FaultOutcome.TRAP)
"""Hosts without an end. Which of their pages are fetched depends on the order, how many does not."""
_SHARED = {"http://robots-disallow.example/robots.txt"}
"""Requested for its own host, and again for one whose robots.txt redirects there."""

KILLED = "killed"


class Kill(NamedTuple):
    """What was certain when the crawler had died."""

    moment: float
    """On the server's clock."""
    settled: frozenset[str]
    """URLs that must not be requested again."""


class Place(NamedTuple):
    """A demo web being served, what crawls it, and the log of its visits."""

    folder: Path
    crawlers: Crawlers

    @property
    def log(self) -> Path:
        """The requests that the server has answered."""
        return self.folder / "visits"

    def crawl(self, out: str) -> Path:
        """The folder of a crawl."""
        return self.folder / out / "demo"

    def visited(self) -> int:
        """How many requests the server has answered."""
        return self.log.read_bytes().count(b"\n")


@contextmanager
def served(folder: Path, web: DemoWeb, seeds: list[str], **fetch: Any) -> Iterator[Place]:
    """Serve a web, with a topic file beside it."""
    (folder / "visits").touch()
    with run_in_process(web, log=folder / "visits") as server, crawlers_in(folder) as crawlers:
        settings = {
            "proxy": server.address,
            "allow_networks": ["127.0.0.0/8"],
            "domain_delay": 0.0,
            "ip_delay": 0.0,
            **fetch,
        }
        (folder / "topic.toml").write_text(
            f"""
            name = "demo"
            seeds = {json.dumps(seeds)}
            keywords = {json.dumps(web.keywords(web.subjects[0]))}
            budget = {{ pages = 0 }}
            scope = {{ pages_per_host = {_PAGES_PER_HOST if web.faults else 0} }}
            relevance = {{ model = "{"vsm" if web.faults else "auto"}" }}
            [fetch]
            {"".join(f"{name} = {json.dumps(value)}{chr(10)}" for name, value in settings.items())}
            """
        )
        yield Place(folder, crawlers)


def wait_for(place: Place, pid: int, lock: Path, visits: int) -> bool:
    """Wait until the crawler has made so many visits; with none, until it has opened its folder.

    Returns False if it ended before, because nothing was left to do.
    """
    enough = place.visited() + visits
    give_up = time.monotonic() + _PATIENCE
    while time.monotonic() < give_up:
        if visits and place.visited() >= enough:
            return True
        if not visits and lock.exists() and lock.read_text() == str(pid):
            return True
        if not Path(f"/proc/{pid}").exists():
            return False
        time.sleep(0.001)
    raise TimeoutError(f"the crawler did too little: {place.crawlers.said()}")


def kill_and_look(place: Place, visits: int, number: int, workers: int) -> Kill | None:
    """Start the crawler, kill it after so many visits, and see what it had written down; None if it ended before."""
    folder = place.crawl(KILLED)
    pid = place.crawlers.start(KILLED, workers=workers)
    if not wait_for(place, pid, folder / ".lock", visits):
        place.crawlers.wait()
        return None
    place.crawlers.kill(pid)
    moment = time.monotonic()
    if not (folder / "crawl.sqlite").exists():
        return Kill(moment, frozenset())
    seen = copied(folder, place.folder / f"seen-{number}")
    if not rows(seen, "SELECT 1 FROM sqlite_master WHERE name = 'robots'"):
        return Kill(moment, frozenset())
    settled = {url for (url,) in rows(seen, _SETTLED)}
    robots = {f"{origin}/robots.txt" for (origin,) in rows(seen, "SELECT origin FROM robots")}
    return Kill(moment, frozenset(settled | robots - _SHARED))


def requested_again(place: Place, kills: list[Kill]) -> list[tuple[int, str]]:
    """Requests that a crawl made although it knew the answer: the number of the kill before them, and the URL."""
    visits = [(visit.began, f"http://{visit.host}{visit.target}") for visit in read_visits(place.log)]
    return [
        (number, url)
        for number, kill in enumerate(kills)
        for began, url in visits
        if began > kill.moment and url in kill.settled
    ]


def differences(killed: Path, undisturbed: Path) -> list[str]:
    """In what two crawls differ: pages, states of URLs, and for hosts without an end the numbers of pages."""
    wrong = []
    for name, sql in (("pages", _PAGES), ("states of URLs", _STATES)):
        one, other = (
            [row for row in rows(folder, sql) if host_of(row[0]) not in _TRAPS] for folder in (killed, undisturbed)
        )
        if one != other:
            difference = sorted(set(one) ^ set(other), key=str)
            wrong.append(f"other {name}: {difference[:4]} ({len(one)} instead of {len(other)})")
    one_count, other_count = (
        Counter(host for (url, *_) in rows(folder, _PAGES) if (host := host_of(url)) in _TRAPS)
        for folder in (killed, undisturbed)
    )
    if one_count != other_count:
        wrong.append(f"other numbers of pages of hosts without an end: {one_count} instead of {other_count}")
    for folder in (killed, undisturbed):
        try:
            check_tables(folder)
            check_archive(folder)
        except AssertionError as error:
            wrong.append(f"{folder}: not whole: {error}")
        if pages := misjudged(folder):
            wrong.append(f"{folder}: {len(pages)} pages are judged otherwise than by the archive: {pages[:3]}")
    return wrong


# ---- with all faults ----

_WEB = DemoWeb(pages=500, page_kb=3.0, faults=True)
_FETCH = {
    "connections": 8,
    "delay": 0.01,
    "connect_timeout": 2.0,
    "read_timeout": 2.0,
    "total_timeout": 8.0,
    "max_body": 1_000_000,
    "retries": 2,
    "redirects": 5,
    "backoff": 0.02,
    "patience": 20.0,
}


@contextmanager
def _faulty(work: Path) -> Iterator[Place]:
    seeds = [*_WEB.seeds(_WEB.subjects[0]), _WEB.faulty_seed]
    with tempfile.TemporaryDirectory(dir=work) as folder, served(Path(folder), _WEB, seeds, **_FETCH) as place:
        yield place


def _finish(place: Place, out: str, workers: int) -> str:
    place.crawlers.start(out, workers=workers)
    code, said = place.crawlers.wait()
    return "" if code == 0 else f"it does not go on: exit code {code}: {said}"


def kill_many(work: Path, undisturbed: Path, times: int, chance: random.Random, workers: int) -> tuple[int, list[str]]:
    """One crawl, killed up to so many times. Returns how often it was, and what was wrong after that."""
    with _faulty(work) as place:
        kills: list[Kill] = []
        for number in range(times):
            kill = kill_and_look(place, chance.choice((0, 1, chance.randrange(60))), number, workers)
            if kill is None:
                break
            kills.append(kill)
        problem = _finish(place, KILLED, workers)
        wrong = [problem] if problem else differences(place.crawl(KILLED), undisturbed)
        again = requested_again(place, kills)
        if again:
            wrong.append(f"{len(again)} requests were made again, such as {again[0]}")
    return len(kills), wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--per-crawl", type=int, default=25, help="kills of one crawl, at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance, began = random.Random(options.seed), time.monotonic()
    done = crawls = problems = 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        with _faulty(work) as place:
            if problem := _finish(place, "undisturbed", 0):
                sys.exit(problem)
            place.crawl("undisturbed").rename(work / "undisturbed")
        while done < options.kills:
            workers = crawls % 2
            times = min(options.per_crawl, options.kills - done)
            kills, wrong = kill_many(work, work / "undisturbed", times, chance, workers)
            done, crawls, problems = done + kills, crawls + 1, problems + len(wrong)
            print(f"{done:,} kills, {crawls} crawls, {time.monotonic() - began:.0f} s, {problems} problems", flush=True)
            for one in wrong:
                print(f"  crawl {crawls} ({workers} workers, {kills} kills): {one}", flush=True)
        pages = len(rows(work / "undisturbed", _PAGES))
    print(f"{done:,} kills of {crawls} crawls of {pages} pages each: {problems} problems")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
