"""What shards send each other, and its encoding: links, redirects, listed URLs, and credit for links."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.cluster import link_bytes
from honeyguide.cluster.compression import compress, decompress
from honeyguide.crawl.arrivals import Arrivals, ArrivedLinks
from honeyguide.crawl.neighbours import HERE
from honeyguide.crawl.wire import pack_result, unpack_reading
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.reading import Reading

Numbers = NDArray[np.intp]

_PLAIN, _LINKS, _REDIRECT, _LISTED, _CREDIT = b"P", b"L", b"R", b"S", b"C"
_LENGTH = 4
PAGE_ALONE: Final = 1
"""The page was judged again; the scores of its links are unchanged."""
LINKS_TOO: Final = 2
"""The page was judged again, and its links have new scores."""
VISITED_AGAIN: Final = 3
"""The page was revisited: only its new links count."""
NEW_MEANWHILE: Final = 4
"""The page was fetched for the first time by a run that otherwise only revisits pages."""
_PAGES_PER_TABLE: Final = 32  # pages per table of links, which the receiver applies in one turn of its loop


class PageLinks(NamedTuple):
    """Links of a page that all belong to one shard."""

    parent: str
    depth: int
    """The depth of the page."""
    note: bytes
    """The queue's note on the page: see `note` of the queue."""
    doubtful: bool
    """Whether its host is on probation."""
    is_copy: bool
    reading: Reading
    """The page, with these links alone."""
    revision: int = 0
    """0 for the first visit in an ordinary run, `NEW_MEANWHILE` for one in a run that only revisits pages. In all other
    cases the links may have been sent before: `PAGE_ALONE` or `LINKS_TOO` if the page was judged again (then `note` is
    the previous note followed by the new one), `VISITED_AGAIN` if it was revisited."""

    @property
    def is_judged_again(self) -> bool:
        """Whether the page was judged again."""
        return self.revision in (PAGE_ALONE, LINKS_TOO)


class Redirect(NamedTuple):
    """A URL that redirects to a URL of another shard."""

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
    """The outcome of visits to links of a page."""

    url: str
    pages: int
    outcome: float


Item = PageLinks | Redirect | ListedUrls | Credit


def restricted(reading: Reading, links: LinkTable, all_links: int) -> Reading:
    """Reduce a page to what another shard needs: a few numbers, and those of its links that belong there."""
    return Reading(
        title="",
        language="",
        words=0,
        signature=b"",
        relevance=float(reading.relevance),
        relevant=bool(reading.relevant),
        noindex=bool(reading.noindex),
        directory=bool(reading.directory),
        links=links,
        links_elsewhere=all_links - len(links),
    )


def pack(item: Item) -> bytes:
    """Encode an item."""
    if isinstance(item, PageLinks):
        links = PassedLinks([""])
        links.add(item, np.zeros(len(item.reading.links), np.intp))
        return next(links.take())[1]
    if isinstance(item, Redirect):
        return compress(_REDIRECT + _header(item._replace(known=item.known.hex())))  # type: ignore[arg-type]
    return compress(_LISTED + _header(item)) if isinstance(item, ListedUrls) else pack_credits([item])


class PassedLinks:
    """Pending pages with links to other shards. They are sent as one table, which is smaller and faster to handle."""

    def __init__(self, shards: Sequence[str]) -> None:
        """`shards` are the names of all shards."""
        self._shards = shards
        self._pages: list[_Pending] = []

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, page: PageLinks, owners: Numbers) -> None:
        """Add a page with links; `owners` has the number of the shard to send each one to, or `HERE`."""
        self._pages.append((page, owners))

    def take(self) -> Iterator[tuple[str, bytes]]:
        """Yield receivers and encoded items, in the order of the pages for each receiver, and forget the pages."""
        pages, self._pages = self._pages, []
        for _, same_form in groupby(pages, lambda one: _form(one[0].reading.links)):
            for receiver, content in _joined(list(same_form)):
                yield self._shards[receiver], content


_Pending = tuple[PageLinks, Numbers]


def _joined(pages: Sequence[_Pending]) -> Iterator[tuple[int, bytes]]:
    tables = [page.reading.links for page, _ in pages]
    columns = {name: _small(np.concatenate([table[name] for table in tables])) for name in tables[0].columns}
    scores: Any = np.concatenate([table.scores for table in tables]).astype(np.float32)
    table = LinkTable([url for one in tables for url in one.urls], scores, columns)
    page_of = np.repeat(np.arange(len(pages)), [len(table) for table in tables])
    owners = np.concatenate([own for _, own in pages])
    for receiver in np.unique(owners[owners != HERE]).tolist():
        rows = np.flatnonzero(owners == receiver)
        linking, counts = np.unique(page_of[rows], return_counts=True)
        headers = [
            _header_of(pages[page][0], count) for page, count in zip(linking.tolist(), counts.tolist(), strict=True)
        ]
        ends = np.cumsum(counts)
        for first in range(0, len(headers), _PAGES_PER_TABLE):
            some = slice(first, first + _PAGES_PER_TABLE)
            begin, end = ends[first] - counts[first], ends[some][-1]
            yield receiver, _packed(headers[some], table.take(rows[begin:end]))


