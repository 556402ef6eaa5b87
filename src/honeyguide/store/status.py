"""The status of a crawl in a few numbers, quickly, even while it runs and however large it is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store import command_effects
from honeyguide.store.archive import archive_files
from honeyguide.store.checks import check_meta
from honeyguide.store.commands import LIMITS
from honeyguide.store.connection import FILE, check_format, connect, database_errors
from honeyguide.store.folder import is_running
from honeyguide.store.inbox import pending
from honeyguide.store.stored_topic import stored_topic
from honeyguide.store.tail import needs_repair
from honeyguide.store.tally import Tally
from honeyguide.store.whole import refresh
from honeyguide.topic.budget import BudgetSettings

RECENT = 200
"""How many of the last pages `harvest_now` and `pages_per_second_now` are about."""

# Only the last events are looked at, by their primary key: the whole table may have millions of rows.
_TAIL = 20_000
_LAST_PAGES = f"""
    WITH tail AS (SELECT id, kind, url, time FROM events WHERE id > (SELECT max(id) FROM events) - {_TAIL}),
    run AS (SELECT coalesce((SELECT max(id) FROM tail WHERE kind = 'start'), 0) AS began)
    SELECT tail.time, tail.id > run.began, pages.relevant AND pages.duplicate_of IS NULL
    FROM tail JOIN pages ON pages.id = tail.url, run WHERE tail.kind = 'page' ORDER BY tail.id DESC LIMIT {RECENT}
"""  # noqa: S608 (own numbers)


@dataclass(frozen=True, slots=True)
class BudgetLimit:
    """A limit of the budget."""

    limit: float
    used: float
    left: float


@dataclass(frozen=True, slots=True)
class Status:
    """A crawl as of its last commit. The names of the fields are those of ``honeyguide status --json``."""

    name: str
    state: str
    """"running", "paused", "stopped"; or "killed" if it neither runs nor was saved at its end."""
    running: bool
    """Whether a process works on it."""
    paused: bool
    stop: str
    """Why the last run ended, in a word; "" while it runs, and if it was killed."""
    stop_text: str
    """The reason in a sentence."""
    committed: float
    """When these values were written, in Unix time."""
    pages: int
    relevant: int
    """Relevant pages that are no duplicates."""
    duplicates: int
    harvest: float
    """Share of the pages that are relevant."""
    harvest_now: float
    """The same for the last 200 pages."""
    pages_per_second: float
    """Over all runs."""
    pages_per_second_now: float
    """For the last 200 pages of this run; 0 if it does not run."""
    seconds: float
    """Time spent crawling, over all runs."""
    run_seconds: float
    """Time spent crawling in the last run."""
    bytes: int
    """Bytes of bodies received."""
    bytes_per_relevant: float | None
    """Bytes received per relevant page; None if there is none."""
    answers: int
    """Requests that were answered, with any status."""
    waiting: int
    """URLs waiting to be fetched."""
    hosts_resting: int
    """Hosts that rest for longer than their usual delay, after failures or at their own request."""
    failures: Mapping[str, int]
    """Failed fetches by kind: "dns", "timeout", "404"."""
    refused: Mapping[str, int]
    """URLs and links not followed, by reason."""
    listed: Mapping[str, int]
    """What came from sitemaps and feeds: new "urls", "pages" fetched of them, and "relevant" ones among those."""
    budget: Mapping[str, BudgetLimit]
    """The limits in effect, by name: allowed, used and left."""
    blocked: tuple[str, ...]
    """Hosts and patterns that are blocked."""
    pending: int
    """Commands that wait to be applied."""


def status_of(folder: str | Path) -> Status:
    """The status of a crawl. Takes milliseconds: nothing is counted, and few rows are read.

    Raises `InputError` when there is no crawl in the folder, `HoneyguideError` when its database cannot be read.
    """
    folder = Path(folder)
    path = folder / FILE
    refresh(folder, priorities=False)
    if not path.is_file():
        if archive_files(folder):
            raise HoneyguideError(needs_repair(folder, "its crawl.sqlite is missing"))
        raise InputError(str(folder), "does not contain a crawl", "name the folder of a crawl, like crawls/NAME")
    topic, runs, now = stored_topic(folder, plugins=False), is_running(folder), time.time()
    with closing(connect(path, read_only=True)) as connection, database_errors(path):
        check_format(connection, path)
        connection.execute("BEGIN")  # everything is read as of one commit
        meta: dict[str, Any] = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        check_meta(meta, path)
        last = connection.execute(_LAST_PAGES).fetchall()
        ((resting,),) = connection.execute("SELECT count(*) FROM hosts WHERE not_before > ?", (now,))
    tally, stop, committed = Tally.of(meta), meta.get("stop", ""), meta.get("committed", 0.0)
    is_paused = runs and bool(meta.get("paused"))
    run_seconds = float(meta.get("run_seconds", 0.0))
    return Status(
        name=topic.name,
        state="paused" if is_paused else "running" if runs else "stopped" if stop else "killed",
        running=runs,
        paused=is_paused,
        stop="" if runs else stop,
        stop_text="" if runs else meta.get("stop_text", ""),
        committed=float(committed),
        pages=tally.pages,
        relevant=tally.relevant,
        duplicates=tally.duplicates,
        harvest=tally.harvest,
        harvest_now=sum(bool(counts) for _, _, counts in last) / len(last) if last else 0.0,
        pages_per_second=tally.pages / tally.seconds if tally.seconds else 0.0,
        pages_per_second_now=_speed([at for at, is_new, _ in last if is_new], committed) if runs else 0.0,
        seconds=float(tally.seconds),
        run_seconds=run_seconds,
        bytes=tally.size,
        bytes_per_relevant=tally.size / tally.relevant if tally.relevant else None,
        answers=tally.answers,
        waiting=meta.get("waiting", 0),
        hosts_resting=resting,
        failures=dict(tally.errors),
        refused={reason: count for reason, count in tally.refused.items() if count},
        listed={name: tally.listed[name] for name in ("urls", "pages", "relevant")},
        budget=_limits(topic.budget, tally, run_seconds),
        blocked=command_effects.CommandEffects.parse(meta.get(command_effects.KEY, "{}")).blocked,
        pending=len(pending(folder)),
    )


def _speed(times: list[float], now: float) -> float:
    """Pages per second, from the times at which they came, the last one first."""
    return len(times) / (now - times[-1]) if times and now > times[-1] else 0.0


def _limits(budget: BudgetSettings, tally: Tally, run_seconds: float) -> dict[str, BudgetLimit]:
    used = {"pages": tally.pages, "relevant": tally.relevant, "bytes": tally.size, "minutes": run_seconds / 60}
    return {
        name: BudgetLimit(most, used[name], max(most - used[name], 0))
        for name in LIMITS
        if (most := getattr(budget, name))
    }
