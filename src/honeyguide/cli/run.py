"""Running a crawl from the command line: signals, progress, summary."""

from __future__ import annotations

import asyncio
import signal
import sys

import typer
import uvloop

from honeyguide.cli.output import say
from honeyguide.cli.progress import show
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.document import words


def run(session: Session, *, quiet: bool = False) -> CrawlResult:
    """Crawl, with progress on standard error. Ctrl-C, SIGTERM and SIGHUP save and exit; a second one exits at once."""
    return uvloop.run(_run(session, quiet=quiet))


async def _run(session: Session, *, quiet: bool) -> CrawlResult:
    loop = asyncio.get_running_loop()

    def stop() -> None:
        session.request_stop()
        say("stopping: waiting for requests under way (press Ctrl-C again to exit at once)", file=sys.stderr)

    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup sets it, so that the crawl goes on
        signals.append(signal.SIGHUP)
    for number in signals:
        loop.add_signal_handler(number, stop)
    progress = None if quiet else asyncio.create_task(show(session, sys.stderr))
    try:
        return await session.run()
    finally:
        if progress is not None:
            progress.cancel()
            await asyncio.gather(progress, return_exceptions=True)
        for number in signals:
            loop.remove_signal_handler(number)


def summarise(outcome: CrawlResult) -> None:
    """Print the results of a crawl and what can be done next; exits with 130 if the user stopped it."""
    tally = outcome.tally
    duplicates = f" ({words.duplicates(tally.duplicates)} not counted)" if tally.duplicates else ""
    counts = f"{words.pages(tally.pages)} fetched, {tally.relevant:,} relevant{duplicates}"
    say(f"{counts}, harvest rate {tally.harvest:.1%}")
    say(f"stopped: {outcome.stop.text}")
    if outcome.explanation:
        say(f"no relevant pages: {outcome.explanation}")
    say(f"stored in {outcome.folder}; for a report, run: honeyguide report {outcome.folder}")
    if outcome.stop.kind == "interrupted":
        raise typer.Exit(130)
