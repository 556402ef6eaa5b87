"""Pages of a crawl as one WARC file."""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Self

from honeyguide.errors import InputError
from honeyguide.fetch.settings import LARGEST_BODY
from honeyguide.store.archive import ELSEWHERE, RecordLocation, compression_of, record_file, unreadable
from honeyguide.store.export.selection import ExportSelection
from honeyguide.topic.store import ZSTD
from honeyguide.warc.packing import BEGINNING, GzipRecords, Output, ZstdRecords, unpacked
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, records
from honeyguide.warc.record import BEGIN, HEAD_LIMIT, Record, end_of_head, parse_record
from honeyguide.warc.write import digest_text, info_record, new_id, new_record

_COPIED_AT_ONCE = 1 << 20
_LARGEST_RECORD = LARGEST_BODY + 4 * HEAD_LIMIT  # no crawl writes a longer one, before or after compression
_KEPT_HEADERS = ("WARC-Target-URI", "WARC-Date", "WARC-IP-Address", "WARC-Truncated", "Content-Type")


def write_warc(selection: ExportSelection, out: Output) -> int:
    """Write one .warc.gz file, with one gzip member per record. Returns the number of pages.

    If all pages are selected, the crawl's files are copied, one after the other, and unchanged if they are gzip.
    Otherwise the file has a new warcinfo record, then the request and response of each page as they were recorded; a
    revisit record whose original is not selected is replaced by the full response that it represents.
    """
    if _is_whole_archive(selection):
        return _copy_files(selection, out)
    which = "relevant pages" if selection.options.relevant_only else "pages"
    about = {"description": f"{which} of the crawl {selection.crawl.topic.name}"}
    out.write(info_record("", time.time(), about))
    total, written = selection.count(), 0
    with _Files(selection.crawl.path) as files:
        for spot, before, original, rendered in _spots(selection):
            request = files.request(spot, before)
            if original is None:
                files.copy(spot.file, request, spot.offset + spot.length, out)
            else:
                _write_in_full(files, request, spot, original, out)
            if rendered is not None:
                files.copy(rendered.file, rendered.offset, rendered.offset + rendered.length, out)
            written += 1
            selection.progress(written, total)
    return written


def write_warc_zst(selection: ExportSelection, out: BinaryIO) -> int:
    """Write the same records as one .warc.zst file, with one frame of Zstandard per record."""
    return write_warc(selection, ZstdRecords(out))


def _is_whole_archive(selection: ExportSelection) -> bool:
    """Whether all that the folder of the crawl has is selected: all pages are, and none is in the folder of a shard."""
    if selection.places is not None or not selection.options.is_everything or "warc_file" not in selection.crawl.meta:
        return False
    return not any(selection.crawl.query("SELECT 1 FROM pages WHERE warc_file >= ? LIMIT 1", ELSEWHERE))


def _copy_files(selection: ExportSelection, out: Output) -> int:
    """Copy the files up to the last commit; what a running or interrupted crawl has written after it is left out."""
    crawl, meta = selection.crawl, selection.crawl.meta
    last = meta["warc_file"]
    with _Files(crawl.path) as files:
        ends = [*(files.size(number) for number in range(last)), meta["warc_end"]]
        done, total = 0, sum(ends)
        for number, end in enumerate(ends):
            members = files.as_members(number, out)
            for start in range(0, end, _COPIED_AT_ONCE):
                stop = min(start + _COPIED_AT_ONCE, end)
                files.copy_bytes(number, start, stop, members)
                done += stop - start
                selection.progress(done, total)
    return selection.count()


_Spot = tuple[RecordLocation, int, RecordLocation | None, RecordLocation | None]


