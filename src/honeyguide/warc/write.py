"""Writing WARC records (WARC 1.1, ISO 28500).

Each record is one gzip member (`honeyguide.warc.gzip_member`), or one frame of Zstandard
(`honeyguide.warc.packing.zstd_frame`).

Implemented here rather than with fastwarc, whose records take one and a half times as long to fill and serialise as to
compress. Every page that is fetched passes here, in the process of the crawl's loop, so microseconds count.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from os import urandom
from types import MappingProxyType

from honeyguide.fetch.base import Headers, Response
from honeyguide.kernel import twin
from honeyguide.version import VERSION
from honeyguide.warc.gzip_member import gzip_member
from honeyguide.warc.record import RENDERED

_LEVEL = 2  # twice as fast as level 6 for files a tenth larger
_FASTEST = 1  # for requests, of a few hundred bytes: three times as fast for 80 bytes more
_STORED = 0  # for a body that was received compressed: compressing it again takes five times as long and saves 3 %
_SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_REASONS = ("length", "disconnect")
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS = [first + second for first in _DIGITS for second in _DIGITS]  # of 10 bits each
_PLACES = range(150, -1, -10)  # of the pairs in the 160 bits of a digest
_HOST_AND_TARGET = re.compile(r"[^:]*://([^/?#]*)([^#]*)").match
# The body is stored without its transfer coding, so the stored headers must not declare one.
_HOP_BY_HOP = frozenset({"transfer-encoding", "connection", "keep-alive", "proxy-connection"})


Pack = Callable[[bytes, int], bytes]
"""Compresses a record, with a level."""


@dataclass(frozen=True, slots=True)
class EarlierRecord:
    """An earlier response with the same payload."""

    url: str
    fetched: float


def payload_digest(response: Response) -> bytes:
    """SHA-1 of the body as it was received: two responses have the same payload if it is equal."""
    return hashlib.sha1(response.raw, usedforsecurity=False).digest()


def digest_text(digest: bytes) -> str:
    """A SHA-1 digest in the format of WARC headers."""
    return "sha1:" + _base32(digest)


@twin("words")
def _base32(digest: bytes) -> str:
    """20 bytes in base 32, which the standard library writes four times slower."""
    number = int.from_bytes(digest)
    return "".join([_PAIRS[number >> place & 1023] for place in _PLACES])


def warc_date(time: float) -> str:
    """A time in the format of WARC 1.1, to the microsecond."""
    microseconds = round(time * 1e6)
    return f"{_to_the_second(microseconds // 1_000_000)}.{microseconds % 1_000_000:06}Z"


@lru_cache(64)
def _to_the_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def info_record(
    name: str, now: float, about: Mapping[str, str] = MappingProxyType({}), pack: Pack = gzip_member
) -> bytes:
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
        pack=pack,
    )


def request_and_answer(
    response: Response, digest: bytes, twin: EarlierRecord | None, answer_id: str = "", pack: Pack = gzip_member
) -> tuple[bytes, bytes]:
    """Two records: the request, and the response, or a revisit when an earlier response had the same payload.

    `digest` is that of the payload: of the earlier one, if the server says that it still holds (304). The second one
    has the identifier `answer_id`, or else a new one.
    """
    answer_id = answer_id or new_id()
    shared = [f"WARC-Target-URI: {response.url}", f"WARC-Date: {warc_date(response.started)}"]
    fields = [*shared, f"WARC-Concurrent-To: {answer_id}", "Content-Type: application/http; msgtype=request"]
    request = new_record("request", new_id(), fields, _request_block(response), _FASTEST, pack)
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
        return request, new_record("response", answer_id, fields, block + response.raw, level, pack)
    fields += [
        f"WARC-Profile: {_NOT_MODIFIED if response.status == 304 else _SAME_PAYLOAD}",
        f"WARC-Refers-To-Target-URI: {twin.url}",
        f"WARC-Refers-To-Date: {warc_date(twin.fetched)}",
    ]
    return request, new_record("revisit", answer_id, fields, block, pack=pack)


def rendered_record(response: Response, answer_id: str, html: bytes, pack: Pack = gzip_member) -> bytes:
    """A record of the document rendered from a response, whose record has the identifier `answer_id`."""
    fields = [
        f"WARC-Target-URI: {response.url}",
        f"WARC-Date: {warc_date(response.started + response.elapsed)}",
        f"WARC-Refers-To: {answer_id}",
        "Content-Type: text/html; charset=utf-8",
    ]
    return new_record(RENDERED, new_id(), fields, html, pack=pack)


def new_id() -> str:
    """A new identifier for a record: a random UUID (RFC 9562, version 4)."""
    text = urandom(16).hex()
    variant = "89ab"[int(text[16], 16) & 3]
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}>"


def new_record(
    kind: str, record_id: str, fields: Iterable[str], block: bytes, level: int = _LEVEL, pack: Pack = gzip_member
) -> bytes:
    """A record, packed by `pack`; `fields` are the lines of its head, except those that every record has."""
    digest = digest_text(hashlib.sha1(block, usedforsecurity=False).digest())
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: {record_id}",
        *fields,
        f"WARC-Block-Digest: {digest}",
        f"Content-Length: {len(block)}",
    ]
    return pack(b"".join(("\r\n".join([*lines, "", ""]).encode(), block, b"\r\n\r\n")), level)


def _request_block(response: Response) -> bytes:
    found = _HOST_AND_TARGET(response.url)
    host, target = found.groups() if found else ("", "/")
    target = target if target.startswith("/") else f"/{target}"
    # The password of the user's proxy is left out, since archives are shared.
    sent = tuple([header for header in response.request_headers if header[0].lower() != "proxy-authorization"])
    if not any(name.lower() == "host" for name, _ in sent):
        sent = (("Host", host), *sent)
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
