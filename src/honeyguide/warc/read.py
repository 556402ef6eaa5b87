"""Reading the records of a WARC: all of them, from beginning to end, or one record at a known location.

Implemented here rather than with fastwarc, which stops at a truncation without an error: users of an archive must be
told what is missing from it.
"""

from __future__ import annotations

import io
import math
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from typing_extensions import override

from honeyguide.errors import InputError
from honeyguide.warc.packing import Packing, PackingError, unpacked
from honeyguide.warc.part import Part, readable
from honeyguide.warc.record import (
    BEGIN,
    HEAD_LIMIT,
    Record,
    end_of_head,
    is_length,
    parse_record,
    warc_fields,
)

Progress = Callable[[int], None]
"""Called with the number of bytes read since the last call."""

_CHUNK = 1 << 20
_STEP = 8192  # bytes passed to zlib at a time: zlib copies what follows the end of a member, and this bounds the copy
_TAIL = 4  # the two line ends after a record


class CutShortError(Exception):
    """The part ends within the record at `offset`. The records before it are complete."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(offset)


class _PackedTogetherError(Exception):
    """Several records are compressed as one: none can be read separately."""


def read_record(path: Path, offset: int, length: int, body: int) -> Record:
    """The record at a location that `records` returned, with at least the first `body` bytes after the heads.

    Raises `OSError` when the file cannot be read, `ValueError` when there is no record.
    """
    most = body + 4 * HEAD_LIMIT  # of WARC and of HTTP
    with path.open("rb") as file:
        file.seek(offset)
        data = file.read(
            min(length, most + HEAD_LIMIT)
        )  # HEAD_LIMIT is more than gzip ever adds to incompressible data
    return parse_record(unpacked(data, most))


def records(part: Part, *, keep: int = HEAD_LIMIT, progress: Progress = lambda _: None) -> Iterator[Record]:
    """The records of a part, in order, whether they are compressed separately, together, or not at all.

    `keep` is how many bytes of each block are kept: by default enough for any HTTP head. Offsets are positions in the
    part's file, except for records that are compressed together, which cannot be read separately. Raises
    `CutShortError` after the last complete record when the part is truncated, `InputError` when it is damaged or not a
    WARC.
    """
    buffer = min(max(part.end - part.start, _STEP), _CHUNK)
    with readable(part.path), part.path.open("rb", buffering=buffer) as file:
        file.seek(part.start)
        if part.packing is None:
            yield from _plain(part, file, part.start, part.end, keep, progress)
            return
        try:
            yield from _packed(part, part.packing, file, keep, progress)
        except _PackedTogetherError:  # always detected before the first record is yielded
            file.seek(part.start)
            yield from _together(part, part.packing, file, keep, progress)


def unpacked_pieces(part: Part) -> Iterator[bytes]:
    """The decompressed bytes of a compressed part; of a truncated one, those before the cut. Raises `PackingError`."""
    assert part.packing is not None
    with readable(part.path), part.path.open("rb") as file, suppress(EOFError):
        file.seek(part.start)
        yield from _unpacked(_Window(file, part.end, lambda _: None), part.packing)


def is_packed_together(part: Part) -> bool:
    """Whether no record can be read separately: several are compressed as one, or all need a dictionary."""
    if part.packing is None or part.packing.has_dictionary:
        return part.packing is not None
    unpacker = part.packing.unpacker()
    member = _Member(part, part.start, 0)
    with readable(part.path), part.path.open("rb") as file:
        file.seek(part.start)
        try:
            while not unpacker.eof and (step := file.read(min(_STEP, part.end - file.tell()))):
                for piece in unpacker.feed(step):
                    member.take(piece)
        except _PackedTogetherError:
            return True
        except PackingError:
            raise _damaged(part, part.start) from None
    return False


def _damaged(part: Part, offset: int) -> InputError:
    if offset == part.start:
        problem = "is not a WARC file, or is damaged in its first record"
        return InputError(str(part.path), problem, "name a .warc, .warc.gz or .warc.zst file")
    return InputError(str(part.path), f"is damaged at byte {offset:,}", "download or create the file again")


class _Member:
    """A record while it is being decompressed."""

    def __init__(self, part: Part, offset: int, keep: int) -> None:
        self._part = part
        self._offset = offset
        self._keep = keep
        self._most = keep + HEAD_LIMIT
        self._start = bytearray()
        self._head = -1
        self._due = 0
        self.size = 0
        self._check = 0
        self._fields: dict[str, str] = {}

    def take(self, piece: bytes) -> None:
        """Add decompressed bytes."""
        self._check = zlib.crc32(piece, self._check)
        self.size += len(piece)
        if len(self._start) < self._most:
            self._start += piece
        if self._head < 0:
            self._look()
        if self._head >= 0 and self.size > self._due + _TAIL:
            raise _PackedTogetherError

    def _look(self) -> None:
        start = bytes(self._start[:HEAD_LIMIT])
        self._head = end_of_head(start)
        if self._head >= 0:
            self._fields = _fields(self._part, self._offset, start[: self._head])
            self._due = self._head + int(self._fields["content-length"])
        elif len(self._start) >= HEAD_LIMIT:
            raise _damaged(self._part, self._offset)

    def found(self, end: int) -> Record:
        """The record, once all of its bytes were added."""
        if self._head < 0 or self.size < self._due:
            raise _damaged(self._part, self._offset)
        block = bytes(self._start[self._head : min(self._due, self._head + self._keep)])
        return Record(self._fields, block, self._offset, end - self._offset, self._check)


def _packed(part: Part, packing: Packing, file: IO[bytes], keep: int, progress: Progress) -> Iterator[Record]:
    """The records of a file in which each record is compressed separately."""
    offset, is_first = part.start, True
    read = part.start  # the position up to which the file was read
    view, at = memoryview(b""), 0
    while True:
        unpacker = packing.unpacker()
        member = _Member(part, offset, keep)
        while not unpacker.eof:
            if at >= len(view):
                view, at = memoryview(file.read(min(_CHUNK, part.end - read))), 0
                read += len(view)
                progress(len(view))
                if not view:
                    if offset < part.end:
                        raise CutShortError(offset)
                    return
            step = view[at : at + _STEP]
            at += len(step)
            try:
                for piece in unpacker.feed(step):
                    member.take(piece)
            except PackingError:
                raise _damaged(part, offset) from None
            except _PackedTogetherError:
                if is_first:
                    raise
                problem = f"has several records compressed together at byte {offset:,}, after separate ones"
                raise InputError(str(part.path), problem, "decompress it, and name the .warc file") from None
        at -= len(unpacker.unused_data)
        end = read - len(view) + at
        if member.size or not packing.has_extensions:
            yield member.found(end)
            is_first = False
        offset = end


def _together(part: Part, packing: Packing, file: IO[bytes], keep: int, progress: Progress) -> Iterator[Record]:
    """The records of a file that is compressed as a whole."""
    with io.BufferedReader(_Unpacked(_Window(file, part.end, progress), packing), _CHUNK) as stream:
        records = _plain(part, stream, 0, math.inf, keep, lambda _: None)
        whole = 0
        try:
            for record in records:
                yield record
                whole = record.offset + record.length
        except EOFError:
            raise CutShortError(whole) from None
        except PackingError:
            raise _damaged(part, whole) from None


class _Window:
    """Reads a file up to the position `end`."""

    def __init__(self, file: IO[bytes], end: int, progress: Progress) -> None:
        self._file = file
        self._end = end
        self._progress = progress

    def read(self, size: int = -1) -> bytes:
        left = self._end - self._file.tell()
        data = self._file.read(left if size < 0 else min(size, left))
        self._progress(len(data))
        return data


class _Unpacked(io.RawIOBase):
    """The decompressed content of a file. Reading raises `EOFError` where it is truncated, and `PackingError`."""

    def __init__(self, window: _Window, packing: Packing) -> None:
        self._pieces = _unpacked(window, packing)
        self._piece = memoryview(b"")
        self._at = 0

    @override
    def readable(self) -> bool:
        return True

    @override
    def tell(self) -> int:
        return self._at

    @override
    def readinto(self, buffer: Any) -> int:
        if not self._piece:
            self._piece = memoryview(next(self._pieces, b""))
        size = min(len(buffer), len(self._piece))
        buffer[:size] = self._piece[:size]
        self._piece = self._piece[size:]
        self._at += size
        return size


def _unpacked(window: _Window, packing: Packing) -> Iterator[bytes]:
    """The pieces of all members or frames."""
    rest = b""
    while data := rest or window.read(_STEP):
        unpacker = packing.unpacker()
        while data:
            yield from filter(None, unpacker.feed(data))
            data = b"" if unpacker.eof else window.read(_STEP)
        if not unpacker.eof:
            raise EOFError
        rest = unpacker.unused_data


def _plain(part: Part, file: IO[bytes], offset: int, end: float, keep: int, progress: Progress) -> Iterator[Record]:
    """The records of a file that is not compressed, up to the position `end`."""
    while offset < end:
        head = _plain_head(part, file, offset, end)
        if not head:
            return
        fields = _fields(part, offset, head)
        due = int(fields["content-length"])
        if offset + len(head) + due > end:
            raise CutShortError(offset)
        block = file.read(min(due, keep))
        check = zlib.crc32(block, zlib.crc32(head))
        left = due - len(block)
        while left > 0:
            piece = file.read(min(_CHUNK, left))
            if not piece:
                raise CutShortError(offset)
            check = zlib.crc32(piece, check)
            left -= len(piece)
        tail = file.read(int(min(_TAIL, end - file.tell())))
        if tail.strip(b"\r\n"):
            raise _damaged(part, offset)
        length = file.tell() - offset
        yield Record(fields, block, offset, length, zlib.crc32(tail, check))
        progress(length)
        offset += length


def _plain_head(part: Part, file: IO[bytes], offset: int, end: float) -> bytes:
    """The head that begins here; empty at the end of a stream whose length was unknown."""
    head = b""
    while not head.endswith((b"\n\r\n", b"\n\n")):
        line = file.readline(HEAD_LIMIT)
        if not line and not head and end == math.inf:
            return b""
        head += line
        if len(head) > HEAD_LIMIT or not head.startswith(BEGIN[: len(head)]):
            raise _damaged(part, offset)
        if not line or file.tell() > end:
            raise CutShortError(offset)
    return head


def _fields(part: Part, offset: int, head: bytes) -> dict[str, str]:
    fields = warc_fields(head) if head.startswith(BEGIN) else {}
    if not is_length(fields.get("content-length", "")):
        raise _damaged(part, offset)
    return fields
