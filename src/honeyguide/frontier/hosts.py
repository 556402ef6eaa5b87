"""Hosts and when they may be contacted: states, lanes, gates, timers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import islice
from math import inf
from typing import Any, NamedTuple, TypeVar

from honeyguide.frontier.gates import Gate, Host, HostState, Lane, Line, Quota, Throttle
from honeyguide.frontier.settings import Politeness
from honeyguide.page.domains import registered_domain

_SOON = 60.0  # seconds for which others wait for hosts that rest

T = TypeVar("T")
Throttled = TypeVar("Throttled", bound=Throttle)


class AddressUse(NamedTuple):
    """What an IP address is used for."""

    in_flight: int
    """Requests in progress."""
    next_time: float
    """When another may start, by the delay between two requests."""
    is_awaited: bool
    """Whether hosts are kept from being contacted by the limit of the address alone."""


class HostSlot:
    """A slot reserved for a request to a host, and the gates that the request passed."""

    __slots__ = ("gates", "host")

    def __init__(self, host: Host) -> None:
        self.host = host
        self.gates = host.lane.gates


class Hosts:
    """All hosts and their states. Time only moves forward: it is the latest time that any caller has passed.

    A host that only its gates may prevent from being contacted is READY and in its lane; a RESTING host has a timer.
    A lane with hosts in it is one of the `ready` lanes or parked at a gate. Hosts and lanes are listed under a key at
    least as good as that of their best URL, and under exactly that key when a URL is taken from them.

    A gate at which lanes are parked is full, or has a timer that will open it, or is represented: one of the ready
    lanes has a key at least as good as that of any lane parked there. Whatever makes a lane leave the ready lanes, or
    move further back, lets the next lane through each of its gates. So the first of the ready lanes whose gates are
    open has the best URL that may be requested, no host that could be contacted is ever forgotten, and none is
    contacted too early.
    """

    def __init__(
        self, politeness: Politeness, best: Callable[[Host], int], awaited: Callable[[Host], None] | None = None
    ) -> None:
        """Set up without hosts.

        Args:
            politeness: The limits.
            best: The key by which the best URL waiting on a host competes with those of other hosts.
            awaited: Called when it becomes worth waiting for the URLs of a host, or no longer is; None if nothing is
                waited for.
        """
        self.politeness = politeness
        self.all: list[Host] = []
        self.now = 0.0
        self._at_once = politeness.host.at_once
        self._enough = politeness.pages_per_host or sys.maxsize
        self._best_key = best
        self._awaited = awaited
        self._ready: Line[Lane] = Line()
        self._lanes: dict[tuple[Gate, ...], Lane] = {}
        self._by_name: dict[str, Host] = {}
        self._domains: dict[str, Gate] = {}
        self._addresses: dict[str, Gate] = {}
        self._closed: dict[Gate, str] = {}  # addresses that may get no request ...
        self._missed: set[str] = set()  # ... and those at which lanes were parked since somebody asked
        self._slow = Gate(politeness.slow)
        self._quota = Quota(politeness.probation)
        self._in_flight = 0
        self._timers: list[tuple[float, int, Callable[[Any], None], Any]] = []
        self._timer_count = 0

    def named(self, name: str) -> Host:
        """The record of a host, created if it does not exist."""
        host = self._by_name.get(name)
        return self._new(name) if host is None else host

    def of(self, urls: Iterable[str]) -> list[Host]:
        """The records of the hosts of some canonical URLs, created if they do not exist."""
        known = self._by_name.get
        # Without a call for each, which would take longer than the rest: as `page.url.host_of` does it.
        return [known(name) or self._new(name) for name in [url.split("/", 3)[2] for url in urls]]

    def _new(self, name: str) -> Host:
        domain = registered_domain(name)
        gate = self._domains.get(domain)
        if gate is None:
            gate = self._domains[domain] = Gate(self.politeness.domain)
        lane, delay = self._lane((gate,)), self.politeness.host.delay
        host = Host(name, domain, len(self.all), delay, lane, is_awaited=self._awaited is not None)
        self.all.append(host)
        self._by_name[name] = host
        return host

    def _lane(self, gates: tuple[Gate, ...]) -> Lane:
        lane = self._lanes.get(gates)
        if lane is None:
            lane = self._lanes[gates] = Lane(len(self._lanes), gates)
        return lane

    # ---- time ----

    def tick(self, now: float) -> None:
        """Advance the time to `now`, unless it is already later, and run all timers that are due."""
        if now > self.now:  # noqa: PLR1730 (called for every page: quicker than max)
            self.now = now
        timers = self._timers
        while timers and timers[0][0] <= self.now:
            _, _, action, about = heappop(timers)
            action(about)

    def after(self, time: float, action: Callable[[T], None], about: T) -> None:
        """Call `action(about)` at the first tick at or after `time`."""
        self._timer_count += 1
        heappush(self._timers, (time, self._timer_count, action, about))

    def _set_timer(self, one: Throttled, action: Callable[[Throttled], None]) -> None:
        """Call `action` when a host or gate allows another request; too early, if that time is postponed later."""
        if one.next_time < one.timer:
            one.timer = one.next_time
            self.after(one.timer, action, one)

    def _wake(self, host: Host) -> None:
        if host.timer <= self.now:
            host.timer = inf
        if host.state is HostState.RESTING:
            self.place(host)

    def _try_gate(self, gate: Gate) -> None:
        if gate.timer <= self.now:
            gate.timer = inf
        self._open((gate,))

    def next_timer(self) -> float | None:
        """When the next host or gate may be ready that is not now; None if there is none."""
        return self._timers[0][0] if self._timers else None

    def next_ready(self, most: int) -> Iterator[Host]:
        """The hosts that the next timers, so many at most, will let be contacted; with a gate, the best behind it."""
        for _, _, _, about in islice(self._timers, most):
            if isinstance(about, Host):
                yield about
            elif isinstance(about, Gate) and (lane := about.parked.first()) and (host := lane.first()):
                yield host

    # ---- states and lines ----

    def first(self) -> Host | None:
        """The host with the best URL among those that may be contacted now, listed under the key of that URL."""
        while (lane := self._ready.first()) is not None:
            host = self._first_of(lane)
            if host is None:
                self._ready.remove(lane)
            elif host.listed != lane.listed:
                self._ready.put(lane, host.listed)
            elif (gate := self._shut_gate(lane)) is not None:
                self._park(lane, gate, lane.listed)
            else:
                return host
            self._open(lane.gates)
        return self.first() if self._lets_others_in() else None

    def _lets_others_in(self) -> bool:
        """Whether a host on probation is ready after all, since no other host is or will be soon."""
        quota = self._quota
        if not quota.parked.members or self._in_flight or (self._timers and self._timers[0][0] <= self.now + _SOON):
            return False
        quota.lend()
        self._open((quota,))
        return self._ready.first() is not None

    def _first_of(self, lane: Lane) -> Host | None:
        while (host := lane.first()) is not None:
            best = self._best_key(host)
            if best == host.listed:
                return host
            lane.put(host, best)
        return None

    def place(self, host: Host) -> None:
        """Update the state of a host, and the line it is in."""
        if host.in_flight >= self._at_once or host.pages >= self._enough:
            self._put(host, HostState.BUSY)
        elif not host.live:
            self._put(host, HostState.IDLE)
        elif host.next_time > self.now:
            self._put(host, HostState.RESTING)
            self._set_timer(host, self._wake)
        else:
            host.state = HostState.READY
            self._enlist(host, self._best_key(host))
        if self._awaited is not None and host.is_awaited is not self._is_awaited(host):
            self._awaited(host)

    def _is_awaited(self, host: Host) -> bool:
        """Whether its URLs are worth waiting for: it may have more pages, is not in doubt, and is ready soon."""
        return host.pages < self._enough and not host.on_probation and host.next_time <= self.now + _SOON

    def _put(self, host: Host, state: HostState) -> None:
        host.state = state
        if host.line is not None:
            host.line.remove(host)

    def _enlist(self, host: Host, key: int) -> None:
        """List a READY host under the key of its best URL; its lane too, if that key is better than the lane's."""
        lane = host.lane
        lane.put(host, key)
        if lane.line is None or key < lane.listed:
            # It may now be better than the lane that represents its gate, so that it must represent the gate itself.
            gate = self._shut_gate(lane)
            if gate is None or lane.line is self._ready:
                self._ready.put(lane, key)
            else:
                self._park(lane, gate, key)
                self._open((gate,))

    def _park(self, lane: Lane, gate: Gate, key: int) -> None:
        gate.parked.put(lane, key)
        if gate in self._closed:
            self._missed.add(self._closed[gate])

    def queued(self, host: Host, key: int) -> None:
        """A URL has been added to the queue of a host, under a key: list the host by it, if that is its best."""
        if host.state is HostState.READY:
            if host.factor != 1.0:  # the product of priority and factor counts, and equal ones by number
                key = self._best_key(host)
            if key < host.listed:
                self._enlist(host, key)
        elif host.state is HostState.IDLE:
            self.place(host)

    def weigh(self, host: Host, factor: float) -> None:
        """Let the URLs of a host compete with those of others as if their priorities were `factor` times as high."""
        host.factor = factor
        if host.state is HostState.READY and (key := self._best_key(host)) < host.listed:
            self._enlist(host, key)

    def _shut_gate(self, lane: Lane) -> Gate | None:
        """The first of a lane's gates that is shut now; None if all are open."""
        now = self.now
        for gate in lane.gates:
            if gate.next_time > now or gate.in_flight >= gate.at_once:
                return gate
        return None

    def _open(self, gates: Iterable[Gate]) -> None:
        """Move the best lane parked at each open gate to the ready lanes, or set a timer that will.

        To be called whenever a gate may have a free slot again, or has lost the lane that represented it.
        """
        for gate in gates:
            if not gate.parked.members or gate.in_flight >= gate.at_once:
                continue
            if gate.next_time > self.now:
                self._set_timer(gate, self._try_gate)
            elif (lane := gate.parked.first()) is not None:
                self._ready.put(lane, lane.listed)

    # ---- requests ----

    def hold(self, host: Host) -> HostSlot:
        """Start a request to a host."""
        loan, now = HostSlot(host), self.now
        for gate in loan.gates:
            gate.start(loan, now + gate.delay)
        host.start(loan, now + host.delay)
        self._in_flight += 1
        self.place(host)
        if self._quota not in loan.gates:
            self._quota.earn()
            self._open((self._quota,))
        return loan

    def sent(self, loan: HostSlot) -> None:
        """A request that was started leaves only now: its host and its gates rest from now on."""
        for gate in loan.gates:
            gate.rest(self.now + gate.delay)
        self.rest(loan.host, self.now + loan.host.delay)

    def release(self, loan: HostSlot) -> None:
        """End a request; its host rests for its delay."""
        host, now = loan.host, self.now
        for gate in loan.gates:
            gate.end(now + gate.delay)
        host.end(now + host.delay)
        self._in_flight -= 1
        self.place(host)
        self._open(loan.gates)

    def undo(self, loan: HostSlot) -> None:
        """Withdraw a request that was never sent: the host and the gates are as if it had not started."""
        for gate in loan.gates:
            gate.undo(loan)
        loan.host.undo(loan)
        self._in_flight -= 1
        if self._quota not in loan.gates:
            self._quota.earn(-1)
        self.place(loan.host)
        self._open(loan.gates)

    def borrow(self, host: Host) -> HostSlot | None:
        """Start a request outside the host's queue; None when the host may not be contacted now."""
        if host.in_flight >= self._at_once or host.next_time > self.now or self._shut_gate(host.lane) is not None:
            return None
        return self.hold(host)

    def rest(self, host: Host, until: float) -> None:
        """Do not contact a host before a time."""
        host.rest(until)
        self.place(host)

    def set_address(self, host: Host, address: str) -> None:
        """Let a host share the limit of an IP address from now on, instead of that of its former address."""
        if address != host.address:
            host.address = address
            self._set_gates(host)

    def limit_address(self, address: str, at_once: int) -> None:
        """Let an IP address get so many requests at once from now on."""
        gate = self._address(address)
        gate.at_once = at_once
        if at_once:
            self._closed.pop(gate, None)
            self._missed.discard(address)
        else:
            self._closed[gate] = address
            if gate.parked.members:
                self._missed.add(address)
        self._open((gate,))

    def missed_addresses(self) -> set[str]:
        """Those IP addresses that may get no request, but are needed for one, as far as that is new."""
        missed, self._missed = self._missed, set()
        return missed

    def rest_address(self, address: str, until: float) -> None:
        """Do not contact an IP address before a time."""
        gate = self._address(address)
        gate.rest(until)
        self._open((gate,))

    def address_use(self, address: str) -> AddressUse:
        """What an IP address is used for."""
        gate = self._address(address)
        return AddressUse(gate.in_flight, gate.next_time, gate.parked.members > 0)

    def _address(self, address: str) -> Gate:
        gate = self._addresses.get(address)
        if gate is None:
            gate = self._addresses[address] = Gate(self.politeness.ip)
        return gate

    def set_slow(self, host: Host, slow: bool) -> None:
        """Let a host share the limit of all slow hosts from now on, or no longer."""
        if slow is not host.is_slow:
            host.is_slow = slow
            self._set_gates(host)

    def set_probation(self, host: Host, on_probation: bool) -> None:
        """Let a host share the limit of hosts on probation from now on, or no longer."""
        if on_probation is not host.on_probation:
            host.on_probation = on_probation
            self._set_gates(host)

    def _set_gates(self, host: Host) -> None:
        gates = [host.lane.gates[0]]  # of its domain
        if host.address:
            gates.append(self._address(host.address))
        if host.is_slow:
            gates.append(self._slow)
        if host.on_probation:
            gates.append(self._quota)
        host.lane = self._lane(tuple(gates))
        self.place(host)