def _spots(selection: ExportSelection) -> Iterator[_Spot]:
    """For each page: where its response is, where the previous one in the file ends, the original, the rendered one.

    The original is that of a revisit; it is needed when it is not selected itself. What a browser has made of a page
    follows it.
    """
    crawl, condition = selection.crawl, selection.condition
    if not any(crawl.query("SELECT 1 FROM temp.sqlite_master WHERE name = 'ends_before'")):  # else: of another file
        crawl.write_temporary("CREATE TEMP TABLE ends_before (id INTEGER PRIMARY KEY, place INTEGER NOT NULL)")
        crawl.write_temporary(
            "INSERT INTO temp.ends_before SELECT id, lag(warc_offset + warc_length, 1, 0) "
            "OVER (PARTITION BY warc_file ORDER BY warc_offset) FROM pages"
        )
    sql = (
        "SELECT pages.warc_file, pages.warc_offset, pages.warc_length, ends_before.place, "  # noqa: S608 (own text)
        "originals.warc_file, originals.warc_offset, originals.warc_length, "
        "pages.rendered_file, pages.rendered_offset, pages.rendered_length "
        "FROM pages JOIN temp.ends_before USING (id) "
        "LEFT JOIN (SELECT id, digest, warc_file, warc_offset, warc_length FROM pages WHERE same_as IS NULL "
        f"AND NOT ({condition}) UNION ALL SELECT id, digest, warc_file, warc_offset, warc_length FROM versions "
        "WHERE same_as IS NULL) AS originals ON originals.id = pages.same_as AND originals.digest = pages.digest "
        f"WHERE {condition} ORDER BY pages.warc_file, pages.warc_offset"
    )
    for file, offset, length, before, *others in crawl.query(sql):
        original, rendered = (None if one[0] is None else RecordLocation(*one) for one in (others[:3], others[3:]))
        yield RecordLocation(file, offset, length), before, original, rendered


class _Files:
    """The WARC files of a crawl, one open at a time. Raises `HoneyguideError` for missing or changed data."""

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
        return record_file(self._folder, number)

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
        """The length of a file."""
        return self._open(number).seek(0, io.SEEK_END)

    def read(self, number: int, start: int, stop: int) -> bytes:
        """The bytes from `start` up to `stop`."""
        if self.size(number) < stop:
            raise unreadable(self._path(number), "it is shorter than when it was written")
        file = self._open(number)
        file.seek(start)
        data = file.read(stop - start)
        if len(data) < stop - start:
            raise unreadable(self._path(number), "it is shorter than when it was written")
        return data

    def as_members(self, number: int, out: Output) -> Output:
        """Where the bytes of a file are to be written for `out` to get gzip members."""
        return GzipRecords(out) if compression_of(self._path(number)) == ZSTD else out

    def copy(self, number: int, start: int, stop: int, out: Output) -> None:
        """Write the records from `start` up to `stop` to `out`, as gzip members."""
        self.copy_bytes(number, start, stop, self.as_members(number, out))

    def copy_bytes(self, number: int, start: int, stop: int, out: Output) -> None:
        """Write the bytes from `start` up to `stop` to `out`, unchanged."""
        for at in range(start, stop, _COPIED_AT_ONCE):
            out.write(self.read(number, at, min(at + _COPIED_AT_ONCE, stop)))

    def request(self, spot: RecordLocation, before: int) -> int:
        """The position of the request record of a response: it is the last record before the response.

        Between `before`, where the previous page ends, and the response there may also be records that belong to no
        page, such as redirects.
        """
        path = self._path(spot.file)
        begins, kind = -1, ""
        beginning = self.read(spot.file, spot.offset, spot.offset + min(spot.length, BEGINNING))
        try:
            is_answer = unpacked(beginning, len(BEGIN)) == BEGIN
            for found in records(Part(path, before, spot.offset, path.name), keep=0):
                begins, kind = found.offset, found.kind
        except InputError as error:
            raise unreadable(path, error.problem) from None
        except (ValueError, CutShortError):
            is_answer = False
        if not is_answer or kind != "request":
            raise unreadable(path, f"there is no response at byte {spot.offset}")
        return begins

    def record(self, number: int, start: int, stop: int) -> Record:
        """The record in the bytes from `start` up to `stop`."""
        try:
            if stop - start > _LARGEST_RECORD:
                raise ValueError("the record is too long")
            data = unpacked(self.read(number, start, stop), _LARGEST_RECORD)
            if len(data) == _LARGEST_RECORD:
                raise ValueError("the record is too long")
            return parse_record(data)
        except ValueError as error:
            raise unreadable(self._path(number), f"{error} at byte {start}") from None


def _write_in_full(files: _Files, request_at: int, spot: RecordLocation, original: RecordLocation, out: Output) -> None:
    """Write the request of a revisit, and its response with the payload of the original.

    They differ from the records they are made from, so they get new identifiers.
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
    """The lines of a record's head that also apply to another record about the same request."""
    return (f"{name}: {old.fields[name.lower()]}" for name in _KEPT_HEADERS if name.lower() in old.fields)
