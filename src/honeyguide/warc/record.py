"""Parsing the bytes of a WARC record: its head, its HTTP head, and the response as a fetcher would have returned it."""

from __future__ import annotations

import re
from typing import NamedTuple

from honeyguide.fetch.base import Headers, Response
from honeyguide.fetch.body import Body, whole_body
from honeyguide.fetch.decompress import BrokenEncodingError

HEAD_LIMIT = 65_536
"""Maximum length of a WARC or HTTP head; anything longer is not a head."""

BEGIN = b"WARC/"
_MAX_DIGITS = 18  # of a length in bytes

HTML = frozenset({"text/html", "application/xhtml+xml", ""})
"""Media types that are read as HTML. A response without a media type may be HTML."""

RENDERED = "conversion"
"""The type of a record with the document that a browser has rendered from a response."""

_TEXT = HTML | {"text/plain"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BLANK = re.compile(rb"\n\r?\n")
_STATUS = re.compile(r"HTTP/[0-9.]+ +([0-9]{3})(?: +(.*))?").match
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]*\r?\n").match


class Record(NamedTuple):
    """A WARC record: its head, and all or the beginning of its content."""

    fields: dict[str, str]
    """The fields of the head by lower-case name."""
    block: bytes
    """The content, or as much of it as was requested."""
    offset: int = 0
    """Where the record begins in its file."""
    length: int = 0
    """The number of bytes that it takes there."""
    check: int = 0
    """CRC-32 of the decompressed record: the same whether its file is compressed or not."""

    @property
    def kind(self) -> str:
        """``response``, ``request``, ``revisit``, ``warcinfo`` ..."""
        return self.fields.get("warc-type", "")

    @property
    def url(self) -> str:
        """Its target URL, as it was written; "" when there is none."""
        return bare_url(self.fields.get("warc-target-uri", ""))


class HttpHead(NamedTuple):
    """Status line and headers of a response."""

    status: int
    reason: str
    headers: Headers
    size: int
    """The number of bytes before the body."""

    def header(self, name: str) -> str:
        """The first value of a header, by lower-case name; empty when absent."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def media_type(self) -> str:
        """The media type that the response declares, in lower case, without parameters."""
        return self.header("content-type").partition(";")[0].partition(",")[0].strip().lower()

    @property
    def is_page(self) -> bool:
        """Whether the response is a successful one with a text that can be read."""
        return 200 <= self.status < 300 and self.media_type in _TEXT

    @property
    def is_redirect(self) -> bool:
        """Whether the response redirects to another URL."""
        return self.status in _REDIRECTS and bool(self.header("location"))


def end_of_head(data: bytes) -> int:
    """The position at which the head at the beginning of `data` ends; -1 when its end is not in `data`."""
    found = _BLANK.search(data)
    return found.end() if found else -1


def warc_fields(head: bytes) -> dict[str, str]:
    """The fields of a WARC head by lower-case name; the version line is skipped."""
    return {name.lower(): value for name, value in _lines(head)}


def http_head(block: bytes) -> HttpHead | None:
    """The HTTP head at the beginning of a record's block; None when there is none."""
    size = end_of_head(block)
    if size < 0:  # no body, and no blank line either
        size = len(block)
    first, _, rest = block[:size].partition(b"\n")
    status = _STATUS(_text(first).strip())
    if status is None:
        return None
    return HttpHead(int(status[1]), status[2] or "", tuple(_lines(b"\n" + rest)), size)


def _lines(head: bytes) -> list[tuple[str, str]]:
    """Names and values of a head after its first line. Folded values are joined; lines without a colon are ignored."""
    found: list[tuple[str, str]] = []
    for line in _text(head).split("\n")[1:]:
        if line[:1] in {" ", "\t"} and found:
            name, value = found[-1]
            found[-1] = name, f"{value} {line.strip()}"
            continue
        name, colon, value = line.partition(":")
        if colon and name:
            found.append((name.strip(), value.strip()))
    return found


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse_record(data: bytes) -> Record:
    """Parse a record from all or the first of its decompressed bytes. Raises `ValueError` when there is no record."""
    start = end_of_head(data)
    if start < 0 or not data.startswith(BEGIN):
        raise ValueError("there is no WARC record")
    fields = warc_fields(data[:start])
    length = fields.get("content-length", "0")
    if not is_length(length):
        raise ValueError("there is no WARC record")
    return Record(fields, data[start : start + int(length)])


def is_length(text: str) -> bool:
    """Whether a text is a plausible Content-Length: a limited number of digits."""
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS


def response_of(url: str, record: Record, original: Record | None, limit: int) -> Response:
    """The response in a record as a fetcher would have returned it, with a body of at most `limit` bytes.

    `original` is the record that a revisit refers to: the body is taken from it, and so is the head when the revisit
    has none. Or it is what a browser has made of the response, which is then its body. Raises `ValueError` when there
    is no HTTP response.
    """
    if original is not None and original.kind == RENDERED:
        response = response_of(url, record, None, limit)
        response.body = original.block[:limit]
        return response
    source = original or record
    source_head = http_head(source.block)
    head = (http_head(record.block) if original else source_head) or source_head
    if head is None or source_head is None:
        raise ValueError("there is no HTTP response")
    body = body_of(source, source_head, limit)
    return Response(
        url=url,
        status=head.status,
        reason=head.reason,
        headers=head.headers,
        body=body.body,
        raw=body.raw,
        request_headers=(),
        truncated=body.truncated or _truncated(source.fields.get("warc-truncated", "")),
    )


def bare_url(text: str) -> str:
    """A URL without the angle brackets in which some tools enclose it."""
    return text.strip("<>")


def body_of(record: Record, head: HttpHead, limit: int) -> Body:
    """The decoded body of the response in a record with a given HTTP head, at most `limit` bytes long."""
    raw = record.block[head.size :]
    if "chunked" in head.header("transfer-encoding").lower():
        raw = unchunked(raw)
    try:
        return whole_body(raw, head.header("content-encoding"), limit, text=head.media_type in _TEXT)
    except BrokenEncodingError:
        return Body(b"", raw, "encoding")


def _truncated(reason: str) -> str:
    """The value of `Response.truncated` for a WARC-Truncated field."""
    if reason in {"", "length", "disconnect"}:
        return reason
    return "disconnect" if reason == "time" else "length"


def unchunked(raw: bytes) -> bytes:
    """A body without chunked encoding; unchanged if it has no chunks, as with tools that only keep the header."""
    pieces: list[bytes] = []
    at = 0
    while chunk := _CHUNK(raw, at):
        size = int(chunk[1], 16)
        if not size:
            return b"".join(pieces)
        pieces.append(raw[chunk.end() : chunk.end() + size])
        at = chunk.end() + size
        at += 2 if raw[at : at + 2] == b"\r\n" else 1
    # Of a body that ends without its last chunk, the chunks received are returned; one without chunks is complete.
    return b"".join(pieces) if pieces and at >= len(raw) else raw
