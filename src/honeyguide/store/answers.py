"""The responses in an archive, in the order in which they were recorded, as the crawl received them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from honeyguide.errors import InputError
from honeyguide.fetch.base import Response
from honeyguide.store.archive import RecordLocation, archive_file, archive_files, file_number
from honeyguide.store.tail import ANSWERS, warc_time
from honeyguide.warc.packing import BEGINNING, FRAME, GZIP, unpacked
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, read_record, records
from honeyguide.warc.record import BEGIN, HEAD_LIMIT, RENDERED, Record, response_of

_log = logging.getLogger("honeyguide.store")

_MEMBER = GZIP + b"\x08"  # how every gzip member begins
_CHUNK = 1 << 20


class StoredAnswer(NamedTuple):
    """A response and its location."""

    response: Response
    spot: RecordLocation
    rendered: bytes = b""
    """The document rendered by a browser, and its location; empty if the page was read as sent."""
    rendered_spot: RecordLocation | None = None


@dataclass
class StoredAnswers:
    """The responses in the WARC files of a folder. After damage, it continues with the next complete record."""

    folder: Path
    limit: int
    """Maximum length of a body."""
    lost: int = 0
    """The number of damaged places, and of revisits of missing responses. Counted while iterating."""
    ends: dict[int, int] = field(default_factory=dict)
    """The end of the last record of each file; a truncated file may be longer. Found while iterating."""
    _first: dict[str, RecordLocation] = field(default_factory=dict)  # payload digest → response with the payload

    def __iter__(self) -> Iterator[StoredAnswer]:
        for path in archive_files(self.folder):
            number = file_number(path)
            self.ends[number] = 0
            answer: StoredAnswer | None = None  # until it is known whether the next record is its rendering
            for record in self._records(path):
                if record.kind != "request":  # one at the end has lost its response
                    self.ends[number] = record.offset + record.length
                spot = RecordLocation(number, record.offset, record.length)
                if answer is not None and record.kind == RENDERED and record.url == answer.response.url:
                    answer = answer._replace(rendered=record.block, rendered_spot=spot)
                if record.kind in ANSWERS:
                    if answer is not None:
                        yield answer
                    response = self._response(path, record, spot)
                    answer = None if response is None else StoredAnswer(response, spot)
                    if response is None:
                        self.lost += 1
                        _log.warning("%s: the answer at byte %d cannot be read", path, record.offset)
            if answer is not None:
                yield answer

    def _records(self, path: Path) -> Iterator[Record]:
        start, size = 0, path.stat().st_size
        while start < size:
            try:
                for record in records(Part(path, start, size, path.name), keep=self.limit + 4 * HEAD_LIMIT):
                    start = record.offset + record.length
                    yield record
                return
            except CutShortError as cut:
                damaged_at = cut.offset
            except InputError:
                damaged_at = start
            self.lost += 1
            start = _next_member(path, damaged_at + 1)
            _log.warning("%s is damaged at byte %d; %d bytes skipped", path, damaged_at, start - damaged_at)

    def _response(self, path: Path, record: Record, spot: RecordLocation) -> Response | None:
        digest = record.fields.get("warc-payload-digest", "")
        try:
            original = None
            is_unmodified = record.fields.get("warc-profile", "").endswith("server-not-modified")
            if record.kind == "revisit" and not is_unmodified:
                first = self._first[digest]
                place = archive_file(path.parent, first.file)
                original = read_record(place, first.offset, first.length, self.limit)
            response = response_of(record.url, record, original, self.limit)
        except (KeyError, ValueError, OSError):
            return None
        if not is_unmodified:
            self._first.setdefault(digest, spot)
        response.started = warc_time(record)
        response.ip = record.fields.get("warc-ip-address", "")
        return response


def _next_member(path: Path, start: int) -> int:
    """The position of the next gzip member or frame that begins with a WARC record; else the end of the file."""
    magic = FRAME if path.suffix == ".zst" else _MEMBER
    with path.open("rb") as file:
        file.seek(start)
        before, at = b"", start
        while chunk := file.read(_CHUNK):
            window, base = before + chunk, at - len(before)
            place = window.find(magic)
            while place >= 0:
                if _begins_record(path, base + place):
                    return base + place
                place = window.find(magic, place + 1)
            at += len(chunk)
            before = chunk[-(len(magic) - 1) :]
        return at


def _begins_record(path: Path, offset: int) -> bool:
    with path.open("rb") as file:
        file.seek(offset)
        try:
            return unpacked(file.read(BEGINNING), len(BEGIN)) == BEGIN
        except ValueError:
            return False
