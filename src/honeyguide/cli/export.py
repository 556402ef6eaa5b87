"""``honeyguide export``: pages out of a crawl."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.store.crawl import Crawl
from honeyguide.store.export import export as write_export


class Format(StrEnum):
    """What can be written."""

    JSONL = "jsonl"
    CSV = "csv"
    WARC = "warc"


def export(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
    form: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.JSONL,
    out: Annotated[
        Path | None, typer.Option(help="File to write; by default CRAWL/pages.FORMAT. - = standard output.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All pages, not only the relevant ones.")] = False,
) -> None:
    """Write the relevant pages of a crawl to one file."""
    with Crawl.open(crawl) as opened:
        ...
