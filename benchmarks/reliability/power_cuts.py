"""Power cuts: one crawl is recorded, change by change; after each cut, the crawl must go on and end as if undisturbed.

    python -m benchmarks.reliability.power_cuts --cuts 1000

Everything that was committed before the cut must be there, no page that has a row may be fetched again, and the
crawl's pages must be exactly those of a crawl that was never cut.
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

import uvloop

from benchmarks.reliability.disk import Change, Disk, compile_recorder, read_log
from honeyguide.crawl import crawler
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.demo import DemoFetcher, DemoWeb, faults
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.store.archive import Archive
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

MARKS = "committed"
"""A file beside the crawl: a line when a commit has returned, with the number of pages that it promised to keep."""
WEB = DemoWeb(pages=300, page_kb=1.0)
_CRAWL = "crawls/cut"
_SUBJECT = "beekeeping"
_FAULTS = ("status-404", "status-410", "redirect-chain", "encoding-gzip", "robots-disallow-refused")
_PAGES = "SELECT url, seq, digest, relevance FROM pages JOIN urls USING (id) ORDER BY seq"


class Asking(DemoFetcher):
    """The demo web, and what it was asked for."""

    def __init__(self) -> None:
        super().__init__(WEB)
        self.asked: list[str] = []

    async def fetch(self, request: Request) -> Response | Failure:
        """As ever; noted."""
        self.asked.append(request.url)
        return await super().fetch(request)


def crawl(folder: Path, pages: int) -> tuple[CrawlResult, list[str]]:
    """Crawl the demo web, or go on; also returns what was asked for."""
    bad = [fault.url for fault in faults() if fault.name in _FAULTS]
    topic = Topic.make(
        name="cut",
        seeds=[*WEB.seeds(_SUBJECT), *bad],
        keywords=WEB.keywords(_SUBJECT),
        budget={"pages": pages},
        fetch={"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0, "connections": 1},
    )
    fetcher = Asking()
    result = uvloop.run(Session(topic, folder, fetcher=lambda: fetcher, workers=0).run())
    return result, fetcher.asked


def stored(folder: Path) -> list[tuple[object, ...]]:
    """The pages that a crawl has; none if it has not begun."""
    if not (folder / "crawl.sqlite").exists() or not (folder / "crawl.sqlite").stat().st_size:
        return []
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        try:
            return database.execute(_PAGES).fetchall()
        except sqlite3.DatabaseError:  # the tables themselves were not committed
            return []


# ---- recording ----


def _be_recorded(root: Path, pages: int) -> None:
    """Crawl with many commits and several archive files, and mark every commit that has returned."""
    commit = Recorder.commit

    def marked(self: Recorder, *arguments: object) -> None:
        commit(self, *arguments)  # type: ignore[arg-type]
        with (root / MARKS).open("ab", buffering=0) as file:
            file.write(b"%d\n" % self.tally.pages)

    Recorder.commit = marked  # type: ignore[assignment, method-assign]
    crawler._COMMIT_AFTER = 7  # noqa: SLF001
    assert Archive.__init__.__kwdefaults__ is not None
    Archive.__init__.__kwdefaults__["rotate_at"] = 30_000
    crawl(root / _CRAWL, pages)


@dataclass(frozen=True)
class Recording:
    """A crawl that was recorded."""

    root: Path
    changes: list[Change]
    pages: list[tuple[object, ...]]
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
        _, asked = crawl(folder, pages)
    except Exception as error:  # noqa: BLE001 (whatever it is, it is what is wrong)
        return [*wrong, f"it does not go on: {type(error).__name__}: {error}"]
    again = {str(page[0]) for page in there} & set(asked)
    if again:
        wrong.append(f"{len(again)} pages were fetched again, such as {min(again)}")
    if stored(folder) != recording.pages:
        wrong.append("it ended with other pages")
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
    parser.add_argument("--pages", type=int, default=60)
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
            problems.update(wrong)
        seconds = time.monotonic() - began
        print(
            f"{done:,} cuts at {len(recording.changes):,} changes of a crawl of {len(recording.pages)} pages, "
            f"in {seconds:.0f} s: {sum(problems.values())} problems"
        )
        sys.exit(bool(problems))


if __name__ == "__main__":
    main()
