"""Power cuts: one crawl is recorded, change by change; after each cut, the crawl must go on and end as if undisturbed.

    python -m benchmarks.reliability.power_cuts --cuts 1000

The crawl is one of the demo web with all of its faults, in virtual time. Everything that was committed before the cut
must be there, no page that has a row may be fetched again, and the crawl's pages must be exactly those of a crawl that
was never cut (of hosts without an end: as many of them).
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import override

from benchmarks.reliability.aftermath import misjudged
from benchmarks.reliability.disk import Change, Disk, compile_recorder, read_log
from benchmarks.reliability.virtual_time import LoopClock, run_virtually
from honeyguide.crawl import crawler
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.page.url import host_of
from honeyguide.store.archive import Archive
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

MARKS = "committed"
"""A file beside the crawl: a line when a commit has returned, with the number of pages that it promised to keep."""
_CRAWL = "crawls/cut"
_SUBJECT = "beekeeping"
_PAGES_PER_HOST = 20
_FETCH = {
    "delay": 0.0,
    "domain_delay": 0.0,
    "ip_delay": 0.0,
    "backoff": 0.1,
    "connections": 1,
    "max_body": 200_000,
}
_PAGES = "SELECT url, seq, digest, relevance FROM pages JOIN urls USING (id) ORDER BY seq"

Row = tuple[Any, ...]


class RecordingFetcher(DemoFetcher):
    """The demo web, and what was requested of it."""

    def __init__(self, web: DemoWeb, settings: FetchSettings) -> None:
        super().__init__(web, settings)
        self.requested: list[str] = []

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        self.requested.append(request.url)
        return await super().fetch(request)


def crawl(folder: Path, pages: int) -> tuple[CrawlResult, list[str]]:
    """Crawl a demo web of so many pages and all faults, or go on; also returns what was requested."""
    web = DemoWeb(pages=pages, page_kb=1.0, faults=True)
    topic = Topic.make(
        name="cut",
        seeds=[*web.seeds(_SUBJECT), web.faulty_seed],
        keywords=web.keywords(_SUBJECT),
        budget={"pages": 0},
        # By default, how much is read of sitemaps depends on how relevant their sites were: the order would decide.
        scope={"pages_per_host": _PAGES_PER_HOST, "sitemaps": "always"},
        fetch=_FETCH,
        relevance={"model": "vsm"},  # with one that learns from the first pages, their order would decide
    )
    fetcher = RecordingFetcher(web, topic.fetch)
    session = Session(topic, folder, fetcher=lambda: fetcher, workers=0, clock=LoopClock(time.time()))
    return run_virtually(session.run()), fetcher.requested


def stored(folder: Path) -> list[Row]:
    """The pages that a crawl has; none if it has not begun."""
    if not (folder / "crawl.sqlite").exists() or not (folder / "crawl.sqlite").stat().st_size:
        return []
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        try:
            return database.execute(_PAGES).fetchall()
        except sqlite3.DatabaseError:  # the tables themselves were not committed
            return []


def _compared(pages: list[Row]) -> tuple[set[Row], Counter[str]]:
    """What must be the same whenever the power was cut: not the order, after a retry, nor which pages of a host.

    If a host has more pages than are fetched of it, the order decides which.
    """
    count = Counter(host_of(url) for url, *_ in pages)
    whole = {(url, digest, score) for url, _, digest, score in pages if count[host_of(url)] < _PAGES_PER_HOST}
    return whole, count


# ---- recording ----


def _be_recorded(root: Path, pages: int) -> None:
    """Crawl with many commits and several archive files, and mark every commit that has returned."""
    commit = Recorder.commit

    def marked(self: Recorder, *arguments: object) -> None:
        commit(self, *arguments)  # type: ignore[arg-type]
        with (root / MARKS).open("ab", buffering=0) as file:
            file.write(b"%d\n" % self.tally.pages)

    Recorder.commit = marked  # type: ignore[assignment, method-assign]
    crawler._VISITS_PER_COMMIT = 7  # noqa: SLF001
    assert Archive.__init__.__kwdefaults__ is not None
    Archive.__init__.__kwdefaults__["rotate_at"] = 30_000
    crawl(root / _CRAWL, pages)


@dataclass(frozen=True)
class Recording:
    """A crawl that was recorded."""

    root: Path
    changes: list[Change]
    pages: list[Row]
    """What it stored in the end."""

    def promised(self, moment: int) -> int:
        """The number of pages that were on disk before a change, by the word of the crawl."""
        marks = [change.data for change in self.changes[:moment] if change.kind == "w" and self._is_mark(change)]
        return int(marks[-1]) if marks else 0

    def _is_mark(self, change: Change) -> bool:
        return change.path == str(self.root / MARKS)

    def disks(self, moments: list[int]) -> Iterator[tuple[int, Disk]]:
        """The disk just before each of the changes with these numbers, which are in order."""
        disk, done = Disk(self.root), 0
        for moment in moments:
            for change in self.changes[done:moment]:
                if not self._is_mark(change):
                    disk.apply(change)
            done = moment
            yield moment, disk


def record(work: Path, pages: int) -> Recording | None:
    """Record a crawl in a process of its own; None without a C compiler."""
    library = compile_recorder(work)
    if library is None:
        return None
    root, log = work / "recorded", work / "changes"
    root.mkdir()
    environment = {**os.environ, "RECORD_ROOT": str(root), "RECORD_LOG": str(log), "LD_PRELOAD": str(library)}
    command = [sys.executable, "-m", "benchmarks.reliability.power_cuts", "--record", str(root), "--pages", str(pages)]
    subprocess.run(command, check=True, env=environment, cwd=Path(__file__).parents[2])
    return Recording(root, read_log(log), stored(root / _CRAWL))


# ---- cutting ----


def check_cut(recording: Recording, moment: int, root: Path, pages: int) -> list[str]:
    """What is wrong after a cut whose remains are in `root`: nothing, if all is well."""
    wrong = []
    folder, promised = root / _CRAWL, recording.promised(moment)
    there = stored(folder)
    if there != recording.pages[: len(there)]:
        wrong.append("the pages that are left are not those of the crawl")
    if len(there) < promised:
        wrong.append(f"{promised} pages were committed, {len(there)} are left")
    try:
        _, requested = crawl(folder, pages)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is what is wrong)
        return [*wrong, f"it does not go on: {type(error).__name__}: {error}"]
    again = {str(page[0]) for page in there} & set(requested)
    if again:
        wrong.append(f"{len(again)} pages were fetched again, such as {min(again)}")
    (pages_now, counts_now), (pages_then, counts_then) = _compared(stored(folder)), _compared(recording.pages)
    if pages_now != pages_then:
        wrong.append(f"it ended with other pages: {sorted(pages_now ^ pages_then, key=str)[:3]}")
    if counts_now != counts_then:
        wrong.append(f"it ended with other numbers of pages: {counts_now - counts_then}, {counts_then - counts_now}")
    if judged := misjudged(folder):
        wrong.append(f"{len(judged)} pages are judged otherwise than by the archive: {judged[:3]}")
    with Crawl.open(folder) as opened:
        unreadable = sum(not page.stored.body for page in opened.pages(relevant=False) if page.row.size)
        ((intact,),) = opened.query("PRAGMA integrity_check")
    if unreadable:
        wrong.append(f"{unreadable} records are empty")
    if intact != "ok":
        wrong.append(f"the database is damaged: {intact}")
    return wrong


def cut_everywhere(
    recording: Recording, work: Path, cuts: int, pages: int, seed: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Cut the power at moments spread over the crawl; yields each moment, and what was wrong.

    In turns only synced bytes survive, or some of the others as well.
    """
    chance = random.Random(seed)
    last = len(recording.changes)
    moments = sorted(chance.sample(range(last + 1), min(cuts, last + 1)))
    for turn, (moment, disk) in enumerate(recording.disks(moments)):
        with tempfile.TemporaryDirectory(dir=work) as root:
            disk.cut(Path(root), random.Random(moment) if turn % 2 else None)
            yield moment, check_cut(recording, moment, Path(root), pages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=100, help="of the demo web, besides its faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        _be_recorded(options.record, options.pages)
        return
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        recording = record(work, options.pages)
        if recording is None:
            sys.exit("a C compiler is needed to record a crawl: set CC")
        began, problems, done = time.monotonic(), Counter[str](), 0
        for moment, wrong in cut_everywhere(recording, work, options.cuts, options.pages, options.seed):
            done += 1
            for one in wrong:
                print(f"cut before change {moment:,}: {one}", flush=True)
            if done % 50 == 0:
                print(f"{done:,} cuts, {time.monotonic() - began:.0f} s, {sum(problems.values())} problems", flush=True)
            problems.update(one.partition(":")[0] for one in wrong)
        seconds = time.monotonic() - began
        print(
            f"{done:,} cuts at {len(recording.changes):,} changes of a crawl of {len(recording.pages)} pages, "
            f"in {seconds:.0f} s: {sum(problems.values())} problems"
        )
        sys.exit(bool(problems))


if __name__ == "__main__":
    main()
