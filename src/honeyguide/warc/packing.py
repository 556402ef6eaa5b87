"""How the records of a WARC file are compressed: with gzip, or with Zstandard.

A record is a gzip member, or a frame of Zstandard
(https://iipc.github.io/warc-specifications/specifications/warc-zstd/), so that it can be read by itself. A file of
frames may begin with a dictionary that all of them need.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Protocol

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP = b"\x1f\x8b"
FRAME = b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
"""Suffixes of the names of WARC files."""

BEGINNING = 1 << 18
"""Number of packed bytes that suffice for the beginning of a record: more than a block of Zstandard, which can only be
decompressed as a whole."""

_MAGIC_LENGTH = 4
_HEAD = 8  # of a dictionary: the magic number, and the length of the rest
_LARGEST_DICTIONARY = 1 << 24
_PIECE = 1 << 20
_LEVEL = 3
_FAST_LEVEL = 1  # for compressed data
_GZIP_LEVEL = 2  # the level of new records


class Output(Protocol):
    """The destination of packed records: a file, or a stream that packs them differently."""

    def write(self, data: bytes, /) -> int:
        """Write all of the bytes."""
        ...


class PackingError(ValueError):
    """The data is not in the expected format, or is damaged."""


class Unpacker(Protocol):
    """Decompresses one gzip member or one frame."""

    @property
    def eof(self) -> bool:
        """Whether its end was reached."""
        ...

    @property
    def unused_data(self) -> bytes:
        """The bytes after the end."""
        ...

    def feed(self, data: bytes | memoryview) -> Iterator[bytes]:
        """Decompress further data into pieces of at most a mebibyte. Raises `PackingError`."""
        ...


class _Gzip:
    def __init__(self) -> None:
        self._stream = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def feed(self, data: bytes | memoryview) -> Iterator[bytes]:
        try:
            while data:
                yield self._stream.decompress(data, _PIECE)
                # At the end, zlib may leave bytes there that are also in unused_data.
                data = b"" if self._stream.eof else self._stream.unconsumed_tail
        except zlib.error as error:
            raise PackingError(str(error)) from None


class _Zstd:
    def __init__(self, dictionary: Any) -> None:
        self._stream = zstd.ZstdDecompressor(zstd_dict=dictionary)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def feed(self, data: bytes | memoryview) -> Iterator[bytes]:
        try:
            yield self._stream.decompress(data, _PIECE)
            while not self._stream.eof and not self._stream.needs_input:
                yield self._stream.decompress(b"", _PIECE)
        except zstd.ZstdError as error:
            raise PackingError(str(error)) from None


class Packing:
    """How the records of one file are compressed."""

    def __init__(self, *, is_gzip: bool, dictionary: bytes = b"") -> None:
        """With the content of the `dictionary` of a file of frames."""
        self._is_gzip = is_gzip
        self._dictionary: Any = None
        if dictionary:
            raw = _plain_dictionary(dictionary)
            self._dictionary = zstd.ZstdDict(raw, is_raw=not raw.startswith(b"\x37\xa4\x30\xec"))

    @property
    def has_dictionary(self) -> bool:
        """Whether records can only be read with the beginning of the file."""
        return self._dictionary is not None

    @property
    def has_extensions(self) -> bool:
        """Whether there may be frames without content, which are not records."""
        return not self._is_gzip

    def unpacker(self) -> Unpacker:
        """Make a decompressor for the next record."""
        return _Gzip() if self._is_gzip else _Zstd(self._dictionary)


def _plain_dictionary(data: bytes) -> bytes:
    """A dictionary may be compressed itself."""
    if not data.startswith(FRAME):
        return data
    try:
        return zstd.ZstdDecompressor().decompress(data, _LARGEST_DICTIONARY)
    except zstd.ZstdError as error:
        raise PackingError(f"its dictionary is damaged: {error}") from None


def packing_of(file: BinaryIO) -> Packing | None:
    """The compression of the records from the current position of a file on; None if they are not compressed.

    Raises `PackingError` for a dictionary that cannot be used.
    """
    start = file.read(_HEAD)
    if start.startswith(GZIP):
        return Packing(is_gzip=True)
    if start.startswith(FRAME):
        return Packing(is_gzip=False)
    if not start.startswith(_DICTIONARY):
        return None
    length = int.from_bytes(start[_MAGIC_LENGTH:], "little")
    if length > _LARGEST_DICTIONARY:
        raise PackingError("its dictionary is too large")
    try:
        return Packing(is_gzip=False, dictionary=file.read(length))
    except (ValueError, zstd.ZstdError) as error:
        raise PackingError(str(error)) from None


def unpacked(data: bytes, most: int) -> bytes:
    """At most `most` bytes of a record, decompressed if it is compressed. Raises `ValueError` for invalid data."""
    try:
        if data.startswith(GZIP):
            return zlib.decompressobj(31).decompress(data, most)
        if data.startswith(FRAME):
            return zstd.ZstdDecompressor().decompress(data, most)
    except (zlib.error, zstd.ZstdError) as error:
        raise ValueError(str(error)) from None
    return data[:most]


def zstd_frame(data: bytes, level: int) -> bytes:
    """A record as one frame with a checksum. `level` is that of `honeyguide.warc.gzip_member.gzip_member`."""
    return _new_frame(_LEVEL if level else _FAST_LEVEL).compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


class GzipRecords:
    """A stream that gets records as frames, and writes each as a gzip member."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._frame = _Zstd(None)
        self._member = zlib.compressobj(_GZIP_LEVEL, wbits=31)

    def write(self, data: bytes) -> int:
        """Write further bytes; records may be cut anywhere. Raises `PackingError` for anything but frames."""
        rest = data
        while rest:
            for piece in self._frame.feed(rest):
                self._out.write(self._member.compress(piece))
            rest = b""
            if self._frame.eof:
                self._out.write(self._member.flush())
                rest = self._frame.unused_data
                self._frame, self._member = _Zstd(None), zlib.compressobj(_GZIP_LEVEL, wbits=31)
        return len(data)


class ZstdRecords:
    """A stream that gets records as gzip members, and writes each as a frame with a checksum."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._member = _Gzip()
        self._frame = _new_frame()

    def write(self, data: bytes) -> int:
        """Write further bytes; records may be cut anywhere."""
        rest = data
        while rest:
            for piece in self._member.feed(rest):
                self._out.write(self._frame.compress(piece))
            rest = b""
            if self._member.eof:
                self._out.write(self._frame.flush(zstd.ZstdCompressor.FLUSH_FRAME))
                rest = self._member.unused_data
                self._member, self._frame = _Gzip(), _new_frame()
        return len(data)


def _new_frame(level: int = _LEVEL) -> zstd.ZstdCompressor:
    parameter = zstd.CompressionParameter
    return zstd.ZstdCompressor(options={parameter.compression_level: level, parameter.checksum_flag: 1})