def _packed(headers: Sequence[link_bytes.LinkingPage], own: LinkTable) -> bytes:
    if link_bytes.is_plain(own):
        return compress(_PLAIN + link_bytes.pack(headers, own))
    header = [[*one._replace(note=one.note.hex())] for one in headers]  # type: ignore[arg-type]
    return compress(_LINKS + _header(header) + pack_result(_links_only(own)))


def _links_only(links: LinkTable) -> Reading:
    """A reading that carries links and nothing else."""
    return Reading("", "", 0, b"", 0.0, relevant=False, noindex=False, threshold=0.0, links=links)


def pack_credits(found: Sequence[Credit]) -> bytes:
    """Encode credits."""
    return compress(_CREDIT + _header([one._replace(outcome=_rounded(one.outcome)) for one in found]))


def unpack(content: bytes) -> list[Item]:
    """Decode what `pack`, `PassedLinks` or `pack_credits` encoded."""
    content = decompress(content)
    if content[:1] == _PLAIN:
        return list(_pages(*link_bytes.unpack(content[1:])))
    end = 1 + _LENGTH + int.from_bytes(content[1 : 1 + _LENGTH], "little")
    header = json.loads(content[1 + _LENGTH : end])
    match content[:1]:
        case b"L":
            headers = [link_bytes.LinkingPage(*one)._replace(note=bytes.fromhex(one[1])) for one in header]
            return list(_pages(headers, unpack_reading(content[end:]).links))
        case b"R":
            return [Redirect(*header)._replace(known=bytes.fromhex(header[4]))]
        case b"S":
            return [ListedUrls(*header)]
        case _:
            return [Credit(*one) for one in header]


def _form(links: LinkTable) -> tuple[Any, ...]:
    """The names and types of a table's columns: only tables of the same form can be joined."""
    return tuple((name, column.dtype.kind, column.shape[1:]) for name, column in links.columns.items())


def _header_of(page: PageLinks, links: int) -> link_bytes.LinkingPage:
    """The header that is sent once for `links` links of a page."""
    reading = page.reading
    marks = page.doubtful | page.is_copy << 1 | reading.relevant << 2 | reading.directory << 3 | reading.noindex << 4
    marks |= page.revision << 5
    elsewhere = len(reading.links) + reading.links_elsewhere - links
    return link_bytes.LinkingPage(page.parent, page.note, marks, reading.relevance, page.depth, links, elsewhere)


def _rounded(value: float) -> float:
    """Round to five digits, which is precise enough for a credit."""
    return float(f"{value:.5g}")


def _pages(headers: Iterable[link_bytes.LinkingPage], links: LinkTable) -> Iterator[PageLinks]:
    scores = links.scores.astype(np.float64)
    columns = {name: _large(column) for name, column in links.columns.items()}
    first = 0
    for parent, note, marks, relevance, depth, count, elsewhere in headers:
        own = slice(first, first + count)
        first += count
        table = LinkTable(links.urls[own], scores[own], {name: column[own] for name, column in columns.items()})
        reading = Reading(
            title="",
            language="",
            words=0,
            signature=b"",
            relevance=relevance,
            relevant=bool(marks & 4),
            noindex=bool(marks & 16),
            directory=bool(marks & 8),
            links=table,
            links_elsewhere=elsewhere,
        )
        yield PageLinks(parent, depth, note, bool(marks & 1), bool(marks & 2), reading, marks >> 5)


def apply(found: Sequence[Item], arrivals: Arrivals, now: float, *, only_revisits: bool = False) -> None:
    """Apply items to the shard that received them, in order.

    In a run that only revisits pages (`only_revisits`), links that an earlier run has not delivered stay pending.
    """
    for origin, some in groupby(found, _origin):
        if origin is None:
            for one in some:
                _apply(one, arrivals, now)
        else:
            pages = [_arrived(one) for one in some if isinstance(one, PageLinks)]
            arrivals.links(pages, keep_waiting=only_revisits and origin != NEW_MEANWHILE)


def _origin(item: Item) -> int | None:
    """The revision of a page that was fetched for the first time, 0 or `NEW_MEANWHILE`; None for any other item.

    The links of consecutive pages with the same origin are offered together.
    """
    return item.revision if isinstance(item, PageLinks) and item.revision in (0, NEW_MEANWHILE) else None


def _arrived(page: PageLinks) -> ArrivedLinks:
    return ArrivedLinks(page.parent, page.depth, page.reading, page.note, page.doubtful, page.is_copy)


def _apply(item: Item, arrivals: Arrivals, now: float) -> None:
    match item:
        case PageLinks(note=note, reading=reading, revision=revision) if item.is_judged_again:
            half = len(note) // 2
            arrivals.revision(reading, note[:half], note[half:], links=revision == LINKS_TOO)
        case PageLinks(reading=reading):  # it was revisited
            arrivals.keep_new(reading)
            arrivals.links([_arrived(item)])
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
    """Reduce scores of texts to half precision, in which strategies store them anyway."""
    return column.astype(np.float16) if column.dtype == np.float32 else column


def _large(column: Any) -> Any:
    return column.astype(np.float32) if column.dtype == np.float16 else column
