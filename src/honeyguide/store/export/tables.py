"""Pages of a crawl as JSON lines and as CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import BinaryIO

from honeyguide.store.export.selection import FIELDS, ExportSelection


def write_jsonl(selection: ExportSelection, out: BinaryIO) -> int:
    """Write one JSON object per line, in UTF-8. Returns the number of pages."""
    written = 0
    for record in selection.records():
        out.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        written += 1
    return written


def write_csv(selection: ExportSelection, out: BinaryIO) -> int:
    """Write CSV by RFC 4180, in UTF-8, with a header. Returns the number of pages.

    Fields are quoted where necessary, and texts keep their newlines. Values are not changed. A spreadsheet treats a
    value that begins with ``=`` as a formula: import the columns of untrusted pages as text.
    """
    text = io.TextIOWrapper(out, encoding="utf-8", errors="replace", newline="")
    try:
        writer = csv.DictWriter(text, FIELDS)
        writer.writeheader()
        written = 0
        for record in selection.records():
            writer.writerow(record)
            written += 1
    finally:
        text.detach()  # flushes, and leaves the caller's stream open
    return written
