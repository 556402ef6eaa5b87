"""When each host may be contacted: states, lanes, gates, timers."""

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

_SOON = 60.0  # seconds of rest up to which a host counts as available soon

T = TypeVar("T")
Throttled = TypeVar("Throttled", bound=Throttle)


class AddressUse(NamedTuple):
    """The current use of an IP address."""

    in_flight: int
    """Requests in progress."""
    next_time: float
    """The earliest time at which its delay allows another request."""
    is_awaited: bool
    """Whether some hosts wait for nothing but the limit of the address."""


class HostSlot:
    """A slot reserved for a request to a host, and the gates that the request passed."""

    __slots__ = ("gates", "host")

    def __init__(self, host: Host) -> None:
        self.host = host
        self.gates = host.lane.gates


class Hosts:
    """All hosts and their states. Time only moves forward: it is the latest time that any caller has passed.

    A host whose own limits allow a request is READY and in its lane; a RESTING host has a timer. A lane with hosts in
    it is one of the `ready` lanes or parked at a gate. Hosts and lanes are listed under a key at least as good as that
    of their best URL, and under exactly that key when a URL is taken from them.

    A gate at which lanes are parked is full, or has a timer that will open it, or is represented: one of the ready
    lanes has a key at least as good as that of any lane parked there. Whenever a lane leaves the ready lanes, or moves
    back among them, the next lane is let through each of its gates. So the first ready lane whose gates are open has
    the best URL that may be requested, no host that may be contacted is ever forgotten, and none is contacted too
    early.
    """

    def __init__(
        self, politeness: Politeness, best: Callable[[Host], int], awaited: Callable[[Host], None] | None = None
    ) -> None:
        """Set up without hosts.

        Args:
            politeness: The limits.
            best: The key by which the best URL waiting on a host competes with those of other hosts.
            awaited: Called when the URLs of a host start or cease to be worth waiting for; None if the frontier never
                waits.
        """
        self.politeness = politeness
        self.all: list[Host] = []
        self.now = 0.0
        self._at_once = politeness.host.at_once
        self._max_pages = politeness.pages_per_host or sys.maxsize
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
        """The host with a name, created if necessary."""
        host = self._by_name.get(name)
        return self._new(name) if host is None else host

    def of(self, urls: Iterable[str]) -> list[Host]:
        """The hosts of some canonical URLs, created if necessary."""
        find = self._by_name.get
        # `page.url.host_of`, inlined: the calls would take longer than the rest.
        return [find(name) or self._new(name) for name in [url.split("/", 3)[2] for url in urls]]

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
        if now > self.now:  # noqa: PLR1730 (called for every page: faster than max)
            self.now = now
        timers = self._timers
        while timers and timers[0][0] <= self.now:
            _, _, action, argument = heappop(timers)
            action(argument)

    def after(self, time: float, action: Callable[[T], None], argument: T) -> None:
        """Call `action(about)` at the first tick at or after `time`."""
        self._timer_count += 1
        heappush(self._timers, (time, self._timer_count, action, argument))

    def _set_timer(self, throttle: Throttled, action: Callable[[Throttled], None]) -> None:
        """Call `action` when a host or gate allows another request; too early if that time is postponed afterwards."""
        if throttle.next_time < throttle.timer:
            throttle.timer = throttle.next_time
            self.after(throttle.timer, action, throttle)

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
        """The time of the next timer; None if there is none."""
        return self._timers[0][0] if self._timers else None

    def next_ready(self, most: int) -> Iterator[Host]:
        """The hosts that the next `most` timers will make available; for a gate, the best host parked there."""
        for _, _, _, argument in islice(self._timers, most):
            if isinstance(argument, Host):
                yield argument
            elif isinstance(argument, Gate) and (lane := argument.parked.first()) and (host := lane.first()):
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
        return self.first() if self._admit_probation() else None

    def _admit_probation(self) -> bool:
        """Admit a host on probation if no other host is ready or will be soon. Returns whether a host is ready now."""
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
        """Update the state and the line of a host."""
        if host.in_flight >= self._at_once or host.pages >= self._max_pages:
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
        """Whether a host's URLs are worth waiting for: below its maximum of pages, not on probation, available soon."""
        return host.pages < self._max_pages and not host.on_probation and host.next_time <= self.now + _SOON

    def _put(self, host: Host, state: HostState) -> None:
        host.state = state
        if host.line is not None:
            host.line.remove(host)

    def _enlist(self, host: Host, key: int) -> None:
        """List a READY host under the key of its best URL, and its lane too if that key is better than the lane's."""
        lane = host.lane
        lane.put(host, key)
        if lane.line is None or key < lane.listed:
            # The lane may now be better than the one that represents its gate, and must then represent the gate itself.
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
        """Update the listing of a host after a URL was added to its queue under a key."""
        if host.state is HostState.READY:
            if host.factor != 1.0:  # hosts compete with priority times factor
                key = self._best_key(host)
            if key < host.listed:
                self._enlist(host, key)
        elif host.state is HostState.IDLE:
            self.place(host)

    def weigh(self, host: Host, factor: float) -> None:
        """Let a host compete as if the priorities of its URLs were `factor` times as high."""
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
        """Move the best lane parked at each open gate to the ready lanes, or set a timer that will do so.

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
        slot, now = HostSlot(host), self.now
        for gate in slot.gates:
            gate.start(slot, now + gate.delay)
        host.start(slot, now + host.delay)
        self._in_flight += 1
        self.place(host)
        if self._quota not in slot.gates:
            self._quota.earn()
            self._open((self._quota,))
        return slot

    def sent(self, slot: HostSlot) -> None:
        """Record that a started request is being sent only now: its host and its gates rest from now on."""
        for gate in slot.gates:
            gate.rest(self.now + gate.delay)
        self.rest(slot.host, self.now + slot.host.delay)

    def release(self, slot: HostSlot) -> None:
        """End a request; its host rests for its delay."""
        host, now = slot.host, self.now
        for gate in slot.gates:
            gate.end(now + gate.delay)
        host.end(now + host.delay)
        self._in_flight -= 1
        self.place(host)
        self._open(slot.gates)

    def undo(self, slot: HostSlot) -> None:
        """Withdraw a request that was never sent: the host and the gates are as if it had not started."""
        for gate in slot.gates:
            gate.undo(slot)
        slot.host.undo(slot)
        self._in_flight -= 1
        if self._quota not in slot.gates:
            self._quota.earn(-1)
        self.place(slot.host)
        self._open(slot.gates)

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
        """Let a host share the limit of an IP address from now on, instead of that of its previous address."""
        if address != host.address:
            host.address = address
            self._set_gates(host)

    def limit_address(self, address: str, at_once: int) -> None:
        """Set the limit of concurrent requests to an IP address."""
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
        """The current use of an IP address."""
        gate = self._address(address)
        return AddressUse(gate.in_flight, gate.next_time, gate.parked.members > 0)

    def _address(self, address: str) -> Gate:
        gate = self._addresses.get(address)
        if gate is None:
            gate = self._addresses[address] = Gate(self.politeness.ip)
        return gate

    def set_slow(self, host: Host, slow: bool) -> None:
        """Set whether a host shares the limit of all slow hosts."""
        if slow is not host.is_slow:
            host.is_slow = slow
            self._set_gates(host)

    def set_probation(self, host: Host, on_probation: bool) -> None:
        """Set whether a host shares the limit of all hosts on probation."""
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
