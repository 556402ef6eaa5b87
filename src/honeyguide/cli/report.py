"""``honeyguide report``: write the report of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.store.crawl import Crawl
from honeyguide.store.report import write_report


def report(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
) -> None:
    """Write report.html to the folder of a crawl: curves, hosts, the best pages."""
    with Crawl.open(crawl) as opened:
        print(write_report(opened))
