"""The WARC files of a crawl: every answer as it came, a gzip member a record."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import BinaryIO, NamedTuple

from honeyguide.atomic_write import sync_folder
from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Response
from honeyguide.warc.read import read_record
from honeyguide.warc.record import Record, response_of
from honeyguide.warc.write import EarlierRecord, info_record, request_and_answer

_log = logging.getLogger("honeyguide.store")

ROTATE_AT = 1_000_000_000


class RecordLocation(NamedTuple):
    """Where a record lies: the number of the file, and the bytes of it."""

    file: int
    offset: int
    length: int


def file_name(number: int) -> str:
    """The name of the WARC file with a number."""
    return f"pages-{number:05}.warc.gz"


class Archive:
    """Appends to the newest WARC file of a folder. What is written is safe after `sync` only."""

    def __init__(self, folder: Path, number: int = 0, end: int = 0, *, rotate_at: int = ROTATE_AT) -> None:
        """Go on behind the byte `end` of file `number`; whatever lies beyond it was never recorded and is cut."""
        self._folder = folder
        self._rotate_at = rotate_at
        self.number = number
        self._file = self._open(end)

    def _open(self, end: int) -> BinaryIO:
        path = self._folder / file_name(self.number)
        there = path.stat().st_size if path.exists() else 0
        if there < end:
            raise HoneyguideError(
                f"{path}: {end} bytes are recorded but only {there} are there: "
                "the archive was cut or exchanged; put the right file back"
            )
        for later in self._folder.glob("pages-*.warc.gz"):
            if later.name > path.name:
                later.unlink()
        if there > end:
            cut = {"file": str(path), "bytes": there - end}
            _log.info("%(file)s: cut off %(bytes)d bytes that were never committed", cut, extra=cut)
        file = path.open("ab")
        file.truncate(end)
        file.seek(end)
        if not end:
            file.write(info_record(path.name, time.time()))
            sync_folder(self._folder)
        return file

    @property
    def end(self) -> int:
        """Length of the newest file so far."""
        return self._file.tell()

    def write(self, response: Response, digest: bytes, twin: EarlierRecord | None = None) -> RecordLocation:
        """Append request and response, or request and revisit when an earlier answer was the same. Says where."""
        if self.end >= self._rotate_at:
            self.sync()
            self._file.close()
            self.number += 1
            self._file = self._open(0)
        request, answer = request_and_answer(response, digest, twin)
        self._file.write(request)
        offset = self._file.tell()
        self._file.write(answer)
        return RecordLocation(self.number, offset, len(answer))

    def sync(self) -> None:
        """Everything written so far survives a power cut."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write out and let go, even if it cannot be written."""
        try:
            self.sync()
        finally:
            self._file.close()


def read_answer(
    folder: Path, spot: RecordLocation, limit: int, *, url: str, original: RecordLocation | None = None
) -> Response:
    """The answer that lies at a spot, its body decompressed and at most `limit` bytes long.

    A revisit takes its body from the `original` that it repeats. Raises `HoneyguideError` when the archive does not
    hold it any more.
    """
    record = _record(folder, spot, limit)
    try:
        return response_of(url, record, _record(folder, original, limit) if original else None, limit)
    except ValueError as error:
        raise unreadable(folder / file_name(spot.file), f"{error} at byte {spot.offset}") from None


def _record(folder: Path, spot: RecordLocation, limit: int) -> Record:
    file = folder / file_name(spot.file)
    try:
        if file.stat().st_size < spot.offset + spot.length:
            raise unreadable(file, "it is shorter than it was")
        return read_record(file, spot.offset, spot.length, limit)
    except OSError as error:
        raise unreadable(file, error.strerror or str(error)) from None
    except ValueError as error:
        raise unreadable(file, f"{error} at byte {spot.offset}") from None


def unreadable(file: Path, why: str) -> HoneyguideError:
    """What to say when a file of the archive does not hold any more what was written."""
    return HoneyguideError(f"{file}: cannot be read: {why}; put the file of this crawl back where it was")
