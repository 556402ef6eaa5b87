"""A compact binary encoding of the links of some pages: columns of numbers, without names or delimiters.

With many shards, a parcel often has a single link, and the header of its page takes more space than the link itself,
so every byte counts. Bytes that are the same in every message cost next to nothing after compression.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Any, NamedTuple

import numpy as np

from honeyguide.strategy.link_table import LinkTable

_SCORES = np.dtype("<f4")
_PAGE = Struct("<BBe")


class LinkingPage(NamedTuple):
    """The header of a page, sent once for all its links."""

    parent: str
    note: bytes
    marks: int
    relevance: float
    """With half precision."""
    depth: int
    links: int
    """How many rows of the table are its links."""
    elsewhere: int


def is_plain(table: LinkTable) -> bool:
    """Whether a table has only numeric columns, as `pack` requires."""
    return all(column.dtype.kind in "biuf" for column in table.columns.values())


def pack(pages: Sequence[LinkingPage], table: LinkTable) -> bytes:
    """Encode pages, with the links of all of them in one table."""
    form = [[name, column.dtype.str, column.shape[1:]] for name, column in table.columns.items()]
    out = bytearray()
    _add(out, json.dumps(form, separators=(",", ":")).encode())
    _number(out, len(pages))
    for page in pages:
        out += _PAGE.pack(page.marks, len(page.note), page.relevance) + page.note
        for number in (page.depth, page.links, page.elsewhere):
            _number(out, number)
        _add(out, _text(page.parent))
    _add(out, _text("\n".join(table.urls)))
    out += table.scores.astype(_SCORES).tobytes()
    for column in table.columns.values():
        out += column.tobytes()
    return bytes(out)


def unpack(content: bytes) -> tuple[list[LinkingPage], LinkTable]:
    """Decode what `pack` encoded."""
    form, at = _part(content, 0)
    count, at = _read(content, at)
    pages = []
    for _ in range(count):
        marks, size, relevance = _PAGE.unpack_from(content, at)
        at += _PAGE.size
        note = content[at : at + size]
        depth, at = _read(content, at + size)
        links, at = _read(content, at)
        elsewhere, at = _read(content, at)
        parent, at = _part(content, at)
        pages.append(LinkingPage(_url(parent), note, marks, relevance, depth, links, elsewhere))
    joined, at = _part(content, at)
    rows = sum(page.links for page in pages)
    urls = _url(joined).split("\n") if rows else []
    scores, at = _column(content, at, _SCORES, (rows,))
    columns = {}
    for name, kind, shape in json.loads(form):
        columns[name], at = _column(content, at, np.dtype(kind), (rows, *shape))
    return pages, LinkTable(urls, scores, columns)


def _column(content: bytes, at: int, kind: np.dtype[Any], shape: Iterable[int]) -> tuple[Any, int]:
    size = int(np.prod(list(shape)))
    return np.frombuffer(content, kind, size, at).reshape(*shape), at + size * kind.itemsize


def _text(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")


def _url(text: bytes) -> str:
    return text.decode("utf-8", "surrogatepass")


def _number(out: bytearray, number: int) -> None:
    """Append a number as a varint: seven bits per byte, the lowest first."""
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _read(content: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while content[at] > 0x7F:
        number |= (content[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | content[at] << shift, at + 1


def _add(out: bytearray, part: bytes) -> None:
    _number(out, len(part))
    out += part


def _part(content: bytes, at: int) -> tuple[bytes, int]:
    size, at = _read(content, at)
    return content[at : at + size], at + size
