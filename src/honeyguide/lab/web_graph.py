"""What a virtual web is like as a whole: which page links to which, and which pages are copies of each other."""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from honeyguide.atomic_write import atomic_write
from honeyguide.cache import cache_folder
from honeyguide.lab.web import VirtualWeb
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import AcceptAll
from honeyguide.store.duplicates import Duplicates
from honeyguide.strategy.reading import Document, Reader, ReaderConfig

_VERSION = 1  # raised when pages are read differently
_HOPS = 10  # redirects followed in a row

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class WebGraph:
    """The pages of a web, numbered in its order."""

    urls: list[str]
    indptr: Ints
    indices: Ints
    """The pages that page `i` links to, each once, without itself: ``indices[indptr[i]:indptr[i + 1]]``."""
    copies: Ints
    """For each page the first page that it repeats, nearly or wholly; itself when it is the first."""
    leads_to: dict[str, str]
    """From URLs that redirect to the pages they end at."""

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each page."""
        return {url: number for number, url in enumerate(self.urls)}

    def page(self, url: str) -> int | None:
        """The number of the page at a URL, redirects followed; None when it has none."""
        return self.number.get(self.leads_to.get(url, url))

    def closure(self, seeds: Iterable[int], depth: int) -> set[int]:
        """The pages within so many links of some pages, which are among them (000: a virtual web)."""
        reached = set(seeds)
        edge = list(reached)
        for _ in range(depth):
            beyond = {page for at in edge for page in self.indices[self.indptr[at] : self.indptr[at + 1]].tolist()}
            edge = sorted(beyond - reached)
            reached.update(edge)
        return reached


def read_graph(
    web: VirtualWeb, urls: UrlSettings, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> WebGraph:
    """Read every page of a web, once: what is found is kept in the user's cache."""
    key = hashlib.sha256(f"{_VERSION} {web.digest} {urls!r}".encode()).hexdigest()[:32]
    path = cache_folder() / f"graph-{key}.npz"
    kept = _kept(path)
    if kept is not None:
        return kept
    made = _read_all(web, urls, progress)
    with suppress(OSError):  # a cache that cannot be written is no matter
        _keep(made, path)
    return made


def _read_all(web: VirtualWeb, urls: UrlSettings, progress: Callable[[int, int], None]) -> WebGraph:
    config = ReaderConfig(AcceptAll(), "breadth-first", urls, obeys_robots=False)
    reader, rules, duplicates = Reader(config, within=web), UrlRules(urls), Duplicates()
    place = {url: number for number, url in enumerate(web.urls())}
    pages: list[str] = []
    links = array("i")  # places of all links, a page's behind the other's: a web can have a hundred million
    ends = array("q", [0])
    copies = array("i")
    moved: dict[str, str] = {}
    for done, url in enumerate(web.urls()):
        progress(done, len(web))
        response = web.response(url)
        if response is None:
            continue
        if 300 <= response.status < 400:
            target = rules.join(url, response.header("location"))
            if target is not None:
                moved[url] = target
            continue
        reading = reader.read(Document(response.url, response.body, response.header("content-type")))
        twin = duplicates.find(reading.signature)
        if twin is None:
            duplicates.add(reading.signature, len(pages))
        copies.append(len(pages) if twin is None else twin)
        pages.append(url)
        links.extend(place[link] for link in reading.links.urls)
        ends.append(len(links))
    leads_to = {url: end for url in moved if (end := _end(url, moved)) is not None}
    return _numbered(pages, place, np.array(links), np.array(ends), np.array(copies, np.int64), leads_to)


def _end(url: str, moved: dict[str, str]) -> str | None:
    """Where redirects end; None when they do not."""
    for _ in range(_HOPS):
        if url not in moved:
            return url
        url = moved[url]
    return None


def _numbered(
    pages: list[str],
    place: dict[str, int],
    links: NDArray[np.int32],
    ends: Ints,
    copies: Ints,
    leads_to: dict[str, str],
) -> WebGraph:
    """From places in the web, where redirects have theirs, to numbers of pages."""
    number = {url: page for page, url in enumerate(pages)}
    page_at = np.full(len(place), -1, np.int32)
    for url, at in place.items():
        page_at[at] = number.get(leads_to.get(url, url), -1)
    targets = page_at[links]
    owners = np.repeat(np.arange(len(pages), dtype=np.int32), np.diff(ends))
    # Several links may lead to one page by way of redirects: the first of them counts.
    _, first = np.unique(owners.astype(np.int64) * max(len(pages), 1) + targets, return_index=True)
    kept = np.sort(first)
    kept = kept[(targets[kept] >= 0) & (targets[kept] != owners[kept])]
    indptr = np.searchsorted(owners[kept], np.arange(len(pages) + 1)).astype(np.int64)
    return WebGraph(pages, indptr, targets[kept].astype(np.int64), copies, leads_to)


# ---- cache ----


def _keep(made: WebGraph, path: Path) -> None:
    texts = json.dumps({"urls": made.urls, "leads_to": made.leads_to}).encode()
    with atomic_write(path, parents=True) as file:
        np.savez(
            file, indptr=made.indptr, indices=made.indices, copies=made.copies, texts=np.frombuffer(texts, np.uint8)
        )


def _kept(path: Path) -> WebGraph | None:
    """The graph in the cache; None when it is not there, or damaged."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            texts: dict[str, Any] = json.loads(arrays["texts"].tobytes())
            return WebGraph(
                texts["urls"], arrays["indptr"], arrays["indices"], arrays["copies"], dict(texts["leads_to"])
            )
    except (OSError, EOFError, ValueError, KeyError, BadZipFile, zlib.error):
        return None
