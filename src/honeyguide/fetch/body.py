"""Bodies of responses, decoded incrementally, up to a limit."""

from __future__ import annotations

from typing import NamedTuple

from honeyguide.fetch.decompress import BrokenEncodingError, decoder_for, salvage

_SLACK = 65536  # bytes by which a compressed body may exceed the limit: one that decodes to nothing must end too
_GZIP = b"\x1f\x8b\x08"


class Body(NamedTuple):
    """A body that was read; the fields are those of `Response`."""

    body: bytes
    raw: bytes
    truncated: str


def whole_body(raw: bytes, encoding: str, limit: int, *, text: bool) -> Body:
    """Decode a body that is complete (from an archive), in the same way as `honeyguide.fetch.stream.read_body`."""
    if not raw:
        return Body(b"", b"", "")
    reader = body_reader(raw, encoding, limit, text=text)
    reader.take(raw)
    return reader.result("")


def body_reader(first: bytes, encoding: str, limit: int, *, text: bool) -> PlainBody | EncodedBody:
    """The reader for a body that begins with the bytes `first`."""
    if not encoding and text and first.startswith(_GZIP):
        encoding = "gzip"
    return EncodedBody(encoding, limit) if encoding else PlainBody(limit)


class PlainBody:
    """A body that is not encoded."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._chunks: list[bytes] = []

    def take(self, chunk: bytes) -> bool:
        """Add bytes. Returns False when no more are needed."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        return self._size <= self._limit

    def result(self, truncated: str) -> Body:
        """The bytes added, cut at the limit."""
        body = b"".join(self._chunks)
        if self._size > self._limit:
            body = body[: self._limit]
            truncated = "length"
        return Body(body, body, truncated)


class EncodedBody:
    """A body that is decoded as it arrives."""

    def __init__(self, encoding: str, limit: int) -> None:
        self._encoding = encoding
        self._decoder = decoder_for(encoding)
        self._limit = limit
        self._size = 0
        self._chunks: list[bytes] = []
        self._raw_size = 0
        self._raw: list[bytes] = []
        self._broken = False

    def take(self, chunk: bytes) -> bool:
        """Add bytes. Returns False when no more are needed, or when they cannot be decoded."""
        self._raw.append(chunk)
        self._raw_size += len(chunk)
        try:
            # One byte beyond the limit shows that the body is longer.
            piece = self._decoder.feed(chunk, self._limit + 1 - self._size)
        except BrokenEncodingError:
            self._broken = True
            return False
        self._chunks.append(piece)
        self._size += len(piece)
        return self._size <= self._limit and self._raw_size <= self._limit + _SLACK

    def result(self, truncated: str) -> Body:
        """The bytes that could be decoded, cut at the limit."""
        raw = b"".join(self._raw)
        if self._broken:
            body, whole = salvage(self._encoding, raw, self._limit + 1)
        else:
            body, whole = b"".join(self._chunks), self._decoder.finished
        if len(body) > self._limit or self._raw_size > self._limit + _SLACK:
            truncated = "length"
        elif not whole and not truncated:
            if not body:
                raise BrokenEncodingError(f"nothing in the body can be decoded as {self._encoding}")
            truncated = "encoding"
        return Body(body[: self._limit], raw, truncated)
