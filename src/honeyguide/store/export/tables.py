"""Pages of a crawl as JSON lines and as CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import BinaryIO

from honeyguide.store.export.selection import FIELDS, ExportSelection


def write_jsonl(selection: ExportSelection, out: BinaryIO) -> int:
    """One JSON object per line, in UTF-8."""
    written = 0
    for record in selection.records():
        out.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        written += 1
    return written


def write_csv(selection: ExportSelection, out: BinaryIO) -> int:
    """As RFC 4180 has it, in UTF-8, with a header: fields are quoted where they must be, texts keep their newlines.

    Values are written as they are. One that begins with ``=`` is a formula to a spreadsheet: whoever opens pages of
    strangers in one should import the columns as text.
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
        text.detach()  # flushed, and the stream stays open: it is the caller's
    return written
