"""``honeyguide export``: write the pages of a crawl to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console
from rich.progress import Progress

from honeyguide.cli.output import say
from honeyguide.document import words
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import FIELDS
from honeyguide.store.export import export as write_pages
from honeyguide.store.export.formats import REGISTRY
from honeyguide.store.export.selection import known_fields


def export(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
    form: Annotated[
        str, typer.Option("--format", help="Format of the file: jsonl, csv, warc, or one of another package.")
    ] = "jsonl",
    out: Annotated[
        str, typer.Option(help="File to write; - = standard output.", show_default="CRAWL/export.FORMAT")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Write all pages, not only the relevant ones.")] = False,
    fields: Annotated[
        str, typer.Option(help=f"Fields to write, comma-separated: {', '.join(FIELDS)}.", show_default="all")
    ] = "",
    no_text: Annotated[bool, typer.Option("--no-text", help="Write all fields but the text; much faster.")] = False,
    bom: Annotated[
        bool, typer.Option("--bom", help="Begin a CSV file with a byte order mark, so that Excel reads it as UTF-8.")
    ] = False,
) -> None:
    """Write the relevant pages of a crawl to one file."""
    chosen_format = REGISTRY.named(form, "--format")
    for option, is_given in (("--fields", fields), ("--no-text", no_text), ("--bom", bom)):
        if is_given:
            chosen_format.check_observes("bom" if option == "--bom" else "fields", option)
    chosen_fields = _fields(fields, no_text=no_text)
    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    with Crawl.open(crawl) as opened, bar as progress:
        task = progress.add_task("exporting")
        target: Path | BinaryIO = (
            sys.stdout.buffer if out == "-" else Path(out or crawl / f"export{chosen_format.file_suffix}")
        )
        pages = write_pages(
            opened,
            form,
            target,
            relevant_only=not everything,
            duplicates=everything,
            fields=chosen_fields,
            bom=bom,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    if out != "-":
        say(f"{words.pages(pages)} written to {target}")


def _fields(given: str, *, no_text: bool) -> tuple[str, ...]:
    """The fields to write."""
    if not given:
        return tuple(name for name in FIELDS if name != "text" or not no_text)
    chosen = known_fields([name.strip() for name in given.split(",") if name.strip()], "--fields")
    if no_text and "text" in chosen:
        raise InputError("--no-text", "--fields asks for the text", "leave out one of the two")
    return chosen
