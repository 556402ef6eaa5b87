"""``honeyguide report``: write the report of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.output import say
from honeyguide.store.crawl import Crawl
from honeyguide.store.report import write_report


def report(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="HTML file to write.", show_default="CRAWL/report.html")
    ] = None,
) -> None:
    """Write report.html to the folder of a crawl: curves, hosts, the best pages."""
    with Crawl.open(crawl) as opened:
        say(write_report(opened, path=output))
