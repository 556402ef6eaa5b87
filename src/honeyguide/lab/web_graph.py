"""The graph of a virtual web: which page links to which, and which pages are copies of each other."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from honeyguide.lab.web import VirtualWeb
from honeyguide.lab.webs.mapped import load_arrays, save_arrays
from honeyguide.lab.webs.parts import webs_folder
from honeyguide.lab.webs.url_table import ARRAYS as OF_TABLE
from honeyguide.lab.webs.url_table import UrlTable
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import AcceptAll
from honeyguide.store.duplicates import Duplicates
from honeyguide.strategy.reading import Document, Reader, ReaderConfig

_VERSION = 2  # incremented when pages are read differently
_HOPS = 10  # maximum number of consecutive redirects
_CACHE_SIZE = 65_536  # cached lookups of URLs: most links of a page are also on the previous page

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class WebGraph:
    """The pages of a web, numbered in its order, with their links. Arrays are mapped from disk: they may be large."""

    table: UrlTable
    """All URLs that answer, with a page or a redirect."""
    places: Ints
    """For each page, the row of its URL in the table."""
    landings: Ints
    """For each row of the table, the page there after redirects; -1 for none."""
    indptr: Ints
    indices: Ints
    """The distinct pages that page `i` links to, without itself: ``indices[indptr[i]:indptr[i + 1]]``."""
    copies: Ints
    """For each page, the first page that it duplicates, exactly or nearly; itself if it is the first."""

    @cached_property
    def urls(self) -> PageUrls:
        """The URL of each page."""
        return PageUrls(self.table, self.places)

    @cached_property
    def number(self) -> PageNumbers:
        """The number of each page, by its URL."""
        return PageNumbers(self)

    def page(self, url: str) -> int | None:
        """The number of the page at a URL, redirects followed; None when it has none."""
        row = self.table.row(url)
        page = int(self.landings[row]) if row >= 0 else -1
        return page if page >= 0 else None

    def landing(self, url: str) -> str | None:
        """The URL of the page at a URL, redirects followed; None when it has none."""
        page = self.page(url)
        return None if page is None else self.urls[page]

    def closure(self, seeds: Iterable[int], depth: int) -> set[int]:
        """The seeds, and all pages within `depth` links of them (000: a virtual web)."""
        reached = set(seeds)
        edge = list(reached)
        for _ in range(depth):
            beyond = {page for at in edge for page in self.indices[self.indptr[at] : self.indptr[at + 1]].tolist()}
            edge = sorted(beyond - reached)
            reached.update(edge)
        return reached

    def without(self, pages: Collection[int]) -> WebGraph:
        """The same graph without the links from and to some pages, which keep their numbers."""
        hidden = np.zeros(len(self.places), np.bool_)
        hidden[list(pages)] = True
        owners = np.repeat(np.arange(len(self.places)), np.diff(self.indptr))
        kept = ~(hidden[owners] | hidden[self.indices])
        indptr = np.searchsorted(owners[kept], np.arange(len(self.places) + 1)).astype(np.int64)
        return replace(self, indptr=indptr, indices=self.indices[kept])


class PageUrls(Sequence[str]):
    """The URLs of pages, read on demand."""

    def __init__(self, table: UrlTable, places: Ints) -> None:
        self._table = table
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, page: int) -> str: ...
    @overload
    def __getitem__(self, page: slice) -> list[str]: ...
    def __getitem__(self, page: int | slice) -> str | list[str]:
        found = self._places[page]
        return list(map(self._table.url, found.tolist())) if isinstance(page, slice) else self._table.url(int(found))

    def __iter__(self) -> Iterator[str]:
        return map(self._table.url, self._places.tolist())


class PageNumbers(Mapping[str, int]):
    """Maps the URL of a page to its number."""

    def __init__(self, graph: WebGraph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph.places)

    def __getitem__(self, url: str) -> int:
        page = self._graph.page(url)
        if page is None or self._graph.urls[page] != url:
            raise KeyError(url)
        return page

    def __iter__(self) -> Iterator[str]:
        return iter(self._graph.urls)


def read_graph(
    web: VirtualWeb, urls: UrlSettings, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> WebGraph:
    """Read every page of a web. The graph is stored in the user's cache, so this is done only once."""
    key = hashlib.sha256(f"{_VERSION} {web.digest} {urls!r}".encode()).hexdigest()[:32]
    folder = webs_folder() / f"graph-{key}"
    kept = _load(folder)
    if kept is not None:
        return kept
    made = _read_all(web, urls, progress)
    with suppress(OSError):  # the cache is optional
        _save(made, folder)
        made = _load(folder) or made  # memory-mapped, which frees the memory
    return made


