"""A crawl's pages for other programs: JSON lines, CSV, WARC."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

from honeyguide.atomic_write import output_file
from honeyguide.errors import InputError
from honeyguide.store.archive import Spot, file_name, unreadable
from honeyguide.store.crawl import Crawl, StoredPage, chosen
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, records
from honeyguide.warc.record import BEGIN, Record, end_of_head, parse_record, unpacked
from honeyguide.warc.write import digest_text, info_record, new_id, new_record, warc_date

_log = logging.getLogger("honeyguide.store")

FIELDS = (
    "url",
    "title",
    "text",
    "relevance",
    "depth",
    "parent",
    "fetched",
    "status",
    "hash",
    "warc_file",
    "warc_offset",
    "language",
    "content_type",
    "duplicate_of",
)
"""What JSON lines and CSV say of a page, in this order. `parent` is "" for a seed, `duplicate_of` for a new page."""

Progress = Callable[[int, int], None]
"""Called with what is done and the total, again and again: pages, or bytes when whole files are copied."""

_COPIED_AT_ONCE = 1 << 20
_BEGINNING = 256  # compressed bytes that tell whether they are a record's
_MOST_UNPACKED = sys.maxsize  # own records are as long as fetch.max_body lets them be
_KEPT_HEADERS = ("WARC-Target-URI", "WARC-Date", "WARC-IP-Address", "WARC-Truncated", "Content-Type")


def export(
    crawl: Crawl,
    format: str,  # noqa: A002 (the word users know it by)
    out: Path | BinaryIO,
    *,
    relevant_only: bool = True,
    duplicates: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the pages of a crawl to one file. Memory use does not depend on the number of pages.

    Args:
        crawl: The crawl.
        format: One of `FORMATS`.
        out: A file, which appears under its name only when it is complete, or an open binary stream.
        relevant_only: Write only relevant pages, without duplicates. Otherwise all pages are written, duplicates
            included.
        duplicates: Also write relevant pages that repeat an earlier one, nearly or wholly.
        progress: Called repeatedly with the amount done and the total.

    Returns:
        The number of pages written.

    Raises:
        InputError: There is no such format, or the file cannot be written.
        HoneyguideError: The archive no longer contains a page.
    """
    try:
        write = _WRITERS[format]
    except KeyError:
        raise InputError("format", f"there is no {format!r}", f"use one of {', '.join(FORMATS)}") from None
    choice = _Choice(crawl, relevant_only, duplicates, progress or _tell_nobody)
    with crawl.snapshot():
        if not isinstance(out, Path):
            return write(choice, out)
        with output_file(out) as file:
            pages = write(choice, file)
    _log.info("exported %d pages to %s", pages, out, extra={"crawl": str(crawl.path), "file": str(out)})
    return pages


@dataclass(frozen=True, slots=True)
class _Choice:
    """Which pages of a crawl to write, and whom to tell."""

    crawl: Crawl
    relevant_only: bool
    duplicates: bool
    progress: Progress

    @property
    def condition(self) -> str:
        return chosen(self.relevant_only, self.duplicates)

    def count(self) -> int:
        return self.crawl.count(relevant=self.relevant_only, duplicates=self.duplicates)

    def records(self) -> Iterator[dict[str, Any]]:
        """What `FIELDS` name, a page at a time. Tells of a page when the next one is asked for."""
        total = self.count()
        pages = self.crawl.pages(relevant=self.relevant_only, duplicates=self.duplicates)
        for done, page in enumerate(pages, 1):
            yield _fields(page)
            self.progress(done, total)


def _tell_nobody(_done: int, _total: int) -> None:
    """The progress of an export that nobody watches."""


# ---- JSON lines and CSV ----


def _fields(page: StoredPage) -> dict[str, Any]:
    row = page.row
    values = (
        page.url,
        page.title,
        page.text,
        page.relevance,
        page.depth,
        page.parent,
        warc_date(page.fetched),
        row.status,
        page.digest,
        page.warc_file,
        row.warc_offset,
        row.language,
        row.content_type,
        page.duplicate_of,
    )
    return dict(zip(FIELDS, values, strict=True))


def _write_jsonl(choice: _Choice, out: BinaryIO) -> int:
    """UTF-8, an object a line."""
    written = 0
    for record in choice.records():
        out.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        written += 1
    return written


def _write_csv(choice: _Choice, out: BinaryIO) -> int:
    """As RFC 4180 has it, in UTF-8, with a header: fields are quoted where they must be, texts keep their newlines.

    Values are written as they are. One that begins with ``=`` is a formula to a spreadsheet: whoever opens pages of
    strangers in one should import the columns as text.
    """
    text = io.TextIOWrapper(out, encoding="utf-8", errors="replace", newline="")
    try:
        writer = csv.DictWriter(text, FIELDS)
        writer.writeheader()
        written = 0
        for record in choice.records():
            writer.writerow(record)
            written += 1
    finally:
        text.detach()  # flushed, and the stream stays open: it is the caller's
    return written


# ---- WARC ----


def _write_warc(choice: _Choice, out: BinaryIO) -> int:
    """One .warc.gz, a gzip member a record. Everything: the crawl's files as they are, one after the other.

    Otherwise a warcinfo of its own, then request and answer of each page, as they were written. A revisit record
    whose original is not among them becomes the full response that it stands for.
    """
    if not choice.relevant_only and "warc_file" in choice.crawl.meta:
        return _copy_files(choice, out)
    which = "relevant pages" if choice.relevant_only else "pages"
    about = {"description": f"{which} of the crawl {choice.crawl.topic.name}"}
    out.write(info_record("", time.time(), about))
    total, written = choice.count(), 0
    with _Files(choice.crawl.path) as files:
        for spot, before, original in _spots(choice):
            request = files.request(spot, before)
            if original is None:
                files.copy(spot.file, request, spot.offset + spot.length, out)
            else:
                _write_in_full(files, request, spot, original, out)
            written += 1
            choice.progress(written, total)
    return written


