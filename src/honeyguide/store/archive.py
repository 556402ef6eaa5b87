"""The WARC files of a crawl: every response as it was received, one gzip member or frame of Zstandard per record."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from honeyguide.atomic_write import open_own, set_aside, sync_folder
from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Response
from honeyguide.store.shards import SHARDS
from honeyguide.topic.store import GZIP, ZSTD
from honeyguide.warc.gzip_member import gzip_member
from honeyguide.warc.packing import unpacked, zstd_frame
from honeyguide.warc.read import read_record
from honeyguide.warc.record import Record, response_of
from honeyguide.warc.write import EarlierRecord, Pack, info_record, new_id, rendered_record, request_and_answer

_log = logging.getLogger("honeyguide.store")

ROTATE_AT = 1_000_000_000

_INFO_LENGTH = 1 << 16  # bytes: more than the record at the beginning of a file has
_SOFTWARE = re.compile(rb"^software: ([^\r\n]{1,100})", re.MULTILINE).search
_NAME = re.compile(r"pages-\d{5,9}\.warc\.(?:gz|zst)", re.ASCII).fullmatch
_COMPRESSIONS: Mapping[str, tuple[str, Pack]] = MappingProxyType(
    {GZIP: (".warc.gz", gzip_member), ZSTD: (".warc.zst", zstd_frame)}
)


class RecordLocation(NamedTuple):
    """Where a record is: the number of the file, and its bytes in the file."""

    file: int
    offset: int
    length: int


def file_name(number: int, compression: str = GZIP) -> str:
    """The name of the WARC file with a number."""
    return f"pages-{number:05}{_COMPRESSIONS[compression][0]}"


def archive_file(folder: Path, number: int, default: str = GZIP) -> Path:
    """The WARC file with a number in a folder, however it is compressed; as by `default` if there is none yet."""
    paths = {name: folder / file_name(number, name) for name in _COMPRESSIONS}
    return next((path for path in paths.values() if os.path.lexists(path)), paths[default])


def compression_of(path: Path) -> str:
    """How the records of a WARC file are compressed, by its name."""
    return ZSTD if path.suffix == ".zst" else GZIP


ELSEWHERE = 100_000
"""Added to the number of a file, once or more, if it is in another folder of the same crawl: see `record_file`."""


def record_file(folder: Path, number: int) -> Path:
    """The WARC file with a number, as the pages of a crawl or of one of its shards refer to it.

    That is a file of the folder itself; or, in hundreds of thousands, 1 for the folder of the whole crawl, 2 for its
    shard 00, 3 for its shard 01, and so on.
    """
    place, own = divmod(number, ELSEWHERE)
    if not place:
        return archive_file(folder, own)
    whole = folder.parent.parent if folder.parent.name == SHARDS else folder
    return archive_file(whole if place == 1 else whole / SHARDS / f"{place - 2:02}", own)


def number_elsewhere(shard: str, number: int) -> int:
    """The number by which other folders of a crawl refer to a file of a shard; "" for the whole crawl's own folder."""
    if number >= ELSEWHERE:
        return number
    return number + ELSEWHERE * (int(shard) + 2 if shard else 1)


def archive_files(folder: Path) -> list[Path]:
    """The WARC files of a folder, in the order of writing."""
    return sorted((path for path in folder.glob("pages-*.warc.*") if _NAME(path.name)), key=file_number)


def file_number(path: Path) -> int:
    """The number in the name of a WARC file."""
    return int(path.name.split("-")[1].split(".")[0])


def software(folder: Path) -> str:
    """The program, with its version, that began the archive of a folder, by its first record; "" if it does not say."""
    for path in archive_files(folder)[:1]:
        with suppress(OSError, ValueError):
            if path.is_file():
                with path.open("rb") as file:
                    found = _SOFTWARE(unpacked(file.read(_INFO_LENGTH), _INFO_LENGTH))
                return found[1].decode("utf-8", "replace").replace("/", " ") if found else ""
    return ""


