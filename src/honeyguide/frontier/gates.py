"""Hosts, the gates before them, and the lines they stand in."""

from __future__ import annotations

from enum import Enum, auto
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any, Generic, Protocol, TypeVar

from honeyguide.frontier.settings import Limit


class HostState(Enum):
    """What a host is doing. It is in exactly one state, so it is never asked twice for one permission."""

    IDLE = auto()  # no URL waits on it
    READY = auto()  # it can be asked now, as far as it alone is concerned: it stands in its lane
    RESTING = auto()  # its own delay runs; a timer brings it back
    BUSY = auto()  # as many requests under way, or as many pages given, as it allows


class Throttle:
    """Limits how often somebody is asked: the requests under way, and the time from which one more may start."""

    __slots__ = ("_latest", "_without_latest", "in_flight", "next_time", "timer")

    def __init__(self) -> None:
        self.in_flight = 0
        self.next_time = 0.0
        self.timer = inf  # when the earliest timer set for it goes off
        self._latest: object = None  # the request that started last
        self._without_latest = 0.0  # what `next_time` would be if that had never started

    def start(self, request: object, until: float) -> None:
        """A request starts; the next one may not before `until`."""
        self.in_flight += 1
        self._latest = request
        self._without_latest = self.next_time
        if until > self.next_time:  # noqa: PLR1730 (a call of max would double the time of this method)
            self.next_time = until

    def end(self, until: float) -> None:
        """A request has ended; the next one may not start before `until`."""
        self.in_flight -= 1
        self.rest(until)

    def rest(self, until: float) -> None:
        """No request may start before `until`."""
        if until > self._without_latest:
            self._without_latest = until
            if until > self.next_time:  # noqa: PLR1730 (as above)
                self.next_time = until

    def undo(self, request: object) -> None:
        """A request that started was never made.

        If another has started since, that one was late enough after this one for nothing to be left of its delay.
        """
        self.in_flight -= 1
        if request is self._latest:
            self.next_time = self._without_latest


class Gate(Throttle):
    """A limit that several hosts share: those of one registered domain, or of one IP address.

    Lanes that find it shut park here, best first. It opens for one of them at a time, so that a thousand hosts behind
    it cost no more than one: nothing wakes them all.
    """

    __slots__ = ("at_once", "delay", "parked")

    def __init__(self, limit: Limit) -> None:
        super().__init__()
        self.at_once = limit.at_once
        self.delay = limit.delay
        self.parked: Line[Lane] = Line()


class Host(Throttle):
    """One host: its waiting URLs, best first, and its own throttle."""

    __slots__ = (
        "delay", "factor", "lane", "line", "listed", "live", "name", "number", "pages", "queue", "state",
    )  # fmt: skip

    def __init__(self, name: str, number: int, delay: float, lane: Lane) -> None:
        super().__init__()
        self.name = name
        self.number = number
        self.delay = delay  # counts from the next start or end of a request
        self.lane = lane
        self.queue: list[int] = []  # heap of keys; entries that no longer hold are dropped when they surface
        self.live = 0  # URLs waiting in the queue
        self.pages = 0  # URLs taken and not refused
        self.factor = 1.0  # by which its URLs' priorities are multiplied where they compete with those of other hosts
        self.state = HostState.IDLE
        self.line: Line[Any] | None = None
        self.listed = 0

    def __lt__(self, other: Host) -> bool:
        return self.number < other.number


class Listed(Protocol):
    """What can stand in a line, and in one at a time: which, and under which key."""

    line: Line[Any] | None
    listed: int

    def __lt__(self, other: Any, /) -> bool:
        """Any order: it decides between entries of one key, of which at most one holds."""
        ...


T = TypeVar("T", bound=Listed)


class Line(Generic[T]):
    """A queue, lowest key first, in which a member can be listed anew at the cost of one heap push.

    Its former entries stay behind and no longer hold; when they are the greater part, they are cleared away.
    """

    __slots__ = ("entries", "members")

    def __init__(self) -> None:
        self.entries: list[tuple[int, T]] = []
        self.members = 0

    def put(self, member: T, key: int) -> None:
        """Let somebody stand here under a key, and nowhere else."""
        if member.line is not self:
            if member.line is not None:
                member.line.members -= 1
            member.line = self
            self.members += 1
        member.listed = key
        if self.members == 1:  # as in most lanes: whatever else is listed here no longer holds
            self.entries = [(key, member)]
            return
        heappush(self.entries, (key, member))
        if len(self.entries) > 2 * self.members + 16:
            # A set, since somebody who came back under the same key has two entries that hold.
            self.entries = list({(key, one) for key, one in self.entries if one.listed == key and one.line is self})
            heapify(self.entries)

    def remove(self, member: T) -> None:
        """Let somebody who stands here stand nowhere."""
        member.line = None
        self.members -= 1

    def first(self) -> T | None:
        """Who stands here under the lowest key; None if nobody does."""
        entries = self.entries
        while entries:
            key, member = entries[0]
            if member.listed == key and member.line is self:
                return member
            heappop(entries)
        return None


class Lane(Line[Host]):
    """The hosts behind the same gates that are ready themselves. They are let through, or park, as one."""

    __slots__ = ("gates", "line", "listed", "number")

    def __init__(self, number: int, gates: tuple[Gate, ...]) -> None:
        super().__init__()
        self.number = number
        self.gates = gates
        self.line: Line[Any] | None = None
        self.listed = 0

    def __lt__(self, other: Lane) -> bool:
        return self.number < other.number
