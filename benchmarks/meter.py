"""What a crawler under measurement tells: how long its pages took, and what it left on disk."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
from fastwarc.warc import ArchiveIterator

from honeyguide.store.connection import FILE


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one crawler."""

    pages: int
    """Pages in the measured part: from the end of the warm-up to the last one."""
    seconds: float
    cpu: float
    """Seconds of CPU of the process in the measured part, threads included, children not."""
    workers_cpu: float
    """The same of its children."""
    memory: int
    """Most bytes of memory the process had, from before its crawl on."""
    rows: dict[str, int]
    """Rows by table."""
    records: dict[str, int]
    """WARC records by type."""


class Meter:
    """Counts pages and stops the time between two of them, so that start-up and shutdown do not count."""

    def __init__(self, pages: int, warm_up: int) -> None:
        self._last = pages
        self._first = warm_up
        self.count = 0
        self._began = self._ended = (0.0, 0.0, 0.0)
        forget_peak()

    def page(self) -> None:
        """One more page is recorded."""
        self.count += 1
        if self.count == self._first:
            self._began = _now()
        elif self.count == self._last:
            self._ended = _now()

    @property
    def full(self) -> bool:
        """Whether all pages are there."""
        return self.count >= self._last

    def report(self, folder: Path) -> None:
        """Print the run, with what the crawl left in its folder."""
        assert self.count == self._last, f"{self.count} pages instead of {self._last}"
        seconds, cpu, workers_cpu = (end - begin for begin, end in zip(self._began, self._ended, strict=True))
        memory = peak()
        run = Run(self._last - self._first, seconds, cpu, workers_cpu, memory, _rows(folder), _records(folder))
        print(json.dumps(asdict(run)))


def peak() -> int:
    """Most bytes of memory that this process had. Not from getrusage, which also counts what its parent had."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def forget_peak() -> None:
    """Let `peak` begin anew with what this process has now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _now() -> tuple[float, float, float]:
    children = (child.cpu_times() for child in psutil.Process().children())
    return time.perf_counter(), time.process_time(), sum(times.user + times.system for times in children)


def _rows(folder: Path) -> dict[str, int]:
    with closing(sqlite3.connect(folder / FILE)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}


def _records(folder: Path) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for path in folder.glob("*.warc.gz"):
        with path.open("rb") as file:
            counts.update(record.headers["WARC-Type"] for record in ArchiveIterator(file, parse_http=False))
    return dict(counts)
