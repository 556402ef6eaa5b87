"""An HTTP/1.1 server for any web: a proxy for all of its hosts, and an origin server for whoever names one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple, Protocol

from honeyguide.proxy.answer import DRIP, Answer, Behaviour, plain

_MOST_HEAD = 65536
_ABOUT_BODIES = (Behaviour.DRIP, Behaviour.CLOSE, Behaviour.ENDLESS)


class ServedRequest(NamedTuple):
    """One request as the server saw it; times are `time.monotonic`, which all processes of a machine share."""

    began: float
    """When the request had been read."""
    ended: float
    """When the last byte of the answer was handed to the connection, or the connection was lost."""
    host: str
    target: str
    """Path and query."""
    status: int
    """0 when no answer was given."""
    agent: str


class RequestLog(Protocol):
    """Where served requests are logged: a list will do."""

    def append(self, request: ServedRequest, /) -> None:
        """Add a request. Called in the order in which requests end."""
        ...


class ProxyRequest(NamedTuple):
    """A well-formed request, as the web that is served sees it."""

    method: str
    url: str
    host: str
    target: str
    headers: dict[str, str]

    @property
    def last(self) -> bool:
        """Whether the client wants the connection closed afterwards."""
        return self.headers.get("connection", "").lower() == "close"


class ProxyServer:
    """Serves a web on a port of this machine; port 0 takes any free one. `answer` says what the web answers."""

    def __init__(
        self,
        answer: Callable[[ProxyRequest], Answer],
        host: str = "127.0.0.1",
        port: int = 0,
        log: RequestLog | None = None,
    ) -> None:
        self.answer = answer
        self.log = log
        self._host = host
        self._port = port
        self._server: asyncio.Server | None = None
        self.connections: set[Connection] = set()

    async def start(self) -> None:
        """Listen. Raises OSError when the port is taken."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), self._host, self._port, backlog=1024)
        self._port = self._server.sockets[0].getsockname()[1]

    @property
    def address(self) -> str:
        """What a client writes as its proxy: "http://127.0.0.1:PORT", once started."""
        return f"http://{self._host}:{self._port}"

    async def stop(self) -> None:
        """Stop listening and drop every connection."""
        if self._server is None:
            return
        self._server.close()
        for connection in tuple(self.connections):
            connection.drop()
        await self._server.wait_closed()
        self._server = None


