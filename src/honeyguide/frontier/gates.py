"""Hosts, the gates that they share, and the lines in which hosts and lanes queue."""

from __future__ import annotations

import sys
from enum import Enum, auto
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any, Final, Generic, Protocol, TypeVar

from typing_extensions import override

from honeyguide.frontier.settings import Limit

_MAX_CREDIT: Final = 4.0  # requests that hosts on probation may get in a burst


class HostState(Enum):
    """The state of a host. It is in exactly one state, so one free slot is never used for two requests."""

    IDLE = auto()  # no URL waits on it
    READY = auto()  # its own limits allow a request now (its gates may not): it is in its lane
    RESTING = auto()  # its own delay has not passed; a timer will wake it
    BUSY = auto()  # its maximum of requests in progress, or of pages, is reached


class Throttle:
    """Limits requests: counts those in progress, and keeps the earliest time at which another may start."""

    __slots__ = ("_latest", "_without_latest", "in_flight", "next_time", "timer")

    def __init__(self) -> None:
        self.in_flight = 0
        self.next_time = 0.0
        self.timer = inf  # the time of the earliest timer set for it
        self._latest: object = None  # the request that started last
        self._without_latest = 0.0  # the value of `next_time` without that request

    def start(self, request: object, until: float) -> None:
        """Count the start of a request; the next one may not start before `until`."""
        self.in_flight += 1
        self._latest = request
        self._without_latest = self.next_time
        if until > self.next_time:  # noqa: PLR1730 (a call of max would double the time of this method)
            self.next_time = until

    def end(self, until: float) -> None:
        """Count the end of a request; the next one may not start before `until`."""
        self.in_flight -= 1
        self.rest(until)

    def rest(self, until: float) -> None:
        """Allow no request before `until`."""
        if until > self._without_latest:
            self._without_latest = until
            if until > self.next_time:  # noqa: PLR1730 (as above)
                self.next_time = until

    def undo(self, request: object) -> None:
        """Withdraw a request that was started but never sent.

        If another request has started since, the delay of this one had already passed by then.
        """
        self.in_flight -= 1
        if request is self._latest:
            self.next_time = self._without_latest


class Gate(Throttle):
    """A limit shared by several hosts: those of one registered domain or one IP address, or all slow hosts.

    Lanes that find it shut are parked here, best first. It opens for one of them at a time, so that a thousand hosts
    behind it cost no more than one: they are never all woken up.
    """

    __slots__ = ("at_once", "delay", "parked")

    def __init__(self, limit: Limit) -> None:
        super().__init__()
        self.at_once = limit.at_once
        self.delay = limit.delay
        self.parked: Line[Lane] = Line()


class Quota(Gate):
    """The gate of all hosts on probation: open for a share of the requests that other hosts get.

    It is open while its credit is at least 1, the price of a request. The credit is limited, so that a long time
    without such hosts does not let a crowd of them in.
    """

    __slots__ = ("_credit", "_share")

    def __init__(self, share: float) -> None:
        super().__init__(Limit(0, 0.0))
        self._share = share
        self._set(1.0)

    def _set(self, credit: float) -> None:
        self._credit = min(credit, _MAX_CREDIT)
        self.at_once = sys.maxsize if self._credit >= 1.0 else 0

    def earn(self, requests: int = 1) -> None:
        """Add credit for requests to other hosts; `requests` is negative for withdrawn ones."""
        self._set(self._credit + requests * self._share)

    def lend(self) -> None:
        """Raise the credit to at least one request, since no other host can use it."""
        self._set(max(self._credit, 1.0))

    @override
    def start(self, request: object, until: float) -> None:
        super().start(request, until)
        self._set(self._credit - 1.0)

    @override
    def undo(self, request: object) -> None:
        super().undo(request)
        self._set(self._credit + 1.0)


class Host(Throttle):
    """One host: its waiting URLs, best first, and its own throttle."""

    __slots__ = (
        "address", "delay", "domain", "factor", "is_awaited", "is_slow", "lane", "line", "listed", "live", "name",
        "number", "on_probation", "pages", "queue", "state",
    )  # fmt: skip

    def __init__(self, name: str, domain: str, number: int, delay: float, lane: Lane, *, is_awaited: bool) -> None:
        super().__init__()
        self.name = name
        self.domain = domain
        self.number = number
        self.delay = delay  # a change takes effect with the next start or end of a request
        self.lane = lane
        self.address = ""  # whose limit it shares; "" while unknown
        self.is_slow = False
        self.on_probation = False
        self.is_awaited = is_awaited  # whether it is worth waiting for its URLs
        self.queue: list[int] = []  # heap of keys; outdated entries are dropped when they reach the top
        self.live = 0  # URLs waiting in the queue
        self.pages = 0  # URLs taken and not refused
        self.factor = 1.0  # multiplies the priorities of its URLs when they compete with those of other hosts
        self.state = HostState.IDLE
        self.line: Line[Any] | None = None
        self.listed = 0

    def __lt__(self, other: Host) -> bool:
        return self.number < other.number


class Listed(Protocol):
    """A possible member of a line: the line it is in, if any, and its key there."""

    line: Line[Any] | None
    listed: int

    def __lt__(self, other: Any, /) -> bool:
        """Any order: it only decides between entries with the same key, of which at most one is valid."""
        ...


T = TypeVar("T", bound=Listed)


class Line(Generic[T]):
    """A priority queue, lowest key first, in which changing the key of a member costs one heap push.

    Outdated entries stay in the heap until they are the majority; then they are removed.
    """

    __slots__ = ("entries", "members")

    def __init__(self) -> None:
        self.entries: list[tuple[int, T]] = []
        self.members = 0

    def put(self, member: T, key: int) -> None:
        """Add a member under a key, or change its key; it leaves any other line."""
        if member.line is not self:
            if member.line is not None:
                member.line.members -= 1
            member.line = self
            self.members += 1
        member.listed = key
        if self.members == 1:  # the usual case in lanes: all other entries are outdated
            self.entries = [(key, member)]
            return
        heappush(self.entries, (key, member))
        if len(self.entries) > 2 * self.members + 16:
            # A set, because a member that returned under the same key has two valid entries.
            self.entries = list({(key, one) for key, one in self.entries if one.listed == key and one.line is self})
            heapify(self.entries)

    def remove(self, member: T) -> None:
        """Remove a member of this line; it is then in no line."""
        member.line = None
        self.members -= 1

    def first(self) -> T | None:
        """The member with the lowest key; None if the line is empty."""
        entries = self.entries
        while entries:
            key, member = entries[0]
            if member.listed == key and member.line is self:
                return member
            heappop(entries)
        return None


class Lane(Line[Host]):
    """The READY hosts that share the same gates. They pass the gates, or are parked, together."""

    __slots__ = ("gates", "line", "listed", "number")

    def __init__(self, number: int, gates: tuple[Gate, ...]) -> None:
        super().__init__()
        self.number = number
        self.gates = gates
        self.line: Line[Any] | None = None
        self.listed = 0

    def __lt__(self, other: Lane) -> bool:
        return self.number < other.number
