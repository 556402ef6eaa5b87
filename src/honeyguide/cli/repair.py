"""``honeyguide repair``: rebuild the database of a crawl from its archive."""

from __future__ import annotations

import sys
from shlex import quote
from typing import Annotated

import typer
import uvloop

from honeyguide.cli.bar import Bar
from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.crawl.repair import repair as rebuild
from honeyguide.document import words


def repair(
    crawl: CrawlFolderArgument,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show progress.")] = False,
) -> None:
    """Rebuild a damaged or lost crawl.sqlite from the archive of a crawl. Nothing is deleted."""
    with Bar(quiet=quiet) as bar:
        rebuilt = uvloop.run(rebuild(crawl, lambda done, total: bar.show("bytes", done, total)))
    tally = rebuilt.tally
    say(
        f"{words.pages(tally.pages)}, {tally.relevant:,} relevant, and {rebuilt.urls:,} URLs rebuilt "
        f"from {rebuilt.files:,} WARC file{'s' if rebuilt.files > 1 else ''}"
    )
    if rebuilt.set_aside is not None:
        say(f"the database that was there is now {rebuilt.set_aside}")
    if rebuilt.lost:
        say(f"warning: {rebuilt.lost:,} damaged records were left out; -v lists them", file=sys.stderr)
    report = f"honeyguide report {quote(str(crawl))}"
    say(f"to continue the crawl, run the command that you started it with; for a report: {report}")