def _read_all(web: VirtualWeb, urls: UrlSettings, progress: Callable[[int, int], None]) -> WebGraph:
    config = ReaderConfig(AcceptAll(), "breadth-first", urls, obeys_robots=False)
    reader, rules, duplicates = Reader(config, within=web), UrlRules(urls), Duplicates()
    table = UrlTable.of(web.urls())
    row_of = lru_cache(maxsize=_CACHE_SIZE)(table.row)
    places = array("q")
    links = array("i")  # rows of all links, page by page: there may be a hundred million
    ends = array("q", [0])
    copies = array("q")
    moved: dict[int, int] = {}  # row of a redirect → row of its target; -1 if that is not in the web
    for row, url in enumerate(table):
        progress(row, len(web))
        response = web.response(url)
        if response is None:
            continue
        if 300 <= response.status < 400:
            target = rules.join(url, response.header("location"))
            if target is not None:
                moved[row] = row_of(target)
            continue
        reading = reader.read(Document(response.url, response.body, response.header("content-type")))
        twin = duplicates.find(reading.signature)
        if twin is None:
            duplicates.add(reading.signature, len(places))
        copies.append(len(places) if twin is None else twin)
        places.append(row)
        links.extend(map(row_of, reading.links.urls))
        ends.append(len(links))
    landings = np.full(len(table), -1, np.int64)
    landings[np.array(places)] = np.arange(len(places))
    for row in moved:
        end = _end(row, moved)
        landings[row] = landings[end] if end >= 0 else -1
    indptr, indices = _between_pages(np.array(links), np.array(ends), landings)
    return WebGraph(table, np.array(places), landings, indptr, indices, np.array(copies))


def _end(row: int, moved: dict[int, int]) -> int:
    """The row where redirects end; -1 if that is not in the web, or there is a cycle."""
    for _ in range(_HOPS):
        if row not in moved:
            return row
        row = moved[row]
    return -1


def _between_pages(links: NDArray[np.int32], ends: Ints, landings: Ints) -> tuple[Ints, Ints]:
    """Convert links from rows to pages; `ends` has the end of the links of each page."""
    targets = landings[links]
    pages = len(ends) - 1
    owners = np.repeat(np.arange(pages), np.diff(ends))
    # Several links may lead to the same page via redirects: the first one counts.
    _, first = np.unique(owners * max(pages, 1) + targets, return_index=True)
    kept = np.sort(first)
    kept = kept[(targets[kept] >= 0) & (targets[kept] != owners[kept])]
    return np.searchsorted(owners[kept], np.arange(pages + 1)).astype(np.int64), targets[kept]


# ---- cache ----


def _save(made: WebGraph, folder: Path) -> None:
    arrays = {name: getattr(made.table, name) for name in OF_TABLE} | {name: getattr(made, name) for name in _OWN}
    save_arrays(folder, arrays, {"pages": len(made.places), "urls": len(made.table)})


def _load(folder: Path) -> WebGraph | None:
    """The graph in the cache; None if it is missing or damaged."""
    found = load_arrays(folder, (*OF_TABLE, *_OWN))
    if found is None:
        return None
    arrays, about = found
    table = UrlTable(**{name: arrays.pop(name) for name in OF_TABLE})
    graph = WebGraph(table, **arrays)
    sizes = {"pages": len(graph.places), "urls": len(table)}
    return graph if about == sizes and len(graph.landings) == len(table) else None


_OWN = ("places", "landings", "indptr", "indices", "copies")
