"""Reading a body: decoded while it comes, up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import aiohttp

from honeyguide.fetch.decompress import BrokenEncodingError, decoder_for, salvage

if TYPE_CHECKING:
    from aiohttp import StreamReader

_SLACK = 65536  # what a compressed body may be longer than the limit; one that gives nothing out must end too
_GZIP = b"\x1f\x8b\x08"


class Body(NamedTuple):
    """What was read; the fields are those of `Response`."""

    body: bytes
    raw: bytes
    truncated: str


async def read_body(content: StreamReader, encoding: str, limit: int, *, text: bool) -> Body:
    """Read a body until its end, or until it is clear that it has more than `limit` decoded bytes.

    `encoding` is the Content-Encoding header. `text` says that the body should be text: then gzip is
    recognised without being announced, as happens with static files. When the connection is lost, what came
    is kept; when nothing came, the error is raised. A timeout is raised in any case, and so is
    `BrokenEncodingError` when not a byte can be decoded.
    """
    chunk = await content.readany()
    if not chunk:
        return Body(b"", b"", "")
    reader = _reader(chunk, encoding, limit, text=text)
    try:
        while chunk and reader.take(chunk):
            chunk = await content.readany()
    except TimeoutError:
        raise
    except aiohttp.ClientError:
        kept = reader.result("disconnect")
        if not kept.body:
            raise
        return kept
    return reader.result("")


def whole_body(raw: bytes, encoding: str, limit: int, *, text: bool) -> Body:
    """As `read_body`, of a body whose bytes are all here (an archive's)."""
    if not raw:
        return Body(b"", b"", "")
    reader = _reader(raw, encoding, limit, text=text)
    reader.take(raw)
    return reader.result("")


def _reader(first: bytes, encoding: str, limit: int, *, text: bool) -> _Plain | _Encoded:
    if not encoding and text and first.startswith(_GZIP):
        encoding = "gzip"
    return _Encoded(encoding, limit) if encoding else _Plain(limit)


class _Plain:
    """A body that is not encoded."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._chunks: list[bytes] = []

    def take(self, chunk: bytes) -> bool:
        """Add bytes; False when that is enough."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        return self._size <= self._limit

    def result(self, truncated: str) -> Body:
        """What came, cut at the limit."""
        body = b"".join(self._chunks)
        if self._size > self._limit:
            body = body[: self._limit]
            truncated = "length"
        return Body(body, body, truncated)


class _Encoded:
    """A body that is decoded as it comes."""

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
        """Add bytes; False when that is enough, or when they cannot be decoded."""
        self._raw.append(chunk)
        self._raw_size += len(chunk)
        try:
            # One byte more than may be kept shows that the body is longer.
            piece = self._decoder.feed(chunk, self._limit + 1 - self._size)
        except BrokenEncodingError:
            self._broken = True
            return False
        self._chunks.append(piece)
        self._size += len(piece)
        return self._size <= self._limit and self._raw_size <= self._limit + _SLACK

    def result(self, truncated: str) -> Body:
        """What could be decoded, cut at the limit."""
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
