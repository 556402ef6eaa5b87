"""Virtual webs: recorded or generated webs that do not change, for comparing strategies.

A virtual web answers only for recorded URLs: links to other URLs are not followed. URLs are compared in their canonical
form, so http and https versions of an address are different: a link to ``http://`` of a page
that was recorded under ``https://`` leads out of the web unless the redirect between them was recorded too, as it is
in any archive of a crawler that followed it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from honeyguide.demo import DemoWeb, ListWeb
from honeyguide.demo.web import SMALLEST
from honeyguide.errors import InputError
from honeyguide.fetch.base import Response
from honeyguide.lab.webs.archive import ArchiveWeb
from honeyguide.lab.webs.demo import DemoPages
from honeyguide.lab.webs.folder import FolderWeb
from honeyguide.lab.webs.parts import parts_of_crawl, parts_of_wacz
from honeyguide.lab.webs.several import SeveralWebs
from honeyguide.page.url import UrlRules
from honeyguide.warc.part import Part

_log = logging.getLogger("honeyguide.lab")

_DEMO = re.compile(r"(demo|demo-lists|demo-listings):(\d+)(?::(\d+))?", re.ASCII).fullmatch
_SEED = DemoWeb.seed
_FOLDER = re.compile(r"(.+?)=(https?://.*)", re.IGNORECASE).fullmatch


class VirtualWeb(Protocol):
    """Returns the responses of a web, which never change. URLs are canonical."""

    name: str
    """A name for people: the names of its files."""
    digest: str
    """A digest of its content."""
    notes: tuple[str, ...]
    """Messages for the user, one line each, for example about the missing part of a truncated file."""

    def __len__(self) -> int:
        """The number of URLs with a page or a redirect."""
        ...

    def __contains__(self, url: str) -> bool:
        """Whether a URL is in the web. Fast, since it is called for every link."""
        ...

    def urls(self) -> Iterator[str]:
        """All URLs, in a fixed order."""
        ...

    def response(self, url: str) -> Response | None:
        """The response as a fetcher would return it, with redirects not followed; None if the URL is not in the web."""
        ...


@runtime_checkable
class SitemapWeb(Protocol):
    """A web that knows the sitemaps in robots.txt files, though not these files themselves."""

    def sitemaps(self, origin: str) -> Sequence[str]:
        """The addresses of sitemaps in the robots.txt of an origin, as written."""
        ...


@runtime_checkable
class LabelledWeb(Protocol):
    """A generated web that knows what its pages are about."""

    def labels(self) -> Iterator[tuple[str, str]]:
        """URLs of pages, each with a label."""
        ...


def open_web(
    sources: Sequence[str], rules: UrlRules, *, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> VirtualWeb:
    """Open the web that the sources form together.

    A source is a WARC file (``.warc``, ``.warc.gz``, ``.warc.zst``), the folder of a crawl, a WACZ file, a folder of
    HTML files with the address it stands for (``DIR=http://host/prefix/``), the demo web (``demo:PAGES``,
    ``demo:PAGES:SEED``), or the demo web of lists (``demo-lists:PAGES``, ``demo-lists:PAGES:SEED``), or the demo web
    with sitemaps and feeds
    (``demo-listings:PAGES``, ``demo-listings:PAGES:SEED``).
    Of several answers to one URL the first page counts, or else the first redirect; errors are no part of a web, nor
    is a robots.txt, which the crawl that recorded it has obeyed already. (WARC files, crawls and WACZ files are one
    archive in this; between it and the others the earlier source counts.)
    WARC files are indexed once (`progress` is called with the bytes read and the total); the index is kept in the
    user's cache. Raises `InputError` for sources that are missing, damaged or without pages.
    """
    if not sources:
        raise InputError("--web", "no web is named", "name a WARC file, a crawl's folder, or demo:2000")
    sources = list(dict.fromkeys(sources))
    archives = [source for source in sources if not _DEMO(source) and not _FOLDER(source)]
    webs: list[VirtualWeb] = []
    for source in sources:
        if demo := _DEMO(source):
            webs.append(_demo(source, demo[1], int(demo[2]), int(demo[3] or _SEED)))
        elif folder := _FOLDER(source):
            webs.append(FolderWeb(Path(folder[1]), folder[2], rules))
        elif source == archives[0]:  # the first stands for all of them, which share an index
            parts = [part for archive in archives for part in _parts(Path(archive))]
            names = ", ".join(Path(archive).name for archive in archives)
            webs.append(ArchiveWeb.open(names, parts, rules, progress))
    web = webs[0] if len(webs) == 1 else SeveralWebs(webs)
    for note in web.notes:
        _log.warning("%s", note, extra={"web": web.name})
    return web


def _demo(source: str, kind: str, pages: int, seed: int) -> DemoPages:
    if pages < SMALLEST:
        raise InputError(source, "the demo web is too small", f"ask for {SMALLEST} pages or more, as in {kind}:2000")
    if kind == "demo-lists":
        return DemoPages(ListWeb(seed=seed, pages=pages))
    return DemoPages(DemoWeb(seed=seed, pages=pages, listings=kind == "demo-listings"))


def _parts(path: Path) -> list[Part]:
    if path.is_dir():
        found = parts_of_crawl(path)
        if not found:
            raise InputError(
                str(path),
                "is a folder without pages-*.warc.gz or .warc.zst, which a crawl has",
                f"for a folder of HTML files say what it stands for: {path}=http://host/",
            )
        return found
    return parts_of_wacz(path) if path.suffix.lower() in {".wacz", ".zip"} else [Part.whole(path)]
