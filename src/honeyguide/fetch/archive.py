"""A fetcher for a recorded or generated web, which does not change."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from typing_extensions import override

from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.fetch.settings import FetchSettings


class Answers(Protocol):
    """The source of responses: a `honeyguide.lab.web.VirtualWeb`."""

    def response(self, url: str) -> Response | None:
        """The response for a canonical URL; None when there is none."""
        ...


class ArchiveFetcher(Fetcher):
    """A `Fetcher` for a virtual web. No time passes, and nothing is sent over the network.

    A URL that is not in the web is a permanent failure, except for robots.txt: a host without a recorded one
    disallows nothing. `now` is the clock that dates the responses.
    """

    def __init__(
        self, web: Answers, settings: FetchSettings | None = None, *, now: Callable[[], float] = time.time
    ) -> None:
        self._web = web
        self._types = (settings or FetchSettings()).types
        self._now = now

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        started = self._now()
        response = self._web.response(request.url)
        if response is None:
            if request.any_type:
                return Response(request.url, 404, "Not Found", (), b"", b"", (), started=started)
            return Failure(request.url, "connect", "not in this web", transient=False, started=started)
        response.started = started
        kind = response.header("content-type").partition(";")[0].partition(",")[0].strip().lower()
        if kind and kind not in self._types and not request.any_type and 200 <= response.status < 300:
            response.skipped = "type"
            if not request.reads(kind):
                response.body = response.raw = b""
        return response

    @override
    async def close(self) -> None:
        pass
