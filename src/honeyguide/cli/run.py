"""Running a crawl from the command line: signals, progress, summary."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine, Iterable
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING, Protocol

import typer
import uvloop

from honeyguide.cli.bar import Bar
from honeyguide.cli.output import say
from honeyguide.cli.progress import show
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.dashboard.process import DashboardProcess
from honeyguide.document import words
from honeyguide.errors import HoneyguideError
from honeyguide.store.reasons import describe

if TYPE_CHECKING:
    from honeyguide.cluster.drive import ClusterSession

_CLUSTER_LINE = 10.0  # seconds between two lines about a crawl on several machines
_MOST_SEEDS = 10  # that the summary names

_LONG = 1.0  # seconds after which it is shown how far the judging of stored pages is


def run(session: Session, *, quiet: bool = False, watch: bool = False) -> CrawlResult:
    """Crawl, with progress on standard error. Ctrl-C, SIGTERM and SIGHUP save and exit; a second one exits at once.

    With `watch`, the dashboard is open while the crawl runs.
    """
    return uvloop.run(_run(session, quiet=quiet, watch=watch))


async def _run(session: Session, *, quiet: bool, watch: bool) -> CrawlResult:
    beside = [] if quiet else [_show(session)]
    if watch:
        beside.append(_watch(session.begun, session.folder.path))
    with Bar(quiet=quiet) as bar:
        if session.changed:
            _announce(session, bar)
        return await _run_beside(session, beside)


def run_on_cluster(session: ClusterSession, *, quiet: bool = False, watch: bool = False) -> CrawlResult:
    """Run a crawl on several machines, likewise."""
    beside = [] if quiet else [_show_cluster(session)]
    if watch:
        beside.append(_watch(session.begun, session.folder))
    return asyncio.run(_run_beside(session, beside))


async def _show_cluster(session: ClusterSession) -> None:
    await session.begun.wait()
    while True:
        await asyncio.sleep(_CLUSTER_LINE)
        tally = session.tally
        counts = f"{words.pages(tally.pages)}, {tally.relevant:,} relevant ({tally.harvest:.1%})"
        say(f"{words.duration(tally.run_seconds)}: {counts}", file=sys.stderr, flush=True)


class _Stoppable(Protocol):
    """A crawl that can be run and stopped."""

    async def run(self) -> CrawlResult: ...

    def request_stop(self) -> None: ...


async def _run_beside(session: _Stoppable, others: Iterable[Coroutine[None, None, None]]) -> CrawlResult:
    """Run a crawl, which can be stopped by signals, concurrently with other tasks."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        session.request_stop()
        say("stopping: waiting for requests in flight (press Ctrl-C again to exit at once)", file=sys.stderr)

    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup sets it, so that the crawl goes on
        signals.append(signal.SIGHUP)
    for number in signals:
        loop.add_signal_handler(number, stop)
    beside = [asyncio.create_task(other) for other in others]
    try:
        return await session.run()
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        for number in signals:
            loop.remove_signal_handler(number)


async def _show(session: Session) -> None:
    """Show a session from when it begins to crawl: until then there may be a bar."""
    await session.begun.wait()
    await show(session, sys.stderr)


async def _watch(begun: asyncio.Event, folder: Path) -> None:
    """Show the dashboard, in a process of its own, from when the crawl begins until this is cancelled."""
    await begun.wait()
    dashboard = DashboardProcess(folder)
    try:
        say(f"watch it at {await dashboard.url()}", flush=True)
        await asyncio.Event().wait()
    except HoneyguideError as error:  # the crawl goes on without it
        say(f"honeyguide: {error}", file=sys.stderr, flush=True)
    finally:
        await asyncio.to_thread(dashboard.close)


def _announce(session: Session, bar: Bar) -> None:
    """Report that stored pages are judged again, and why; with progress if it takes long."""
    what = "the model" if session.changed == ("model",) else ", ".join(session.changed)
    changed = "have changed" if len(session.changed) > 1 else "has changed"
    say(f"{what} {changed}: rescoring the stored pages, without fetching them", file=sys.stderr, flush=True)
    began = monotonic()

    def judged(done: int, total: int) -> None:
        if done == total:
            bar.stop()
        elif monotonic() - began > _LONG:
            bar.show("pages judged", done, total)

    session.on_judged = judged


def summarise(outcome: CrawlResult) -> None:
    """Print the results of a crawl and what can be done next.

    Exits with 130 if the user stopped it, and with 1 if no seed returned a page.
    """
    tally = outcome.tally
    duplicates = f" ({words.duplicates(tally.duplicates)} not counted)" if tally.duplicates else ""
    counts = f"{words.pages(tally.pages)} fetched, {tally.relevant:,} relevant{duplicates}"
    say(f"{counts}, harvest rate {tally.harvest:.1%}")
    if outcome.again is not None:
        visited, changed, gone, new = outcome.again
        say(f"{words.pages(visited)} revisited: {changed:,} changed, {gone:,} gone; {words.pages(new)} new")
        if changed or gone or new:
            say(f"for a list, run: honeyguide changes {quote(str(outcome.folder))}")
    say(f"stopped: {outcome.stop.text}")
    _summarise_seeds(outcome)
    failed = sum(outcome.failed.values())
    if failed:
        say(f"{failed:,} URL{'s' if failed > 1 else ''} failed: {describe(outcome.failed)}")
        folder = quote(str(outcome.folder))
        say(f"to list {'them' if failed > 1 else 'it'}, run: honeyguide urls {folder} --state failed")
    if outcome.explanation:
        say(f"no relevant pages: {outcome.explanation}")
    say(f"stored in {outcome.folder}; for a report, run: honeyguide report {quote(str(outcome.folder))}")
    if outcome.stop.kind == "interrupted":
        raise typer.Exit(130)
    if not tally.pages:
        raise typer.Exit(1)


def _summarise_seeds(outcome: CrawlResult) -> None:
    """Print the seeds that gave no page, and those that are lists of pages."""
    for seed in outcome.seeds[:_MOST_SEEDS]:
        say(f"seed {seed.url}: {seed.text}")
    if len(outcome.seeds) > _MOST_SEEDS:
        say(f"and {len(outcome.seeds) - _MOST_SEEDS:,} more seeds; the report lists all of them")
    if not outcome.tally.pages:
        say("no seed returned a page")
