"""Exports the pages of a crawl: JSON lines, CSV, Parquet, WARC, WACZ, and formats provided by other packages."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import BinaryIO

from honeyguide.atomic_write import output_file
from honeyguide.store.crawl import Crawl
from honeyguide.store.export.choose import choose
from honeyguide.store.export.fields import FIELDS, USUAL_FIELDS
from honeyguide.store.export.formats import REGISTRY, ExportFormat, export_formats
from honeyguide.store.export.options import ExportOptions
from honeyguide.store.export.selection import ExportSelection, Progress
from honeyguide.store.export.shards import ShardFolder

__all__ = [
    "FIELDS",
    "USUAL_FIELDS",
    "ExportFormat",
    "ExportOptions",
    "ExportSelection",
    "Progress",
    "export",
    "export_formats",
    "export_shards",
]

_log = logging.getLogger("honeyguide.store")


def export(
    crawl: Crawl,
    format: str,  # noqa: A002 (the word that users know)
    out: Path | BinaryIO,
    options: ExportOptions | None = None,
    *,
    progress: Progress | None = None,
) -> int:
    """Write the pages of a crawl to one file. Memory use does not depend on the number of pages.

    Args:
        crawl: The crawl.
        format: The name of a format (see `export_formats`), or the path of one: ``package.module:FORMAT``.
        out: A file, which appears under its name only when it is complete, or an open binary stream.
        options: Which pages to export, and what of each; by default the relevant ones without duplicates.
        progress: Called repeatedly with the amount done and the total.

    Returns:
        The number of pages written.

    Raises:
        InputError: There is no such format; it, or an option, needs a package that is not installed; an option is wrong
            or does not apply to the format; or the file cannot be written.
        HoneyguideError: The archive no longer contains a page.
    """
    options = options or ExportOptions()
    chosen = _usable(format, options)
    with crawl.snapshot():
        choose(crawl, options)
        selection = ExportSelection(crawl, options, progress or _no_progress)
        if not isinstance(out, Path):
            return chosen.write(selection, out)
        with output_file(out, streams=out.parent != crawl.path) as file:
            selection = ExportSelection(crawl, options, progress or _no_progress, out.parent)
            pages = chosen.write(selection, file)
    _log.info("exported %d pages to %s", pages, out, extra={"crawl": str(crawl.path), "file": str(out)})
    return pages


def export_shards(
    crawl: Crawl,
    format: str,  # noqa: A002 (the word that users know)
    folder: Path,
    options: ExportOptions | None = None,
    *,
    shard_pages: int,
    add: bool = False,
    progress: Progress | None = None,
) -> tuple[int, int]:
    """Write the pages of a crawl to files in a folder: ``pages-00000`` and so on, with the suffix of the format.

    A file gets its name when it is complete, and is never changed again. After an error or a crash, use `add` to write
    the missing pages.

    Args:
        crawl: The crawl.
        format: As for `export`.
        folder: The folder, which is created if it does not exist.
        options: As for `export`.
        shard_pages: The number of pages per file. The last file of each export has the rest.
        add: Write the pages that earlier exports to the folder have not written. Otherwise the folder must be empty.
        progress: Called repeatedly with the number of pages done and the total.

    Returns:
        The number of pages and the number of files written.

    Raises:
        InputError: As for `export`; or the folder contains other files, or an export of another crawl, with
            other options, or a damaged one.
        HoneyguideError: The archive no longer contains a page, or the disk is full.
    """
    options = options or ExportOptions()
    chosen = _usable(format, options)
    with ShardFolder.open(folder, chosen, crawl.topic.name, options, add=add) as shards, crawl.snapshot():
        choose(crawl, options, shards.exported())
        pages, files = shards.write(crawl, shard_pages, progress or _no_progress)
    about = {"crawl": str(crawl.path), "folder": str(folder)}
    _log.info("exported %d pages to %d files in %s", pages, files, folder, extra=about)
    return pages, files


def _usable(name: str, options: ExportOptions) -> ExportFormat:
    chosen: ExportFormat = REGISTRY.named(name, "format")
    chosen.check_installed("format")
    options.check(chosen)
    return chosen


def _no_progress(_done: int, _total: int) -> None:
    """The default: report no progress."""