def _copy_files(choice: _Choice, out: BinaryIO) -> int:
    """All that was recorded; what a running crawl, or one that was cut off, has written beyond it is left out."""
    crawl, meta = choice.crawl, choice.crawl.meta
    last = meta["warc_file"]
    with _Files(crawl.path) as files:
        ends = [*(files.size(number) for number in range(last)), meta["warc_end"]]
        done, total = 0, sum(ends)
        for number, end in enumerate(ends):
            for start in range(0, end, _COPIED_AT_ONCE):
                stop = min(start + _COPIED_AT_ONCE, end)
                files.copy(number, start, stop, out)
                done += stop - start
                choice.progress(done, total)
    return choice.count()


def _spots(choice: _Choice) -> Iterator[tuple[Spot, int, Spot | None]]:
    """For each page: where its answer lies, where the page before it in the file ends, and the original if needed.

    The original is that of a revisit, and needed when it is not written itself.
    """
    condition = choice.condition
    sql = (
        "SELECT pages.warc_file, pages.warc_offset, pages.warc_length, pages.before, "  # noqa: S608 (own text)
        "originals.warc_file, originals.warc_offset, originals.warc_length "
        "FROM (SELECT *, lag(warc_offset + warc_length, 1, 0) "
        "OVER (PARTITION BY warc_file ORDER BY warc_offset) AS before FROM pages) AS pages "
        "LEFT JOIN pages AS originals ON originals.id = pages.same_as "
        f"AND originals.id NOT IN (SELECT pages.id FROM pages WHERE {condition}) "
        f"WHERE {condition} ORDER BY pages.warc_file, pages.warc_offset"
    )
    for file, offset, length, before, *original in choice.crawl.query(sql):
        yield Spot(file, offset, length), before, None if original[0] is None else Spot(*original)


class _Files:
    """The WARC files of a crawl, one open at a time. Raises `HoneyguideError` for what is not in them any more."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = -1
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def _path(self, number: int) -> Path:
        return self._folder / file_name(number)

    def _open(self, number: int) -> BinaryIO:
        if self._file is None or self._number != number:
            if self._file is not None:
                self._file.close()
            try:
                self._file = self._path(number).open("rb")
            except OSError as error:
                raise unreadable(self._path(number), error.strerror or str(error)) from None
            self._number = number
        return self._file

    def size(self, number: int) -> int:
        """Length of a file."""
        return self._open(number).seek(0, io.SEEK_END)

    def read(self, number: int, start: int, stop: int) -> bytes:
        """The bytes from `start` up to `stop`."""
        file = self._open(number)
        file.seek(start)
        data = file.read(stop - start)
        if len(data) < stop - start:
            raise unreadable(self._path(number), "it is shorter than it was")
        return data

    def copy(self, number: int, start: int, stop: int, out: BinaryIO) -> None:
        """Write these bytes to `out` as they are."""
        out.write(self.read(number, start, stop))

    def request(self, spot: Spot, before: int) -> int:
        """Where the request record of an answer begins: it is the last one before it.

        Between `before`, where the last page ends, and the answer may also lie what is no page, like redirects.
        """
        path = self._path(spot.file)
        begins, kind = -1, ""
        beginning = self.read(spot.file, spot.offset, spot.offset + min(spot.length, _BEGINNING))
        try:
            is_answer = unpacked(beginning, len(BEGIN)) == BEGIN
            for found in records(Part(path, before, spot.offset, path.name), keep=0):
                begins, kind = found.offset, found.kind
        except InputError as error:
            raise unreadable(path, error.problem) from None
        except (ValueError, CutShortError):
            is_answer = False
        if not is_answer or kind != "request":
            raise unreadable(path, f"there is no answer at byte {spot.offset}")
        return begins

    def record(self, number: int, start: int, stop: int) -> Record:
        """The record in these bytes."""
        try:
            return parse_record(unpacked(self.read(number, start, stop), _MOST_UNPACKED))
        except ValueError as error:
            raise unreadable(self._path(number), f"{error} at byte {start}") from None


def _write_in_full(files: _Files, request_at: int, spot: Spot, original: Spot, out: BinaryIO) -> None:
    """The request of a revisit, and its answer with the payload that its original has.

    They say something else than the records they come from, so they get identifiers of their own.
    """
    request = files.record(spot.file, request_at, spot.offset)
    revisit = files.record(spot.file, spot.offset, spot.offset + spot.length)
    answer = files.record(original.file, original.offset, original.offset + original.length)
    payload = answer.block[max(end_of_head(answer.block), 0) :]
    answer_id = new_id()
    out.write(new_record("request", new_id(), [*_kept(request), f"WARC-Concurrent-To: {answer_id}"], request.block))
    digest = digest_text(hashlib.sha1(payload, usedforsecurity=False).digest())
    fields = [*_kept(revisit), f"WARC-Payload-Digest: {digest}"]
    out.write(new_record("response", answer_id, fields, revisit.block + payload))


def _kept(old: Record) -> Iterator[str]:
    """The lines of a record's head that are true of another one about the same request."""
    return (f"{name}: {old.fields[name.lower()]}" for name in _KEPT_HEADERS if name.lower() in old.fields)


_WRITERS: dict[str, Callable[[_Choice, BinaryIO], int]] = {
    "jsonl": _write_jsonl,
    "csv": _write_csv,
    "warc": _write_warc,
}
FORMATS = tuple(_WRITERS)
"""The formats there are."""
