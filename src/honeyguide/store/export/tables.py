"""Pages of a crawl as JSON lines and as CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, BinaryIO

from honeyguide.store.export.selection import ExportSelection

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four: full-width


def write_jsonl(selection: ExportSelection, out: BinaryIO) -> int:
    """Write one JSON object per line, in UTF-8. Returns the number of pages."""
    written = 0
    for record in selection.records():
        out.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        written += 1
    return written


def write_csv(selection: ExportSelection, out: BinaryIO) -> int:
    """Write CSV by RFC 4180, in UTF-8, with a header. Returns the number of pages.

    Fields are quoted where necessary, and texts keep their newlines. A text that begins in a way that spreadsheets take
    for a formula gets an apostrophe in front, with which they take it for a text.
    """
    text = io.TextIOWrapper(
        out, encoding="utf-8-sig" if selection.options.bom else "utf-8", errors="replace", newline=""
    )
    try:
        writer = csv.DictWriter(text, selection.options.fields)
        writer.writeheader()
        written = 0
        for record in selection.records():
            writer.writerow({name: _cell(value) for name, value in record.items()})
            written += 1
    finally:
        text.detach()  # flushes, and leaves the caller's stream open
    return written


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
