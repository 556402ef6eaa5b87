"""Fetching over HTTP/1.1, with aiohttp."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import time
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from weakref import WeakSet

import aiohttp
from aiohttp import hdrs
from typing_extensions import override
from yarl import URL

from honeyguide.errors import InputError
from honeyguide.fetch.addresses import AddressBook
from honeyguide.fetch.base import Failure, Fetcher, Locator, Response
from honeyguide.fetch.body import Body
from honeyguide.fetch.cookies import SiteCookieJar
from honeyguide.fetch.deadline import Deadline
from honeyguide.fetch.guard import AddressRefusedError, Guard, GuardedResolver, is_number, plain_socket
from honeyguide.fetch.resolve import SystemResolver
from honeyguide.fetch.settings import user_agent
from honeyguide.fetch.stream import read_body
from honeyguide.page.document import PDF, effective_type, media_type, readable_types
from honeyguide.page.url import BAD_PORTS, origin_of

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver
    from aiohttp.connector import Connection

    from honeyguide.fetch.base import Headers, Request
    from honeyguide.fetch.settings import FetchSettings

_log = logging.getLogger("honeyguide.fetch")

_ENCODINGS = "gzip, deflate, br, zstd"
_HEADER_BYTES = 65536  # per header line; real servers exceed aiohttp's default limit of 8 KB
_SMALL_BODY = 65536  # for responses other than 2xx: enough to see what they say and to reuse the connection
_KEEP_ALIVE = 4.0  # seconds a connection stays idle: less than the 5 s after which many servers close it
_MOST_IDLE = 256  # idle connections kept open; hosts are many and file descriptors are few
_RESOLVER_THREADS = 32


_SENT: ContextVar[Callable[[], None]] = ContextVar("sent")
"""`Request.sent` of the request that the current task makes."""


class ConnectionLostError(aiohttp.ClientError):
    """The connection ended before a response was received."""


class HttpFetcher(Fetcher, Locator):
    """A `Fetcher` for the live web. Must be created inside a running event loop.

    The guard checks every address when a name is resolved and again when a socket is made for it; a connection that is
    kept alive still leads to the address it was made for. Connections are made only to the address that
    `known_address` returns. At most `settings.connections` fetches are in progress at
    once; further ones wait for a free slot, and this time does not count towards any timeout.
    """

    def __init__(self, settings: FetchSettings, version: str, *, resolver: AbstractResolver | None = None) -> None:
        """`version` is sent in the User-Agent header; `resolver` replaces the system's resolver, and is guarded too."""
        self._guard = Guard(settings.allow_networks)
        self._proxy = _proxy(settings.proxy)
        headers = _standing_headers(settings, version)
        self._types = frozenset(readable_types(settings.types))
        self._max_body = settings.max_body
        self._max_pdf = settings.max_pdf
        self._min_rate = settings.min_rate
        self._deadline = Deadline(settings.total_timeout)
        self._timeouts = partial(
            aiohttp.ClientTimeout, connect=settings.connect_timeout, sock_read=settings.read_timeout
        )
        self._timeout = self._patient_timeout = self._timeouts(settings.total_timeout)
        self._slots = asyncio.Semaphore(settings.connections)
        self._most_open = settings.connections + _MOST_IDLE
        self._open: WeakSet[socket.socket] = WeakSet()
        self._resolver = resolver or SystemResolver(_RESOLVER_THREADS)
        self._book = AddressBook(GuardedResolver(self._guard, self._resolver), settings.dns_cache)
        self._connect_timeout = settings.connect_timeout
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,  # _slots limits connections, without counting towards the timeouts
                # With a proxy, it is the only host that is connected to. Wherever it is, the user wanted it.
                resolver=self._resolver if self._proxy else self._book,
                use_dns_cache=False,  # the book is one
                ssl=_tls_context(),
                keepalive_timeout=_KEEP_ALIVE,
                socket_factory=self._socket,
            ),
            headers=headers,
            cookie_jar=SiteCookieJar() if settings.cookies else aiohttp.DummyCookieJar(),
            proxy=self._proxy,
            response_class=_Answer,
            auto_decompress=False,
            max_line_size=_HEADER_BYTES,
            max_field_size=_HEADER_BYTES,
        )

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        async with self._slots:
            started = time.time()
            clock = time.perf_counter()
            try:
                response = await self._ask(request)
            except Exception as error:  # noqa: BLE001 (no server may crash a crawl)
                kind, transient = _classify(error)
                if transient and self._proxy is None:
                    self._book.turn_page(_host_and_port(origin_of(request.url))[0])
                if kind == "protocol":  # the only kind whose name does not tell the cause
                    _log.debug("%s: %s", request.url, error, exc_info=True, extra={"url": request.url})
                elapsed = time.perf_counter() - clock
                if kind == "timeout":
                    self._note_duration(elapsed)
                return Failure(request.url, kind, _detail(error), transient, started, elapsed)
            response.started = started
            response.elapsed = time.perf_counter() - clock
            self._note_duration(response.elapsed)
            return response

    def _note_duration(self, elapsed: float) -> None:
        if self._deadline.note(elapsed):
            self._timeout = self._timeouts(self._deadline.seconds)
            _log.debug("requests may take %.0f s", self._deadline.seconds)

    @override
    async def close(self) -> None:
        await self._session.close()
        await self._book.close()

    @override
    def known_address(self, url: str) -> str | None:
        host = _host_and_port(origin_of(url))[0]
        return host if is_number(host) else self._book.known(host)

    @override
    async def find_address(self, url: str) -> str | Failure:
        started, clock = time.time(), time.perf_counter()
        try:
            return await self._find(*_host_and_port(origin_of(url)))
        except Exception as error:  # noqa: BLE001 (as in `fetch`)
            kind, transient = _classify(error)
            return Failure(url, kind, _detail(error), transient, started, time.perf_counter() - clock)

    async def _find(self, host: str, port: int) -> str:
        self._guard.check_host(host)
        if is_number(host):
            return host
        try:
            async with asyncio.timeout(self._connect_timeout):
                return await self._book.find(host, port)
        except OSError:  # a TimeoutError is one, a refusal by the guard is not
            if self._proxy is None:
                raise
            self._book.give_up(host)  # where only the proxy resolves names, only the proxy can check them
            return ""

    async def _ask(self, request: Request) -> Response:
        url = URL(request.url, encoded=True)  # already canonical: yarl need not requote it
        self._guard.check_host(url.raw_host or "")
        if url.port in BAD_PORTS:
            raise AddressRefusedError(f"port {url.port} belongs to another service")
        if self._proxy is not None and self.known_address(request.url) is None:
            await self._find(*_host_and_port(origin_of(request.url)))
        timeout = self._patient_timeout if request.patient else self._timeout
        _SENT.set(request.sent)
        answer = await self._session.get(url, headers=self._headers(request), allow_redirects=False, timeout=timeout)
        assert isinstance(answer, _Answer)
        try:
            return await self._read(request, answer)
        finally:
            if not answer.closed:  # not read to its end, so the connection cannot be reused
                answer.close()

    async def _read(self, request: Request, answer: _Answer) -> Response:
        kind = effective_type(media_type(answer.headers.get(hdrs.CONTENT_TYPE, "")), request.url)
        good = 200 <= answer.status < 300
        skipped = good and bool(kind) and not request.any_type and kind not in self._types
        if skipped and not request.reads(kind):
            body = Body(b"", b"", "")
        else:
            body = await read_body(
                answer.content,
                answer.headers.get(hdrs.CONTENT_ENCODING, ""),
                self._limit(kind) if good else min(self._max_body, _SMALL_BODY),
                text=(kind in self._types and kind != PDF) or kind.startswith("text/") or not kind,
                min_rate=self._min_rate,
            )
        return Response(
            url=request.url,
            status=answer.status,
            reason=answer.reason or "",
            headers=_decoded(answer.raw_headers),
            body=body.body,
            raw=body.raw,
            request_headers=tuple(answer.request_info.headers.items()),
            ip="" if self._proxy else answer.peer,
            truncated=body.truncated,
            skipped="type" if skipped else "",
        )

    def _limit(self, kind: str) -> int:
        return self._max_pdf if kind == PDF else self._max_body

    def _headers(self, request: Request) -> dict[str, str] | None:
        """Headers of the next request, in addition to those of the session."""
        headers = request.conditions
        if len(self._open) > self._most_open:  # aiohttp limits the connections in use, but not the idle ones
            headers[hdrs.CONNECTION] = "close"
        return headers or None

    def _socket(self, addr_info: aiohttp.AddrInfoType) -> socket.socket:
        made = self._guard.socket(addr_info) if self._proxy is None else plain_socket(addr_info)
        self._open.add(made)
        return made


