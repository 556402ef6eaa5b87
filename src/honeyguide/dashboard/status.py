"""What a crawl is doing, in figures and curves, from the index: the same whether it runs or has ended."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from honeyguide.dashboard.source import CrawlSource
from honeyguide.store.command_effects import KEY, CommandEffects
from honeyguide.store.folder import is_running

RECENT = 100
"""Pages over which the recent harvest rate is computed."""
_POINTS = 300  # of a curve
_SPEED_OVER = 60.0  # seconds


class CurvePoint(NamedTuple):
    """The counts after a page."""

    pages: int
    found: int
    recent: int | None
    """Relevant pages among the last `RECENT`; None before there were that many."""
    seconds: float
    """Of crawling, from the first page on; pauses between runs do not count."""
    size: int


class Milestone(NamedTuple):
    """An event that concerns the whole crawl."""

    id: int
    time: float
    kind: str
    detail: str
    before: float | None
    """The time of the event before it."""


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """The figures of a crawl at its last commit."""

    is_running: bool
    is_paused: bool
    blocked: tuple[str, ...]
    """The hosts and patterns that the user has blocked."""
    stop: str
    """Why it ended, as a sentence; "" while it runs and after a crash."""
    pages: int
    found: int
    recent: int
    """Relevant pages among the last `recent_of`."""
    recent_of: int
    duplicates: int
    size: int
    seconds: float
    speed: float | None
    """Pages per second in the last minute, while it runs; None if it does not."""
    answers: int
    errors: dict[str, int]
    committed: float


def status_of(source: CrawlSource, now: float | None = None) -> CrawlStatus:
    """The figures of a crawl."""
    meta, now = source.meta(), time.time() if now is None else now
    stop, committed = str(meta.get("stop_text", "")), float(meta.get("committed", 0.0))
    running = is_running(source.folder)
    newest = source.one("SELECT seq, found_so_far FROM pages ORDER BY seq DESC LIMIT 1")
    seq, found = newest or (-1, 0)
    earlier = source.one("SELECT found_so_far FROM pages WHERE seq = ?", seq - RECENT)
    return CrawlStatus(
        is_running=running,
        is_paused=running and bool(meta.get("paused", 0)),
        blocked=_effects(str(meta.get(KEY, "{}"))).blocked,
        stop=stop,
        pages=int(meta.get("pages", 0)),
        found=int(meta.get("relevant", 0)),
        recent=found - (earlier[0] if earlier else 0),
        recent_of=min(seq + 1, RECENT),
        duplicates=int(meta.get("duplicates", 0)),
        size=int(meta.get("size", 0)),
        seconds=float(meta.get("seconds", 0.0)),
        speed=_speed(source, seq, now) if running else None,
        answers=int(meta.get("answers", 0)),
        errors=json.loads(meta.get("errors", "{}")),
        committed=committed,
    )


def _effects(text: str) -> CommandEffects:
    try:
        return CommandEffects.parse(text)
    except ValueError:
        return CommandEffects()


def _speed(source: CrawlSource, newest: int, now: float) -> float:
    """Pages per second over the last minute, or over the last thousand pages if they were fetched in less time."""
    rows = source.query("SELECT fetched FROM pages WHERE seq > ? AND fetched > ?", newest - 1000, now - _SPEED_OVER)
    if not rows:
        return 0.0
    first: float = min(fetched for (fetched,) in rows)
    return len(rows) / max(now - first, 1.0)


def milestones_of(source: CrawlSource, most: int = 1000) -> list[Milestone]:
    """The latest events that concern the whole crawl, in order."""
    sql = "SELECT id, time, kind, detail, before FROM milestones WHERE kind <> 'listing' ORDER BY id DESC LIMIT ?"
    return [Milestone(*row) for row in reversed(source.query(sql, most))]


def curve_of(source: CrawlSource) -> list[CurvePoint]:
    """How a crawl went: its counts after evenly spaced numbers of pages."""
    newest = source.one("SELECT seq FROM pages ORDER BY seq DESC LIMIT 1")
    if not newest:
        return []
    last = newest[0]
    count = min(last + 1, _POINTS)
    wanted = sorted({0, *(-(-(last + 1) * number // count) - 1 for number in range(1, count + 1))})
    earlier = [seq - RECENT for seq in wanted if seq >= RECENT]
    sql = (
        "SELECT seq, found_so_far, fetched, size_so_far FROM json_each(?) AS wanted "
        "CROSS JOIN pages ON pages.seq = wanted.value"
    )
    rows = {row[0]: row[1:] for row in source.query(sql, json.dumps([*earlier, *wanted]))}
    ((began,),) = source.query("SELECT min(fetched) FROM pages WHERE seq < 10")
    crawled = _crawling_time(milestones_of(source), began or 0.0)
    points = []
    for seq in wanted:
        if seq in rows:
            found, fetched, size = rows[seq]
            before = rows.get(seq - RECENT)
            recent = found if seq == RECENT - 1 else found - before[0] if before else None
            points.append(CurvePoint(seq + 1, found, recent, crawled(fetched), size))
    return points


class _CrawlingTime:
    """Seconds of crawling until a time: without the pauses between runs."""

    def __init__(self, runs: Sequence[tuple[float, float]]) -> None:
        self._runs = runs  # begin and end of each, the last one without end

    def __call__(self, moment: float) -> float:
        spent = 0.0
        for began, ended in self._runs:
            if moment <= began:
                break
            spent += min(moment, ended) - began
        return spent


def _crawling_time(events: Sequence[Milestone], first: float) -> _CrawlingTime:
    runs: list[tuple[float, float]] = []
    for event in events:
        if event.kind == "start":
            if runs and runs[-1][1] == float("inf"):  # it was killed: its last event is the one before
                runs[-1] = (runs[-1][0], max(event.before or 0.0, runs[-1][0]))
            runs.append((event.time, float("inf")))
        elif event.kind == "stop" and runs:
            runs[-1] = (runs[-1][0], max(event.time, runs[-1][0]))
    if not runs:
        runs.append((first, float("inf")))  # a repaired crawl does not know its runs
    return _CrawlingTime(runs)
