"""A small web on loopback that answers byte for byte what a test wrote, and a fetcher pointed at it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import uvloop
from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.settings import FetchSettings

if TYPE_CHECKING:
    import ssl

T = TypeVar("T")
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Script = Callable[["Site", HttpFetcher], Awaitable[T]]


class Site:
    """The server. A page is the bytes of its answer, or a function that writes them."""

    def __init__(self, pages: dict[str, bytes | Handler]) -> None:
        self.pages = pages
        self.port = 0
        self.connections = 0
        self.requests: list[str] = []
        """Heads of all requests, as they came."""
        self.closed = asyncio.Event()
        """Set when a client has closed a connection."""
        self._tasks: set[asyncio.Task[None]] = set()

    def url(self, path: str, host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def start(self, context: ssl.SSLContext | None) -> asyncio.Server:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=context)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing():
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.requests.append(head)
                page = self.pages[head.split()[1]]
                if isinstance(page, bytes):
                    writer.write(page)
                else:
                    await page(reader, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            self.closed.set()
        finally:
            writer.close()


class Names(AbstractResolver):
    """A resolver whose answers a test wrote: a list of addresses for each time a name is asked for."""

    def __init__(self, answers: dict[str, list[list[str]] | OSError]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self.asked.append(host)
        answer = self.answers[host]
        if isinstance(answer, OSError):
            raise answer
        addresses = answer.pop(0) if len(answer) > 1 else answer[0]
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=0,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass


class Play:
    """Runs a script against a site, on one kind of event loop."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self._run = run

    def script(
        self,
        pages: dict[str, bytes | Handler],
        script: Script[T],
        *,
        resolver: AbstractResolver | None = None,
        context: ssl.SSLContext | None = None,
        through_proxy: bool = False,
        **settings: Any,
    ) -> T:
        """What `script` returns. The loopback networks are open unless the settings say otherwise."""

        async def main() -> T:
            site = Site(pages)
            async with await site.start(context):
                if through_proxy:
                    settings["proxy"] = f"http://127.0.0.1:{site.port}"
                settings.setdefault("allow_networks", ("127.0.0.0/8", "::1/128"))
                fetcher = HttpFetcher(FetchSettings(**settings), "1.2", resolver=resolver)
                try:
                    return await script(site, fetcher)
                finally:
                    await fetcher.close()
                    await site.stop()

        result: T = self._run(main())
        return result

    def fetch(self, page: bytes | Handler, request: Request | None = None, **settings: Any) -> Response | Failure:
        """The outcome of asking for one page once; the request's URL is filled in."""
        asked = request or Request("")

        async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
            url = site.url("/")
            return await fetcher.fetch(Request(url, asked.any_type))

        return self.script({"/": page}, script, **settings)

    def response(self, page: bytes | Handler, request: Request | None = None, **settings: Any) -> Response:
        """As `fetch`, for a page that must be answered."""
        result = self.fetch(page, request, **settings)
        assert isinstance(result, Response), result
        return result

    def failure(self, page: bytes | Handler, **settings: Any) -> Failure:
        """As `fetch`, for a page that must fail."""
        result = self.fetch(page, **settings)
        assert isinstance(result, Failure), result
        return result


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A whole HTTP answer."""
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join((*head, "", "")).encode("latin-1") + body


@pytest.fixture(params=[asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def play(request: pytest.FixtureRequest) -> Play:
    return Play(request.param)


@pytest.fixture(name="answer")
def answer_fixture() -> Callable[..., bytes]:
    return answer


@pytest.fixture
def names() -> Callable[..., Names]:
    def make(**answers: Sequence[Sequence[str]]) -> Names:
        return Names({f"{name}.test": [list(each) for each in answer] for name, answer in answers.items()})

    return make
