"""``honeyguide export``: write the pages of a crawl to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console
from rich.progress import Progress

from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.document import words
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import FIELDS
from honeyguide.store.export import export as write_pages
from honeyguide.store.export.formats import REGISTRY
from honeyguide.store.export.selection import (
    EXTRACTORS,
    QUICK_FIELDS,
    TEXTS,
    USUAL_FIELDS,
    known_choice,
    known_extractor,
    known_fields,
)


def export(
    crawl: CrawlFolderArgument,
    form: Annotated[
        str, typer.Option("--format", help="Format of the file: jsonl, csv, warc, or one of another package.")
    ] = "jsonl",
    out: Annotated[
        str, typer.Option(help="File to write; - = standard output.", show_default="CRAWL/export.FORMAT")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Write all pages, not only the relevant ones.")] = False,
    fields: Annotated[
        str,
        typer.Option(help=f"Fields to write, comma-separated: {', '.join(FIELDS)}.", show_default="all but full_text"),
    ] = "",
    text: Annotated[
        str,
        typer.Option("--text", help="The text: plain (main content), markdown (the same), full (all that is visible)."),
    ] = TEXTS[0],
    content: Annotated[
        str,
        typer.Option("--content", help="Who finds the main content: honeyguide, or trafilatura (the extra content)."),
    ] = EXTRACTORS[0],
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Write only fields for which no page has to be read; much faster.")
    ] = False,
    bom: Annotated[
        bool, typer.Option("--bom", help="Begin a CSV file with a byte order mark, so that Excel reads it as UTF-8.")
    ] = False,
) -> None:
    """Write the relevant pages of a crawl to one file."""
    chosen_format = REGISTRY.named(form, "--format")
    given = {
        "--fields": fields,
        "--text": text != TEXTS[0],
        "--content": content != EXTRACTORS[0],
        "--no-text": no_text,
        "--bom": bom,
    }
    for option, is_given in given.items():
        if is_given:
            chosen_format.check_observes("bom" if option == "--bom" else "fields", option)
    chosen_fields = _fields(fields, no_text=no_text)
    known_choice(text, TEXTS, "--text")
    known_extractor(content, "--content")
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
            text=text,
            content=content,
            bom=bom,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )
    if out != "-":
        say(f"{words.pages(pages)} written to {target}")


def _fields(given: str, *, no_text: bool) -> tuple[str, ...]:
    """The fields to write."""
    if not given:
        return QUICK_FIELDS if no_text else USUAL_FIELDS
    chosen = known_fields([name.strip() for name in given.split(",") if name.strip()], "--fields")
    if no_text and (slow := [name for name in chosen if name in FIELDS and name not in QUICK_FIELDS]):
        raise InputError("--no-text", f"--fields asks for the {slow[0]}", "leave out one of the two")
    return chosen
