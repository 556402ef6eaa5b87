"""Resolves names to addresses before the first request, so that requests can be counted by address."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from time import monotonic

from aiohttp.abc import AbstractResolver, ResolveResult

_AT_LEAST = 60.0
"""Seconds for which an address that was found ahead of a request is valid, however short the cache is: until its turn
comes, the URL may have to wait for others with the same address."""

_MOST_NAMES = 100_000  # kept; beyond that the oldest are dropped, and resolved again when they are needed


@dataclass(slots=True)
class _Entry:
    answers: list[ResolveResult]
    """All addresses of the name. Only the first one is used. Empty when it was given up."""
    port: int
    """For which it was looked up."""
    until: float


class AddressBook(AbstractResolver):
    """A resolver with one address per name, which it caches.

    The address that `known` and `find` return is the one that `resolve` hands to the next connection: what is counted
    is what is contacted. If it does not answer, `turn_page` makes way for the name's next address.
    """

    def __init__(self, resolver: AbstractResolver, keep: float) -> None:
        """`keep` is how many seconds an address is valid."""
        self._resolver = resolver
        self._keep = keep
        self._entries: dict[str, _Entry] = {}

    def known(self, host: str) -> str | None:
        """The address of a name, "" if it was given up; None if it has to be looked up (again)."""
        entry = self._entries.get(host)
        if entry is None or monotonic() >= entry.until:
            return None
        return entry.answers[0]["host"] if entry.answers else ""

    async def find(self, host: str, port: int) -> str:
        """Look up the address of a name, for a request that will follow. Raises what the resolver raises."""
        entry = self._enter(host, port, await self._resolver.resolve(host, port), max(self._keep, _AT_LEAST))
        return entry.answers[0]["host"]

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The address of a name, in a list. It is looked up only if it is not known."""
        entry = self._entries.get(host)
        if entry is None or monotonic() >= entry.until:
            entry = self._enter(host, port, await self._resolver.resolve(host, port, family), self._keep)
        answer = entry.answers[0]
        # A resolver may return results for another port, too.
        return [answer if answer["port"] != entry.port else ResolveResult({**answer, "port": port})]

    def turn_page(self, host: str) -> None:
        """Switch to the next address of a name, if there is one, since the current one did not respond."""
        entry = self._entries.get(host)
        if entry is not None:
            entry.answers = entry.answers[1:] + entry.answers[:1]

    def give_up(self, host: str) -> None:
        """Record that a name cannot be resolved here, so that it is not looked up again for a while."""
        self._enter(host, 0, [], max(self._keep, _AT_LEAST))

    async def close(self) -> None:
        """Close the wrapped resolver."""
        await self._resolver.close()

    def _enter(self, host: str, port: int, answers: list[ResolveResult], keep: float) -> _Entry:
        entry = _Entry(answers, port, monotonic() + keep)
        self._entries.pop(host, None)  # the newest is the last
        self._entries[host] = entry
        if len(self._entries) > _MOST_NAMES:
            del self._entries[next(iter(self._entries))]
        return entry
