"""The URLs to fetch: which one is next, and when its host may be contacted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from math import inf

from honeyguide.frontier.gates import Host, HostState
from honeyguide.frontier.host_controls import HostControls
from honeyguide.frontier.host_queues import HostQueues
from honeyguide.frontier.host_view import HostView
from honeyguide.frontier.hosts import Hosts, HostSlot
from honeyguide.frontier.keys import NUMBER_MASK, Rank
from honeyguide.frontier.promise_histogram import Points
from honeyguide.frontier.record import NO_PARENT, DirtyRows, Row, State, UrlRecord
from honeyguide.frontier.reservation import Elsewhere, Reservation
from honeyguide.frontier.settings import Politeness
from honeyguide.frontier.view import UrlView
from honeyguide.page.url import host_of

_log = logging.getLogger("honeyguide.frontier")


class Merge(IntEnum):
    """How another offer of a waiting URL changes its priority."""

    MAX = 0
    REPLACE = 1
    ADD = 2
    FIRST = 3


_WAITING, _IN_FLIGHT, _REFUSED = int(State.WAITING), int(State.IN_FLIGHT), int(State.REFUSED)
_ELSEWHERE = int(State.ELSEWHERE)
_FEW = 8  # up to this many links, offering one by one is faster
_MAX, _ADD, _FIRST = int(Merge.MAX), int(Merge.ADD), int(Merge.FIRST)


class Frontier(HostControls):
    """Host-aware best-first queue over the record of every URL ever offered.

    Invariants:

    * A URL keeps its number forever, and is in exactly one `State`. Numbers of URLs and of hosts are meaningful only
      within their frontier.
    * A host is in exactly one `HostState`. It is READY only while a URL waits on it, fewer requests than its limit are
      in progress on it, and its delay since the last one has passed. `take` returns a URL only if, in addition, the
      gates of its registered domain and its IP address are open, and updates them in the same step. No other method
      gives out URLs, so no host, domain or address is ever contacted more often than its limit allows, whatever the
      callers do.
    * `take` returns the best URL of all hosts that may be contacted (`Hosts` explains why): for each host the URL with
      the highest priority, and of these the one with the highest priority after its host's factor. Among equal ones,
      the one with the lowest rank is taken first; without ranks, the first offered. With a reservation, it returns
      none while it is worth waiting for better URLs on hosts that may be contacted soon.
    * No operation scans the waiting URLs: an offer, a change or a take costs a few heap operations. A heap in which
      most entries are outdated is rebuilt, at a cost amortised over the changes that outdated them.
    """

    def __init__(
        self,
        politeness: Politeness | None = None,
        merge: Merge = Merge.MAX,
        rank: Rank | None = None,
        reservation: Reservation | None = None,
        floor: float = -inf,
    ) -> None:
        """Set up without URLs.

        Args:
            politeness: How often hosts, domains and addresses may be contacted.
            merge: How another offer of a waiting URL changes its priority.
            rank: Which of several URLs of the same priority is next; by default the one that was offered first.
            reservation: Decides when to wait for better URLs on hosts that rest; by default never. It must not be
                shared with another frontier.
            floor: The lowest priority that is taken.
        """
        self.politeness = politeness or Politeness()
        self._record = UrlRecord()
        self._reservation = reservation or Reservation(1.0)
        self._floor = floor
        self._queues = HostQueues(self._record, self._reservation.waiting, rank)
        self._hosts = Hosts(
            self.politeness, self._queues.best, self._queues.toggle_awaited if self._reservation.ever_waits else None
        )
        self.urls = UrlView(self._record, self._hosts)
        """Read-only view of every URL."""
        self.hosts = HostView(self._hosts)
        """Read-only view of every host."""
        self._merge = int(merge)
        self._held: dict[int, HostSlot] = {}  # by URL in flight, the slot of its request
        self.on_returned: Callable[[int, float], None] = lambda _number, _not_before: None
        """Called with a URL that `take_again` took and that was not requested, and the earliest time to try again."""

    def __len__(self) -> int:
        return len(self._record)

    def count(self, state: State) -> int:
        """How many URLs are in a state."""
        return self._record.counts[state]

    @property
    def unfinished(self) -> int:
        """How many URLs are waiting or in flight, not counting revisits."""
        return self.count(State.WAITING) + self.count(State.IN_FLIGHT) - len(self._record.again)

    # ---- offering ----

    def offer(self, url: str, priority: float, parent: int = NO_PARENT, depth: int = 0) -> int:
        """Add a canonical URL, or merge the priority of a known one by the queue's rule. Returns its number.

        Only a waiting URL changes; parent and depth stay those of the first offer.
        """
        record = self._record
        number = record.number.get(url)
        if number is None:
            hosts = self._hosts
            host = hosts.named(host_of(url))
            number = record.add(url, priority, _WAITING, host.number, parent, depth)
            hosts.queued(host, self._queues.add(host, number))
        elif self._merge == _MAX:
            if priority > record.priority[number]:  # checked here to save a call: it is rarely true
                self.change(number, priority)
        elif self._merge == _ADD:
            self.change(number, record.priority[number] + priority)
        elif self._merge != _FIRST:
            self.change(number, priority)
        return number

    def offer_all(self, urls: Sequence[str], priorities: Sequence[float], parent: int, depth: int) -> Sequence[int]:
        """Offer links of a page. Returns their numbers.

        Equivalent to calling `offer` for each in order, but faster if they are distinct, new, and more than a few.
        """
        record = self._record
        if len(urls) < _FEW or len(set(urls)) < len(urls) or not record.number.keys().isdisjoint(urls):
            return [self.offer(url, priority, parent, depth) for url, priority in zip(urls, priorities, strict=True)]
        hosts = self._hosts.of(urls)
        numbers = record.add_all(urls, priorities, _WAITING, [host.number for host in hosts], parent, depth)
        for host, key in zip(hosts, self._queues.add_all(hosts, numbers, priorities), strict=True):
            if host.state is not HostState.RESTING:  # most links are to the page's own host, which rests
                self._hosts.queued(host, key)
        return numbers

    def note_elsewhere(self, url: str, depth: int) -> int:
        """Return the number of a canonical URL that another shard fetches, for use as a parent.

        It is added if it is new, and never taken. A known URL keeps its number and its depth.
        """
        number = self._record.number.get(url)
        if number is None:
            host = self._hosts.named(host_of(url)).number
            number = self._record.add(url, 0.0, _ELSEWHERE, host, NO_PARENT, depth)
        return number

    def change(self, number: int, priority: float) -> None:
        """Give a waiting URL another priority, higher or lower. A URL in any other state is not changed."""
        record = self._record
        if record.state[number] != _WAITING or priority == record.priority[number]:
            return
        host = self._hosts.all[record.host[number]]
        key = self._queues.change(host, number, priority)
        if key is not None:
            self._hosts.queued(host, key)

    def change_in_flight(self, number: int, priority: float) -> None:
        """Give a URL in flight another priority, in case it is put back. A URL in any other state is not changed."""
        if self._record.state[number] == _IN_FLIGHT:
            self._record.set_priority(number, priority)

    # ---- taking and giving back ----

    def take(self, now: float, most: int = 1) -> list[int]:
        """Take up to `most` of the best URLs of hosts that may be contacted now, best first; reserve a slot for each.

        Every URL taken must be given back with `settle`, `put_back`, `refuse`, `withdraw` or `abandon`. Returns fewer
        URLs, or none, rather than waits.
        """
        record, hosts = self._record, self._hosts
        hosts.tick(now)
        taken: list[int] = []
        while len(taken) < most and (host := hosts.first()) is not None and self._time_for(host) <= hosts.now:
            number = self._queues.pop(host)
            record.set_state(number, _IN_FLIGHT)
            self._reservation.take(record.priority[number], hosts.now)
            host.pages += 1
            self._held[number] = hosts.hold(host)
            taken.append(number)
        return taken

    def _time_for(self, host: Host) -> float:
        """The time from which the best URL of a host that may be contacted is worth taking; inf if never."""
        promise = self._queues.promise(host)
        if promise < self._floor:
            return inf
        if not self._held and self._hosts.next_timer() is None and not self._reservation.elsewhere.is_better(promise):
            return self._hosts.now  # nothing to wait for
        return self._reservation.time_for(promise, self._hosts.now)

    def take_again(self, number: int, now: float) -> bool:
        """Take a URL that is DONE for a revisit, if its host may be contacted now. Returns whether it was taken.

        This reserves a slot on its host, and the URL must be given back, as with `take`. Whatever the outcome, its
        state is DONE afterwards, and on disk it never changes; if it is put back, `on_returned` is called.
        """
        slot = self.borrow(self._record.host[number], now)
        if slot is None:
            return False
        self._record.begin_again(number)
        self._held[number] = slot
        return True

    def is_again(self, number: int) -> bool:
        """Whether a URL is in flight for a revisit."""
        return number in self._record.again

    def _end_again(self, number: int, *, requested: bool) -> None:
        slot = self._held.pop(number)
        self._record.end_again(number)
        if requested:
            self._hosts.release(slot)
        else:
            self._hosts.undo(slot)

    def sent(self, request: int | HostSlot, now: float) -> None:
        """Record that a request is being sent now, for a URL in flight or for a borrowed slot.

        That may be some time after it was taken: a connection had to be made, or the machine was busy. Its host, domain
        and address rest for their full delays from now on. The URL can no longer be refused or withdrawn.
        """
        self._hosts.tick(now)
        self._hosts.sent(self._held[request] if isinstance(request, int) else request)

    def settle(self, number: int, state: State, now: float) -> None:
        """Give a URL in flight its final state: DONE, FAILED or REFUSED. Its host rests for its delay."""
        self._hosts.tick(now)
        if number in self._record.again:
            self._end_again(number, requested=True)
            return
        self._record.set_state(number, int(state))
        if state == State.DONE:
            self._reservation.done(self._hosts.now)
        slot = self._held.pop(number)
        if state == _REFUSED:
            slot.host.pages -= 1
        self._hosts.release(slot)

    def abandon(self, number: int, now: float) -> None:
        """Fail a URL whose visit was aborted at any stage, and release its slot, if it still has one.

        A URL that was already put back stays waiting.
        """
        if number in self._held:
            self.settle(number, State.FAILED, now)
        elif self._record.state[number] == State.DONE:
            self._record.set_state(number, int(State.FAILED))

    def put_back(self, number: int, now: float, *, not_before: float = 0.0, attempt: bool = False) -> None:
        """Return a URL in flight to the queue, to be taken no earlier than `not_before`. Its host rests for its delay.

        With `attempt`, a failed attempt is counted; without it, the URL itself was not requested.
        """
        record, hosts = self._record, self._hosts
        hosts.tick(now)
        if number in record.again:
            self._end_again(number, requested=True)
            self.on_returned(number, not_before)
            return
        if attempt:
            record.attempts[number] = record.attempts.get(number, 0) + 1
        slot = self._held.pop(number)
        slot.host.pages -= 1
        hosts.release(slot)
        record.set_state(number, _WAITING)
        if not_before > hosts.now:
            self._queues.set_aside(number, not_before)
            hosts.after(not_before, self._bring_back, number)
        else:
            hosts.queued(slot.host, self._queues.add(slot.host, number))

    def _bring_back(self, number: int) -> None:
        host = self._hosts.all[self._record.host[number]]
        key = self._queues.bring_back(host, number, self._hosts.now)
        if key is not None:
            self._hosts.queued(host, key)

    def refuse(self, number: int, now: float, state: State = State.REFUSED) -> None:
        """Give a URL that was taken its final state, REFUSED or FAILED, without a request (robots.txt).

        Its host does not rest: its state is as if the URL had not been taken.
        """
        self._hosts.tick(now)
        if number in self._record.again:
            self._end_again(number, requested=False)
            return
        self._record.set_state(number, int(state))
        slot = self._held.pop(number)
        if state == _REFUSED:
            slot.host.pages -= 1
        self._hosts.undo(slot)

    def withdraw(self, number: int, now: float) -> None:
        """Return a URL that was taken to the queue without a request. Its host's state is as if it had not been taken.

        It may be taken again immediately, so the caller must first remove the obstacle to the request.
        """
        self._hosts.tick(now)
        if number in self._record.again:
            self._end_again(number, requested=False)
            self.on_returned(number, 0.0)
            return
        slot = self._held.pop(number)
        slot.host.pages -= 1
        self._hosts.undo(slot)
        self._record.set_state(number, _WAITING)
        self._hosts.queued(slot.host, self._queues.add(slot.host, number))

    def drop(self, number: int) -> None:
        """Refuse a waiting URL; `reopen` undoes this. A URL in any other state is not changed."""
        record = self._record
        if record.state[number] != _WAITING:
            return
        record.set_state(number, _REFUSED)
        host = self._hosts.all[record.host[number]]
        if self._queues.drop(host, number):
            self._hosts.place(host)

    def keep_waiting(self, numbers: Iterable[int]) -> None:
        """Never take these URLs, as far as they are waiting, until the frontier is restored."""
        for number in numbers:
            if self._record.state[number] == _WAITING:
                host = self._hosts.all[self._record.host[number]]
                if self._queues.drop(host, number):
                    self._hosts.place(host)
                self._queues.set_aside(number, inf)

    def reopen(self, number: int) -> None:
        """Return a URL that was settled, refused or dropped to the queue.

        A settled URL is reopened when a later step of its visit has failed.
        """
        host = self._hosts.all[self._record.host[number]]
        if self._record.state[number] != _REFUSED:
            host.pages -= 1
            self._hosts.place(host)  # it may have had all its pages
        self._record.set_state(number, _WAITING)
        self._hosts.queued(host, self._queues.add(host, number))

    # ---- time ----

    def plan(self, left: float, total: float, seconds_left: float) -> None:
        """Set how many pages are left, out of how many, and the time left; inf for no limit.

        This decides whether there is time to wait for better URLs.
        """
        self._reservation.plan(left, total, seconds_left)

    def expect(self, elsewhere: Elsewhere) -> None:
        """Set what other shards have: their URLs count as if they were here, on hosts that rest."""
        self._reservation.expect(elsewhere)

    def promises(self, most: int) -> Points:
        """The promises of the waiting URLs that are worth waiting for: see `PromiseHistogram.points`.

        Empty if the frontier never waits for better URLs.
        """
        return self._reservation.points(most)

    @property
    def taken_promise(self) -> float:
        """The mean promise of the URLs taken so far."""
        return self._reservation.taken

    def next_time(self) -> float | None:
        """The earliest time at which `take` may return a URL: in the past if one is ready, None if never.

        This does not take new offers and URLs in flight into account: either may make a URL ready earlier.
        """
        host, later = self._hosts.first(), self._hosts.next_timer()
        time = inf if host is None else self._time_for(host)
        return min(time, inf if later is None else later) if time < inf else later

    def is_unpromising(self) -> bool:
        """Whether the best URL of the hosts that may be contacted promises less than the floor."""
        host = self._hosts.first()
        return host is not None and self._queues.promise(host) < self._floor

    def hosts_awaited(self) -> int:
        """How many hosts `take` is waiting for, since they have better URLs than the hosts that may be contacted now.

        0 if it is not waiting. Considers only the hosts in use and the next 1,000 to become ready.
        """
        first = self._hosts.first()
        if first is None or self._time_for(first) <= self._hosts.now:
            return 0
        promise = self._queues.promise(first)
        others = {*(slot.host for slot in self._held.values()), *self._hosts.next_ready(1000)}
        best = (self._record.priority[self._queues.best(host) & NUMBER_MASK] for host in others if host.live)
        return sum(one > promise for one in best)

    # ---- storing and restoring ----

    @property
    def changed(self) -> int:
        """How many URLs, not counting new ones, have changed since the last call of `dirty_rows`."""
        return self._record.changed

    def dirty_rows(self) -> DirtyRows:
        """The new URLs, and the changes of others, since the last call (or since `restore`)."""
        return self._record.dirty_rows()

    def restore(self, rows: Iterable[Row], *, rest: int = 0) -> None:
        """Fill an empty frontier with the stored rows, in the order of their numbers.

        URLs that were in flight are waiting again; those with numbers below `rest` are never taken. The times of the
        last requests to hosts, and their delays, are not stored: call `rest` and `set_delay` again.
        """
        record, hosts = self._record, self._hosts
        waiting: list[int] = []
        at: list[Host] = []
        for url, priority, state, parent, depth, attempts in rows:
            host = hosts.named(host_of(url))
            waits = state <= _IN_FLIGHT
            number = record.add(url, priority, _WAITING if waits else state, host.number, parent, depth)
            if waits and number < rest:
                self._queues.set_aside(number, inf)
            elif waits:
                waiting.append(number)
                at.append(host)
            elif state < _REFUSED:
                host.pages += 1
                self._reservation.restore(priority)
            if attempts:
                record.attempts[number] = attempts
        record.mark_written()
        self._queues.add_all(at, waiting, [record.priority[number] for number in waiting])
        for host in hosts.all:
            hosts.place(host)
        restored = {"urls": len(record), "hosts": len(hosts.all), "waiting": self.count(State.WAITING)}
        _log.info("restored %(urls)d URLs on %(hosts)d hosts, %(waiting)d waiting", restored, extra=restored)