class Archive:
    """Appends to the newest WARC file of a folder. Written data is safe only after `sync`."""

    def __init__(
        self,
        folder: Path,
        number: int = 0,
        end: int = 0,
        compression: str = GZIP,
        *,
        rotate_at: int = ROTATE_AT,
    ) -> None:
        """Continue at byte `end` of file `number`: what follows it there is truncated, later files are renamed.

        `honeyguide.store.tail.check_tail` says whether it was never committed, or is data. If that file is compressed
        in another way than `compression`, the next one is begun.
        """
        self._folder = folder
        self._rotate_at = rotate_at
        self._compression = compression
        self._pack = _COMPRESSIONS[compression][1]
        self.number = number
        self._file = self._open(end)
        if compression_of(archive_file(folder, number)) != compression:
            self._next_file()
        self._answer_id = ""

    def _next_file(self) -> None:
        self.sync()
        self._file.close()
        self.number += 1
        self._file = self._open(0)

    def _open(self, end: int) -> BinaryIO:
        path = archive_file(self._folder, self.number, self._compression)
        if not end and compression_of(path) != self._compression:  # nothing in it was ever committed
            path.unlink()
            path = archive_file(self._folder, self.number, self._compression)
        there = path.stat().st_size if path.exists() else 0
        if there < end:
            raise HoneyguideError(
                f"{path}: {end} bytes were recorded, but the file has only {there}: it was truncated or replaced; "
                f"restore the original file, or continue with what is left: honeyguide repair {self._folder}"
            )
        for later in archive_files(self._folder):
            if file_number(later) > self.number:
                _log.warning("%s is not part of the crawl; renamed to %s", later, set_aside(later).name)
        if there > end:
            cut = {"file": str(path), "bytes": there - end}
            _log.info("%(file)s: cut off %(bytes)d bytes that were never committed", cut, extra=cut)
        file = os.fdopen(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab")
        file.truncate(end)
        file.seek(end)
        if not end:
            file.write(info_record(path.name, time.time(), pack=self._pack))
            sync_folder(self._folder)
        return file

    @property
    def end(self) -> int:
        """The current length of the newest file."""
        return self._file.tell()

    def write(self, response: Response, digest: bytes, twin: EarlierRecord | None = None) -> RecordLocation:
        """Append request and response, or request and revisit if `twin` has the same payload.

        Returns the location of the response or revisit.
        """
        if self.end >= self._rotate_at:
            self._next_file()
        self._answer_id = new_id()
        request, answer = request_and_answer(response, digest, twin, self._answer_id, self._pack)
        self._file.write(request)
        return self._append(answer)

    def write_rendered(self, response: Response, html: bytes) -> RecordLocation:
        """Append the document that a browser has made of the response that was written last. Returns its location."""
        return self._append(rendered_record(response, self._answer_id, html, self._pack))

    def _append(self, record: bytes) -> RecordLocation:
        offset = self._file.tell()
        self._file.write(record)
        return RecordLocation(self.number, offset, len(record))

    def flush(self) -> None:
        """Hand what was written to the system, so that others can read it."""
        self._file.flush()

    def sync(self) -> None:
        """Flush to disk: everything written so far survives a power failure."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Flush to disk and close the file, even if flushing fails."""
        try:
            self.sync()
        finally:
            self._file.close()


def read_answer(
    folder: Path, spot: RecordLocation, limit: int, *, url: str, original: RecordLocation | None = None
) -> Response:
    """The response at a location, with its body decompressed and at most `limit` bytes long.

    The body is that of the `original`, if there is one: what a revisit refers to, or what a browser has made of the
    page. Raises `HoneyguideError` when the archive no longer contains it.
    """
    record = _record(folder, spot, limit)
    try:
        return response_of(url, record, _record(folder, original, limit) if original else None, limit)
    except ValueError as error:
        raise unreadable(record_file(folder, spot.file), f"{error} at byte {spot.offset}") from None


def _record(folder: Path, spot: RecordLocation, limit: int) -> Record:
    file = record_file(folder, spot.file)
    try:
        if file.stat().st_size < spot.offset + spot.length:
            raise unreadable(file, "it is shorter than when it was written")
        return read_record(file, spot.offset, spot.length, limit)
    except OSError as error:
        raise unreadable(file, error.strerror or str(error)) from None
    except ValueError as error:
        raise unreadable(file, f"{error} at byte {spot.offset}") from None


def unreadable(file: Path, why: str) -> HoneyguideError:
    """The error for a file of the archive that no longer contains what was written."""
    return HoneyguideError(f"{file}: cannot be read: {why}; restore the original file of this crawl")