class _Answer(aiohttp.ClientResponse):
    """A response that knows the IP address it came from."""

    peer = ""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        _SENT.get()()  # aiohttp starts to wait for a response when it has just sent the request
        # Done here, because a short response has already released its connection when the caller gets it.
        if connection.transport is not None:
            self.peer = str(connection.transport.get_extra_info("peername", ("",))[0])
        try:
            return await super().start(connection)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            # On these two errors aiohttp itself would retry, immediately and without regard to politeness.
            raise ConnectionLostError(str(error) or "connection lost before a response") from error


def _standing_headers(settings: FetchSettings, version: str) -> dict[str, str]:
    for name, value in (("agent", settings.agent), ("contact", settings.contact)):
        if not value.isprintable():
            raise InputError(
                f"fetch.{name}", f"{value!r} cannot be sent in a header", "write it in one line of plain text"
            )
    return {
        hdrs.USER_AGENT: user_agent(settings, version),
        hdrs.ACCEPT: ", ".join((*readable_types(settings.types), "*/*;q=0.1")),
        hdrs.ACCEPT_ENCODING: _ENCODINGS,
    }


def _tls_context() -> ssl.SSLContext:
    """Certificates are checked against the authorities of the system, names included; nothing older than TLS 1.2."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


@lru_cache(maxsize=65_536)
def _host_and_port(origin: str) -> tuple[str, int]:
    url = URL(origin, encoded=True)
    return url.raw_host or "", url.port or 0


def _proxy(text: str) -> URL | None:
    if not text:
        return None
    try:
        proxy = URL(text)
    except ValueError:
        proxy = URL()
    if proxy.scheme != "http" or not proxy.host:
        raise InputError("fetch.proxy", f"{text!r} is not an HTTP proxy", 'write it like "http://host:port"')
    return proxy


def _decoded(raw: tuple[tuple[bytes, bytes], ...]) -> Headers:
    """Headers as text: UTF-8 if all of them are valid, otherwise Latin-1, so that the text can be encoded again."""
    try:
        return tuple([(name.decode(), value.decode()) for name, value in raw])
    except UnicodeDecodeError:
        return tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw])


def _classify(error: Exception) -> tuple[str, bool]:
    """The kind of a failure, and whether a later retry may succeed."""
    match error:
        case AddressRefusedError():
            return "address", False
        case TimeoutError():
            return "timeout", True
        case aiohttp.ClientConnectorDNSError():
            return "dns", error.os_error.errno == socket.EAI_AGAIN
        case socket.gaierror():
            return "dns", error.errno == socket.EAI_AGAIN
        case aiohttp.ClientSSLError():
            return "tls", False
        case aiohttp.ClientHttpProxyError():  # the proxy could not reach the host
            return "connect", error.status >= 500
        case ConnectionLostError() | aiohttp.ClientPayloadError() | aiohttp.ClientConnectionError() | OSError():
            return "connect", True
        case _:
            return "protocol", False


def _detail(error: Exception) -> str:
    """The message of an error, in one line for the user."""
    match error:
        case aiohttp.ClientConnectorError():
            text = str(error.os_error.strerror or error.os_error)
        case aiohttp.ClientResponseError():
            text = error.message
        case socket.gaierror():
            text = str(error.strerror)
        case _:
            text = str(error)
    return " ".join(text.split()) or type(error).__name__
