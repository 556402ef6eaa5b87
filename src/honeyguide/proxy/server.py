"""An HTTP/1.1 server for any web: a proxy for all of its hosts, and an origin server for requests that name a host."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple, Protocol, cast

from honeyguide.proxy.answer import DRIP, Answer, Behaviour, plain

_MAX_HEAD = 65536
_BODY_BEHAVIOURS = (Behaviour.DRIP, Behaviour.CLOSE, Behaviour.ENDLESS)


class ServedRequest(NamedTuple):
    """One request as the server saw it; times are `time.monotonic`, which all processes of a machine share."""

    began: float
    """When the request had been read."""
    ended: float
    """When the last byte of the answer was passed to the connection, or the connection was lost."""
    host: str
    target: str
    """Path and query."""
    status: int
    """0 when no answer was given."""
    agent: str


class RequestLog(Protocol):
    """Where served requests are logged, for example a list."""

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
    """Serves a web on a port of this machine; port 0 means any free one. `answer` returns the answer to a request."""

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
        """Start listening. Raises OSError if the port is in use."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), self._host, self._port, backlog=1024)
        self._port = self._server.sockets[0].getsockname()[1]

    @property
    def address(self) -> str:
        """The proxy address for clients: "http://127.0.0.1:PORT", available once started."""
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
    """The connection of one client. Requests are answered one after another, in the order of their arrival."""

    def __init__(self, server: ProxyServer) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._busy = False
        self._task: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._serving: ServedRequest | None = None

    # Called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register a new client."""
        self._transport = cast("asyncio.Transport", transport)  # those of uvloop are not derived from it
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's signature)
        """Clean up after the client has closed the connection, or was dropped."""
        self._server.connections.discard(self)
        self._transport = None
        if self._task:
            self._task.cancel()
        self._log_request()

    def pause_writing(self) -> None:
        """Pause endless answers: the client reads more slowly than we write."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Resume endless answers: the client has caught up."""
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        """Buffer the bytes of one or more requests, and answer those that are complete."""
        self._buffer += data
        self._answer_waiting()

    def drop(self) -> None:
        """Close immediately. A request in progress is logged before this returns; asyncio reports the loss later."""
        self._log_request()
        if self._transport:
            self._transport.abort()

    # One request after another

    def _answer_waiting(self) -> None:
        while not self._busy and self._transport and not self._transport.is_closing():
            head, found, _ = self._buffer.partition(b"\r\n\r\n")
            if not found:
                if len(self._buffer) > _MAX_HEAD:
                    self._reject(431, "The request is too long.")
                return
            del self._buffer[: len(head) + 4]
            self._handle(bytes(head))

    def _handle(self, head: bytes) -> None:
        began = time.monotonic()
        request = parse(head)
        if request is None:
            self._reject(400, "This is not a valid HTTP/1.1 request.")
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

    def _log_request(self, status: int = 0) -> None:
        """Log the request in progress, if there is one; status 0 means that it was not answered."""
        if self._serving and self._server.log is not None:
            self._server.log.append(self._serving._replace(ended=time.monotonic(), status=status))
        self._serving = None

    # The ways to answer

    def _carry_out(self, request: ProxyRequest, answer: Answer) -> None:
        behaviour = answer.behaviour
        if behaviour is Behaviour.PLAIN or (request.method == "HEAD" and behaviour in _BODY_BEHAVIOURS):
            self._send(request, answer)
        elif behaviour is Behaviour.REFUSE:
            self._close()
        elif behaviour is Behaviour.GARBAGE:
            self._write(answer.body)
            self._close()
        elif behaviour is Behaviour.CLOSE:
            self._write(_head(answer, len(answer.body), last=True) + answer.body[: len(answer.body) // 2])
            self._log_request(answer.status)
            self._close()
        else:
            self._busy = True
            self._task = asyncio.get_running_loop().create_task(self._send_slowly(request, answer))

    def _send(self, request: ProxyRequest, answer: Answer) -> None:
        body = answer.body if request.method == "GET" else b""
        # With a wrong Content-Length, a client would take the rest of this answer for the beginning of the next.
        last = request.last or bool(answer.header("content-length"))
        self._write(_head(answer, len(answer.body), last=last) + body)
        self._log_request(answer.status)
        if last:
            self._close()

    async def _send_slowly(self, request: ProxyRequest, answer: Answer) -> None:
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
            self._log_request(answer.status)
        elif answer.behaviour is Behaviour.ENDLESS:
            self._write(_head(answer, None, last=True))
            chunk = b"%x\r\n%s\r\n" % (len(answer.body), answer.body)
            while True:
                self._write(chunk)
                await asyncio.sleep(0)  # let other clients proceed, even if this one reads as fast as we write
                await self._writable.wait()
        self._busy = False
        self._answer_waiting()

    def _write(self, data: bytes) -> None:
        if self._transport:
            self._transport.write(data)

    def _close(self) -> None:
        if self._transport:
            self._transport.close()


def parse(head: bytes) -> ProxyRequest | None:
    """Parse the head of a request, in origin form (with a Host header) or absolute form; None if it is malformed."""
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
    """Status line and headers; if `length` is None, the body is to be sent in chunks."""
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
    except ValueError:  # not a registered status code
        return ""
