"""One shard of a crawl: what connects its loop with the other shards and with the coordinator.

It knows nothing of machines, processes or messages under way: others call it with what has come in, and ask it for what
is to be sent. `cluster/runner.py` does that for real networks.
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
from honeyguide.crawl.neighbours import LinksElsewhere
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

_COMMIT_EVERY: Final = 0.5  # seconds, since others do not hear of a page before it is committed
_AT_ONCE: Final = 25  # pages of others whose links are offered in one turn of the loop, about


class Shard(ShardLink):
    """A shard, between its own loop and the others.

    The loop calls the methods of `Neighbours` and `Allowance`; all others are for whoever carries the messages, in the
    same thread. Nothing is sent before it is committed, and nothing is acknowledged before what followed from it is.
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
        """Go on where the last commit of the shard left it."""
        self.name = name
        self.commit_every = _COMMIT_EVERY
        self.wake: Callable[[], None] = lambda: None
        self.on_commit: Callable[[], None] = lambda: None
        """Called after every commit."""
        self.lessons: ShardLessons | None = None
        self.revisits: Revisits | None = None
        self._folder = recorder.folder
        self._ring = ring
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
        # ---- what goes out with the next commit ----
        self._passed = items.PassedLinks()
        # ---- what has come in ----
        self._told: list[Message] = []
        self._all_told: set[str] = set()  # in this life
        self._last_told: frozenset[str] = frozenset()  # in the last orders
        self._has_news = False  # commands that no commit has recorded yet
        # ---- what the coordinator knows ----
        self._epoch, self._wave, self._number, self._version = -1, 0, 0, 0
        self._answers = -1  # that the last report was about
        self._learnt: Floats | None = None
        self._reported: Floats | None = None
        limit = Limit(topic.fetch.per_ip, topic.fetch.ip_delay)
        self._addresses = ShardAddresses(name, ring, frontier, limit, self.life, now)

    # ---- lessons ----

    @override
    def learns(self, lessons: LiveLessons, schedule: ModelSchedule) -> None:
        self.lessons = ShardLessons(self._folder, lessons, schedule, self._tally.pages)
        lessons.revising = self._revising

    @contextmanager
    def _revising(self, number: int, reading: Reading, links: bool) -> Iterator[None]:
        """Tell other shards that a page of this one, which links there, is judged otherwise than before."""
        before = self._queue.note(number)
        yield
        note = self._queue.note(number)
        if not self._queue.can_revise or (note == before and not links):
            return
        urls, all_links, found = self._frontier.urls, len(reading.links), self.split(reading)
        if found is not None:
            table = found.links if links else LinkTable(found.links.urls, found.links.scores, {})
            judged = items.restricted(reading, table, all_links)
            revision = items.LINKS_TOO if links else items.PAGE_ALONE
            about = (urls.url(number), urls.depth(number), before + note, False, False, judged, revision)
            self._passed.add(items.PageLinks(*about), found.places)

    # ---- neighbours ----

    @property
    def _is_only_again(self) -> bool:
        """Whether the run does nothing but visit pages again."""
        return self.revisits is not None and self.revisits.options.only

    @override
    def owns(self, url: str) -> bool:
        return self._ring.owner(url) == self.name

    @override
    def split(self, reading: Reading) -> LinksElsewhere | None:
        links, places = reading.links, dict[str, list[int]]()
        for place, owner in enumerate(self._ring.owners(links.urls)):
            places.setdefault(owner, []).append(place)
        own = places.pop(self.name, [])
        if not places:
            return None
        reading.links = links.take(own)
        reading.links_elsewhere = len(links) - len(own)
        return LinksElsewhere(links, places)

    @override
    def pass_links(
        self, number: int, reading: Reading, found: LinksElsewhere, *, is_copy: bool, again: bool = False
    ) -> None:
        urls = self._frontier.urls
        all_links = len(reading.links) + reading.links_elsewhere
        doubtful = self._frontier.hosts.on_probation(urls.host(number))
        about = (urls.url(number), urls.depth(number), self._queue.note(number), doubtful, is_copy)
        revision = items.VISITED_AGAIN if again else items.NEW_MEANWHILE if self._is_only_again else 0
        page = items.PageLinks(*about, items.restricted(reading, found.links, all_links), revision)
        self._passed.add(page, found.places)

    @override
    def pass_redirect(self, number: int, target: str, hops: int, *, is_seed: bool, level: int | None) -> None:
        urls, known = self._frontier.urls, self._queue.hand_over(number)
        about = (urls.url(number), urls.depth(number), urls.priority(number), target, known, hops, is_seed, level)
        self._mail.add(self._ring.owner(target), items.pack(items.Redirect(*about)))

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
            items.apply(found, arrivals, now, only_again=self._is_only_again)
            if self.lessons is not None and any(
                isinstance(one, items.PageLinks) and one.is_judged_again for one in found
            ):
                self.lessons.revised()

        self._mail.apply(apply, _AT_ONCE)
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
        """What a commit writes."""
        for owner, content in self._passed.take():
            self._mail.add(owner, content)
        owed: dict[str, list[items.Credit]] = {}
        for number, pages, outcome in self._queue.owed():
            url = self._frontier.urls.url(number)
            owed.setdefault(self._ring.owner(url), []).append(items.Credit(url, pages, outcome))
        for owner, credited in owed.items():
            self._mail.add(owner, items.pack_credits(credited))
        return (*self._mail.statements(), ("INSERT OR IGNORE INTO lives VALUES (?)", [(self.life,)]))

    # ---- allowance ----

    @override
    def spent(self, budget: BudgetSettings, tally: Tally) -> StopReason | None:
        self._is_idle = False
        return None if self._has_news else self._stop  # what it was told before the end is part of the run

    @override
    def idle(self, next_time: float | None, now: float, patience: float, *, unpromising: bool) -> StopReason | None:
        is_far = next_time is None or next_time - now > patience
        self._is_idle = is_far and not self._mail.is_waiting and not self._passed and not self._addresses.is_waiting
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
        """Whether it is on disk that this life has begun: before that, nobody may hear of it."""
        return self._has_committed

    def report(self) -> ShardReport:
        """How this shard stands."""
        self._number += 1
        self._answers = self._tally.answers
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
            told=self._last_told,
            **self._learnt_here(),
            ended=self._ended,
        )

    def _learnt_here(self) -> dict[str, Any]:
        """What a report says of lessons."""
        lessons = self.lessons
        if lessons is None:
            return {}
        first, samples = lessons.samples()
        said = {"lessons": lessons.changes, "notes": lessons.notes(), "model": lessons.version}
        return {**said, "first_sample": first, "samples": samples}

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has been fetched since the last report."""
        return self._is_idle or self._tally.answers == self._answers

    @property
    def needs_pages(self) -> bool:
        """Whether it has nearly used up what it was granted, though there is something to do."""
        left = self.pages(BudgetSettings(), self._tally)
        return not self._is_idle and 2 * left < self._keep and self._stop is None

    def take_orders(self, reported: ShardReport, orders: Orders, in_progress: int) -> None:
        """The coordinator has answered a report. `in_progress` is the number of pages that are being fetched."""
        now = self._now()
        if orders.epoch < self._epoch or orders.life != self.life:
            return
        if orders.epoch > self._epoch:
            self._reported = None  # a coordinator that knows nothing of this
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
        self._version = orders.version
        if self.lessons is not None:
            self.lessons.answered(orders.lessons, orders.samples, orders.model)
        self._told.extend(one for one in orders.told if one.id not in self._all_told and self._is_for_me(one))
        self._last_told = frozenset(one.id for one in orders.told)
        self._all_told |= self._last_told
        self._stop = self._stop or orders.stop
        self.wake()

    def _is_for_me(self, message: Message) -> bool:
        """A label is for the shard that has the page; everything else is for all of them."""
        name, arguments = message.command.name, message.command.arguments
        return name != "label" or arguments[0] == ALL_LABELS or self.owns(arguments[0])

    def take_told(self) -> list[Message]:
        """Commands that have come in since the last call, for the inbox of this shard."""
        told, self._told = self._told, []
        self._has_news = self._has_news or bool(told)
        return told

    def has_ended(self, stop: StopReason) -> None:
        """The loop has ended, with everything on disk."""
        self._ended = stop
        self._is_idle = True
        self._mail.close()

    # ---- other shards ----

    def receivers(self) -> list[str]:
        """The shards that there is something to send to."""
        return self._mail.receivers()

    def parcel(self, receiver: str, leases: LeaseRequest) -> Parcel:
        """What to send to a shard: the same again until it is acknowledged."""
        return self._mail.parcel(receiver, leases)

    def receive(self, parcel: Parcel) -> tuple[LeaseAnswer, asyncio.Future[int]]:
        """A parcel has come in. Returns what is said about addresses, and what will be safe with a commit."""
        answer = self._addresses.answer(parcel.sender, parcel.leases)
        receipt = self._mail.receive(parcel)
        if not receipt.done():
            self.wake()
        return answer, receipt

    def acknowledged(self, receiver: str, asked: float, receipt: Receipt) -> None:
        """A shard has answered a parcel that was sent at a time."""
        self._mail.acknowledge(receiver, receipt.received)
        self._addresses.answered(asked, receipt.leases)

    # ---- addresses ----

    @override
    def locate(self, frontier: Frontier, host: int, address: str) -> None:
        self._addresses.locate(host, address)

    def lease_requests(self) -> dict[str, LeaseRequest]:
        """What to tell the owners of IP addresses now: by shard. Called about once a second."""
        self._addresses.wake = self.wake
        return self._addresses.requests()
