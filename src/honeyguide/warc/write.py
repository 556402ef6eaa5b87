"""Writing WARC records (WARC 1.1, ISO 28500): each record is one gzip member.

Implemented here rather than with fastwarc, whose records take one and a half times as long to fill and serialise as to
compress.
"""

from __future__ import annotations

import hashlib
import io
from base64 import b32encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from urllib.parse import urlsplit
from uuid import uuid4

from fastwarc.stream_io import GzipWriter

from honeyguide.fetch.base import Headers, Response
from honeyguide.version import VERSION

_LEVEL = 2  # twice as fast as level 6 for files a tenth larger
_STORED = 0  # for a body that was received compressed: compressing it again takes five times as long and saves 3 %
_REVISIT = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_REASONS = ("length", "disconnect")
# The body is stored without its transfer coding, so the stored headers must not declare one.
_HOP_BY_HOP = frozenset({"transfer-encoding", "connection", "keep-alive", "proxy-connection"})


@dataclass(frozen=True, slots=True)
class EarlierRecord:
    """An earlier response with the same payload."""

    url: str
    fetched: float


def payload_digest(response: Response) -> bytes:
    """SHA-1 of the body as it was received: two responses have the same payload if it is equal."""
    return hashlib.sha1(response.raw, usedforsecurity=False).digest()


def digest_text(digest: bytes) -> str:
    """A digest in the format of WARC headers."""
    return f"sha1:{b32encode(digest).decode('ascii')}"


def warc_date(time: float) -> str:
    """A time in the format of WARC 1.1, to the microsecond."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def info_record(name: str, now: float, about: Mapping[str, str] = MappingProxyType({})) -> bytes:
    """The record at the beginning of a WARC file: the software, and the fields of `about`.

    `name` is the name of the file; "" if it is not known.
    """
    fields = [f"WARC-Date: {warc_date(now)}", *([f"WARC-Filename: {name}"] if name else [])]
    block = {"software": f"honeyguide/{VERSION}", "format": "WARC File Format 1.1", **about}
    return new_record(
        "warcinfo",
        new_id(),
        [*fields, "Content-Type: application/warc-fields"],
        "".join(f"{key}: {value}\r\n" for key, value in block.items()).encode(),
    )


def request_and_answer(response: Response, digest: bytes, twin: EarlierRecord | None) -> tuple[bytes, bytes]:
    """Two records: the request, and the response, or a revisit when an earlier response had the same payload."""
    answer_id = new_id()
    shared = [f"WARC-Target-URI: {response.url}", f"WARC-Date: {warc_date(response.started)}"]
    fields = [*shared, f"WARC-Concurrent-To: {answer_id}", "Content-Type: application/http; msgtype=request"]
    request = new_record("request", new_id(), fields, _request_block(response))
    fields = [*shared, "Content-Type: application/http; msgtype=response"]
    if response.ip:
        fields.append(f"WARC-IP-Address: {response.ip}")
    if response.truncated:
        # WARC has no word for a broken content encoding.
        fields.append(f"WARC-Truncated: {response.truncated if response.truncated in _REASONS else 'unspecified'}")
    fields.append(f"WARC-Payload-Digest: {digest_text(digest)}")
    block = _header_block(f"HTTP/1.1 {response.status} {response.reason}".rstrip(), response.headers, response.raw)
    if twin is None:
        level = _STORED if response.header("content-encoding") else _LEVEL
        return request, new_record("response", answer_id, fields, block + response.raw, level)
    fields += [
        f"WARC-Profile: {_REVISIT}",
        f"WARC-Refers-To-Target-URI: {twin.url}",
        f"WARC-Refers-To-Date: {warc_date(twin.fetched)}",
    ]
    return request, new_record("revisit", answer_id, fields, block)


def new_id() -> str:
    """A new identifier for a record."""
    return f"<urn:uuid:{uuid4()}>"


def new_record(kind: str, record_id: str, fields: Iterable[str], block: bytes, level: int = _LEVEL) -> bytes:
    """A record as a gzip member; `fields` are the lines of its head, except those that every record has."""
    digest = digest_text(hashlib.sha1(block, usedforsecurity=False).digest())
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: {record_id}",
        *fields,
        f"WARC-Block-Digest: {digest}",
        f"Content-Length: {len(block)}",
    ]
    buffer = io.BytesIO()
    member = GzipWriter(buffer, compression_level=level)
    member.write("\r\n".join([*lines, "", ""]).encode())
    member.write(block)
    member.write(b"\r\n\r\n")
    member.finish()
    return buffer.getvalue()


def _request_block(response: Response) -> bytes:
    parts = urlsplit(response.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    # The password of the user's proxy is between the two of them: archives are made to be passed on.
    sent = tuple([header for header in response.request_headers if header[0].lower() != "proxy-authorization"])
    if not any(name.lower() == "host" for name, _ in sent):
        sent = (("Host", parts.netloc), *sent)
    return _header_block(f"GET {target} HTTP/1.1", sent)


def _header_block(first: str, headers: Headers, body: bytes | None = None) -> bytes:
    lines = [first]
    for name, value in headers:
        lower = name.lower()
        if lower in _HOP_BY_HOP:
            lines.append(f"X-Archive-Orig-{name}: {value}")
        elif lower != "content-length" or body is None:
            lines.append(f"{name}: {value}")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")
