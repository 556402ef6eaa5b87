"""A crawl's pages for other programs: JSON lines, CSV, WARC, and formats that other packages provide."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from honeyguide.atomic_write import output_file
from honeyguide.store.crawl import Crawl
from honeyguide.store.export.formats import REGISTRY, ExportFormat, export_formats
from honeyguide.store.export.selection import (
    EXTRACTORS,
    FIELDS,
    TEXTS,
    USUAL_FIELDS,
    ExportSelection,
    Progress,
    known_choice,
    known_extractor,
    known_fields,
)

__all__ = ["FIELDS", "USUAL_FIELDS", "ExportFormat", "ExportSelection", "Progress", "export", "export_formats"]

_log = logging.getLogger("honeyguide.store")


def export(
    crawl: Crawl,
    format: str,  # noqa: A002 (the word that users know)
    out: Path | BinaryIO,
    *,
    relevant_only: bool = True,
    duplicates: bool = False,
    fields: Sequence[str] = USUAL_FIELDS,
    text: str = TEXTS[0],
    content: str = EXTRACTORS[0],
    bom: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the pages of a crawl to one file. Memory use does not depend on the number of pages.

    Args:
        crawl: The crawl.
        format: The name of a format (see `export_formats`), or the path of one: ``package.module:FORMAT``.
        out: A file, which appears under its name only when it is complete, or an open binary stream.
        relevant_only: Write only relevant pages, without duplicates. Otherwise all pages are written, duplicates
            included.
        duplicates: Also write relevant pages that duplicate an earlier one, exactly or nearly.
        fields: The fields to write of each page, in this order: some of `FIELDS`. Without the text and what a
            page states about itself, no page is read from the archive, which is much faster.
        text: What the field ``text`` is: "plain" for the main content, "markdown" for the same as Markdown, "full" for
            all visible text.
        content: Who finds the main content: "honeyguide", or "trafilatura", which needs the extra
            ``honeyguide[content]`` and takes four times as long.
        bom: Begin with a byte order mark, without which Excel does not read a CSV file as UTF-8.
        progress: Called repeatedly with the amount done and the total.

    Returns:
        The number of pages written.

    Raises:
        InputError: There is no such format, field, text or extractor; it is not installed; an option does not apply
            to the format; or the file cannot be written.
        HoneyguideError: The archive no longer contains a page.
    """
    chosen = REGISTRY.named(format, "format")
    for name, is_given in (
        ("fields", tuple(fields) != USUAL_FIELDS),
        ("text", text != TEXTS[0]),
        ("content", content != EXTRACTORS[0]),
    ):
        if is_given:
            chosen.check_observes("fields", name)
    if bom:
        chosen.check_observes("bom", "bom")
    write = chosen.write
    selection = ExportSelection(
        crawl,
        relevant_only,
        duplicates,
        progress or _no_progress,
        known_fields(fields),
        known_choice(text, TEXTS, "text"),
        known_extractor(content),
        bom,
    )
    with crawl.snapshot():
        if not isinstance(out, Path):
            return write(selection, out)
        with output_file(out, streams=out.parent != crawl.path) as file:
            pages = write(selection, file)
    _log.info("exported %d pages to %s", pages, out, extra={"crawl": str(crawl.path), "file": str(out)})
    return pages


def _no_progress(_done: int, _total: int) -> None:
    """The default: report no progress."""
