"""Concurrent resolution of host names."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from aiohttp.abc import AbstractResolver, ResolveResult


class SystemResolver(AbstractResolver):
    """Uses the system's resolver, in separate threads.

    aiohttp's `ThreadedResolver` shares the event loop's few threads (uvloop has four), so that a handful of dead
    names, each of which takes the system many seconds, would block every other lookup of the crawl.
    """

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolver")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """All addresses of a name, in the system's order. Raises `socket.gaierror` when there are none."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _resolve, host, port, family)

    async def close(self) -> None:
        """Cancel lookups that have not started; those in progress end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _resolve(host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
    try:
        found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    except UnicodeError as error:  # a label that is empty or too long for DNS
        raise socket.gaierror(socket.EAI_NONAME, f"not a host name: {error}") from error
    return [
        ResolveResult(
            hostname=host,
            host=str(where[0]),
            port=port,
            family=kind,
            proto=protocol,
            flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        )
        for kind, _, protocol, _, where in found
    ]
