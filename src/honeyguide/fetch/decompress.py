"""Incremental decoding of content encodings, never beyond a limit.

A few kilobytes can expand to gigabytes, so every call of a decoder limits the size of its output, and a decoder
buffers no more than a fixed amount (the format's window, and input that is not decoded yet).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

import brotli
from zlib_ng import zlib_ng

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Callable

_STEP = 65536
_MOST_LAYERS = 3  # nested encodings; real servers use one, or two by mistake
_MOST_FRAMES = 1000  # in a row: a flood of empty frames would take time without ever reaching a limit
_ZSTD_WINDOW = 23  # 8 MB, the largest window that RFC 9659 lets a server require


class BrokenEncodingError(ValueError):
    """From some point on, the bytes are not valid in the encoding."""


class Decoder(Protocol):
    """Decodes one encoding incrementally."""

    @property
    def finished(self) -> bool:
        """Whether the body may end here."""
        ...

    def feed(self, data: bytes, limit: int) -> bytes:
        """The next decoded bytes, at most `limit` (which is at least 1).

        Fewer than `limit` bytes mean that everything fed so far is decoded; with exactly `limit` bytes there may be
        more, which further calls return, with or without new data. Raises `BrokenEncodingError`; in that case the
        bytes that this call decoded before the invalid data are lost (`salvage` recovers them).
        """
        ...


class Identity(Decoder):
    """Returns the bytes unchanged."""

    finished = True

    def __init__(self) -> None:
        self._rest = b""

    @override
    def feed(self, data: bytes, limit: int) -> bytes:
        data = self._rest + data
        self._rest = data[limit:]
        return data[:limit]


class Framed(Decoder):
    """gzip and Zstandard: a sequence of frames. Bytes after the last frame are ignored, as browsers do.

    A body that does not begin like the format is returned unchanged: some servers announce encodings that they did
    not apply.
    """

    def __init__(self, begins: Callable[[bytes], bool | None], frame: Callable[[], Inflate | ZstdFrame]) -> None:
        self._begins = begins
        self._new_frame = frame
        self._frame: Inflate | ZstdFrame | Identity | None = None
        self._frames = 0
        self._rest = b""
        self._over = False

    @property
    @override
    def finished(self) -> bool:
        return self._over or (self._frame is not None and self._frame.finished)

    @override
    def feed(self, data: bytes, limit: int) -> bytes:
        data = self._rest + data
        self._rest = b""
        out = b""
        while not self._over and len(out) < limit:
            if (self._frame is None or self._frame.finished) and not self._next_frame(data):
                self._rest = data
                return out
            assert self._frame is not None
            out += self._frame.feed(data, limit - len(out))
            if isinstance(self._frame, Identity) or not self._frame.finished:
                return out
            data = self._frame.after
        if not self._over:
            self._rest = data
        return out

    def _next_frame(self, data: bytes) -> bool:
        """Whether there is a frame to decode; False when none follows, or when there is too little data to tell."""
        if isinstance(self._frame, Identity):
            return True
        begins = self._begins(data)
        if begins is None:
            return False
        if not begins:
            if self._frame is None:
                self._frame = Identity()
                return True
            self._over = True
            return False
        self._frames += 1
        if self._frames > _MOST_FRAMES:
            raise BrokenEncodingError("too many frames in one body")
        self._frame = self._new_frame()
        return True


class Inflate(Decoder):
    """One zlib stream: a gzip member (bits 31), the zlib format (15) or raw deflate (-15)."""

    def __init__(self, bits: int) -> None:
        self._stream = zlib_ng.decompressobj(bits)

    @property
    @override
    def finished(self) -> bool:
        return self._stream.eof

    @property
    def after(self) -> bytes:
        """What was fed beyond the end."""
        return self._stream.unused_data

    @override
    def feed(self, data: bytes, limit: int) -> bytes:
        try:
            return self._stream.decompress(self._stream.unconsumed_tail + data, limit)
        except zlib_ng.error as error:  # type: ignore[misc]  # its stub says that it is an instance
            raise BrokenEncodingError(str(error)) from error


class Deflate(Decoder):
    """The encoding that HTTP calls deflate: the zlib format by the standard, raw deflate from many servers."""

    def __init__(self) -> None:
        self._stream: Inflate | None = None
        self._rest = b""

    @property
    @override
    def finished(self) -> bool:
        return self._stream is not None and self._stream.finished

    @override
    def feed(self, data: bytes, limit: int) -> bytes:
        if self._stream is None:
            self._rest += data
            if len(self._rest) < 2:
                return b""
            data, self._rest = self._rest, b""
            wrapped = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._stream = Inflate(15 if wrapped else -15)
        return b"" if self._stream.finished else self._stream.feed(data, limit)


class ZstdFrame(Decoder):
    """One frame of Zstandard."""

    def __init__(self) -> None:
        self._stream = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW})

    @property
    @override
    def finished(self) -> bool:
        return self._stream.eof

    @property
    def after(self) -> bytes:
        """What was fed beyond the end."""
        return self._stream.unused_data

    @override
    def feed(self, data: bytes, limit: int) -> bytes:
        try:
            return self._stream.decompress(data, limit)
        except zstd.ZstdError as error:
            raise BrokenEncodingError(str(error)) from error


class Brotli(Decoder):
    """Brotli."""

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._rest = b""
        self._out = b""

    @property
    @override
    def finished(self) -> bool:
        return not self._out and bool(self._stream.is_finished())

    @override
    def feed(self, data: bytes, limit: int) -> bytes:
        # The library returns whole blocks, up to twice the requested size: the surplus is buffered in _out.
        self._rest += data
        pieces = [self._out]
        size = len(self._out)
        while size < limit and not self._stream.is_finished():
            ready = self._stream.can_accept_more_data()
            piece = self._process(self._rest if ready else b"", limit - size)
            if ready:
                self._rest = b""
            if not piece and (ready or not self._stream.can_accept_more_data()):
                break
            pieces.append(piece)
            size += len(piece)
        out = b"".join(pieces)
        self._out = out[limit:]
        return out[:limit]

    def _process(self, data: bytes, limit: int) -> bytes:
        try:
            piece: bytes = self._stream.process(data, output_buffer_limit=limit)
        except brotli.error as error:
            raise BrokenEncodingError(str(error)) from error
        return piece


class Stack(Decoder):
    """Two nested encodings; the outer one was applied last."""

    def __init__(self, outer: Decoder, inner: Decoder) -> None:
        self._outer = outer
        self._inner = inner
        self._rest = b""
        self._hungry = True

    @property
    @override
    def finished(self) -> bool:
        return self._outer.finished and self._inner.finished

    @override
    def feed(self, data: bytes, limit: int) -> bytes:
        self._rest += data
        pieces: list[bytes] = []
        room = limit
        while room > 0:
            between = b""
            if self._hungry:
                between = self._outer.feed(self._rest, _STEP)
                self._rest = b""
            piece = self._inner.feed(between, room)
            self._hungry = len(piece) < room
            pieces.append(piece)
            room -= len(piece)
            if self._hungry and len(between) < _STEP:
                break
        return b"".join(pieces)


def decoder_for(encoding: str) -> Decoder:
    """The decoder for a Content-Encoding header. Unknown names ("none", "utf-8") are ignored.

    Raises `BrokenEncodingError` when more than `_MOST_LAYERS` encodings are nested.
    """
    layers = [_DECODERS[name] for name in reversed(_names(encoding)) if name in _DECODERS]
    if len(layers) > _MOST_LAYERS:
        raise BrokenEncodingError("too many nested encodings")
    if not layers:
        return Identity()
    decoder = layers[0]()
    for inner in layers[1:]:
        decoder = Stack(decoder, inner())
    return decoder


def salvage(encoding: str, raw: bytes, limit: int) -> tuple[bytes, bool]:
    """What can be decoded of a body that a decoder rejected: the bytes before the error, and whether they are complete.

    They are complete when the error is only in what follows the end, or when the body was never encoded: it is markup,
    announced as a format without a magic number (deflate, Brotli).
    """
    good = 0
    out = b""
    for step in (4096, 64, 1):  # each round decodes the valid part again and locates its end more precisely
        decoder = decoder_for(encoding)
        out = decoder.feed(raw[:good], limit)
        try:
            while good < len(raw) and len(out) < limit:
                out += decoder.feed(raw[good : good + step], limit - len(out))
                good += step
        except BrokenEncodingError:
            continue
        return out, decoder.finished
    if not out and _is_markup(raw[:512]):
        return raw[:limit], len(raw) <= limit
    return out, False


def _names(encoding: str) -> list[str]:
    return [name.strip().lower() for name in encoding.split(",")]


def _is_markup(head: bytes) -> bool:
    begins = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    return begins and all(byte >= 0x20 or byte in b"\t\n\f\r" for byte in head)


def _begins_gzip(data: bytes) -> bool | None:
    return None if len(data) < 2 and b"\x1f".startswith(data) else data.startswith(b"\x1f\x8b")


def _begins_zstd(data: bytes) -> bool | None:
    if len(data) < 4:
        return None
    magic = int.from_bytes(data[:4], "little")
    return magic == 0xFD2FB528 or magic & 0xFFFFFFF0 == 0x184D2A50  # a frame, or a skippable frame


def _gzip() -> Decoder:
    return Framed(_begins_gzip, lambda: Inflate(31))


def _zstd() -> Decoder:
    return Framed(_begins_zstd, ZstdFrame)


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": _zstd,
}
