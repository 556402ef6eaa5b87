"""The URLs waiting on each host, best first, and the promises of those that are worth waiting for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import inf

from honeyguide.frontier.gates import Host
from honeyguide.frontier.keys import NUMBER_MASK, Rank, ranked_key, sort_key, sort_keys
from honeyguide.frontier.promise_histogram import PromiseHistogram
from honeyguide.frontier.record import State, UrlRecord

_WAITING = int(State.WAITING)


class HostQueues:
    """The queues of all hosts. They know nothing about when a host may be contacted.

    Invariants:

    * A waiting URL is either set aside until some time, or in the queue of its host under the key of its current
      priority. All other entries of a queue are outdated: they stay until they reach the top, or outnumber the others.
      `Host.live` counts the URLs in the queue, not its entries.
    * The histogram of promises counts exactly the priorities of the URLs in the queues of awaited hosts.
    """

    def __init__(self, record: UrlRecord, promises: PromiseHistogram, rank: Rank | None = None) -> None:
        """Set up without URLs.

        Args:
            record: The URLs. States are only read here.
            promises: The histogram to keep up to date; empty.
            rank: Which of several URLs of the same priority is next; by default the one that was offered first.
        """
        self._record = record
        self._promises = promises
        self._key = sort_key if rank is None else ranked_key(rank, record.url)
        self._keys = sort_keys if rank is None else lambda *values: list(map(self._key, *values))
        self._set_aside: dict[int, float] = {}  # waiting URLs that are in no queue, with the time until which

    # ---- adding, changing and removing URLs ----

    def add(self, host: Host, number: int) -> int:
        """Add a URL to the queue of its host. Returns its key."""
        priority = self._record.priority[number]
        key = self._key(priority, number)
        heappush(host.queue, key)
        host.live += 1
        if host.is_awaited:
            self._promises.add(priority)
        return key

    def add_all(self, hosts: Sequence[Host], numbers: Iterable[int], priorities: Sequence[float]) -> list[int]:
        """Add URLs to the queues of their hosts. Returns their keys."""
        if any(host.is_awaited for host in hosts):
            pairs = zip(priorities, hosts, strict=True)
            self._promises.add_all([priority for priority, host in pairs if host.is_awaited])
        keys = self._keys(priorities, numbers)
        for key, host in zip(keys, hosts, strict=True):
            heappush(host.queue, key)
            host.live += 1
        return keys

    def change(self, host: Host, number: int, priority: float) -> int | None:
        """Give a waiting URL another priority. Returns its key; None if it is set aside."""
        record = self._record
        previous = record.priority[number]
        record.set_priority(number, priority)
        if number in self._set_aside:
            return None
        if host.is_awaited:
            self._promises.add(previous, -1)
            self._promises.add(priority)
        if len(host.queue) > 2 * host.live + 64:  # too many outdated entries
            host.queue = list(filter(self._is_valid, host.queue))
            heapify(host.queue)
        key = self._key(priority, number)
        heappush(host.queue, key)
        return key

    def pop(self, host: Host) -> int:
        """Remove the best URL from a queue; call `best` first, which drops outdated entries. Returns its number."""
        number = heappop(host.queue) & NUMBER_MASK
        host.live -= 1
        if host.is_awaited:
            self._promises.add(self._record.priority[number], -1)
        return number

    def drop(self, host: Host, number: int) -> bool:
        """Remove a URL that no longer waits. Returns whether that has emptied the queue of its host.

        Its entry stays in the queue, outdated.
        """
        if self._set_aside.pop(number, None) is not None:
            return False
        if host.is_awaited:
            self._promises.add(self._record.priority[number], -1)
        host.live -= 1
        if host.live:
            return False
        host.queue.clear()
        return True

    def set_aside(self, number: int, until: float) -> None:
        """Keep a waiting URL out of its host's queue until `bring_back` is called, at `until` or later."""
        self._set_aside[number] = until

    def bring_back(self, host: Host, number: int, now: float) -> int | None:
        """Return a URL that was set aside to the queue of its host, if its time has come. Returns its key.

        None if it has been dropped since, or set aside for longer.
        """
        if self._set_aside.get(number, inf) > now:
            return None
        del self._set_aside[number]
        return self.add(host, number)

    def toggle_awaited(self, host: Host) -> None:
        """Toggle whether the URLs of a host count as worth waiting for.

        Scans its queue. This happens when a host is put on probation, reaches its maximum of pages, or rests for
        minutes.
        """
        host.is_awaited = not host.is_awaited
        # A set, because a URL that got its previous priority back has two valid entries.
        numbers = {key & NUMBER_MASK for key in host.queue if self._is_valid(key)}
        priorities = [self._record.priority[number] for number in numbers]
        self._promises.add_all(priorities, 1 if host.is_awaited else -1)

    # ---- the best of a host ----

    def best(self, host: Host) -> int:
        """The key by which the best URL of a non-empty queue competes with the URLs of other hosts.

        Drops the outdated entries before it.
        """
        queue = host.queue
        while not self._is_valid(queue[0]):
            heappop(queue)
        if host.factor == 1.0:
            return queue[0]
        number = queue[0] & NUMBER_MASK
        return self._key(host.factor * self._record.priority[number], number)

    def promise(self, host: Host) -> float:
        """The priority of the best URL of a queue; call `best` first, which drops outdated entries."""
        return self._record.priority[host.queue[0] & NUMBER_MASK]

    def _is_valid(self, key: int) -> bool:
        """Whether an entry of a queue is still valid."""
        number = key & NUMBER_MASK
        record = self._record
        return (
            record.state[number] == _WAITING
            and self._key(record.priority[number], number) == key
            and number not in self._set_aside
        )
