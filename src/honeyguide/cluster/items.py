"""What one shard has for another: links, redirects, listed URLs, and what became of links, as bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from honeyguide.crawl.arrivals import Arrivals
from honeyguide.crawl.wire import pack_result, unpack_reading
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.reading import Reading

_LINKS, _REDIRECT, _LISTED, _CREDIT = b"L", b"R", b"S", b"C"
_LENGTH = 4


class PageLinks(NamedTuple):
    """Links of a page that all belong to one shard."""

    parent: str
    depth: int
    """Of the page."""
    note: bytes
    """What the page's queue says of it."""
    doubtful: bool
    """Whether its host is on probation."""
    is_copy: bool
    reading: Reading
    """The page, with these links alone."""


class Redirect(NamedTuple):
    """A URL that redirects to another shard."""

    source: str
    depth: int
    priority: float
    target: str
    known: bytes
    hops: int
    is_seed: bool
    level: int | None


class ListedUrls(NamedTuple):
    """URLs that a sitemap or feed lists."""

    listing: str
    urls: Sequence[str]
    form: str
    level: int


class Credit(NamedTuple):
    """What became of links of a page."""

    url: str
    pages: int
    outcome: float


Item = PageLinks | Redirect | ListedUrls | Credit


def restricted(reading: Reading, links: LinkTable, all_links: int) -> Reading:
    """What another shard gets of a page: a few numbers, and those of its links that belong there."""
    return replace(
        reading,
        title="",
        language="",
        words=0,
        signature=b"",
        sample=b"",
        left_out={},
        accepted={},
        links=links,
        links_elsewhere=all_links - len(links),
    )


def pack(item: Item) -> bytes:
    """An item as bytes."""
    if isinstance(item, PageLinks):
        links = item.reading.links
        small = {name: _small(column) for name, column in links.columns.items()}
        table = LinkTable(links.urls, links.scores.astype(np.float32), small)
        about = (item.parent, item.depth, item.note.hex(), item.doubtful, item.is_copy, item.reading.links_elsewhere)
        return _LINKS + _header(about) + pack_result(replace(item.reading, links=table))
    if isinstance(item, Redirect):
        return _REDIRECT + _header(item._replace(known=item.known.hex()))  # type: ignore[arg-type]
    return (_LISTED if isinstance(item, ListedUrls) else _CREDIT) + _header(item)


def unpack(content: bytes) -> Item:
    """The item that `pack` made these bytes of."""
    end = 1 + _LENGTH + int.from_bytes(content[1 : 1 + _LENGTH], "little")
    header = json.loads(content[1 + _LENGTH : end])
    match content[:1]:
        case b"L":
            parent, depth, note, doubtful, is_copy, elsewhere = header
            reading = unpack_reading(content[end:])
            links = reading.links
            large = {name: _large(column) for name, column in links.columns.items()}
            table = LinkTable(links.urls, links.scores.astype(np.float64), large)
            reading = replace(reading, links=table, links_elsewhere=elsewhere)
            return PageLinks(parent, depth, bytes.fromhex(note), doubtful, is_copy, reading)
        case b"R":
            return Redirect(*header)._replace(known=bytes.fromhex(header[4]))
        case b"S":
            return ListedUrls(*header)
        case _:
            return Credit(*header)


def apply(item: Item, arrivals: Arrivals, now: float) -> None:
    """Let an item have its effect on the shard that it was for."""
    match item:
        case PageLinks(parent, depth, note, doubtful, is_copy, reading):
            arrivals.links(parent, depth, reading, note, doubtful=doubtful, is_copy=is_copy)
        case Redirect(source, depth, priority, target, known, hops, is_seed, level):
            arrivals.redirect(source, depth, priority, target, known, hops=hops, is_seed=is_seed, level=level)
        case ListedUrls(listing, urls, form, level):
            arrivals.listed(listing, urls, form, level, now)
        case Credit(url, pages, outcome):
            arrivals.credit(url, pages, outcome)


def _header(values: Sequence[Any]) -> bytes:
    text = json.dumps(list(values), separators=(",", ":")).encode("ascii")
    return len(text).to_bytes(_LENGTH, "little") + text


def _small(column: Any) -> Any:
    """Scores of texts with half precision, as strategies remember them anyway."""
    return column.astype(np.float16) if column.dtype == np.float32 else column


def _large(column: Any) -> Any:
    return column.astype(np.float32) if column.dtype == np.float16 else column
