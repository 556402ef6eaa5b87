"""Gates: what has to be open before a host may be asked."""

from __future__ import annotations

from enum import Enum, auto
from heapq import heappop, heappush

from honeyguide.frontier.settings import Limit


class Where(Enum):
    """Where a host stands. It is in exactly one place, so it is never asked twice for one permission."""

    IDLE = auto()  # no URL waits on it
    READY = auto()  # in the frontier's heap of hosts that can be asked now
    RESTING = auto()  # its own delay runs; a timer brings it back
    BUSY = auto()  # as many requests under way as it allows
    PARKED = auto()  # at the shut gate of its domain or address
    CLOSED = auto()  # never asked again; what waits on it is refused


class Gate:
    """A limit that several hosts share: those of one registered domain, or of one IP address.

    Hosts that find it shut park here, best first. It opens for one host at a time, so that a thousand hosts of one
    domain cost no more than one: nothing wakes them all.
    """

    __slots__ = ("armed", "in_flight", "limit", "next_time", "parked")

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.in_flight = 0
        self.next_time = 0.0
        self.parked: list[tuple[int, Host]] = []
        self.armed = False  # a timer is set that will open it

    def is_open(self, now: float) -> bool:
        """Whether one more request may start."""
        return self.in_flight < self.limit.at_once and self.next_time <= now

    def acquire(self, now: float) -> None:
        """A request starts."""
        self.in_flight += 1
        self.next_time = max(self.next_time, now + self.limit.delay)

    def release(self, now: float) -> None:
        """A request has ended."""
        self.in_flight -= 1
        self.next_time = max(self.next_time, now + self.limit.delay)

    def park(self, key: int, host: Host) -> None:
        """Let a host wait here under the key of its best URL; called again when that gets better."""
        heappush(self.parked, (key, host))

    def wake(self) -> Host | None:
        """Take out the best parked host, or None."""
        while self.parked:
            key, host = heappop(self.parked)
            if host.where is Where.PARKED and host.parked_at is self and host.listed == key:
                return host
        return None


class Host:
    """One host: its waiting URLs, best first, and its own limit."""

    __slots__ = (
        "delay", "failures", "gates", "in_flight", "later", "listed", "live", "name", "next_time", "number", "pages",
        "parked_at", "queue", "where",
    )  # fmt: skip

    def __init__(self, name: str, number: int, delay: float) -> None:
        self.name = name
        self.number = number
        self.delay = delay
        self.queue: list[int] = []  # heap of keys; entries that no longer hold are dropped when they surface
        self.live = 0  # URLs waiting in the queue
        self.later = 0  # URLs waiting for a time of their own
        self.in_flight = 0
        self.next_time = 0.0
        self.pages = 0
        self.failures = 0  # in a row
        self.gates: tuple[Gate, ...] = ()
        self.where = Where.IDLE
        self.parked_at: Gate | None = None
        self.listed = 0  # key under which it stands in the heap it is in

    def __lt__(self, other: Host) -> bool:
        return self.number < other.number
