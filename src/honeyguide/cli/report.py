"""``honeyguide report``: write the report of a crawl."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from honeyguide.cli.bar import Bar
from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.store.crawl import Crawl
from honeyguide.store.report import ReportFormat, write_report

_PATIENCE = 2.0  # seconds without a sign of progress


def report(
    crawl: CrawlFolderArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write.", show_default="CRAWL/report.FORMAT")
    ] = None,
    form: Annotated[
        ReportFormat, typer.Option("--format", help="Format of the file: html, or md (Markdown, without charts).")
    ] = ReportFormat.HTML,
) -> None:
    """Write report.html to the folder of a crawl: curves, sites, terms, pages to check, how to repeat it."""
    from honeyguide.teaching.labels import current_labels  # noqa: PLC0415 (takes its time)

    began = monotonic()
    with Crawl.open(crawl) as opened, Bar(quiet=False) as bar:

        def progress(what: str, done: int, total: int) -> None:
            if monotonic() - began > _PATIENCE:
                bar.show(what, done, total)

        written = write_report(opened, path=output, form=form, labels=current_labels(crawl), progress=progress)
    say(written)
