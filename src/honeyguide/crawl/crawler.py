"""The loop: take, fetch, read, record, steer."""

from __future__ import annotations

import asyncio
import time as system_time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from honeyguide.crawl.budget import EXHAUSTED, INTERRUPTED, StopReason, spent
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.pacing import Pacing, StandardPacing
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.visits import PageVisit, RobotsVisit, Visit, Visits
from honeyguide.errors import PluginError
from honeyguide.fetch.base import Failure, Response
from honeyguide.frontier import Frontier, State
from honeyguide.page.scope import Scope
from honeyguide.page.url import UrlRules, host_of, origin_of
from honeyguide.strategy.queues.base import Queue
from honeyguide.strategy.reading import Reading
from honeyguide.topic import Topic

COMMIT_EVERY = 1.0
"""Seconds between two commits: what a crash can cost, and nothing that was recorded is ever lost."""

_COMMIT_AFTER = 1000  # visits, should they come faster
_SEED_PRIORITY = 1.0
_GRACE = 10.0


class Crawler:
    """One run of one crawl.

    A URL is taken from the frontier, which holds its host's place; its visit ends in exactly one of: settled (done,
    failed, refused), put back for another try, or, when the run ends first, waiting as before. Redirects are not
    followed in place: their target is offered to the frontier like a link, so that scope, robots.txt, the guard and
    politeness hold for every hop.
    """

    def __init__(
        self,
        topic: Topic,
        frontier: Frontier,
        queue: Queue,
        robots: RobotsCache,
        journal: RecorderProtocol,
        visits: Visits,
        schedule: ModelSchedule,
        clock: Clock,
        pacing: Pacing | None = None,
    ) -> None:
        """`pacing` decides when hosts may be asked again: by default as the topic's settings say."""
        self.topic = topic
        self.frontier = frontier
        self._queue = queue
        self.journal = journal
        self.tally = journal.tally
        self._robots = robots
        self._visits = visits
        self._schedule = schedule
        self._clock = clock
        self._pacing = pacing or StandardPacing(topic.fetch, frontier, journal)
        self._urls = UrlRules(topic.urls)
        self._scope = Scope(topic.scope)
        self._seeds: set[int] = set()
        self._stop_requests = 0
        self._paused = False
        self._since_commit = 0
        self._next_commit = 0.0

    # ---- the run ----

    async def run(self) -> StopReason:
        """Crawl until a limit is reached, nothing is left, or `request_stop`. Everything is on disk afterwards.

        Raises `PluginError` when the strategy or the model fails. Everything is on disk then too, and the page that it
        failed on waits to be fetched again by the next run.
        """
        try:
            self._begin()
            stop = await self._crawl()
            if stop is INTERRUPTED:
                await self._wind_down()
            await self._give_up()
            self._end(stop)
        except asyncio.CancelledError:  # whoever runs the crawl drops it, and is owed the pages it was given
            await self._save(INTERRUPTED)
            raise
        except PluginError as error:
            detail = {"part": error.kind, "name": error.name, "url": error.url, "problem": error.problem}
            self.journal.event(self._clock.now(), "plugin failed", None, **detail)
            await self._save(StopReason("failed", str(error)))
            raise
        return stop

    def _begin(self) -> None:
        now = self._clock.now()
        for origin, rules in self._robots.known():
            self._pacing.robots_known(origin, rules.crawl_delay)
        self._pacing.begin(now)
        seeds = [self.frontier.offer(url, _SEED_PRIORITY) for url in self.topic.seeds]
        self._queue.begin(self.frontier, seeds)
        self._seeds = set(seeds)
        self._seeds |= self.journal.redirected_from(self._seeds)
        self.journal.event(now, "start")
        self._commit(now)

    async def _give_up(self) -> None:
        """Give up what is under way, and take in what has come back."""
        await self._visits.cancel()
        self._finish(await self._visits.ended(0.0))

    async def _save(self, stop: StopReason) -> None:
        """Write everything down at an early end. What a strategy or a model raises on the way has been told before."""
        with suppress(PluginError):
            await self._give_up()
        with suppress(PluginError):
            self._end(stop)

    def _end(self, stop: StopReason) -> None:
        now = self._clock.now()
        self.journal.event(now, "stop", kind=stop.kind, text=stop.text)
        self.journal.commit(now, stop)

    def request_stop(self) -> None:
        """Stop soon: what is under way may end. Asked twice: stop now. Either way nothing recorded is lost."""
        self._stop_requests += 1
        self._visits.wake()

    def pause(self, paused: bool) -> None:
        """Set out on no new visits while paused: whoever takes the pages is behind."""
        self._paused = paused
        self._visits.wake()

    async def _crawl(self) -> StopReason:
        while True:
            now = self._clock.now()
            self.tally.seconds = self.journal.seconds(now)
            if self._stop_requests:
                return INTERRUPTED
            stop = spent(self.topic.budget, self.tally)
            if stop is not None:
                return stop
            if not self._paused:
                self._set_out(now)
            next_time = self.frontier.next_time()
            if not self._visits and not self._paused:
                stop = self._nothing_under_way(next_time, now)
                if stop is not None:
                    return stop
            wait = max(self._next_commit - now, 0.0)
            if next_time is not None and self._has_room():
                wait = min(wait, max(next_time - now, 0.0))
            self._finish(await self._visits.ended(wait))
            now = self._clock.now()
            if now >= self._next_commit or self._since_commit >= _COMMIT_AFTER:
                self._commit(now)

    def _nothing_under_way(self, next_time: float | None, now: float) -> StopReason | None:
        """Whether to go on waiting although nothing is being fetched."""
        if next_time is None:
            return EXHAUSTED
        wait = next_time - now
        if wait <= self.topic.fetch.patience:
            return None
        when = system_time.strftime("%H:%M", system_time.localtime(next_time))
        return StopReason(
            "waiting",
            f"all hosts that are left must be left alone until {when} or later; run the same command again then",
        )

    async def _wind_down(self) -> None:
        """Let what is under way end, for a while, unless asked again to stop."""
        until = self._clock.now() + _GRACE
        while self._visits and self._stop_requests < 2 and (now := self._clock.now()) < until:
            self._finish(await self._visits.ended(until - now))

    def _commit(self, now: float) -> None:
        self.journal.commit(now)
        self._since_commit = 0
        self._next_commit = now + COMMIT_EVERY

    # ---- setting out ----

    def _has_room(self) -> bool:
        return not self._paused and self._room() > 0

    def _room(self) -> int:
        """How many more visits may be under way: by connections, and so that no page is fetched beyond the budget."""
        room = self.topic.fetch.connections - len(self._visits)
        if self.topic.budget.pages:
            room = min(room, self.topic.budget.pages - self.tally.pages - self._visits.pages)
        return room

    def _set_out(self, now: float) -> None:
        while (room := self._room()) > 0:
            taken = self.frontier.take(now, room)
            if not taken:
                return
            for number in taken:
                self._visit(number, now)

    def _visit(self, number: int, now: float) -> None:
        """Set out for a URL that was taken: or first for its robots.txt, or not at all."""
        url = self.frontier.urls.url(number)
        if not self.topic.fetch.robots:
            self._visits.visit_page(number, url)
            return
        origin = origin_of(url)
        rules = self._robots.rules(origin, now)
        if rules is None:
            self._ask_robots(number, origin, now)
        elif rules.allowed(url):
            self._visits.visit_page(number, url)
        else:
            self.frontier.refuse(number, now)
            self._refused("robots", number, now)

    def _ask_robots(self, number: int, origin: str, now: float) -> None:
        if self._robots.is_asking(origin):
            self.frontier.put_back(number, now, not_before=self._pacing.robots_pending(now))
            return
        address = self._robots.address(origin)
        name = host_of(address)
        loan = None
        if name != host_of(origin + "/"):
            host = self.frontier.host_number(name)
            loan = self.frontier.borrow(host, now)
            if loan is None:
                self.frontier.put_back(number, now, not_before=self._pacing.robots_pending(now, host))
                return
        self._robots.ask(origin)
        self._visits.visit_robots(number, origin, address, loan)

    # ---- coming back ----

    def _finish(self, visits: list[Visit]) -> None:
        """Take in what visits have brought: all of them, even if the strategy or the model fails on one of them."""
        failures = []
        for visit in visits:
            try:
                self._finish_one(visit)
            except PluginError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _finish_one(self, visit: Visit) -> None:
        now = self._clock.now()
        self._since_commit += 1
        result = visit.result
        if isinstance(result, Failure):
            self._pacing.failed(self.frontier.urls.host(visit.number), result, now)
        else:
            self._count_answer(result, now)
        if isinstance(visit, RobotsVisit):
            self._finish_robots(visit, now)
        else:
            self._finish_page(visit, now)

    def _count_answer(self, response: Response, now: float) -> None:
        self.tally.answers += 1
        self.tally.size += len(response.raw)
        host = self.frontier.host_number(host_of(response.url))
        if response.ip:
            self.frontier.set_address(host, response.ip)
        self._pacing.answered(host, response, now)

    def _finish_robots(self, visit: RobotsVisit, now: float) -> None:
        number, origin, result = visit.number, visit.origin, visit.result
        if visit.loan is not None:
            self.frontier.give_back(visit.loan, now)
        if isinstance(result, Response) and not result.skipped:
            self.journal.answer(result)
        learnt = self._robots.learn(origin, result, now)
        rules = learnt.rules
        sitemaps = list(rules.sitemaps) if rules else []
        self.journal.event(now, "robots", number, origin=origin, status=learnt.status, sitemaps=sitemaps)
        if rules is None:  # redirected: the same URL, taken again, asks there
            self.frontier.put_back(number, now)
        elif not rules.retry:
            self.journal.robots(origin, now, learnt.status, learnt.body)
            self._pacing.robots_known(origin, rules.crawl_delay)
            self.frontier.put_back(number, now)
        elif self._pacing.robots_unknown(origin, result, now):
            self.tally.errors["robots"] += 1
            self.frontier.put_back(number, now)
        else:
            self._fail(number, *_trouble(result), now)

    def _finish_page(self, visit: PageVisit, now: float) -> None:
        number, result = visit.number, visit.result
        if isinstance(result, Failure):
            self._retry_or_fail(number, result, now)
        elif visit.reading is not None:
            self._finish_reading(number, result, visit.reading, now)
        elif visit.unreadable:
            self.journal.answer(result)
            self._fail(number, "reader", visit.unreadable, now)
        elif visit.plugin_error is not None:
            self.journal.answer(result)  # for whoever looks for the fault; the URL stays in flight, and waits again
            raise visit.plugin_error
        elif result.skipped:
            self.frontier.settle(number, State.REFUSED, now)
            self._refused("type", number, now, type=result.header("content-type"))
        else:
            self.journal.answer(result)
            if 300 <= result.status < 400 and result.status != 304:
                self._redirected(number, result, now)
            else:
                self._retry_or_fail(number, result, now)

    def _finish_reading(self, number: int, response: Response, reading: Reading, now: float) -> None:
        self.frontier.settle(number, State.DONE, now)
        with self._steering(number, response):
            self._queue.page(self.frontier, number, reading, self.topic.scope.max_depth)
        self.journal.page(number, response, reading)
        if self._schedule.add(reading.sample):
            self._visits.adopt(self._schedule.config)
            self.journal.event(now, "model", number, pages=self.tally.pages)

    def _redirected(self, number: int, response: Response, now: float) -> None:
        location = response.header("location")
        target = self._urls.join(response.url, location) if location else None
        hops = self.journal.redirect_hops.get(number, 0) + 1
        if target is None:
            self._fail(number, str(response.status), f"leads nowhere: Location is {location[:200]!r}", now)
            return
        self.frontier.settle(number, State.DONE, now)
        if hops > self.topic.fetch.redirects:
            self._refused("redirects", number, now, target=target)
        elif number not in self._seeds and (reason := self._scope.refusal(target)):
            self._refused(reason, number, now, target=target)
        else:
            urls = self.frontier.urls
            reached = self.frontier.offer(target, urls.priority(number), number, urls.depth(number))
            if number in self._seeds:
                self._seeds.add(reached)
            with self._steering(number):
                self._queue.on_redirect(self.frontier, number, reached)
            self.journal.redirect(number, reached, hops)
            self.journal.event(now, "redirect", number, status=response.status, target=target)

    # ---- what went wrong ----

    def _retry_or_fail(self, number: int, result: Response | Failure, now: float) -> None:
        kind, detail = _trouble(result)
        again = self._pacing.retry(number, result, now)
        if again is None:
            self._fail(number, kind, detail, now)
            return
        self.tally.errors[kind] += 1
        attempt = self.frontier.urls.attempts(number) + 1
        self.journal.event(now, "retry", number, kind=kind, detail=detail, attempt=attempt)
        self.frontier.put_back(number, now, not_before=again, attempt=True)

    def _fail(self, number: int, kind: str, detail: str, now: float) -> None:
        self.frontier.settle(number, State.FAILED, now)
        with self._steering(number):
            self._queue.on_failed(self.frontier, number)
        self.tally.errors[kind] += 1
        self.journal.event(now, "failed", number, kind=kind, detail=detail)

    def _refused(self, reason: str, number: int, now: float, **detail: str) -> None:
        with self._steering(number):
            self._queue.on_failed(self.frontier, number)
        self.tally.refused[reason] += 1
        self.journal.event(now, "refused", number, reason=reason, **detail)

    @contextmanager
    def _steering(self, number: int, response: Response | None = None) -> Iterator[None]:
        """Tell the queue what has become of a URL; if it fails, the URL waits again, for a run with a corrected one.

        An answer that is not kept yet is: whoever looks for the fault may want it.
        """
        try:
            yield
        except PluginError:
            self.frontier.reopen(number)
            if response is not None:
                self.journal.answer(response)
            raise


def _trouble(result: Response | Failure) -> tuple[str, str]:
    """What went wrong, as it is counted and told."""
    return (result.kind, result.detail) if isinstance(result, Failure) else (str(result.status), result.reason)
