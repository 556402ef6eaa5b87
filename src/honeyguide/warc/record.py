"""A WARC record as bytes: its head, the HTTP head in it, and the answer as a fetcher would have returned it."""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

from honeyguide.fetch.base import Headers, Response
from honeyguide.fetch.body import Body, whole_body
from honeyguide.fetch.decompress import BrokenEncodingError

HEAD_LIMIT = 65_536
"""A longer head, of WARC or of HTTP, is no head."""

BEGIN = b"WARC/"
GZIP = b"\x1f\x8b"

HTML = frozenset({"text/html", "application/xhtml+xml", ""})
"""What is read as HTML. An answer that does not say what it is may be."""

_TEXT = HTML | {"text/plain"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BLANK = re.compile(rb"\n\r?\n")
_STATUS = re.compile(r"HTTP/[0-9.]+ +([0-9]{3})(?: +(.*))?").match
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]*\r?\n").match


class Record(NamedTuple):
    """A WARC record: its head, and its content or the beginning of it."""

    fields: dict[str, str]
    """By lower-case name."""
    block: bytes
    """The content, as far as it was asked for."""
    offset: int = 0
    """Where the record begins in its file."""
    length: int = 0
    """The bytes that it takes there."""
    check: int = 0
    """CRC-32 of the record, unpacked: the same whether it lies in a compressed file or not."""

    @property
    def kind(self) -> str:
        """``response``, ``request``, ``revisit``, ``warcinfo`` ..."""
        return self.fields.get("warc-type", "")

    @property
    def url(self) -> str:
        """The address it is about, as it was written; "" when it names none."""
        return bare_url(self.fields.get("warc-target-uri", ""))


class HttpHead(NamedTuple):
    """Status line and headers of an answer."""

    status: int
    reason: str
    headers: Headers
    size: int
    """Bytes up to the body."""

    def header(self, name: str) -> str:
        """The first value of a header, by lower-case name; empty when absent."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def media_type(self) -> str:
        """What the answer says it is, in lower case, without parameters."""
        return self.header("content-type").partition(";")[0].partition(",")[0].strip().lower()

    @property
    def is_page(self) -> bool:
        """Whether it answers with a text to read."""
        return 200 <= self.status < 300 and self.media_type in _TEXT

    @property
    def is_redirect(self) -> bool:
        """Whether it sends its reader elsewhere."""
        return self.status in _REDIRECTS and bool(self.header("location"))


def end_of_head(data: bytes) -> int:
    """Where the head that the bytes begin with has ended; -1 when they hold no end of it."""
    found = _BLANK.search(data)
    return found.end() if found else -1


def warc_fields(head: bytes) -> dict[str, str]:
    """The fields of a WARC head by lower-case name; the line with the version is passed over."""
    return {name.lower(): value for name, value in _lines(head)}


def http_head(block: bytes) -> HttpHead | None:
    """The HTTP head that a record's block begins with; None when there is none."""
    size = end_of_head(block)
    if size < 0:  # no body, and no blank line either
        size = len(block)
    first, _, rest = block[:size].partition(b"\n")
    status = _STATUS(_text(first).strip())
    if status is None:
        return None
    return HttpHead(int(status[1]), status[2] or "", tuple(_lines(b"\n" + rest)), size)


def _lines(head: bytes) -> list[tuple[str, str]]:
    """Names and values of a head behind its first line. A folded value is one; lines without a colon are nothing."""
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
    """A record from its unpacked bytes, or the first of them. Raises `ValueError` when they do not begin with one."""
    start = end_of_head(data)
    if start < 0 or not data.startswith(BEGIN):
        raise ValueError("no WARC record")
    fields = warc_fields(data[:start])
    return Record(fields, data[start : start + int(fields.get("content-length", "0"))])


def unpacked(data: bytes, most: int) -> bytes:
    """The bytes of a record as they lie in a file, without gzip, at most `most` of them. Raises `ValueError`."""
    if not data.startswith(GZIP):
        return data[:most]
    try:
        return zlib.decompressobj(31).decompress(data, most)
    except zlib.error as error:
        raise ValueError(str(error)) from None


def response_of(url: str, record: Record, original: Record | None, limit: int) -> Response:
    """The answer in a record as a fetcher would have returned it, its body at most `limit` bytes long.

    `original` is the record that a revisit repeats: the body is taken from it, and so is the head when the revisit
    has none. Raises `ValueError` when there is no HTTP answer.
    """
    source = original or record
    source_head = http_head(source.block)
    head = (http_head(record.block) if original else source_head) or source_head
    if head is None or source_head is None:
        raise ValueError("no HTTP answer")
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
    """An address without the angle brackets that some tools write it in."""
    return text.strip("<>")


def body_of(record: Record, head: HttpHead, limit: int) -> Body:
    """The body of the answer in a record whose HTTP head is known, decoded, at most `limit` bytes long."""
    raw = record.block[head.size :]
    if "chunked" in head.header("transfer-encoding").lower():
        raw = unchunked(raw)
    try:
        return whole_body(raw, head.header("content-encoding"), limit, text=head.media_type in _TEXT)
    except BrokenEncodingError:
        return Body(b"", raw, "encoding")


def _truncated(reason: str) -> str:
    """Why the archive's body is not whole, in a response's words."""
    if reason in {"", "length", "disconnect"}:
        return reason
    return "disconnect" if reason == "time" else "length"


def unchunked(raw: bytes) -> bytes:
    """A body without its chunks; as it is when it has none, as in archives of tools that only keep the header."""
    pieces: list[bytes] = []
    at = 0
    while chunk := _CHUNK(raw, at):
        size = int(chunk[1], 16)
        if not size:
            return b"".join(pieces)
        pieces.append(raw[chunk.end() : chunk.end() + size])
        at = chunk.end() + size
        at += 2 if raw[at : at + 2] == b"\r\n" else 1
    # A body that breaks off between chunks is kept as far as it goes; one that never had any is whole.
    return b"".join(pieces) if pieces and at >= len(raw) else raw
