"""The IP addresses of a shard: those that it contacts, and those that it owns and leases to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from honeyguide.cluster.leases import AddressOwner, LeaseAnswer, LeaseRequest, Tenant
from honeyguide.cluster.ring import Ring
from honeyguide.frontier import AddressUse, Frontier, Limit

_UNUSED: Final = 20.0  # seconds after which an unused address is released


class ShardAddresses:
    """Opens the limit of an address in the frontier while it is leased to this shard, and closes it otherwise."""

    def __init__(
        self, name: str, ring: Ring, frontier: Frontier, limit: Limit, life: int, now: Callable[[], float]
    ) -> None:
        """`limit` is that of an address; `life` is how many times the shard was started."""
        self._name = name
        self._ring = ring
        self._frontier = frontier
        self._limit = limit
        self._life = life
        self._now = now
        self.wake: Callable[[], None] = lambda: None
        self._owner = AddressOwner(now(), is_first=life == 1, delay=limit.delay)
        self._tenant = Tenant()
        self._closed: set[str] = set()
        self._number = 0

    @property
    def is_waiting(self) -> bool:
        """Whether an address was requested and not granted yet."""
        return self._tenant.is_waiting

    def locate(self, host: int, address: str) -> None:
        """Record the address of a host, and request the address if this shard does not hold it."""
        if address and not self._tenant.holds(address, self._now()) and address not in self._closed:
            self._close(address)
            self._tenant.want(address)
        self._frontier.set_address(host, address)

    def _close(self, address: str) -> None:
        self._closed.add(address)
        self._frontier.limit_address(address, 0)

    def answer(self, shard: str, request: LeaseRequest) -> LeaseAnswer:
        """Answer another shard that requests addresses owned by this one."""
        return self._owner.answer(shard, request, self._now())

    def requests(self) -> dict[str, LeaseRequest]:
        """The requests to send to the owners of addresses now, by shard. Called about once a second."""
        now, use, tenant = self._now(), self._frontier.address_use, self._tenant
        released: dict[str, dict[str, float]] = {}
        for address in tenant.held():
            if tenant.has_ended(address, now):
                self._close(address)
                tenant.release(address)
            elif address in tenant.leaving:
                self._close(address)
                if not use(address).in_flight:
                    rest = max(use(address).next_time - now, 0.0)
                    released.setdefault(self._ring.owner_of_name(address), {})[address] = rest
                    tenant.release(address)
        for address in self._frontier.missed_addresses():
            tenant.want(address)
        wanted: dict[str, list[str]] = {}
        for address in tenant.requests(now, lambda one: _is_used(use(one), now)):
            wanted.setdefault(self._ring.owner_of_name(address), []).append(address)
        self._number += 1
        requests = {
            owner: LeaseRequest((self._life, self._number), tuple(wanted.get(owner, ())), released.get(owner, {}))
            for owner in wanted.keys() | released.keys()
        }
        if own := requests.pop(self._name, None):
            self.answered(now, self.answer(self._name, own))
        return requests

    def answered(self, asked_at: float, answer: LeaseAnswer) -> None:
        """Take the answer to a request that was sent at `asked_at`."""
        for address, rest in self._tenant.answered(asked_at, answer):
            self._closed.discard(address)
            self._frontier.rest_address(address, self._now() + rest)
            self._frontier.limit_address(address, self._limit.at_once)
            self.wake()


def _is_used(use: AddressUse, now: float) -> bool:
    return use.in_flight > 0 or use.is_awaited or use.next_time > now - _UNUSED
