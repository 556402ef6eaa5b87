"""The crawl loop: take a URL, fetch it, read the page, record it, update the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from math import inf

from honeyguide.crawl.again.revisits import Revisits
from honeyguide.crawl.arrivals import Arrivals
from honeyguide.crawl.blocking import CHANGED, Blocking
from honeyguide.crawl.budget import INTERRUPTED, Allowance, OwnBudget, StopReason
from honeyguide.crawl.clearance import Clearance, Cleared
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.listings import Listings
from honeyguide.crawl.loop_hooks import Control, LessonSteps
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.neighbours import Alone, Neighbours
from honeyguide.crawl.outcomes import Outcomes, kind_and_detail
from honeyguide.crawl.pacing import Pacing, StandardPacing
from honeyguide.crawl.probation import Probation
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.seeds import SEED_PRIORITY, Seeds, starting_examples
from honeyguide.crawl.visits import AddressVisit, BrokenVisit, PageVisit, RobotsVisit, Visit, Visits, VisitStart
from honeyguide.errors import HoneyguideError, PluginError, one_line
from honeyguide.fetch.base import Failure, Response
from honeyguide.fetch.ip import counted_as
from honeyguide.frontier import Admission, Frontier, State
from honeyguide.page.scope import Scope
from honeyguide.page.url import UrlRules, host_of
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic import Topic

COMMIT_EVERY = 1.0
"""Seconds between two commits, the maximum that a crash can lose. Committed work is never lost."""

_COMMIT_SHARE = 25  # minimum interval, as a multiple of the duration of a commit, if other shards wait for commits
_VISITS_PER_COMMIT = 1000  # maximum number of visits between two commits
_MIN_COMMIT_INTERVAL = 0.2  # seconds between two commits while a large change is written in pieces
_FATAL = (HoneyguideError, OSError)  # failed plug-ins, our own disk: errors that end the run
_MAX_LOOKUPS = 64  # concurrent lookups of addresses: slow name servers must not be flooded
_MAX_RENDERING = 32  # pages that are being rendered or wait for that: they occupy their hosts, but no connection
_GRACE = 10.0  # seconds in which visits in progress may complete after a stop request


class Crawler:
    """One run of one crawl.

    A URL is taken from the frontier, which reserves a slot on its host. Its visit ends in exactly one of these ways:
    settled (done, failed, refused); put back for another attempt; or, if the run ends first, waiting as before.
    Redirects are not followed in place: their target is offered to the frontier like a link, so that scope,
    robots.txt, the guard and politeness apply to every hop.
    """

    def __init__(
        self,
        topic: Topic,
        frontier: Frontier,
        queue: CheckedQueue,
        robots: RobotsCache,
        journal: RecorderProtocol,
        visits: Visits,
        schedule: ModelSchedule,
        clock: Clock,
        pacing: Pacing | None = None,
        neighbours: Neighbours | None = None,
        allowance: Allowance | None = None,
        revisits: Revisits | None = None,
    ) -> None:
        """`pacing` decides when hosts may be contacted again; by default, it follows the topic's settings.

        `neighbours` are the other shards of the crawl, by default none; `allowance` decides how many pages may be
        fetched, by default the topic's budget; `revisits` decides which pages are revisited, by default none.
        """
        self.topic = topic
        self.frontier = frontier
        self._queue = queue
        self.journal = journal
        self.tally = journal.tally
        self._robots = robots
        self._visits = visits
        visits.on_sent = lambda request: frontier.sent(request, clock.now())
        self._clock = clock
        self._pacing = pacing or StandardPacing(topic.fetch, frontier, journal)
        self._neighbours = neighbours or Alone()
        self.allowance = allowance or OwnBudget()
        self._revisits = revisits
        self.blocking = Blocking(frontier, journal)
        self._clearance = Clearance(frontier, robots, visits, self._pacing, journal, self.blocking, self._neighbours)
        self._probation = Probation(frontier, topic.scope)
        admission = Admission(frontier, topic.scope.max_waiting)
        follows = strategy_named(topic.strategy.name).recipe.follows
        self.seeds = Seeds(
            frontier, Scope(topic.scope), UrlRules(topic.urls), admission, follows=follows, owns=self._neighbours.owns
        )
        rules = UrlRules(topic.urls)
        self.listings = Listings(topic.scope, rules, frontier, robots, journal, self.seeds, self._neighbours)
        self._outcomes = Outcomes(
            topic,
            frontier,
            queue,
            journal,
            visits,
            schedule,
            self._pacing,
            self.seeds,
            self.listings,
            admission,
            self._probation,
            self._neighbours,
        )
        self._outcomes.again.schedule = revisits
        self._arrivals = Arrivals(
            topic.scope.max_depth, frontier, queue, journal, self.seeds, admission, self._probation
        )
        self.control: Control | None = None
        self.lessons: LessonSteps | None = None
        self.is_held = False
        """Whether the user has paused the crawl."""
        self.last_command = ""
        """The last command from a user, and its result."""
        self._surplus: list[Visit] = []  # completed visits that exceed the budget at the moment
        self._stop_requests = 0
        self._interrupted = INTERRUPTED
        self._paused = False
        self._since_commit = 0
        self._last_commit = self._next_commit = 0.0

    # ---- the run ----

    async def run(self) -> StopReason:
        """Crawl until a limit is reached, nothing is left, or `request_stop` is called. Then everything is on disk.

        Raises `PluginError` when the strategy or the model fails. Everything is on disk in that case too, and the page
        on which it failed waits to be fetched again by the next run.
        """
        try:
            self.begin()
            stop = await self._crawl()
            if stop.kind == "interrupted":
                await self._wind_down()
            await self._cancel_visits()
            self._end(stop)
        except asyncio.CancelledError:  # the caller abandons the crawl; the pages that it has received must be saved
            await self._save(INTERRUPTED)
            raise
        except PluginError as error:
            detail = {"part": error.kind, "name": error.name, "url": error.url, "problem": error.problem}
            self.journal.event(self._clock.now(), "plugin failed", None, **detail)
            await self._save(StopReason("failed", str(error)))
            raise
        return stop

    def begin(self) -> None:
        """Offer the seeds. `run` calls it; without `run`, call it before the first `replay`."""
        now = self._clock.now()
        for origin, rules in self._robots.known():
            try:
                self._pacing.robots_known(origin, rules.crawl_delay)
            except Exception as error:  # noqa: BLE001 (or no run could start any more)
                self.journal.fault(f"{origin}/robots.txt", error)
        self._pacing.begin(now)
        owns, find = self._neighbours.owns, self.frontier.urls.find
        # Examples come first: they are known to be relevant, unlike seeds, and a strategy learns more from them.
        examples = [self.frontier.offer(url, SEED_PRIORITY) for url in starting_examples(self.topic) if owns(url)]
        seeds = [self.frontier.offer(url, SEED_PRIORITY) for url in self.topic.seeds if owns(url)]
        self._queue.begin(self.frontier, [*examples, *seeds])
        # Seeds of other shards may have redirected here in an earlier run.
        elsewhere = (find(url) for url in self.topic.seeds if not owns(url))
        self.seeds.begin([*seeds, *(number for number in elsewhere if number is not None)], self.journal)
        self.listings.begin(now, again=self._revisits is not None)
        self._probation.restore(self.journal.copies())
        only_again = self._revisits is not None and self._revisits.options.only
        self.journal.event(now, "start", None, **({"again": len(self.frontier)} if only_again else {}))
        self._commit(now)
        if self._revisits is not None:
            self._revisits.begin(self.journal.query, self.tally.harvest, now)

    async def _cancel_visits(self) -> None:
        """Cancel the visits in progress, and process those that have completed."""
        if self.lessons is not None:
            await self.lessons.close()
        await self._visits.cancel()
        await self._finish(await self._visits.ended(0.0))

    async def _save(self, stop: StopReason) -> None:
        """Save everything when the run ends early. Further plug-in errors are suppressed: one was reported already."""
        with suppress(PluginError):
            await self._cancel_visits()
        with suppress(PluginError):
            self._end(stop)

    def _end(self, stop: StopReason) -> None:
        now = self._clock.now()
        if self._revisits is not None:
            self._revisits.end(self.journal, now)
        self.journal.event(now, "stop", kind=stop.kind, text=stop.text)
        self.journal.commit(now, stop)

    def request_stop(self, reason: StopReason = INTERRUPTED) -> None:
        """Stop after the visits in progress; a second call stops immediately. Nothing recorded is lost."""
        self._stop_requests += 1
        self._interrupted = reason
        self._visits.wake()

    def in_progress(self) -> Iterable[VisitStart]:
        """The visits in progress, the oldest first."""
        return self._visits.in_progress()

    @property
    def pages_in_progress(self) -> int:
        """How many pages are being fetched or wait to be processed."""
        return self._visits.pages + len(self._surplus)

    def pause(self, paused: bool) -> None:
        """Pause or resume because the consumer of the pages is slow: no visit is started while paused."""
        self._paused = paused
        self._visits.wake()

    def hold(self, is_held: bool) -> None:
        """Pause or resume at the user's request. The time in between does not count as crawling."""
        self.is_held = is_held
        self._visits.wake()

    def add_seeds(self, urls: Iterable[str]) -> list[int]:
        """Offer more seeds. Returns the numbers of those that wait now: new ones, and known ones not fetched yet.

        One that has failed is tried again. Raises `PluginError` when the strategy fails.
        """
        frontier, numbers = self.frontier, []
        for url in filter(self._neighbours.owns, urls):
            number = frontier.offer(url, SEED_PRIORITY)
            if frontier.urls.state(number) is State.FAILED:
                frontier.reopen(number)
            if frontier.urls.is_waiting(number):
                frontier.change(number, max(SEED_PRIORITY, frontier.urls.priority(number)))
                numbers.append(number)
        self._queue.begin(frontier, numbers)
        self.seeds.add(numbers)
        return numbers

    async def _crawl(self) -> StopReason:
        before = self.journal.seconds(self._clock.now())
        last_turn = inf
        while True:
            now = self._clock.now()
            if self.is_held:
                self.journal.pause(max(now - last_turn, 0.0))
            last_turn = now
            self.tally.seconds = self.journal.seconds(now)
            self.tally.run_seconds = self.tally.seconds - before
            if self._stop_requests:
                return self._interrupted
            stop = self.allowance.spent(self.topic.budget, self.tally)
            if stop is not None:
                return stop
            self._neighbours.step(self._arrivals)
            self._plan()
            self.blocking.step(now)
            if self.lessons is not None:
                self.lessons.step()
            is_paused = self._paused or self.is_held
            if not is_paused:
                self._start_visits(now)
            next_time = self._next_time(now)
            if not self._visits and not self._surplus and not is_paused and not self.blocking.is_busy:
                stop = self.allowance.idle(
                    next_time, now, self.topic.fetch.patience, unpromising=self.frontier.is_unpromising()
                )
                if stop is not None:
                    return stop
            if self.lessons is not None and self.lessons.awaits_commit:
                self._next_commit = min(self._next_commit, self._last_commit + _MIN_COMMIT_INTERVAL)
            wait = max(self._next_commit - now, 0.0)
            if next_time is not None and self._has_free_slots():
                wait = min(wait, max(next_time - now, 0.0))
            if self.blocking.is_busy or (self.lessons is not None and self.lessons.is_busy):
                wait = 0.0
            await self._finish(await self._visits.ended(wait))
            now = self._clock.now()
            if now >= self._next_commit or self._since_commit >= _VISITS_PER_COMMIT:
                self._commit(now)

    def _next_time(self, now: float) -> float | None:
        """The earliest time at which a visit may start: see `Frontier.next_time`."""
        times = (self.frontier.next_time(), None if self._revisits is None else self._revisits.next_time(now))
        return min((time for time in times if time is not None), default=None)

    async def _wind_down(self) -> None:
        """Let visits in progress complete, for `_GRACE` seconds at most, unless another stop is requested."""
        until = self._clock.now() + _GRACE
        while self._visits and self._stop_requests < 2 and (now := self._clock.now()) < until:
            await self._finish(await self._visits.ended(until - now))

    def _commit(self, now: float) -> None:
        if self.control is not None:
            self.control.apply(now)
        if self.journal.commit(now):
            self._neighbours.committed()
            if self.control is not None:
                self.control.committed()
        self._since_commit = 0
        # Measured from the end of the commit: otherwise a slow disk would leave no time to crawl.
        self._last_commit = self._clock.now()
        every = max(self._neighbours.commit_every, _COMMIT_SHARE * (self._last_commit - now))
        self._next_commit = self._last_commit + min(COMMIT_EVERY, every)

    def replay(self, visit: Visit) -> None:
        """Process a visit of an earlier run, whose URL was just taken from the frontier, like a completed one."""
        self._finish_one(visit)

    # ---- starting visits ----

    def _has_free_slots(self) -> bool:
        return not self._paused and not self.is_held and self._free_slots() > 0

    def _free_slots(self) -> int:
        """How many more visits may start, given the connections and the pages left in the budget.

        Each visit of a page reserves one page of the budget, unless it is late: a host that hangs must not delay the
        end of a crawl. If a late page arrives when the budget is used up, it is kept until there are more pages (a
        shard is granted them gradually), and dropped at the end of the crawl.
        """
        visits = self._visits
        if visits.lookups >= _MAX_LOOKUPS:
            return 0
        free = self.topic.fetch.connections - len(visits) + visits.lookups + min(visits.rendering, _MAX_RENDERING)
        left = self.allowance.pages(self.topic.budget, self.tally)
        return free if left == inf else min(free, int(left) - self.pages_in_progress + visits.late())

    def _plan(self) -> None:
        """Pass the remaining budget to the frontier, which decides by it whether to wait for better URLs."""
        left, total, seconds = self.allowance.plan(self.topic.budget, self.tally)
        self.frontier.plan(left - self.pages_in_progress, total, seconds)

    def _start_visits(self, now: float) -> None:
        blocked = 0
        if self._revisits is not None and (free := self._free_slots()) > 0:
            for number in self._revisits.take(now, free, share=self.frontier.next_time() is not None):
                if self.blocking.blocks(self.frontier.urls.url(number)):
                    self.frontier.refuse(number, now)  # its state on disk does not change
                else:
                    self._start_visit(number, now)
        while (free := self._free_slots()) > 0 and blocked < CHANGED:  # the rest in the next iteration
            taken = self.frontier.take(now, free)
            if not taken:
                return
            if self._revisits is not None:
                self._revisits.count_new(len(taken))
            for number in taken:
                if self.blocking.blocks(self.frontier.urls.url(number)):
                    blocked += 1
                    self.frontier.refuse(number, now)
                    self.blocking.refused(number, now)
                    continue
                self._start_visit(number, now)

    def _start_visit(self, number: int, now: float) -> None:
        try:
            if self.frontier.is_again(number) or not self._probation.holds_back(number, now):
                self._visit(number, now)
        except _FATAL:
            raise
        except Exception as error:  # noqa: BLE001 (no URL may end the run)
            self._abandon(BrokenVisit(number, error), error)

    def _visit(self, number: int, now: float) -> None:
        """Start the visit of a taken URL: fetch it, first look up what is needed for that, or refuse it."""
        url = self.frontier.urls.url(number)
        cleared = self._clearance.of(number, url, now, obeys_robots=self.topic.fetch.robots)
        if cleared is Cleared.YES:
            patient = self.frontier.hosts.is_slow(self.frontier.urls.host(number))
            if self.frontier.is_again(number):
                self._visits.visit_page(number, url, patient=patient, known=self.journal.known_copy(number))
            else:
                self._visits.visit_page(number, url, patient=patient, expected=self.listings.expected(number))
        elif cleared is not Cleared.LATER:
            self._outcomes.forbidden(number, now, cleared if isinstance(cleared, Failure) else None)

    # ---- finishing visits ----

    async def _finish(self, visits: list[Visit]) -> None:
        """Process completed visits: all of them, even if the strategy or the model fails on one."""
        failures = []
        visits, self._surplus = [*self._surplus, *visits], []
        for visit in visits:
            if self._is_surplus(visit):
                self._surplus.append(visit)  # if it is never processed, the next run fetches its URL again
                continue
            try:
                self._finish_one(await self._visits.up_to_date(visit))
            except PluginError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _is_surplus(self, visit: Visit) -> bool:
        """Whether a visit yields a page beyond the budget: it was late, and another visit took its place."""
        if not isinstance(visit, PageVisit) or visit.reading is None:
            return False
        return self.allowance.pages(self.topic.budget, self.tally) <= 0

    def _finish_one(self, visit: Visit) -> None:
        if isinstance(visit, BrokenVisit):
            self._abandon(visit, visit.error)
            return
        try:
            self._process(visit)
        except _FATAL:
            raise
        except Exception as error:  # noqa: BLE001 (no answer may end the run)
            self._abandon(visit, error)

    def _abandon(self, visit: Visit, error: Exception) -> None:
        """Fail the URL of a visit in which our own code raised an exception, and release all resources of the visit."""
        number, now = visit.number, self._clock.now()
        if isinstance(visit, RobotsVisit | BrokenVisit):
            if visit.slot is not None:
                self.frontier.give_back(visit.slot, now)
            self._robots.give_up(visit.origin)
        self.journal.fault(self.frontier.urls.url(number), error)
        self._outcomes.broken(number, one_line(error), now)

    def _process(self, visit: PageVisit | RobotsVisit | AddressVisit) -> None:
        now = self._clock.now()
        self._since_commit += 1
        result = visit.result
        if isinstance(result, Failure):
            self._pacing.failed(self.frontier.urls.host(visit.number), result, now)
        elif isinstance(result, Response):
            self._count_answer(result, now)
        if isinstance(visit, PageVisit):
            self._outcomes.page(visit, now)
            return
        if isinstance(visit, RobotsVisit):
            failed = self._clearance.finish_robots(visit, now)
        else:
            failed = self._clearance.finish_address(visit, now)
        if failed is not None:
            self._outcomes.fail(visit.number, *kind_and_detail(failed), now)

    def _count_answer(self, response: Response, now: float) -> None:
        self.tally.answers += 1
        self.tally.size += len(response.raw)
        host = self.frontier.host_number(host_of(response.url))
        if response.ip:
            self._neighbours.locate(self.frontier, host, counted_as(response.ip))
        self._pacing.answered(host, response, now)
