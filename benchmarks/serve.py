"""The page server: every answer is ready before the first request, so that it takes as little time as it can."""

from __future__ import annotations

import asyncio
import gzip
import sys
from pathlib import Path
from typing import cast

import uvloop

from benchmarks.web import PORT, ROBOTS, RenderedWeb, addresses

READY = "ready"
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
_END = b"\r\n\r\n"


def answers(web: RenderedWeb) -> dict[bytes, bytes]:
    """What is sent, by address and target."""
    ready = {f"{address}:{PORT}/robots.txt".encode(): _answer("text/plain", ROBOTS) for address in addresses()}
    for url, body in web.pages.items():
        answer = _answer("text/html", gzip.compress(body, 6), "gzip") if web.compressed else _answer("text/html", body)
        ready[url.removeprefix("http://").encode()] = answer
    return ready


def _answer(kind: str, body: bytes, encoding: str = "") -> bytes:
    head = (
        "HTTP/1.1 200 OK\r\nServer: pages\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
        f"Content-Type: {kind}; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        f"{f'Content-Encoding: {encoding}' if encoding else 'X-Content-Type-Options: nosniff'}\r\n"
        "Cache-Control: max-age=600\r\nVary: Accept-Encoding\r\n\r\n"
    )
    return head.encode() + body


class _Connection(asyncio.Protocol):
    """One connection: requests without a body, one after the other."""

    def __init__(self, ready: dict[bytes, bytes]) -> None:
        self._ready = ready
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        address, port = transport.get_extra_info("sockname")[:2]
        self._place = f"{address}:{port}".encode()

    def data_received(self, data: bytes) -> None:
        *requests, self._rest = (self._rest + data).split(_END)
        for request in requests:
            target = request.split(b" ", 2)[1]
            self._transport.write(self._ready.get(self._place + target, _NOT_FOUND))


async def _serve(ready: dict[bytes, bytes]) -> None:
    loop = asyncio.get_running_loop()
    for address in addresses():
        await loop.create_server(lambda: _Connection(ready), address, PORT, backlog=1024)
    print(READY, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(_serve(answers(RenderedWeb.load(Path(sys.argv[1])))))
