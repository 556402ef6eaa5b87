"""A fetcher that reads the demo web in process, without a network and without waiting."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import aiohttp
from typing_extensions import override

from honeyguide.fetch.base import Failure, Fetcher, Response
from honeyguide.fetch.body import Body
from honeyguide.fetch.settings import FetchSettings
from honeyguide.fetch.stream import read_body
from honeyguide.page.document import readable_types
from honeyguide.proxy.answer import DRIP, Answer, Behaviour

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.demo.changing import ChangingWeb
    from honeyguide.demo.web import DemoWeb
    from honeyguide.fetch.base import Headers, Request


class DemoFetcher(Fetcher):
    """A `Fetcher` for a `DemoWeb`. A request that would hang fails immediately as a timeout; it never waits.

    Host names that are not in the web do not resolve; IP addresses are refused unless they are public, and then the
    connection fails. It counts requests only for URLs whose answer depends on how often they were requested.
    """

    def __init__(
        self,
        web: DemoWeb | ChangingWeb,
        settings: FetchSettings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`clock` returns the Unix time: of requests, and for a web that changes."""
        self._web = web
        self._clock = clock
        self._settings = settings or FetchSettings()
        self._attempts: Counter[str] = Counter()

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        started = self._clock()
        refusal = self._unreachable(request.url)
        if refusal:
            kind, detail = refusal
            return Failure(request.url, kind, detail, transient=False, started=started)
        if self._web.counted(request.url):
            self._attempts[request.url] += 1
        answer = self._web.answer(request.url, max(1, self._attempts[request.url]), started)
        if request.etag and answer.status == 200 and request.etag == answer.header("etag"):
            answer = Answer(304, (("ETag", request.etag),))
        failed = self._silent(answer)
        if failed:
            kind, detail = failed
            return Failure(request.url, kind, detail, transient=kind != "protocol", started=started)
        try:
            return await self._respond(request, answer, started)
        except aiohttp.ClientError as error:
            return Failure(request.url, "connect", str(error), transient=True, started=started)
        except ValueError as error:
            return Failure(request.url, "protocol", str(error), transient=False, started=started)

    @override
    async def close(self) -> None:
        pass

    def _unreachable(self, url: str) -> tuple[str, str] | None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return "dns", "not a URL"
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            if not self._web.knows(host):
                return "dns", f"no host {host} in this web"
            return None if parts.scheme == "http" and port == 80 else ("connect", "this web speaks http only")
        return ("connect", "nobody there") if address.is_global else ("address", f"{host} is not public")

    def _silent(self, answer: Answer) -> tuple[str, str] | None:
        """The failure of a real connection before the body could be read; None if there would be none."""
        settings = self._settings
        if answer.behaviour is Behaviour.HANG:
            return "timeout", "no answer"
        if answer.behaviour is Behaviour.DELAY and answer.seconds > min(settings.read_timeout, settings.total_timeout):
            return "timeout", "no answer in time"
        if answer.behaviour is Behaviour.DRIP:
            whole = len(answer.body) / DRIP * answer.seconds
            if answer.seconds > settings.read_timeout or whole > settings.total_timeout:
                return "timeout", "the body did not come in time"
        if answer.behaviour is Behaviour.REFUSE:
            return "connect", "connection closed"
        if answer.behaviour is Behaviour.GARBAGE:
            return "protocol", "not HTTP"
        if _promised(answer) < len(answer.body):
            return "protocol", "more came than was promised"
        return None

    async def _respond(self, request: Request, answer: Answer, started: float) -> Response:
        kind = answer.header("content-type").partition(";")[0].strip().lower()
        good = 200 <= answer.status < 300
        skipped = good and bool(kind) and not request.any_type and kind not in readable_types(self._settings.types)
        if skipped and not request.reads(kind):
            response = self._response(request, answer.status, answer.headers, Body(b"", b"", ""), started)
            response.skipped = "type"
            return response
        # The same reader as for HTTP, so that a body is truncated and decoded by the same rules.
        stream = cast("aiohttp.StreamReader", _Stream(answer))
        body = await read_body(stream, answer.header("content-encoding"), self._settings.max_body, text=True)
        response = self._response(request, answer.status, answer.headers, body, started)
        response.skipped = "type" if skipped else ""
        return response

    def _response(self, request: Request, status: int, headers: Headers, body: Body, started: float) -> Response:
        if not any(name == "Content-Length" for name, _ in headers):
            headers = (*headers, ("Content-Length", str(len(body.raw))))
        request_headers = (("Host", urlsplit(request.url).netloc), ("User-Agent", self._settings.agent))
        return Response(
            url=request.url,
            status=status,
            reason=HTTPStatus(status).phrase,
            headers=headers,
            body=body.body,
            raw=body.raw,
            request_headers=request_headers,
            started=started,
            truncated=body.truncated,
        )


def _promised(answer: Answer) -> int:
    """The length that the headers declare, correct or not."""
    return int(answer.header("content-length") or len(answer.body))


class _Stream:
    """A body as read from a connection: all at once, then its end, or the loss of the connection."""

    def __init__(self, answer: Answer) -> None:
        self._next = answer.body
        self._endless = answer.behaviour is Behaviour.ENDLESS
        self._lost = answer.behaviour is Behaviour.CLOSE or _promised(answer) > len(answer.body)
        if answer.behaviour is Behaviour.CLOSE:
            self._next = answer.body[: len(answer.body) // 2]

    async def readany(self) -> bytes:
        """The next bytes; b"" at the end."""
        chunk = self._next
        if not self._endless:
            self._next = b""
        if not chunk and self._lost:
            raise aiohttp.ClientPayloadError("the connection was lost")
        return chunk
