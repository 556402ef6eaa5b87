"""``honeyguide export``: write the pages of a crawl to a file, or to several in a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.document import words
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import FIELDS, ExportFormat, ExportOptions, export_shards
from honeyguide.store.export import export as export_file
from honeyguide.store.export.fields import QUICK_FIELDS, USUAL_FIELDS
from honeyguide.store.export.formats import REGISTRY
from honeyguide.store.export.options import EXTRACTORS, TEXTS, check_fields, parse_sample, parse_time

_LAST = "last"


def export(
    crawl: CrawlFolderArgument,
    form: Annotated[
        str, typer.Option("--format", help="jsonl, csv, parquet, warc, warc.zst, wacz, or a format of another package.")
    ] = "jsonl",
    out: Annotated[
        str,
        typer.Option(
            help="File to write, - = standard output; with --shard, or parquet, a folder.",
            show_default="CRAWL/export.FORMAT, or CRAWL/export-FORMAT",
        ),
    ] = "",
    shard: Annotated[
        int | None,
        typer.Option(
            help="Pages per file, of several in a folder; 0 = one file.",
            show_default="0; parquet 50000",
        ),
    ] = None,
    since: Annotated[
        str,
        typer.Option(help="Only pages fetched since a date (2026-05-31); last: those missing from the folder."),
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Write all pages, not only the relevant ones.")] = False,
    dedup: Annotated[
        str,
        typer.Option(help="Duplicates to leave out: near, exact or none.", show_default="near; with --all none"),
    ] = "",
    language: Annotated[
        str, typer.Option(help="Only pages in these languages, like de,en; und = not known.", show_default="all")
    ] = "",
    min_relevance: Annotated[float, typer.Option("--min-relevance", help="Only pages at least this relevant.")] = 0.0,
    sample: Annotated[
        str, typer.Option(help="Only a random sample: a number of pages, or a share like 10%.", show_default="all")
    ] = "",
    seed: Annotated[int, typer.Option(help="Seed of the sample: the same number gives the same pages.")] = 0,
    fields: Annotated[
        str,
        typer.Option(help=f"Fields to write, comma-separated: {', '.join(FIELDS)}.", show_default="all but full_text"),
    ] = "",
    text: Annotated[
        str,
        typer.Option("--text", help="Form of the text: plain or markdown (main content), full (all visible text)."),
    ] = TEXTS[0],
    content: Annotated[
        str,
        typer.Option(
            "--content", help="Extractor of the main content: honeyguide, or trafilatura (the extra content)."
        ),
    ] = EXTRACTORS[0],
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Write only fields that do not require reading the archive; much faster.")
    ] = False,
    bom: Annotated[
        bool, typer.Option("--bom", help="Begin a CSV file with a byte order mark, so that Excel reads it as UTF-8.")
    ] = False,
) -> None:
    """Write the relevant pages of a crawl to a file, or to several in a folder."""
    chosen = REGISTRY.named(form, "--format")
    chosen.check_installed("--format")
    if no_text:
        chosen.check_observes("fields", "--no-text")
    add = since == _LAST
    options = ExportOptions(
        relevant_only=not everything,
        dedup=dedup,
        language=_listed(language.lower()),
        min_relevance=min_relevance,
        since=parse_time(since, "--since") if since and not add else 0.0,
        sample=parse_sample(sample, "--sample") if sample else None,
        seed=seed,
        fields=_fields(fields, no_text=no_text),
        text=text,
        content=content,
        bom=bom,
    )
    options.check(chosen, "--")
    shard_pages = _shard_pages(chosen, out, shard, options, add=add)
    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    with Crawl.open(crawl) as opened, bar as progress:
        task = progress.add_task("exporting")

        def report(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        if shard_pages:
            folder = Path(out or crawl / f"export-{chosen.name}")
            pages, files = export_shards(
                opened, form, folder, options, shard_pages=shard_pages, add=add, progress=report
            )
            message = f"{words.pages(pages)} written to {words.files(files)} in {folder}"
        elif out == "-":
            export_file(opened, form, sys.stdout.buffer, options, progress=report)
            message = ""
        else:
            file = Path(out or crawl / f"export{chosen.file_suffix}")
            message = f"{words.pages(export_file(opened, form, file, options, progress=report))} written to {file}"
    if message:
        say(message)


def _shard_pages(chosen: ExportFormat, out: str, shard: int | None, options: ExportOptions, *, add: bool) -> int:
    """How many pages a file has; 0 for one file. A file that is named with the suffix of the format is one file."""
    if shard is not None and shard < 0:
        raise InputError("--shard", f"{shard} is not a number of pages", "give 1 or more, or 0 for one file")
    if shard and out == "-":
        raise InputError("--shard", "standard output is one stream", "name a folder with --out")
    is_file = out == "-" or out.lower().endswith(chosen.file_suffix.lower())
    pages = shard if shard is not None else 0 if is_file else chosen.shard_pages
    if add and not pages:
        raise InputError(
            "--since", "last adds files to a folder", "set the number of pages per file, like --shard 50000"
        )
    if add and options.sample is not None and options.sample >= 1:
        raise InputError("--sample", "a number of pages does not grow with a crawl", "give a share, like 10%")
    return pages


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _fields(given: str, *, no_text: bool) -> tuple[str, ...]:
    """The fields to write."""
    if not given:
        return QUICK_FIELDS if no_text else USUAL_FIELDS
    chosen = _listed(given)
    check_fields(chosen, "--fields")
    if no_text and (slow := [name for name in chosen if name not in QUICK_FIELDS]):
        raise InputError("--no-text", f"--fields includes {slow[0]}", "leave out one of the two")
    return chosen