class Connection(asyncio.Protocol):
    """One client. Requests are answered one after another, in the order in which they came."""

    def __init__(self, server: ProxyServer) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._waiting = bytearray()
        self._busy = False
        self._task: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._serving: ServedRequest | None = None

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client came."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's signature)
        """It left, or was dropped."""
        self._server.connections.discard(self)
        self._transport = None
        if self._task:
            self._task.cancel()
        self._note()

    def pause_writing(self) -> None:
        """The client reads more slowly than we write."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It has caught up."""
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        """More bytes of one or several requests."""
        self._waiting += data
        self._go_on()

    def drop(self) -> None:
        """Close at once. A request under way is logged before this returns; asyncio reports the loss later."""
        self._note()
        if self._transport:
            self._transport.abort()

    # One request after another

    def _go_on(self) -> None:
        while not self._busy and self._transport and not self._transport.is_closing():
            head, found, _ = self._waiting.partition(b"\r\n\r\n")
            if not found:
                if len(self._waiting) > _MOST_HEAD:
                    self._reject(431, "The request is too long.")
                return
            del self._waiting[: len(head) + 4]
            self._handle(bytes(head))

    def _handle(self, head: bytes) -> None:
        began = time.monotonic()
        request = parse(head)
        if request is None:
            self._reject(400, "This is no request of HTTP/1.1.")
        elif request.method == "CONNECT":
            self._reject(405, "This proxy serves http:// only; there is nothing behind https://.")
        elif request.method not in ("GET", "HEAD"):
            self._reject(405, "Only GET and HEAD are answered.")
        else:
            answer = self._server.answer(request)
            if self._server.log is not None:
                agent = request.headers.get("user-agent", "")
                self._serving = ServedRequest(began, 0.0, request.host, request.target, answer.status, agent)
            self._carry_out(request, answer)

    def _reject(self, status: int, why: str) -> None:
        extra = (("Allow", "GET, HEAD"),) if status == 405 else ()
        answer = plain(why + "\n", *extra, status=status)
        self._write(_head(answer, len(answer.body), last=True) + answer.body)
        self._close()

    def _note(self, status: int = 0) -> None:
        """Log the request under way, if there is one; without a status it was not answered."""
        if self._serving and self._server.log is not None:
            self._server.log.append(self._serving._replace(ended=time.monotonic(), status=status))
        self._serving = None

    # The ways to answer

    def _carry_out(self, request: ProxyRequest, answer: Answer) -> None:
        behaviour = answer.behaviour
        if behaviour is Behaviour.PLAIN or (request.method == "HEAD" and behaviour in _ABOUT_BODIES):
            self._send(request, answer)
        elif behaviour is Behaviour.REFUSE:
            self._close()
        elif behaviour is Behaviour.GARBAGE:
            self._write(answer.body)
            self._close()
        elif behaviour is Behaviour.CLOSE:
            self._write(_head(answer, len(answer.body), last=True) + answer.body[: len(answer.body) // 2])
            self._note(answer.status)
            self._close()
        else:
            self._busy = True
            self._task = asyncio.get_running_loop().create_task(self._take_time(request, answer))

    def _send(self, request: ProxyRequest, answer: Answer) -> None:
        body = answer.body if request.method == "GET" else b""
        # A client that trusts a wrong length would read its rest as the next answer.
        last = request.last or bool(answer.header("content-length"))
        self._write(_head(answer, len(answer.body), last=last) + body)
        self._note(answer.status)
        if last:
            self._close()

    async def _take_time(self, request: ProxyRequest, answer: Answer) -> None:
        if answer.behaviour is Behaviour.HANG:
            await asyncio.Event().wait()
        elif answer.behaviour is Behaviour.DELAY:
            await asyncio.sleep(answer.seconds)
            self._send(request, answer)
        elif answer.behaviour is Behaviour.DRIP:
            self._write(_head(answer, len(answer.body), last=request.last))
            for start in range(0, len(answer.body), DRIP):
                self._write(answer.body[start : start + DRIP])
                await asyncio.sleep(answer.seconds)
            self._note(answer.status)
        elif answer.behaviour is Behaviour.ENDLESS:
            self._write(_head(answer, None, last=True))
            chunk = b"%x\r\n%s\r\n" % (len(answer.body), answer.body)
            while True:
                self._write(chunk)
                await asyncio.sleep(0)  # another client's turn, even when this one reads as fast as we write
                await self._writable.wait()
        self._busy = False
        self._go_on()

    def _write(self, data: bytes) -> None:
        if self._transport:
            self._transport.write(data)

    def _close(self) -> None:
        if self._transport:
            self._transport.close()


def parse(head: bytes) -> ProxyRequest | None:
    """A request from its head, in origin form (the Host header names the host) or absolute form; None for nonsense."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0"):
        return None
    method, target, version = words
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            return None
        headers[name.lower()] = value.strip()
    if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
        return None
    if version == "HTTP/1.0":
        headers["connection"] = "close"
    if method == "CONNECT":
        return ProxyRequest(method, "", target, "", headers)
    if target.startswith("/"):
        host = headers.get("host", "").rpartition("@")[2].partition(":")[0].lower()
        return ProxyRequest(method, f"http://{host}{target}", host, target, headers) if host else None
    scheme, separator, rest = target.partition("://")
    host, slash, path = rest.partition("/")
    if not separator or not host or scheme.lower() not in ("http", "https"):
        return None
    return ProxyRequest(method, target, host.lower().removesuffix(":80"), f"{slash or '/'}{path}", headers)


def _head(answer: Answer, length: int | None, *, last: bool) -> bytes:
    """Status line and headers; without a length the body is sent in chunks."""
    lines = [f"HTTP/1.1 {answer.status} {_phrase(answer.status)}", f"Date: {formatdate(usegmt=True)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if length is None:
        lines.append("Transfer-Encoding: chunked")
    elif answer.status != 304 and not answer.header("content-length"):
        lines.append(f"Content-Length: {length}")
    if last:
        lines.append("Connection: close")
    return "\r\n".join((*lines, "", "")).encode("latin-1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # a number that nobody has registered
        return ""
