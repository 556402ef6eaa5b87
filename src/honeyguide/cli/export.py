"""``honeyguide export``: write the pages of a crawl to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console
from rich.progress import Progress

from honeyguide.cli.output import say
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import export as write_pages
from honeyguide.store.export.formats import REGISTRY


def export(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
    form: Annotated[
        str, typer.Option("--format", help="Format of the file: jsonl, csv, warc, or one of another package.")
    ] = "jsonl",
    out: Annotated[
        str, typer.Option(help="File to write; - = standard output.", show_default="CRAWL/export.FORMAT")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Write all pages, not only the relevant ones.")] = False,
) -> None:
    """Write the relevant pages of a crawl to one file."""
    suffix = REGISTRY.named(form, "--format").file_suffix
    with Crawl.open(crawl) as opened, Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("exporting")
        target: Path | BinaryIO = sys.stdout.buffer if out == "-" else Path(out or crawl / f"export{suffix}")
        pages = write_pages(
            opened,
            form,
            target,
            relevant_only=not everything,
            duplicates=everything,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    if out != "-":
        say(f"{pages:,} pages written to {target}")
