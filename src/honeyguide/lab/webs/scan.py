"""Every record of a WARC, once, from beginning to end: where it lies, and how it begins.

Written here rather than with fastwarc, which ends at a cut without a word; a web must say what of it is missing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from honeyguide.errors import InputError
from honeyguide.lab.webs.parts import Part, readable
from honeyguide.lab.webs.record import HEAD_LIMIT, end_of_head, warc_fields

Progress = Callable[[int], None]
"""Told how many more bytes have been read."""

_CHUNK = 1 << 20
_STEP = 8192  # given to zlib at a time: what follows the end of a member is copied, and this bounds it
_BEGIN = b"WARC/"
_TAIL = 4  # the two line ends behind a record


class Found(NamedTuple):
    """A record."""

    offset: int
    length: int
    check: int
    """CRC-32 of the record, unpacked: the same whether it lies in a compressed file or not."""
    fields: dict[str, str]
    block: bytes
    """How its content begins: all of a usual HTTP head."""


class CutShortError(Exception):
    """The part ends amid the record at `offset`. What came before is whole."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(offset)


class _PackedTogetherError(Exception):
    """Several records are compressed as one: none can be read by itself."""


def records(part: Part, progress: Progress) -> Iterator[Found]:
    """The records of a part, in order; offsets are those of the part's file.

    Raises `CutShortError` behind the last whole one when the part is cut, `InputError` when it is damaged or no WARC.
    """
    with readable(part.path), part.path.open("rb", buffering=_CHUNK) as file:
        file.seek(part.start)
        yield from (_packed if part.packed else _plain)(part, file, progress)


def is_packed_together(part: Part) -> bool:
    """Whether several records are compressed as one, so that no record can be read by itself."""
    if not part.packed:
        return False
    unpacker = zlib.decompressobj(31)
    member = _Member(part, part.start)
    with readable(part.path), part.path.open("rb") as file:
        file.seek(part.start)
        try:
            while not unpacker.eof and (step := file.read(min(_STEP, part.end - file.tell()))):
                member.take(unpacker.decompress(step))
        except _PackedTogetherError:
            return True
        except zlib.error:
            raise _damaged(part, part.start) from None
    return False


def _damaged(part: Part, offset: int) -> InputError:
    if offset == part.start:
        problem = "is no WARC file, or is damaged in its first record"
        return InputError(str(part.path), problem, "name a .warc or .warc.gz file")
    return InputError(str(part.path), f"is damaged at byte {offset:,}", "fetch or write the file again")


class _Member:
    """What is known of a record while it is unpacked."""

    def __init__(self, part: Part, offset: int) -> None:
        self._part = part
        self._offset = offset
        self._start = b""
        self._head = -1
        self._due = 0
        self._size = 0
        self._check = 0
        self._fields: dict[str, str] = {}

    def take(self, piece: bytes) -> None:
        """More bytes of it."""
        self._check = zlib.crc32(piece, self._check)
        self._size += len(piece)
        if len(self._start) < 2 * HEAD_LIMIT:
            self._start += piece[: 2 * HEAD_LIMIT]
        if self._head < 0:
            self._look()
        if self._head >= 0 and self._size > self._due + _TAIL:
            raise _PackedTogetherError

    def _look(self) -> None:
        self._head = end_of_head(self._start[:HEAD_LIMIT])
        if self._head >= 0:
            self._fields = _fields(self._part, self._offset, self._start[: self._head])
            self._due = self._head + int(self._fields["content-length"])
        elif len(self._start) > HEAD_LIMIT:
            raise _damaged(self._part, self._offset)

    def found(self, end: int) -> Found:
        """The record, now that all of it was taken."""
        if self._head < 0 or self._size < self._due:
            raise _damaged(self._part, self._offset)
        block = self._start[self._head : min(self._due, self._head + HEAD_LIMIT)]
        return Found(self._offset, end - self._offset, self._check, self._fields, block)


def _packed(part: Part, file: BinaryIO, progress: Progress) -> Iterator[Found]:
    """The records of a file that is compressed record by record."""
    offset = part.start
    read = part.start  # up to where the file was read
    view, at = memoryview(b""), 0
    while True:
        unpacker = zlib.decompressobj(31)
        member = _Member(part, offset)
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
                member.take(unpacker.decompress(step))
            except zlib.error:
                raise _damaged(part, offset) from None
            except _PackedTogetherError:
                problem = f"has several records compressed as one at byte {offset:,}, and single ones before"
                raise InputError(str(part.path), problem, "unpack it with gunzip, and name the .warc file") from None
        at -= len(unpacker.unused_data)
        end = read - len(view) + at
        yield member.found(end)
        offset = end


def _plain(part: Part, file: BinaryIO, progress: Progress) -> Iterator[Found]:
    """The records of a file that is not compressed."""
    offset = part.start
    while offset < part.end:
        head = _plain_head(part, file, offset)
        fields = _fields(part, offset, head)
        due = int(fields["content-length"])
        if offset + len(head) + due > part.end:
            raise CutShortError(offset)
        block = file.read(min(due, HEAD_LIMIT))
        check = zlib.crc32(block, zlib.crc32(head))
        left = due - len(block)
        while left > 0:
            piece = file.read(min(_CHUNK, left))
            check = zlib.crc32(piece, check)
            left -= len(piece)
        tail = file.read(min(_TAIL, part.end - file.tell()))
        if tail.strip(b"\r\n"):
            raise _damaged(part, offset)
        length = file.tell() - offset
        yield Found(offset, length, zlib.crc32(tail, check), fields, block)
        progress(length)
        offset += length


def _plain_head(part: Part, file: BinaryIO, offset: int) -> bytes:
    head = b""
    while not head.endswith((b"\n\r\n", b"\n\n")):
        line = file.readline(HEAD_LIMIT)
        head += line
        if len(head) > HEAD_LIMIT or not head.startswith(_BEGIN[: len(head)]):
            raise _damaged(part, offset)
        if not line or file.tell() > part.end:
            raise CutShortError(offset)
    return head


def _fields(part: Part, offset: int, head: bytes) -> dict[str, str]:
    fields = warc_fields(head) if head.startswith(_BEGIN) else {}
    if not fields.get("content-length", "").isdecimal():
        raise _damaged(part, offset)
    return fields
