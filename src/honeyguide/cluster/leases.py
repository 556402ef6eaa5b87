"""The limits of IP addresses across shards: each address has one owner, which leases it to one shard at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

LEASE: Final = 30.0
"""Seconds for which a shard may use an address without renewing the lease, and for which others wait if it dies."""
RENEW: Final = 2.0
"""Seconds after which a shard renews the lease of an address in use; the answer says whether others wait for it."""
MARGIN: Final = 5.0
"""Seconds before the end of a lease from which no request is started, since a request may take that long."""
_WAITING_FOR: Final = 3.0  # seconds for which a shard counts as waiting after it has asked


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """A message from a shard to the owner of some addresses."""

    number: tuple[int, int] = (0, 0)
    """Increases with every request; a request that arrives after a later one is ignored."""
    wanted: tuple[str, ...] = ()
    """Addresses that it wants to contact, or to go on contacting."""
    released: Mapping[str, float] = field(default_factory=dict)
    """Addresses that it no longer contacts, with the seconds for which nobody may contact them."""

    def __bool__(self) -> bool:
        return bool(self.wanted or self.released)


@dataclass(frozen=True, slots=True)
class LeaseAnswer:
    """The owner's answer."""

    granted: Mapping[str, float] = field(default_factory=dict)
    """Addresses that the shard may use for `LEASE` seconds from its request, with the seconds to wait before that."""
    recalled: tuple[str, ...] = ()
    """Granted addresses that others wait for: the shard should release them soon."""


@dataclass(slots=True)
class _Lease:
    holder: str
    until: float
    not_before: float = 0.0
    awaited: dict[str, float] = field(default_factory=dict)  # waiting shards, with the time of their last request


class AddressOwner:
    """Leases IP addresses. An address is leased to one shard at a time, until it is released or the lease ends."""

    def __init__(self, now: float, *, is_first: bool, delay: float = 0.0) -> None:
        """Unless it `is_first`, nothing is leased until all leases of a previous owner have ended.

        `delay` is that between two requests to an address.
        """
        # If a lease ends without a release, the last request may have started `MARGIN` before.
        self._rest = max(delay - MARGIN, 0.0)
        self._closed_until = 0.0 if is_first else now + LEASE + self._rest
        self._leases: dict[str, _Lease] = {}
        self._latest: dict[str, tuple[int, int]] = {}

    def answer(self, shard: str, request: LeaseRequest, now: float) -> LeaseAnswer:
        """Answer a shard. No address is granted that another shard may still use."""
        if not request or request.number < self._latest.get(shard, (0, 0)):
            return LeaseAnswer()
        self._latest[shard] = request.number
        for address, rest in request.released.items():
            lease = self._leases.get(address)
            if lease is not None and lease.holder == shard:
                lease.holder, lease.until, lease.not_before = "", now, max(lease.not_before, now + rest)
        granted: dict[str, float] = {}
        recalled = []
        for address in request.wanted:
            lease = self._leases.get(address)
            if lease is None:
                if now < self._closed_until:
                    continue
                lease = self._leases[address] = _Lease("", now)
            if lease.holder != shard and (lease.until > now or self._others_first(lease, shard, now)):
                lease.awaited[shard] = now
                continue
            lease.awaited.pop(shard, None)
            if lease.holder not in ("", shard):
                lease.not_before = max(lease.not_before, lease.until + self._rest)
            lease.holder, lease.until = shard, now + LEASE
            granted[address] = max(lease.not_before - now, 0.0)
            if any(now - asked < _WAITING_FOR for asked in lease.awaited.values()):
                recalled.append(address)
        return LeaseAnswer(granted, tuple(recalled))

    def _others_first(self, lease: _Lease, shard: str, now: float) -> bool:
        """Whether another shard has been waiting longer than this one for a free address."""
        waiting = [one for one, asked in lease.awaited.items() if now - asked < _WAITING_FOR]
        return bool(waiting) and waiting[0] != shard


class Tenant:
    """The addresses that a shard uses, each leased from its owner.

    A lease counts from the time of the request, so that it ends here before it ends for the owner.
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
        """Request an address, unless it is held."""
        if address not in self._until:
            self._wanted[address] = None

    @property
    def is_waiting(self) -> bool:
        """Whether an address was requested and not granted yet."""
        return bool(self._wanted)

    @property
    def leaving(self) -> set[str]:
        """Addresses that others wait for: to be released once no request to them is in flight."""
        return self._leaving

    def held(self) -> list[str]:
        """All addresses that were granted and not released yet."""
        return list(self._until)

    def has_ended(self, address: str, now: float) -> bool:
        """Whether the lease of an address ends so soon that no more requests may be started."""
        return self._until[address] - MARGIN <= now

    def requests(self, now: float, in_use: Callable[[str], bool]) -> list[str]:
        """The addresses to ask for: those that are wanted, and those in use whose lease is due for renewal."""
        due = [
            address
            for address in self._until
            if address not in self._leaving and now - self._asked[address] >= RENEW and in_use(address)
        ]
        asked = [*self._wanted, *due]
        self._asked |= dict.fromkeys(asked, now)
        return asked

    def answered(self, asked: float, answer: LeaseAnswer) -> list[tuple[str, float]]:
        """Take the answer to a request sent at `asked`. Returns the new addresses, with seconds to wait for each."""
        new = []
        for address, rest in answer.granted.items():
            if address not in self._until:
                new.append((address, rest))
            self._wanted.pop(address, None)
            self._until[address] = asked + LEASE
        self._leaving.update(address for address in answer.recalled if address in self._until)
        return new

    def release(self, address: str) -> None:
        """Forget an address that is no longer contacted."""
        self._until.pop(address, None)
        self._leaving.discard(address)
