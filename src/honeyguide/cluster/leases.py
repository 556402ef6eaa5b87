"""The limit of an IP address across shards: each address has one owner, which lends it to one shard at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

LEASE: Final = 30.0
"""Seconds for which a shard may use an address before it has to ask again; and for which others wait if it dies."""
RENEW: Final = 2.0
"""Seconds after which a shard asks again for an address in use: then it learns whether others wait for it."""
MARGIN: Final = 5.0
"""Seconds before the end of a lease from which no request is started any more, for it may take a while."""
_WAITS: Final = 3.0  # seconds for which a shard that has asked counts as waiting


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """What a shard tells the owner of some addresses."""

    number: tuple[int, int] = (0, 0)
    """Higher for later requests: one that comes late is ignored."""
    wanted: tuple[str, ...] = ()
    """Those it wants to contact, or to go on contacting."""
    released: Mapping[str, float] = field(default_factory=dict)
    """Those it no longer contacts, and for how many more seconds nobody may."""

    def __bool__(self) -> bool:
        return bool(self.wanted or self.released)


@dataclass(frozen=True, slots=True)
class LeaseAnswer:
    """What the owner says."""

    granted: Mapping[str, float] = field(default_factory=dict)
    """Addresses that the shard may use for `LEASE` seconds from when it asked; after so many seconds of rest."""
    recalled: tuple[str, ...] = ()
    """Addresses of these that others wait for: it should release them soon."""


@dataclass(slots=True)
class _Lent:
    holder: str
    until: float
    not_before: float = 0.0
    awaited: dict[str, float] = field(default_factory=dict)  # by whom, and when they last asked


class AddressOwner:
    """Lends IP addresses. An address is lent to one shard at a time, until it is released or the lease has ended."""

    def __init__(self, now: float, *, is_first: bool, delay: float = 0.0) -> None:
        """Unless it `is_first`, an owner before this one may have lent any address: nothing is lent until that ends.

        `delay` is that between two requests to an address.
        """
        # A lease that ends without a release: the last request may have been made `MARGIN` before.
        self._rest = max(delay - MARGIN, 0.0)
        self._closed_until = 0.0 if is_first else now + LEASE + self._rest
        self._lent: dict[str, _Lent] = {}
        self._latest: dict[str, tuple[int, int]] = {}

    def answer(self, shard: str, request: LeaseRequest, now: float) -> LeaseAnswer:
        """Answer a shard. Nothing is granted that another shard may still use."""
        if not request or request.number < self._latest.get(shard, (0, 0)):
            return LeaseAnswer()
        self._latest[shard] = request.number
        for address, rest in request.released.items():
            lent = self._lent.get(address)
            if lent is not None and lent.holder == shard:
                lent.holder, lent.until, lent.not_before = "", now, max(lent.not_before, now + rest)
        granted: dict[str, float] = {}
        recalled = []
        for address in request.wanted:
            lent = self._lent.get(address)
            if lent is None:
                if now < self._closed_until:
                    continue
                lent = self._lent[address] = _Lent("", now)
            if lent.holder != shard and (lent.until > now or self._is_before(lent, shard, now)):
                lent.awaited[shard] = now
                continue
            lent.awaited.pop(shard, None)
            if lent.holder not in ("", shard):
                lent.not_before = max(lent.not_before, lent.until + self._rest)
            lent.holder, lent.until = shard, now + LEASE
            granted[address] = max(lent.not_before - now, 0.0)
            if any(now - asked < _WAITS for asked in lent.awaited.values()):
                recalled.append(address)
        return LeaseAnswer(granted, tuple(recalled))

    def _is_before(self, lent: _Lent, shard: str, now: float) -> bool:
        """Whether another shard that still wants a free address has waited for longer than this one."""
        waiting = [one for one, asked in lent.awaited.items() if now - asked < _WAITS]
        return bool(waiting) and waiting[0] != shard


class Tenant:
    """The addresses that a shard uses, each lent by its owner.

    A lease counts from when it was asked for, so that it ends here before it ends for the owner.
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._wanted: dict[str, None] = {}
        self._asked: dict[str, float] = {}
        self._leaving: set[str] = set()

    def holds(self, address: str, now: float) -> bool:
        """Whether an address may be contacted now."""
        return self._until.get(address, 0.0) > now and address not in self._leaving

    def want(self, address: str) -> None:
        """An address is to be contacted."""
        if address not in self._until:
            self._wanted[address] = None

    @property
    def is_waiting(self) -> bool:
        """Whether an address is wanted and was not granted yet."""
        return bool(self._wanted)

    @property
    def leaving(self) -> set[str]:
        """Addresses that others wait for, or whose lease ends: to be released when no request to them is under way."""
        return self._leaving

    def held(self) -> list[str]:
        """All addresses that were granted and not released."""
        return list(self._until)

    def has_ended(self, address: str, now: float) -> bool:
        """Whether the lease of an address ends so soon that no request may be started any more."""
        return self._until[address] - MARGIN <= now

    def requests(self, now: float, in_use: Callable[[str], bool]) -> list[str]:
        """The addresses to ask for: those that are wanted, and those in use whose lease has to be renewed."""
        due = [
            address
            for address in self._until
            if address not in self._leaving and now - self._asked[address] >= RENEW and in_use(address)
        ]
        asked = [*self._wanted, *due]
        self._asked |= dict.fromkeys(asked, now)
        return asked

    def answered(self, asked: float, answer: LeaseAnswer) -> list[tuple[str, float]]:
        """The owner has answered what was asked at a time. Returns the new addresses, and how long each rests."""
        new = []
        for address, rest in answer.granted.items():
            if address not in self._until:
                new.append((address, rest))
            self._wanted.pop(address, None)
            self._until[address] = asked + LEASE
        self._leaving.update(address for address in answer.recalled if address in self._until)
        return new

    def release(self, address: str) -> None:
        """An address is no longer contacted."""
        self._until.pop(address, None)
        self._leaving.discard(address)
