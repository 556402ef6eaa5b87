"""WARC files for tests, written record by record."""

from __future__ import annotations

import gzip
import hashlib
from base64 import b32encode
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HTML = (("Content-Type", "text/html"),)


class Record(NamedTuple):
    """A record to be written."""

    url: str
    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = HTML
    kind: str = "response"
    fields: tuple[tuple[str, str], ...] = ()
    head: bool = True
    """Whether the block has an HTTP head: revisits of old tools have none."""

    @property
    def block(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status} Said", *(f"{name}: {value}" for name, value in self.headers), "", ""]
        return ("\r\n".join(lines).encode() if self.head else b"") + self.body

    @property
    def plain(self) -> bytes:
        lines = ["WARC/1.1", f"WARC-Type: {self.kind}", f"WARC-Target-URI: {self.url}"]
        lines += [f"{name}: {value}" for name, value in self.fields]
        lines += ["Content-Type: application/http", f"Content-Length: {len(self.block)}", "", ""]
        return "\r\n".join(lines).encode() + self.block + b"\r\n\r\n"

    @property
    def packed(self) -> bytes:
        return gzip.compress(self.plain, mtime=0)


def page(url: str, text: str, **more: object) -> Record:
    """An HTML page."""
    return Record(url, f"<title>{text}</title><p>{text}".encode(), **more)  # type: ignore[arg-type]


def redirect(url: str, target: str) -> Record:
    """A redirect."""
    return Record(url, b"", 301, (("Location", target),))


def payload(body: bytes) -> tuple[str, str]:
    """The field that carries a payload's digest."""
    return "WARC-Payload-Digest", f"sha1:{b32encode(hashlib.sha1(body).digest()).decode()}"


def write(path: Path, records: Sequence[Record], *, packed: bool = True) -> Path:
    """A WARC file, record by record."""
    path.write_bytes(b"".join(record.packed if packed else record.plain for record in records))
    return path
