"""The URLs not fetched yet: which is next, and when its host may be asked."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from heapq import heapify, heappop, heappush
from struct import Struct
from typing import Final

from honeyguide.frontier.gates import Host, HostState
from honeyguide.frontier.hosts import Hosts, HostSlot
from honeyguide.frontier.record import NO_PARENT, DirtyRows, Row, State, UrlRecord
from honeyguide.frontier.settings import Politeness
from honeyguide.frontier.view import UrlView
from honeyguide.page.url import host_of

_log = logging.getLogger("honeyguide.frontier")


class Merge(IntEnum):
    """What a second offer of a waiting URL does to its priority."""

    MAX = 0
    REPLACE = 1
    ADD = 2


_WAITING, _IN_FLIGHT, _REFUSED = int(State.WAITING), int(State.IN_FLIGHT), int(State.REFUSED)
_MAX, _ADD = int(Merge.MAX), int(Merge.ADD)
_NUMBER_BITS: Final = 32
_NUMBER_MASK: Final = (1 << _NUMBER_BITS) - 1
_LOWEST: Final = -(1 << 63)
_TO_BYTES = Struct("<d").pack
_TO_INTEGER = Struct("<q").unpack


def sort_key(priority: float, number: int) -> int:
    """One integer that sorts as (highest priority, then lowest number) does, for any float but NaN.

    The bits of a double, read as an integer, sort like the double itself; negative ones the other way round. One
    integer takes half the memory of a tuple, and heaps compare it faster.
    """
    bits: int = _TO_INTEGER(_TO_BYTES(priority))[0]
    if bits < 0:
        bits = _LOWEST - bits
    return (-bits << _NUMBER_BITS) | number


class Frontier:
    """Host-aware best-first queue over the record of every URL ever offered.

    Invariants:

    * A URL has one number for ever, and is in exactly one `State`. Numbers of URLs and of hosts mean nothing outside
      their frontier.
    * A host is in exactly one `HostState`. It is READY only while a URL waits on it, fewer requests than its limit are
      under way on it, and its delay since the last one has run; and `take` hands out a URL only if, besides, the gates
      of its registered domain and its address are open, and shuts them in the same step. Nothing else hands out URLs:
      so no host, domain or address is ever asked more often than its limit allows, whatever the callers do.
    * `take` returns the best URL of all hosts that may be asked (`Hosts` says why): of each host the one with the
      highest priority, of these the one with the highest after its host's factor. Equal ones: first offered, first
      taken.
    * Nothing scans what waits: an offer, a change, a take cost a few heap operations each. A heap that is mostly
      outdated entries is rebuilt, which the changes that outdated them have paid for.
    """

    def __init__(self, politeness: Politeness | None = None, merge: Merge = Merge.MAX) -> None:
        self.politeness = politeness or Politeness()
        self._record = UrlRecord()
        self._hosts = Hosts(self.politeness, self._best)
        self.urls = UrlView(self._record, self._hosts)
        """What is known of every URL, to be looked at."""
        self._merge = int(merge)
        self._later: set[int] = set()  # waiting URLs that a timer will put into their host's queue
        self._held: dict[int, HostSlot] = {}  # the request under way for each URL in flight

    def __len__(self) -> int:
        return len(self._record)

    def count(self, state: State) -> int:
        """How many URLs are in a state."""
        return self._record.counts[state]

    # ---- offering ----

    def offer(self, url: str, priority: float, parent: int = NO_PARENT, depth: int = 0) -> int:
        """Add a canonical URL, or merge the priority of a known one by the queue's rule. Returns its number.

        Only a waiting URL changes; parent and depth stay those of the first offer.
        """
        record = self._record
        number = record.number.get(url)
        if number is None:
            host = self._hosts.named(host_of(url))
            number = record.add(url, priority, _WAITING, host.number, parent, depth)
            self._enqueue(number, priority, host)
        elif self._merge == _MAX:
            if priority > record.priority[number]:  # asked first: it is so for few of the links of a page
                self.change(number, priority)
        elif self._merge == _ADD:
            self.change(number, record.priority[number] + priority)
        else:
            self.change(number, priority)
        return number

    def change(self, number: int, priority: float) -> None:
        """Give a waiting URL another priority, higher or lower. Others are left alone."""
        record = self._record
        if record.state[number] != _WAITING or priority == record.priority[number]:
            return
        record.set_priority(number, priority)
        if number in self._later:
            return
        host = self._hosts.all[record.host[number]]
        is_weighed_best = host.factor != 1.0 and host.queue[0] & _NUMBER_MASK == number
        host.live -= 1  # `_enqueue` counts it again; its old entry stays in the heap, outdated
        if len(host.queue) > 2 * host.live + 64:
            host.queue = list(filter(self._holds, host.queue))
            heapify(host.queue)
        self._enqueue(number, priority, host)
        if is_weighed_best:
            # Another may be the best now, and come to the same after the factor, and have been offered earlier.
            self._enlist_best(host)

    def change_in_flight(self, number: int, priority: float) -> None:
        """Give a URL in flight another priority: what it waits with if it is put back. Others are left alone."""
        if self._record.state[number] == _IN_FLIGHT:
            self._record.set_priority(number, priority)

    def _enqueue(self, number: int, priority: float, host: Host) -> None:
        key = sort_key(priority, number)
        heappush(host.queue, key)
        host.live += 1
        if host.state is HostState.READY:
            if host.factor != 1.0:
                key = sort_key(host.factor * priority, number)
            if key < host.listed:
                self._hosts.enlist(host, key)
        elif host.state is HostState.IDLE:
            self._hosts.place(host)

    def _holds(self, key: int) -> bool:
        """Whether an entry of a queue still says how things are."""
        number = key & _NUMBER_MASK
        record = self._record
        return (
            record.state[number] == _WAITING
            and sort_key(record.priority[number], number) == key
            and number not in self._later
        )

    def _best(self, host: Host) -> int:
        """The key, among those of all hosts, of the best URL in the queue of a host that has one.

        Outdated entries before it are dropped.
        """
        queue = host.queue
        while not self._holds(queue[0]):
            heappop(queue)
        if host.factor == 1.0:
            return queue[0]
        number = queue[0] & _NUMBER_MASK
        return sort_key(host.factor * self._record.priority[number], number)

    # ---- taking and giving back ----

    def take(self, now: float, most: int = 1) -> list[int]:
        """The best URLs of hosts that may be asked now, best first, at most `most`; each host's place is taken.

        Every URL taken must be given back with `settle`, `put_back` or `refuse`. Returns fewer, or none, rather than
        waits.
        """
        hosts = self._hosts
        hosts.tick(now)
        taken: list[int] = []
        while len(taken) < most and (host := hosts.first()) is not None:
            number = heappop(host.queue) & _NUMBER_MASK
            self._record.set_state(number, _IN_FLIGHT)
            host.live -= 1
            host.pages += 1
            self._held[number] = hosts.hold(host)
            taken.append(number)
        return taken

    def settle(self, number: int, state: State, now: float) -> None:
        """A URL in flight has come to its end: DONE, FAILED or REFUSED. Its host rests for its delay."""
        self._hosts.tick(now)
        self._record.set_state(number, int(state))
        loan = self._held.pop(number)
        if state == _REFUSED:
            loan.host.pages -= 1
        self._hosts.release(loan)

    def put_back(self, number: int, now: float, *, not_before: float = 0.0, attempt: bool = False) -> None:
        """A URL in flight waits again, until `not_before` at least. Its host rests for its delay.

        `attempt` counts the try that failed; without it the URL itself was not asked for.
        """
        record, hosts = self._record, self._hosts
        hosts.tick(now)
        if attempt:
            record.attempts[number] = record.attempts.get(number, 0) + 1
        record.set_state(number, _WAITING)
        loan = self._held.pop(number)
        loan.host.pages -= 1
        hosts.release(loan)
        if not_before > hosts.now:
            self._later.add(number)
            hosts.after(not_before, self._come_back, number)
        else:
            self._enqueue(number, record.priority[number], loan.host)

    def _come_back(self, number: int) -> None:
        self._later.discard(number)
        record = self._record
        self._enqueue(number, record.priority[number], self._hosts.all[record.host[number]])

    def refuse(self, number: int, now: float) -> None:
        """A URL that was just taken must not be asked for (robots.txt): its host is as if it had not been taken."""
        self._hosts.tick(now)
        self._record.set_state(number, _REFUSED)
        loan = self._held.pop(number)
        loan.host.pages -= 1
        self._hosts.undo(loan)

    def reopen(self, number: int) -> None:
        """A URL that was settled or refused waits again, as what should have followed from it did not happen."""
        host = self._hosts.all[self._record.host[number]]
        if self._record.state[number] != _REFUSED:
            host.pages -= 1
        self._record.set_state(number, _WAITING)
        self._enqueue(number, self._record.priority[number], host)

    # ---- hosts ----

    def host_number(self, name: str) -> int:
        """The number of a host, by the name that `page.url.host_of` gives; a host that is not known yet gets one."""
        return self._hosts.named(name).number

    def host_name(self, host: int) -> str:
        """The name of a host."""
        return self._hosts.all[host].name

    def host_numbers(self) -> range:
        """The numbers of all hosts."""
        return range(len(self._hosts.all))

    def host_states(self) -> Counter[HostState]:
        """How many hosts are in each state. Looks at all of them."""
        return Counter(host.state for host in self._hosts.all)

    def host_next_time(self, host: int) -> float:
        """The time before which a host may not be asked, by its delay and its rests; limits it shares left aside."""
        return self._hosts.all[host].next_time

    def rest(self, host: int, until: float) -> None:
        """Leave a host alone until a time, if it is not to be left alone for longer already."""
        self._hosts.rest(self._hosts.all[host], until)

    def delay(self, host: int) -> float:
        """Seconds from the end (and the start) of a request on a host to the next."""
        return self._hosts.all[host].delay

    def set_delay(self, host: int, seconds: float) -> None:
        """Set a host's delay. It holds from the next start or end of a request on."""
        self._hosts.all[host].delay = seconds

    def set_address(self, host: int, address: str) -> None:
        """From now on a host shares the limit of an IP address, instead of the one it was met at before."""
        self._hosts.set_address(self._hosts.all[host], address)

    def weigh(self, host: int, factor: float) -> None:
        """Let the URLs of a host compete with those of others as if their priorities were `factor` times as high.

        The factor is finite and more than 0; it is 1 for all hosts at first, and is not written down. Priorities, and
        the order on the host itself, stay as they are.
        """
        own = self._hosts.all[host]
        own.factor = factor
        self._enlist_best(own)

    def _enlist_best(self, host: Host) -> None:
        """List a host that is READY under the key of its best URL, if that is the better one."""
        if host.state is HostState.READY and (key := self._best(host)) < host.listed:
            self._hosts.enlist(host, key)

    def borrow(self, host: int, now: float) -> HostSlot | None:
        """Hold a host to ask for what is no URL of its queue (a robots.txt that another one redirects to).

        None when it may not be asked now: try again later. A loan is given back with `give_back`.
        """
        self._hosts.tick(now)
        return self._hosts.borrow(self._hosts.all[host])

    def give_back(self, loan: HostSlot, now: float) -> None:
        """A borrowed host has answered."""
        self._hosts.tick(now)
        self._hosts.release(loan)

    # ---- time ----

    def next_time(self) -> float | None:
        """When `take` may have something it has not now: the past if at once, None if never without a new offer.

        URLs in flight are not foreseen: giving one back can make something ready earlier.
        """
        return self._hosts.next_time()

    # ---- written down, and read back ----

    def dirty_rows(self) -> DirtyRows:
        """The URLs that are new, and what changed of others, since the last call (or since `restore`)."""
        return self._record.dirty_rows()

    def restore(self, rows: Iterable[Row]) -> None:
        """Fill an empty frontier with the rows that were written down, in the order of their numbers.

        What was in flight waits again. Hosts have no memory of when they were last asked, nor of their delays: `rest`
        them, and set these again.
        """
        record, hosts = self._record, self._hosts
        for url, priority, state, parent, depth, attempts in rows:
            host = hosts.named(host_of(url))
            waits = state <= _IN_FLIGHT
            number = record.add(url, priority, _WAITING if waits else state, host.number, parent, depth)
            if waits:
                host.queue.append(sort_key(priority, number))
                host.live += 1
            elif state != _REFUSED:
                host.pages += 1
            if attempts:
                record.attempts[number] = attempts
        record.mark_written()
        for host in hosts.all:
            heapify(host.queue)
            hosts.place(host)
        restored = {"urls": len(record), "hosts": len(hosts.all), "waiting": self.count(State.WAITING)}
        _log.info("restored %(urls)d URLs on %(hosts)d hosts, %(waiting)d waiting", restored, extra=restored)
