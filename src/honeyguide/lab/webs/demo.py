"""Generated webs as virtual webs: their pages, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import blake2b

from honeyguide.demo import DemoWeb, ListWeb
from honeyguide.fetch.base import Response

_REMEMBERED = 65_536


class DemoPages:
    """A `DemoWeb` without its faulty hosts, or a `ListWeb`. Nothing is stored, however large it is."""

    def __init__(self, web: DemoWeb | ListWeb) -> None:
        self._web = web
        kind = "demo" if isinstance(web, DemoWeb) else "demo-lists"
        self.name = f"{kind}:{web.pages}:{web.seed}"
        locality = (web.locality,) if isinstance(web, DemoWeb) else ()
        settings = (web.seed, web.pages, *locality, web.page_kb)
        self.digest = blake2b(repr((kind, *settings)).encode(), digest_size=16).hexdigest()
        self.notes: tuple[str, ...] = ()
        self._known: Callable[[str], bool] = lru_cache(maxsize=_REMEMBERED)(lambda url: web.page_of(url) is not None)

    def __len__(self) -> int:
        return self._web.pages

    def __contains__(self, url: str) -> bool:
        return self._known(url)

    def urls(self) -> Iterator[str]:
        """In the order of the pages' numbers."""
        return self._web.page_urls()

    def labels(self) -> Iterator[tuple[str, str]]:
        """Which page is about what: the web was made so."""
        return self._web.labels()

    def response(self, url: str) -> Response | None:
        """The page, as a fetcher returns it; None for what is no clean page."""
        if not self._known(url):
            return None
        answer = self._web.answer(url)
        headers = (*answer.headers, ("Content-Length", str(len(answer.body))))
        return Response(url, answer.status, "OK", headers, answer.body, answer.body, ())
