"""Running a session from the command line: signals, progress, what is said at the end."""

from __future__ import annotations

import asyncio
import signal
import sys

import typer
import uvloop

from honeyguide.cli.progress import show
from honeyguide.crawl.session import Outcome, Session


def run(session: Session, *, quiet: bool = False) -> Outcome:
    """Crawl with progress on standard error. Ctrl-C and SIGTERM save and leave; a second one leaves at once."""
    return uvloop.run(_run(session, quiet=quiet))


async def _run(session: Session, *, quiet: bool) -> Outcome:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        session.request_stop()
        print("stopping: what is under way may end; once more leaves at once", file=sys.stderr)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    progress = None if quiet else asyncio.create_task(show(session, sys.stderr))
    try:
        return await session.run()
    finally:
        if progress is not None:
            progress.cancel()
            await asyncio.gather(progress, return_exceptions=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def summarise(outcome: Outcome) -> None:
    """Say how it went, and what can be done next; leaves with 130 when the user stopped it."""
    tally = outcome.tally
    duplicates = f" ({tally.duplicates:,} duplicates left out)" if tally.duplicates else ""
    print(f"{tally.pages:,} pages fetched, {tally.relevant:,} relevant{duplicates}, harvest {tally.harvest:.1%}")
    print(f"stopped: {outcome.stop.text}")
    if outcome.explanation:
        print(f"nothing relevant: {outcome.explanation}")
    print(f"in {outcome.folder}; see: honeyguide report {outcome.folder}")
    if outcome.stop.kind == "interrupted":
        raise typer.Exit(130)
