"""One shard of a crawl: the link between its loop, the other shards and the coordinator.

It knows nothing about machines, processes or messages in transit: its caller passes in the messages received, and asks
for the messages to send. `cluster/runner.py` does that for real networks.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import Any, Final

from typing_extensions import override

from honeyguide.cluster import items
from honeyguide.cluster.coordinator import POINTS
from honeyguide.cluster.leases import LeaseAnswer, LeaseRequest
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.messages import Floats, Orders, ShardReport
from honeyguide.cluster.ring import Ring
from honeyguide.cluster.shard_addresses import ShardAddresses
from honeyguide.cluster.shard_lessons import ShardLessons
from honeyguide.cluster.shard_mail import ShardMail
from honeyguide.crawl.again.revisits import Revisits
from honeyguide.crawl.arrivals import Arrivals
from honeyguide.crawl.budget import PagePlan, StopReason
from honeyguide.crawl.lessons import LiveLessons
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.neighbours import HERE, LinksElsewhere
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.session import ShardLink
from honeyguide.frontier import Elsewhere, Frontier, Limit
from honeyguide.store.commands import ALL_LABELS
from honeyguide.store.database import Statement
from honeyguide.store.inbox import Message
from honeyguide.store.tally import Tally
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Reading
from honeyguide.topic import Topic
from honeyguide.topic.budget import BudgetSettings

_COMMIT_EVERY: Final = 0.5  # seconds; short, since nothing is sent before it is committed
_RESCORED: Final = 1000  # waiting URLs that are re-scored, in rotation, when other shards have learnt something
_PAGES_PER_TURN: Final = 25  # roughly how many received items are applied in one turn of the loop


class Shard(ShardLink):
    """A shard, between its own loop and the others.

    The loop calls the methods of `Neighbours` and `Allowance`; all other methods are for the code that carries the
    messages, in the same thread. Nothing is sent before it is committed, and no item is acknowledged before its effects
    are committed.
    """

    def __init__(
        self,
        name: str,
        ring: Ring,
        topic: Topic,
        frontier: Frontier,
        queue: CheckedQueue,
        recorder: Recorder,
        now: Callable[[], float],
    ) -> None:
        """Continue from the last commit of the shard."""
        self.name = name
        self.commit_every = _COMMIT_EVERY
        self.wake: Callable[[], None] = lambda: None
        self.on_commit: Callable[[], None] = lambda: None
        """Called after every commit."""
        self.lessons: ShardLessons | None = None
        self.revisits: Revisits | None = None
        self._folder = recorder.folder
        self._ring = ring
        self._own_number = ring.shards.index(name)
        self._frontier = frontier
        self._queue = queue
        self._tally = recorder.tally
        self._now = now
        self._mail = ShardMail(name, recorder.query)
        ((lives,),) = recorder.query("SELECT coalesce(max(number), 0) FROM lives")
        self.life = lives + 1
        self._has_committed = False
        recorder.more = self._statements
        # ---- pages that may be fetched ----
        self._start = recorder.tally.visits
        self._granted = self._returned = 0
        self._plan = PagePlan(inf, inf, inf)
        self._stop: StopReason | None = None
        self._ended: StopReason | None = None
        self._is_idle = self._is_unpromising = False
        self._next_time: float | None = None
        self._keep = 0
        # ---- to be sent with the next commit ----
        self._pending_links = items.PassedLinks(ring.shards)
        # ---- received ----
        self._commands: list[Message] = []
        self._received: set[str] = set()  # ids of commands, in this life
        self._last_received: frozenset[str] = frozenset()  # those in the last orders
        self._has_news = False  # whether there are commands that no commit has recorded yet
        # ---- exchanged with the coordinator ----
        self._epoch, self._wave, self._number, self._version = -1, 0, 0, 0
        self._reported_answers = -1  # in the last report
        self._learnt: Floats | None = None
        self._reported: Floats | None = None
        self._next_rescored = 0
        limit = Limit(topic.fetch.per_ip, topic.fetch.ip_delay)
        self._addresses = ShardAddresses(name, ring, frontier, limit, self.life, now)

    # ---- lessons ----

    @override
    def learns(self, lessons: LiveLessons, schedule: ModelSchedule) -> None:
        self.lessons = ShardLessons(self._folder, lessons, schedule, self._tally.pages)
        lessons.revising = self._revising

    @contextmanager
    def _revising(self, number: int, reading: Reading, links: bool) -> Iterator[None]:
        """Notify other shards to which a page of this one links if the page gets another judgement."""
        before = self._queue.note(number)
        yield
        note = self._queue.note(number)
        if not self._queue.can_revise or (note == before and not links):
            return
        urls, all_links, found = self._frontier.urls, len(reading.links), self.split(reading)
        if found is not None:
            table = self._queue.passed(found.links) if links else LinkTable(found.links.urls, found.links.scores, {})
            judged = items.restricted(reading, table, all_links)
            revision = items.LINKS_TOO if links else items.PAGE_ALONE
            fields = (urls.url(number), urls.depth(number), before + note, False, False, judged, revision)
            self._pending_links.add(items.PageLinks(*fields), found.owners)

    # ---- neighbours ----

    @property
    def _only_revisits(self) -> bool:
        """Whether the run only revisits pages."""
        return self.revisits is not None and self.revisits.options.only

    @override
    def owns(self, url: str) -> bool:
        return self._ring.owner(url) == self.name

    @override
    def split(self, reading: Reading) -> LinksElsewhere | None:
        links = reading.links
        owners = self._ring.numbers(links.urls)
        is_own = owners == self._own_number
        if is_own.all():
            return None
        reading.links = links.where(is_own)
        reading.links_elsewhere = len(links) - len(reading.links)
        owners[is_own] = HERE
        return LinksElsewhere(links, owners)

    @override
    def pass_links(
        self, number: int, reading: Reading, found: LinksElsewhere, *, is_copy: bool, again: bool = False
    ) -> None:
        urls = self._frontier.urls
        all_links = len(reading.links) + reading.links_elsewhere
        doubtful = self._frontier.hosts.on_probation(urls.host(number))
        fields = (urls.url(number), urls.depth(number), self._queue.note(number), doubtful, is_copy)
        revision = items.VISITED_AGAIN if again else items.NEW_MEANWHILE if self._only_revisits else 0
        page = items.PageLinks(*fields, items.restricted(reading, self._queue.passed(found.links), all_links), revision)
        self._pending_links.add(page, found.owners)

    @override
    def pass_redirect(self, number: int, target: str, hops: int, *, is_seed: bool, level: int | None) -> None:
        urls, known = self._frontier.urls, self._queue.hand_over(number)
        fields = (urls.url(number), urls.depth(number), urls.priority(number), target, known, hops, is_seed, level)
        self._mail.add(self._ring.owner(target), items.pack(items.Redirect(*fields)))

    @override
    def pass_listed(self, number: int, urls: Sequence[str], form: str, level: int) -> None:
        listing = self._frontier.urls.url(number)
        by_owner: dict[str, list[str]] = {}
        for url in urls:
            by_owner.setdefault(self._ring.owner(url), []).append(url)
        for owner, own in by_owner.items():
            self._mail.add(owner, items.pack(items.ListedUrls(listing, own, form, level)))

    @override
    def step(self, arrivals: Arrivals) -> None:
        now = self._now()

        def apply(found: Sequence[items.Item]) -> None:
            items.apply(found, arrivals, now, only_revisits=self._only_revisits)
            if self.lessons is not None and any(
                isinstance(one, items.PageLinks) and one.is_judged_again for one in found
            ):
                self.lessons.revised()

        self._mail.apply(apply, _PAGES_PER_TURN)
        if self._mail.is_waiting:
            self.wake()

    @override
    def committed(self) -> None:
        self._has_news = False
        if not self._mail.committed():
            return
        self._has_committed = True
        self._learnt = self._queue.learnt()
        self.on_commit()

    def _statements(self) -> Iterable[Statement]:
        """The statements of a commit."""
        for owner, content in self._pending_links.take():
            self._mail.add(owner, content)
        by_owner: dict[str, list[items.Credit]] = {}
        for number, pages, outcome in self._queue.owed():
            url = self._frontier.urls.url(number)
            by_owner.setdefault(self._ring.owner(url), []).append(items.Credit(url, pages, outcome))
        for owner, credited in by_owner.items():
            self._mail.add(owner, items.pack_credits(credited))
        return (*self._mail.statements(), ("INSERT OR IGNORE INTO lives VALUES (?)", [(self.life,)]))

    # ---- allowance ----

    @override
    def spent(self, budget: BudgetSettings, tally: Tally) -> StopReason | None:
        self._is_idle = False
        return None if self._has_news else self._stop  # commands received before the end are part of the run

    @override
    def idle(self, next_time: float | None, now: float, patience: float, *, unpromising: bool) -> StopReason | None:
        is_far = next_time is None or next_time - now > patience
        is_pending = self._mail.is_waiting or bool(self._pending_links) or self._addresses.is_waiting
        self._is_idle = is_far and not is_pending
        self._next_time, self._is_unpromising = next_time, unpromising and next_time is None
        return None

    @override
    def pages(self, budget: BudgetSettings, tally: Tally) -> float:
        return self._granted - self._returned - (tally.visits - self._start)

    @override
    def plan(self, budget: BudgetSettings, tally: Tally) -> PagePlan:
        return self._plan

    # ---- the coordinator ----

    @property
    def has_begun(self) -> bool:
        """Whether the start of this life is on disk: before that, no message may be sent."""
        return self._has_committed

    def report(self) -> ShardReport:
        """Report the state of this shard."""
        self._number += 1
        self._reported_answers = self._tally.answers
        is_new = self._learnt is not None and len(self._learnt) > 0 and self._learnt is not self._reported
        tally = replace(self._tally, finds=deque(), recent=deque(maxlen=1))
        return ShardReport(
            shard=self.name,
            life=self.life,
            number=self._number,
            epoch=self._epoch,
            wave=self._wave,
            start=self._start,
            tally=tally,
            returned=self._returned,
            sent=self._mail.sent,
            received=self._mail.received,
            is_idle=self._is_idle,
            next_time=self._next_time if self._is_idle else None,
            is_unpromising=self._is_idle and self._is_unpromising,
            waiting=self._frontier.promises(POINTS),
            due=self.revisits.due(POINTS) if self.revisits is not None else (),
            taken=self._frontier.taken_promise,
            learnt=self._learnt if is_new else None,
            version=self._version,
            commands=self._last_received,
            **self._lesson_fields(),
            ended=self._ended,
        )

    def _lesson_fields(self) -> dict[str, Any]:
        """The fields of a report that concern lessons."""
        lessons = self.lessons
        if lessons is None:
            return {}
        first, samples = lessons.samples()
        fields = {"lessons": lessons.changes, "notes": lessons.notes(), "model": lessons.version}
        return {**fields, "first_sample": first, "samples": samples}

    @property
    def is_quiet(self) -> bool:
        """Whether the shard is idle, or nothing has been fetched since the last report."""
        return self._is_idle or self._tally.answers == self._reported_answers

    @property
    def needs_pages(self) -> bool:
        """Whether it is busy and has used up more than half of the pages that it should keep."""
        left = self.pages(BudgetSettings(), self._tally)
        return not self._is_idle and 2 * left < self._keep and self._stop is None

    def take_orders(self, reported: ShardReport, orders: Orders, in_progress: int) -> None:
        """Take the answer to a report. `in_progress` is the number of pages that are being fetched."""
        now = self._now()
        if orders.epoch < self._epoch or orders.life != self.life:
            return
        if orders.epoch > self._epoch:
            self._reported = None  # a new coordinator, which has not received it
        elif reported.learnt is not None:
            self._reported = reported.learnt
        self._epoch, self._wave = orders.epoch, orders.wave
        self._granted = max(self._granted, orders.granted)
        self._keep = orders.keep
        free = int(self.pages(BudgetSettings(), self._tally)) - in_progress
        if free > orders.keep:
            self._returned += free - orders.keep
        self._plan = PagePlan(orders.left, orders.total, orders.seconds)
        last = now - orders.idle_for
        self._frontier.expect(Elsewhere(orders.waiting, orders.interval, orders.taken, last, now))
        if orders.learnt is not None and len(orders.learnt):
            self._queue.share(orders.learnt)
            self._rescore()
        self._version = orders.version
        if self.lessons is not None:
            self.lessons.answered(orders.lessons, orders.samples, orders.model)
        new = [command for command in orders.commands if command.id not in self._received]
        self._commands.extend(filter(self._is_relevant_here, new))
        self._last_received = frozenset(command.id for command in orders.commands)
        self._received |= self._last_received
        self._stop = self._stop or orders.stop
        self.wake()

    def _rescore(self) -> None:
        """Update the promises of some waiting URLs, in rotation.

        The queue does that after each page of this shard. If most pages are fetched elsewhere, what is learnt from them
        would hardly ever reach the URLs that wait here.
        """
        first, every = self._next_rescored, len(self._frontier)
        last = min(first + _RESCORED, every)
        self._queue.rescore(self._frontier, first, last)
        self._next_rescored = last if last < every else 0

    def _is_relevant_here(self, message: Message) -> bool:
        """Whether a command is for this shard: a label is for the owner of the page, all others are for every shard."""
        name, arguments = message.command.name, message.command.arguments
        return name != "label" or arguments[0] == ALL_LABELS or self.owns(arguments[0])

    def take_commands(self) -> list[Message]:
        """Return the commands received since the last call, for the inbox of this shard."""
        commands, self._commands = self._commands, []
        self._has_news = self._has_news or bool(commands)
        return commands

    def has_ended(self, stop: StopReason) -> None:
        """Record why the loop has ended; everything is on disk."""
        self._ended = stop
        self._is_idle = True
        self._mail.close()

    # ---- other shards ----

    def receivers(self) -> list[str]:
        """The shards for which there is something to send."""
        return self._mail.receivers()

    def parcel(self, receiver: str, leases: LeaseRequest) -> Parcel:
        """What to send to a shard; the same again until it is acknowledged."""
        return self._mail.parcel(receiver, leases)

    def receive(self, parcel: Parcel) -> tuple[LeaseAnswer, asyncio.Future[int]]:
        """Take a parcel. Returns the answer to its lease request, and the future number of the last committed item."""
        answer = self._addresses.answer(parcel.sender, parcel.leases)
        receipt = self._mail.receive(parcel)
        if not receipt.done():
            self.wake()
        return answer, receipt

    def acknowledged(self, receiver: str, asked_at: float, receipt: Receipt) -> None:
        """Take the receipt of a parcel that was sent at `asked_at`."""
        self._mail.acknowledge(receiver, receipt.received)
        self._addresses.answered(asked_at, receipt.leases)

    # ---- addresses ----

    @override
    def locate(self, frontier: Frontier, host: int, address: str) -> None:
        self._addresses.locate(host, address)

    def lease_requests(self) -> dict[str, LeaseRequest]:
        """The requests to send to the owners of IP addresses now, by shard. Called about once a second."""
        self._addresses.wake = self.wake
        return self._addresses.requests()
