"""The WARC files of a crawl: every answer as it came, a gzip member a record."""

from __future__ import annotations

import hashlib
import io
import os
from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import urlsplit

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Headers, Response
from honeyguide.fetch.decompress import BrokenEncodingError, decoder_for, salvage
from honeyguide.version import VERSION

ROTATE_AT = 1_000_000_000
_LEVEL = 2  # three times as fast as level 6 for files a tenth larger
_HTTP_REQUEST = "application/http; msgtype=request"
_HTTP_RESPONSE = "application/http; msgtype=response"
_REVISIT = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_WARC_REASONS = ("length", "disconnect")
# The body is stored without its transfer coding, which the header must not claim then.
_HOP_BY_HOP = frozenset({"transfer-encoding", "connection", "keep-alive", "proxy-connection"})


class Spot(NamedTuple):
    """Where a record lies: the number of the file, and the bytes of it."""

    file: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Twin:
    """An earlier answer with the same payload."""

    url: str
    fetched: float


def file_name(number: int) -> str:
    """The name of the WARC file with a number."""
    return f"pages-{number:05}.warc.gz"


def payload_digest(response: Response) -> bytes:
    """SHA-1 of the body as it came over the wire: what makes two answers the same payload."""
    return hashlib.sha1(response.raw, usedforsecurity=False).digest()


class Archive:
    """Appends to the newest WARC file of a folder. What is written is safe after `sync` only."""

    def __init__(self, folder: Path, number: int = 0, end: int = 0, *, rotate_at: int = ROTATE_AT) -> None:
        """Go on behind the byte `end` of file `number`; whatever lies beyond it was never recorded and is cut."""
        self._folder = folder
        self._rotate_at = rotate_at
        self.number = number
        self._file = self._open(end)

    def _open(self, end: int) -> BinaryIO:
        path = self._folder / file_name(self.number)
        there = path.stat().st_size if path.exists() else 0
        if there < end:
            raise HoneyguideError(
                f"{path}: {end} bytes are recorded but only {there} are there: "
                "the archive was cut or exchanged; put the right file back"
            )
        for later in self._folder.glob("pages-*.warc.gz"):
            if later.name > path.name:
                later.unlink()
        file = path.open("ab")
        file.truncate(end)
        file.seek(end)
        if not end:
            file.write(_gzipped(_warcinfo(path.name)))
        return file

    @property
    def end(self) -> int:
        """Length of the newest file so far."""
        return self._file.tell()

    def write(self, response: Response, digest: bytes, twin: Twin | None = None) -> Spot:
        """Append request and response, or request and revisit when an earlier answer was the same. Says where."""
        if self.end >= self._rotate_at:
            self.sync()
            self._file.close()
            self.number += 1
            self._file = self._open(0)
        answer = _answer_record(response, twin)
        request = _request_record(response, answer.record_id)
        self._file.write(_gzipped(request))
        offset = self._file.tell()
        written = self._file.write(_gzipped(answer, digest))
        return Spot(self.number, offset, written)

    def sync(self) -> None:
        """Everything written so far survives a power cut."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write out and let go."""
        self.sync()
        self._file.close()


def _warcinfo(name: str) -> WarcRecord:
    record = WarcRecord()
    record.init_headers(record_type=WarcRecordType.warcinfo)
    record.headers["WARC-Filename"] = name
    record.headers["Content-Type"] = "application/warc-fields"
    record.set_bytes_content(f"software: honeyguide/{VERSION}\r\nformat: WARC File Format 1.1\r\n".encode())
    return record


def _gzipped(record: WarcRecord, payload: bytes | None = None) -> bytes:
    buffer = io.BytesIO()
    member = GzipWriter(buffer, compression_level=_LEVEL)
    if payload is None:
        record.write(member, checksum_data=True)
    else:
        record.write(member, checksum_data=True, payload_digest=payload)
    member.finish()
    return buffer.getvalue()


def _answer_record(response: Response, twin: Twin | None) -> WarcRecord:
    record = WarcRecord()
    record.init_headers(record_type=WarcRecordType.revisit if twin else WarcRecordType.response)
    headers = record.headers
    headers["WARC-Target-URI"] = response.url
    headers["WARC-Date"] = warc_date(response.started)
    headers["Content-Type"] = _HTTP_RESPONSE
    if response.ip:
        headers["WARC-IP-Address"] = response.ip
    if response.truncated:
        # A broken content encoding is none of the reasons that WARC has a word for.
        headers["WARC-Truncated"] = response.truncated if response.truncated in _WARC_REASONS else "unspecified"
    block = _header_block(f"HTTP/1.1 {response.status} {response.reason}".rstrip(), response.headers, response.raw)
    if twin:
        headers["WARC-Profile"] = _REVISIT
        headers["WARC-Refers-To-Target-URI"] = twin.url
        headers["WARC-Refers-To-Date"] = warc_date(twin.fetched)
    else:
        block += response.raw
    record.set_bytes_content(block)
    return record


def _request_record(response: Response, answer: str | None) -> WarcRecord:
    parts = urlsplit(response.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = response.request_headers
    if not any(name.lower() == "host" for name, _ in sent):
        sent = (("Host", parts.netloc), *sent)
    record = WarcRecord()
    record.init_headers(record_type=WarcRecordType.request)
    headers = record.headers
    headers["WARC-Target-URI"] = response.url
    headers["WARC-Date"] = warc_date(response.started)
    headers["WARC-Concurrent-To"] = answer or ""
    headers["Content-Type"] = _HTTP_REQUEST
    record.set_bytes_content(_header_block(f"GET {target} HTTP/1.1", sent))
    return record


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


def warc_date(time: float) -> str:
    """A time as WARC 1.1 writes it, to the microsecond."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def digest_text(digest: bytes) -> str:
    """A payload digest as WARC headers show it."""
    return f"sha1:{b32encode(digest).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Stored:
    """A payload read back, decompressed, with the header that came with it."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """The first value of a header, by lower-case name; empty when absent."""
        return next((value for key, value in self.headers if key.lower() == name), "")


def read_record(folder: Path, spot: Spot, limit: int) -> Stored:
    """The answer that lies at a spot. A revisit has an empty body: ask for the page it repeats."""
    with (folder / file_name(spot.file)).open("rb") as file:
        file.seek(spot.offset)
        for record in ArchiveIterator(io.BytesIO(file.read(spot.length)), parse_http=True):
            headers: Headers = tuple((str(name), str(value)) for name, value in record.http_headers.items())
            raw = record.reader.read()
            encoding = next((value for name, value in headers if name.lower() == "content-encoding"), "")
            return Stored(record.http_headers.status_code or 0, headers, _decoded(encoding, raw, limit))
    raise HoneyguideError(f"{folder / file_name(spot.file)}: no record at byte {spot.offset}")


def _decoded(encoding: str, raw: bytes, limit: int) -> bytes:
    if not encoding:
        return raw[:limit]
    try:
        return decoder_for(encoding).feed(raw, limit)
    except BrokenEncodingError:
        return salvage(encoding, raw, limit)[0]
