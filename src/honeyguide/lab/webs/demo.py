"""Generated webs as virtual webs, whose pages are generated on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

from honeyguide.demo import DemoWeb, ListWeb
from honeyguide.fetch.base import Response
from honeyguide.fetch.robots import read_robots
from honeyguide.page.url import host_of

_REMEMBERED = 65_536


class DemoPages:
    """A `DemoWeb` without its faulty hosts, or a `ListWeb`. Nothing is stored, however large it is."""

    def __init__(self, web: DemoWeb | ListWeb) -> None:
        self._web = web
        kind = "demo-lists" if isinstance(web, ListWeb) else "demo-listings" if web.listings else "demo"
        self.name = f"{kind}:{web.pages}:{web.seed}"
        own: tuple[float, ...] = (web.locality,) if isinstance(web, DemoWeb) else ()
        settings = (web.seed, web.pages, *own, web.page_kb)
        if isinstance(web, DemoWeb) and web.orphans:
            settings = (*settings, web.orphans)
        self.digest = blake2b(repr((kind, *settings)).encode(), digest_size=16).hexdigest()
        self.notes: tuple[str, ...] = ()
        self._known: Callable[[str], bool] = lru_cache(maxsize=_REMEMBERED)(self._answers)

    def __len__(self) -> int:
        return self._web.pages

    def __contains__(self, url: str) -> bool:
        return self._known(url)

    def _answers(self, url: str) -> bool:
        return self._web.page_of(url) is not None or url in self._listings(host_of(url))

    def _listings(self, host: str) -> tuple[str, ...]:
        return self._web.listing_urls(host) if isinstance(self._web, DemoWeb) else ()

    def sitemaps(self, origin: str) -> Sequence[str]:
        """The sitemaps in the robots.txt of an origin."""
        if not isinstance(self._web, DemoWeb) or not self._web.listings:
            return ()
        return read_robots(200, self._web.answer(f"{origin}/robots.txt").body, "honeyguide").sitemaps

    def urls(self) -> Iterator[str]:
        """In the order of the pages' numbers."""
        return self._web.page_urls()

    def labels(self) -> Iterator[tuple[str, str]]:
        """The subjects of the generated pages."""
        return self._web.labels()

    def response(self, url: str) -> Response | None:
        """The page as a fetcher returns it; None for anything else."""
        if not self._known(url):
            return None
        answer = self._web.answer(url)
        headers = (*answer.headers, ("Content-Length", str(len(answer.body))))
        return Response(url, answer.status, "OK", headers, answer.body, answer.body, ())
