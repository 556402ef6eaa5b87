"""The frontier against a naive model that scans everything, under any sequence of calls hypothesis can think of."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from honeyguide.frontier import (
    NO_PARENT,
    UNKNOWN,
    Admission,
    Frontier,
    HostSlot,
    Limit,
    Merge,
    Politeness,
    Reservation,
    State,
)

HOSTS = {  # host: registered domain
    "a.one.org": "one.org",
    "b.one.org": "one.org",
    "c.one.org": "one.org",
    "a.two.org": "two.org",
    "b.two.org": "two.org",
    "three.net": "three.net",
}
ENDED = (State.DONE, State.FAILED, State.REFUSED)

names = st.sampled_from(sorted(HOSTS))
pages = st.integers(0, 5)
addresses = st.sampled_from(["192.0.2.1", "192.0.2.2", ""])
priorities = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0])  # few, so that many are equal
steps = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0, 4.0])  # quarters of a second: sums are exact
factors = st.sampled_from([5e-324, 0.5, 1.0, 1.0, 3.0])  # the least there is makes several priorities equal
delays = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])
limits = st.builds(Limit, at_once=st.integers(1, 3), delay=delays)
politenesses = st.builds(
    Politeness, host=limits, domain=limits, ip=limits, slow=limits, pages_per_host=st.sampled_from([0, 0, 1, 3])
)


@dataclass
class Party:
    """A host, a domain or an address: the requests under way on it, and from when it may be asked again."""

    at_once: int
    delay: float
    starts: dict[object, float] = field(default_factory=dict)  # request under way: what its start asks to wait for
    waits: list[float] = field(default_factory=lambda: [0.0])  # what everything else asks to wait for

    def next_time(self) -> float:
        return max([*self.waits, *self.starts.values()])

    def is_full(self) -> bool:
        return len(self.starts) >= self.at_once

    def may_be_asked(self, now: float) -> bool:
        return not self.is_full() and self.next_time() <= now


@dataclass
class Known:
    """A URL of the model. Its number is its place in the list."""

    url: str
    host: str
    priority: float
    parent: int
    depth: int
    state: State = State.WAITING
    not_before: float = 0.0
    attempts: int = 0


class Model:
    """What the frontier promises, said as plainly as possible: every question scans everything."""

    def __init__(self, politeness: Politeness, merge: Merge) -> None:
        self.politeness = politeness
        self.merge = merge
        self.now = 0.0
        self.urls: list[Known] = []
        self.numbers: dict[str, int] = {}
        self.hosts = {name: Party(politeness.host.at_once, politeness.host.delay) for name in HOSTS}
        self.shared: dict[str, Party] = {}
        self.address: dict[str, str] = {}
        self.slow: set[str] = set()
        self.factors = dict.fromkeys(HOSTS, 1.0)
        self.requests: dict[object, list[Party]] = {}

    def offer(self, url: str, name: str, priority: float, parent: int, depth: int) -> int:
        if url not in self.numbers:
            self.numbers[url] = len(self.urls)
            self.urls.append(Known(url, name, priority, parent, depth))
        elif (known := self.urls[self.numbers[url]]).state is State.WAITING:
            known.priority = {
                Merge.MAX: max(known.priority, priority),
                Merge.REPLACE: priority,
                Merge.ADD: known.priority + priority,
                Merge.FIRST: known.priority,
            }[self.merge]
        return self.numbers[url]

    def parties(self, name: str) -> list[Party]:
        """The host, its domain, its address if that is known, and all slow ones if it is one of them."""
        domain = self.shared.setdefault(
            HOSTS[name], Party(self.politeness.domain.at_once, self.politeness.domain.delay)
        )
        found = [self.hosts[name], domain]
        if name in self.address:
            ip = self.politeness.ip
            found.append(self.shared.setdefault(self.address[name], Party(ip.at_once, ip.delay)))
        if name in self.slow:
            slow = self.politeness.slow
            found.append(self.shared.setdefault("slow", Party(slow.at_once, slow.delay)))
        return found

    def may_be_asked(self, name: str) -> bool:
        return all(party.may_be_asked(self.now) for party in self.parties(name))

    def has_enough(self, name: str) -> bool:
        asked = (State.IN_FLIGHT, State.DONE, State.FAILED)
        pages = sum(known.host == name and known.state in asked for known in self.urls)
        return 0 < self.politeness.pages_per_host <= pages

    def ready(self) -> list[int]:
        """The best of each host that may be asked now, best first."""
        found = [
            number
            for number, known in enumerate(self.urls)
            if known.state is State.WAITING
            and known.not_before <= self.now
            and self.may_be_asked(known.host)
            and not self.has_enough(known.host)
        ]
        best: dict[str, int] = {}
        for number in sorted(found, key=lambda number: (-self.urls[number].priority, number)):
            best.setdefault(self.urls[number].host, number)
        return sorted(best.values(), key=lambda number: (-self.weighed(number), number))

    def weighed(self, number: int) -> float:
        """What the priority of a URL comes to beside those of other hosts."""
        known = self.urls[number]
        return known.priority * self.factors[known.host]

    def earliest(self) -> float:
        """When something can be taken if nothing that is under way ends."""
        times = [
            max(self.now, known.not_before, *(party.next_time() for party in self.parties(known.host)))
            for known in self.urls
            if known.state is State.WAITING
            and not any(party.is_full() for party in self.parties(known.host))
            and not self.has_enough(known.host)
        ]
        return min(times, default=inf)

    def start(self, request: object, name: str) -> None:
        self.requests[request] = self.parties(name)
        for party in self.requests[request]:
            party.starts[request] = self.now + party.delay

    def leaves(self, request: object) -> None:
        for party in self.requests[request]:
            party.waits.append(self.now + party.delay)

    def end(self, request: object) -> None:
        for party in self.requests.pop(request):
            party.waits += [party.starts.pop(request), self.now + party.delay]

    def undo(self, request: object) -> None:
        for party in self.requests.pop(request):
            del party.starts[request]

    def take(self, most: int) -> list[int]:
        taken: list[int] = []
        while len(taken) < most and (ready := self.ready()):
            number = ready[0]
            self.urls[number].state = State.IN_FLIGHT
            self.start(number, self.urls[number].host)
            taken.append(number)
        return taken


Who = tuple[str, str]
"""A host, a domain or an address: which of them, and its name."""


@dataclass
class StrategySpec:
    """One request as the asked would see it: when, and how long to leave them alone from its start and its end."""

    begun: float
    limit: Limit
    ended: float = inf
    rest: float = 0.0


class Log:
    """Every request that was made. Knows nothing of queues, nor of how limits are kept: only whether they were."""

    def __init__(self) -> None:
        self.asked: dict[Who, list[StrategySpec]] = {}
        self.under_way: dict[object, dict[Who, StrategySpec]] = {}

    def begin(self, request: object, now: float, limits: dict[Who, Limit]) -> None:
        self.under_way[request] = {}
        for party, limit in limits.items():
            before = self.asked.setdefault(party, [])
            assert sum(asked.ended == inf for asked in before) < limit.at_once, f"{party}: too many at once"
            for asked in before:
                assert now >= asked.begun + asked.limit.delay, f"{party}: too soon after a start"
                assert asked.ended == inf or now >= asked.ended + asked.rest, f"{party}: too soon after an end"
            entry = self.under_way[request][party] = StrategySpec(now, limit)
            before.append(entry)

    def leaves(self, request: object, now: float, host_delay: float) -> None:
        for (kind, _), asked in self.under_way[request].items():
            asked.begun = now
            if kind == "host":
                asked.limit = Limit(asked.limit.at_once, host_delay)

    def end(self, request: object, now: float, host_rest: float) -> None:
        for (kind, _), asked in self.under_way.pop(request).items():
            asked.ended = now
            asked.rest = host_rest if kind == "host" else asked.limit.delay

    def forget(self, request: object) -> None:
        for party, asked in self.under_way.pop(request).items():
            self.asked[party] = [other for other in self.asked[party] if other is not asked]


class FrontierMachine(RuleBasedStateMachine):
    """Does the same to the frontier and to the model."""

    in_flight: Bundle[int] = Bundle("in_flight")
    loans: Bundle[HostSlot] = Bundle("loans")

    @initialize(
        politeness=politenesses,
        merge=st.sampled_from(Merge),
        seeds=st.lists(st.tuples(names, pages, priorities), max_size=12),
        addresses=st.dictionaries(names, addresses),
        weighed=st.dictionaries(names, factors),
        most_waiting=st.integers(1, 12),
    )
    def begin(
        self,
        politeness: Politeness,
        merge: Merge,
        seeds: list[tuple[str, int, float]],
        addresses: dict[str, str],
        weighed: dict[str, float],
        most_waiting: int,
    ) -> None:
        self.politeness = politeness
        self.reservation = Reservation(0.5)  # it never waits, since nobody says how many pages are left
        self.frontier = Frontier(politeness, merge, reservation=self.reservation)
        self.most_waiting = most_waiting
        self.admission = Admission(self.frontier, most_waiting)
        self.model = Model(politeness, merge)
        self.log = Log()
        self.lent: dict[int, HostSlot] = {}
        self.left: set[int] = set()  # URLs in flight whose requests have left
        for name, page, priority in seeds:
            self.offer_both(name, page, priority)
        for name, address in addresses.items():
            self.set_both_addresses(name, address)
        for name, factor in weighed.items():
            self.weigh_both(name, factor)

    def pass_time(self, step: float) -> float:
        self.model.now += step
        return self.model.now

    def note_start(self, request: object, name: str) -> None:
        host = Limit(self.politeness.host.at_once, self.model.hosts[name].delay)
        limits = {("host", name): host, ("domain", HOSTS[name]): self.politeness.domain}
        if name in self.model.address:
            limits["address", self.model.address[name]] = self.politeness.ip
        if name in self.model.slow:
            limits["slow", ""] = self.politeness.slow
        self.log.begin(request, self.model.now, limits)

    def note_end(self, request: object, name: str, rest: float = 0.0) -> None:
        self.model.end(request)
        self.model.hosts[name].waits.append(self.model.now + rest)
        self.log.end(request, self.model.now, max(rest, self.model.hosts[name].delay))

    def offer_both(self, name: str, page: int, priority: float, parent: int = NO_PARENT) -> None:
        url = f"https://{name}/{page}"
        depth = 0 if parent == NO_PARENT else self.model.urls[parent].depth + page % 2  # a redirect leads no deeper
        number = self.model.offer(url, name, priority, parent, depth)
        assert self.frontier.offer(url, priority, parent, depth) == number

    def set_both_addresses(self, name: str, address: str) -> None:
        host = self.frontier.host_number(name)
        self.frontier.set_address(host, address)
        assert self.frontier.hosts.address(host) == address
        if address:
            self.model.address[name] = address
        else:
            self.model.address.pop(name, None)

    def weigh_both(self, name: str, factor: float) -> None:
        self.frontier.weigh(self.frontier.host_number(name), factor)
        self.model.factors[name] = factor

    def take_both(self, most: int) -> list[int]:
        taken = self.frontier.take(self.model.now, most)
        for number in taken:
            self.note_start(number, self.model.urls[number].host)
        assert taken == self.model.take(most)
        self.left.difference_update(taken)
        return taken

    def finish(self, number: int, state: State, rest: float = 0.0) -> None:
        now, name = self.model.now, self.model.urls[number].host
        if rest:
            self.frontier.rest(self.frontier.host_number(name), now + rest)
        self.frontier.settle(number, state, now)
        self.model.urls[number].state = state
        self.note_end(number, name, rest)

    def finish_loan(self, loan: HostSlot) -> None:
        self.frontier.give_back(loan, self.model.now)
        self.note_end(id(self.lent.pop(id(loan))), loan.host.name)

    # ---- what a crawl does ----

    @rule(name=names, page=pages, priority=priorities, data=st.data())
    def offer(self, name: str, page: int, priority: float, data: st.DataObject) -> None:
        self.offer_both(name, page, priority, data.draw(st.integers(NO_PARENT, len(self.model.urls) - 1)))

    @rule(links=st.dictionaries(st.tuples(names, pages), priorities, max_size=8))
    def offer_what_is_accepted(self, links: dict[tuple[str, int], float]) -> None:
        urls = [f"https://{name}/{page}" for name, page in links]
        accepted = self.admission.accepted(urls, np.array([*links.values()], np.float64))
        is_accepted = [True] * len(urls) if accepted is None else accepted.tolist()
        before = self.frontier.count(State.WAITING)
        for url, is_one, ((name, page), priority) in zip(urls, is_accepted, links.items(), strict=True):
            assert is_one or url not in self.model.numbers
            if is_one:
                self.offer_both(name, page, priority)
        assert self.frontier.count(State.WAITING) <= max(before, self.most_waiting)

    @rule(links=st.lists(st.tuples(names, st.integers(0, 9), priorities), max_size=16), data=st.data())
    def offer_all(self, links: list[tuple[str, int, float]], data: st.DataObject) -> None:
        parent = data.draw(st.integers(NO_PARENT, len(self.model.urls) - 1))
        depth = 0 if parent == NO_PARENT else self.model.urls[parent].depth + 1
        urls = [f"https://{name}/{page}" for name, page, _ in links]
        numbers = [
            self.model.offer(url, name, priority, parent, depth)
            for url, (name, _, priority) in zip(urls, links, strict=True)
        ]
        assert list(self.frontier.offer_all(urls, [priority for *_, priority in links], parent, depth)) == numbers
        assert self.frontier.hosts_of(urls) == [self.frontier.host_number(name) for name, *_ in links]

    @rule(data=st.data(), priority=priorities)
    def change(self, data: st.DataObject, priority: float) -> None:
        if self.model.urls:
            number = data.draw(st.integers(0, len(self.model.urls) - 1))
            self.frontier.change(number, priority)
            if self.model.urls[number].state is State.WAITING:
                self.model.urls[number].priority = priority

    @rule(data=st.data(), priority=priorities)
    def change_in_flight(self, data: st.DataObject, priority: float) -> None:
        if self.model.urls:
            number = data.draw(st.integers(0, len(self.model.urls) - 1))
            self.frontier.change_in_flight(number, priority)
            if self.model.urls[number].state is State.IN_FLIGHT:
                self.model.urls[number].priority = priority

    @rule(target=in_flight, step=steps, most=st.integers(0, 4))
    def take(self, step: float, most: int) -> MultipleResults[int]:
        self.pass_time(step)
        return multiple(*self.take_both(most))

    @rule(number=consumes(in_flight), step=steps, state=st.sampled_from(ENDED), rest=st.sampled_from([0.0, 3.0, 90.0]))
    def settle(self, number: int, step: float, state: State, rest: float) -> None:
        self.pass_time(step)
        self.finish(number, state, rest)

    @rule(
        number=consumes(in_flight),
        step=steps,
        wait=st.sampled_from([None, 0.0, 0.5, 2.0]),
        rest=st.sampled_from([None, 0.0, 0.5, 3.0]),
        attempt=st.booleans(),
    )
    def put_back(self, number: int, step: float, wait: float | None, rest: float | None, attempt: bool) -> None:
        now, known = self.pass_time(step), self.model.urls[number]
        if rest is not None:
            self.frontier.rest(self.frontier.host_number(known.host), now + rest)
        self.frontier.put_back(number, now, not_before=0.0 if wait is None else now + wait, attempt=attempt)
        known.state = State.WAITING
        known.not_before = now + (wait or 0.0)
        known.attempts += attempt
        self.note_end(number, known.host, rest or 0.0)

    @rule(number=in_flight, step=steps)
    def sent(self, number: int, step: float) -> None:
        self.frontier.sent(number, self.pass_time(step))
        self.left.add(number)
        self.model.leaves(number)
        self.log.leaves(number, self.model.now, self.model.hosts[self.model.urls[number].host].delay)

    @rule(number=consumes(in_flight), step=steps)
    def refuse(self, number: int, step: float) -> None:
        if number in self.left:
            self.settle(number, step, State.FAILED, 0.0)
            return
        self.frontier.refuse(number, self.pass_time(step))
        self.model.urls[number].state = State.REFUSED
        self.model.undo(number)
        self.log.forget(number)

    @rule(number=consumes(in_flight), step=steps)
    def withdraw(self, number: int, step: float) -> None:
        if number in self.left:
            self.settle(number, step, State.FAILED, 0.0)
            return
        self.frontier.withdraw(number, self.pass_time(step))
        self.model.urls[number].state = State.WAITING
        self.model.urls[number].not_before = 0.0
        self.model.undo(number)
        self.log.forget(number)

    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        if self.model.urls:
            number = data.draw(st.integers(0, len(self.model.urls) - 1))
            self.frontier.drop(number)
            if self.model.urls[number].state is State.WAITING:
                self.model.urls[number].state = State.REFUSED

    @rule(data=st.data())
    def reopen_what_was_refused(self, data: st.DataObject) -> None:
        refused = [number for number, known in enumerate(self.model.urls) if known.state is State.REFUSED]
        if refused:
            number = data.draw(st.sampled_from(refused))
            self.frontier.reopen(number)
            self.model.urls[number].state = State.WAITING
            self.model.urls[number].not_before = 0.0

    @rule(target=loans, name=names, step=steps)
    def borrow(self, name: str, step: float) -> MultipleResults[HostSlot]:
        loan = self.frontier.borrow(self.frontier.host_number(name), self.pass_time(step))
        assert (loan is not None) == self.model.may_be_asked(name)
        if loan is None:
            return multiple()
        self.lent[id(loan)] = loan
        self.note_start(id(loan), name)
        self.model.start(id(loan), name)
        return multiple(loan)

    @rule(loan=consumes(loans), step=steps)
    def give_back(self, loan: HostSlot, step: float) -> None:
        self.pass_time(step)
        self.finish_loan(loan)

    @rule(name=names, address=addresses)
    def meet_address(self, name: str, address: str) -> None:
        self.set_both_addresses(name, address)

    @rule(name=names, slow=st.booleans())
    def set_slow(self, name: str, slow: bool) -> None:
        host = self.frontier.host_number(name)
        self.frontier.set_slow(host, slow)
        assert self.frontier.hosts.is_slow(host) is slow
        (self.model.slow.add if slow else self.model.slow.discard)(name)

    @rule(name=names, delay=delays)
    def learn_crawl_delay(self, name: str, delay: float) -> None:
        host = self.frontier.host_number(name)
        self.frontier.set_delay(host, delay)
        assert self.frontier.hosts.delay(host) == delay
        self.model.hosts[name].delay = delay

    @rule(name=names, factor=factors)
    def weigh(self, name: str, factor: float) -> None:
        self.weigh_both(name, factor)

    @rule(name=names, rest=delays)
    def rest(self, name: str, rest: float) -> None:
        until = self.model.now + rest
        self.frontier.rest(self.frontier.host_number(name), until)
        self.model.hosts[name].waits.append(until)

    # ---- what must hold after each step ----

    @invariant()
    def every_url_is_in_one_state(self) -> None:
        frontier, urls = self.frontier, self.model.urls
        assert [frontier.urls.state(number) for number in range(len(frontier))] == [known.state for known in urls]
        for state in State:
            assert frontier.count(state) == sum(known.state is state for known in urls)

    @invariant()
    def the_view_tells_what_is_known(self) -> None:
        view, frontier = self.frontier.urls, self.frontier
        assert len(view) == len(frontier) == len(self.model.urls)
        assert view.find("https://never.offered/") is None
        urls = [known.url for known in self.model.urls]
        assert view.numbers([*urls, "https://never.offered/"]).tolist() == [*range(len(urls)), UNKNOWN]
        for number, known in enumerate(self.model.urls):
            assert view.url(number) == known.url
            assert view.find(known.url) == number
            assert view.is_waiting(number) == (known.state is State.WAITING)
            assert (view.parent(number), view.depth(number)) == (known.parent, known.depth)
            assert (view.priority(number), view.attempts(number)) == (known.priority, known.attempts)
            assert view.host_name(number) == frontier.hosts.name(view.host(number)) == known.host
            assert view.host(number) == frontier.host_number(known.host)

    @invariant()
    def the_view_tells_of_many_what_it_tells_of_each(self) -> None:
        view, numbers = self.frontier.urls, np.arange(len(self.frontier))[::-1]
        for many, one in (
            (view.states, view.state),
            (view.priorities, view.priority),
            (view.depths, view.depth),
            (view.hosts, view.host),
            (view.parents, view.parent),
        ):
            assert many(numbers).tolist() == list(map(one, numbers.tolist()))

    @invariant()
    def children_and_siblings_are_those_with_the_same_parent(self) -> None:
        view, urls = self.frontier.urls, self.model.urls
        for number, known in enumerate(urls):
            assert view.children(number) == [one for one, other in enumerate(urls) if other.parent == number]
            same = [one for one, other in enumerate(urls) if other.parent == known.parent != NO_PARENT]
            assert view.siblings(number) == [one for one in same if one != number]
            before, after = [one for one in same if one < number], [one for one in same if one > number]
            for within in (0, 1, 2):
                assert view.siblings(number, within) == before[max(len(before) - within, 0) :] + after[:within]
        assert view.children(NO_PARENT) == []

    @invariant()
    def what_is_worth_waiting_for_is_counted(self) -> None:
        frontier, hosts = self.frontier, self.frontier._hosts.all
        expected = [
            known.priority
            for number, known in enumerate(self.model.urls)
            if known.state is State.WAITING
            and number not in frontier._queues._set_aside
            and hosts[frontier.host_number(known.host)].is_awaited
        ]
        waiting = self.reservation.waiting
        assert waiting.count == len(expected)
        excess = sum(max(promise + 2.0, 0.0) for promise in expected)
        assert waiting.excess(-2.0, inf) == pytest.approx(excess, rel=1 / 256, abs=0.01)
        for host in hosts:
            is_full = 0 < self.politeness.pages_per_host <= host.pages
            assert not host.is_awaited or not is_full
            assert host.is_awaited or is_full or host.next_time > frontier._hosts.now

    @invariant()
    def next_time_is_never_too_late(self) -> None:
        earliest, promised = self.model.earliest(), self.frontier.next_time()
        assert earliest == inf or (promised is not None and promised <= earliest)

    def teardown(self) -> None:
        """Whatever was done: whoever asks again whenever `next_time` says so gets everything that can be asked for."""
        for loan in list(self.lent.values()):
            self.finish_loan(loan)
        taken = [number for number, known in enumerate(self.model.urls) if known.state is State.IN_FLIGHT]
        for _ in range(1000):
            for number in taken:
                self.finish(number, State.DONE)
            if (time := self.frontier.next_time()) is None:
                break
            self.pass_time(max(0.0, time - self.model.now))
            taken = self.take_both(3)
        assert self.frontier.next_time() is None
        assert self.model.earliest() == inf


FrontierMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)
TestFrontierMachine = FrontierMachine.TestCase
