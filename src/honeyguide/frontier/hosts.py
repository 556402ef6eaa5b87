"""Hosts and when they may be asked: places, gates, timers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

from honeyguide.frontier.gates import Gate, Host, Where
from honeyguide.frontier.settings import Politeness
from honeyguide.page.url import registered_domain


@dataclass(frozen=True, slots=True)
class Loan:
    """A host that is being asked for something outside its queue."""

    host: Host
    gates: tuple[Gate, ...]


class Hosts:
    """Every host in its place. Time only moves forward: it is the latest that any caller has named.

    Each READY host stands in the heap `ready` under its `listed` key; older entries there no longer hold. Each RESTING
    host has a timer. A gate with parked hosts that is not full has let one of them through, which is READY, or has a
    timer. So no host that could be asked is ever forgotten, and none is asked too early.
    """

    def __init__(self, politeness: Politeness, best: Callable[[Host], int | None]) -> None:
        self.politeness = politeness
        self._best = best  # the key of the best URL that waits on a host
        self.all: list[Host] = []
        self.ready: list[tuple[int, Host]] = []
        self.now = 0.0
        self._by_name: dict[str, Host] = {}
        self._domains: dict[str, Gate] = {}
        self._addresses: dict[str, Gate] = {}
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._timer_count = 0

    def named(self, name: str) -> Host:
        """The record of a host, made if need be."""
        host = self._by_name.get(name)
        return self._new(name) if host is None else host

    def _new(self, name: str) -> Host:
        host = Host(name, len(self.all), self.politeness.host.delay)
        domain = registered_domain(name)
        gate = self._domains.get(domain)
        if gate is None:
            gate = self._domains[domain] = Gate(self.politeness.domain)
        host.gates = (gate,)
        self.all.append(host)
        self._by_name[name] = host
        return host

    # ---- time ----

    def tick(self, now: float) -> None:
        """It is `now`, or later already: let everything happen that was to happen by then."""
        self.now = max(now, self.now)
        while self._timers and self._timers[0][0] <= self.now:
            heappop(self._timers)[2]()

    def after(self, time: float, action: Callable[[], None]) -> None:
        """Do something at the first tick from `time` on."""
        self._timer_count += 1
        heappush(self._timers, (time, self._timer_count, action))

    def next_time(self) -> float | None:
        """When something may be ready: now, at the next timer, or None for never."""
        if self.ready:
            return self.now
        return self._timers[0][0] if self._timers else None

    # ---- places ----

    def place(self, host: Host) -> None:
        """Put a host where it belongs now. Its entries where it stood before no longer hold."""
        was = host.where
        if was is Where.CLOSED:
            return
        if host.in_flight >= self.politeness.host.at_once or self._has_enough(host):
            host.where = Where.BUSY
        elif not host.live:
            host.where = Where.IDLE
        elif host.next_time > self.now:
            host.where = Where.RESTING
            if was is not Where.RESTING:
                self.after(host.next_time, lambda: self._wake(host))
        elif was is not Where.READY:
            host.where = Where.READY
            best = self._best(host)
            assert best is not None  # `live` counts the URLs that wait
            host.listed = best
            heappush(self.ready, (best, host))
        if host.where is not Where.READY and was in (Where.READY, Where.PARKED):
            self.open(host.gates)  # a gate that was opened for this host may open for another

    def _has_enough(self, host: Host) -> bool:
        """Whether the host has given as many pages as it should."""
        limit = self.politeness.pages_per_host
        return bool(limit) and host.pages >= limit

    def _wake(self, host: Host) -> None:
        if host.where is Where.RESTING:
            host.where = Where.IDLE
            self.place(host)

    def park(self, host: Host, gate: Gate) -> None:
        """A READY host has found a gate shut."""
        host.where, host.parked_at = Where.PARKED, gate
        gate.park(host.listed, host)
        self.open((gate,))

    def list_better(self, host: Host, key: int) -> None:
        """A better URL waits on a host that is READY or PARKED: list it under that one's key."""
        host.listed = key
        if host.where is Where.READY:
            heappush(self.ready, (key, host))
        elif host.parked_at is not None:
            host.parked_at.park(key, host)

    def shut_gate(self, host: Host) -> Gate | None:
        """The first of a host's gates that is shut now."""
        for gate in host.gates:
            if not gate.is_open(self.now):
                return gate
        return None

    def open(self, gates: Iterable[Gate]) -> None:
        """Let one parked host through each gate that is open, or set the timer that will.

        To be called whenever a gate may have got a free place.
        """
        for gate in gates:
            if not gate.parked or gate.in_flight >= gate.limit.at_once:
                continue
            if gate.next_time <= self.now:
                host = gate.wake()
                if host is not None:
                    host.where, host.parked_at = Where.IDLE, None
                    self.place(host)
            elif not gate.armed:
                gate.armed = True
                self.after(gate.next_time, self._opener(gate))

    def _opener(self, gate: Gate) -> Callable[[], None]:
        def fire() -> None:
            gate.armed = False
            self.open((gate,))

        return fire

    # ---- requests ----

    def hold(self, host: Host) -> tuple[Gate, ...]:
        """One more request is under way on a host. Returns the gates it went through, for `release`."""
        gates = host.gates
        for gate in gates:
            gate.acquire(self.now)
        host.in_flight += 1
        host.next_time = max(host.next_time, self.now + host.delay)
        self.place(host)
        return gates

    def release(self, host: Host, gates: tuple[Gate, ...], not_before: float = 0.0) -> None:
        """A request on a host has ended; the host rests for its delay, at least until `not_before`."""
        for gate in gates:
            gate.release(self.now)
        host.in_flight -= 1
        host.next_time = max(host.next_time, self.now + host.delay, not_before)
        self.place(host)
        self.open(gates)

    def undo(self, host: Host, gates: tuple[Gate, ...]) -> None:
        """A request that was just held was never made: the host and its gates are as they were."""
        for gate in gates:
            gate.in_flight -= 1
            gate.next_time = min(gate.next_time, self.now)
        host.in_flight -= 1
        host.next_time = min(host.next_time, self.now)
        self.place(host)
        self.open(gates)

    def borrow(self, host: Host) -> Loan | None:
        """Hold a host outside its queue, or None when it may not be asked now."""
        if (
            host.where is Where.CLOSED
            or host.in_flight >= self.politeness.host.at_once
            or host.next_time > self.now
            or self.shut_gate(host) is not None
        ):
            return None
        return Loan(host, self.hold(host))

    def rest(self, host: Host, until: float) -> None:
        """Leave a host alone until a time."""
        host.next_time = max(host.next_time, until)
        self.place(host)

    def set_address(self, host: Host, address: str) -> None:
        """From now on the host shares the limit of an IP address, instead of the one it was met at before."""
        gate = self._addresses.get(address)
        if gate is None:
            gate = self._addresses[address] = Gate(self.politeness.ip)
        if gate not in host.gates:
            host.gates = (host.gates[0], gate)

    def close(self, host: Host) -> None:
        """Never ask a host again."""
        host.where = Where.CLOSED
        self.open(host.gates)
