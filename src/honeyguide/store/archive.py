"""The WARC files of a crawl: every answer as it came, a gzip member a record."""

from __future__ import annotations

import io
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from fastwarc.warc import ArchiveIterator

from honeyguide.atomic_write import sync_folder
from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Headers, Response
from honeyguide.fetch.decompress import BrokenEncodingError, decoder_for, salvage
from honeyguide.store.warc import Twin, info_record, request_and_answer

ROTATE_AT = 1_000_000_000


class Spot(NamedTuple):
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

    def write(self, response: Response, digest: bytes, twin: Twin | None = None) -> Spot:
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
        return Spot(self.number, offset, len(answer))

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


@dataclass(frozen=True, slots=True)
class Stored:
    """A payload read back, decompressed, with the header that came with it."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """The first value of a header, by lower-case name; empty when absent."""
        return next((value for key, value in self.headers if key.lower() == name), "")


def read_record(folder: Path, spot: Spot, limit: int) -> Stored:
    """The answer that lies at a spot. A revisit has an empty body: ask for the page it repeats."""
    with (folder / file_name(spot.file)).open("rb") as file:
        file.seek(spot.offset)
        for record in ArchiveIterator(io.BytesIO(file.read(spot.length)), parse_http=True):
            headers: Headers = tuple((str(name), str(value)) for name, value in record.http_headers.items())
            raw = record.reader.read()
            encoding = next((value for name, value in headers if name.lower() == "content-encoding"), "")
            return Stored(record.http_headers.status_code or 0, headers, _decoded(encoding, raw, limit))
    raise HoneyguideError(f"{folder / file_name(spot.file)}: no record at byte {spot.offset}")


def _decoded(encoding: str, raw: bytes, limit: int) -> bytes:
    if not encoding:
        return raw[:limit]
    try:
        return decoder_for(encoding).feed(raw, limit)
    except BrokenEncodingError:
        return salvage(encoding, raw, limit)[0]
