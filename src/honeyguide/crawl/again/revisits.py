"""Which page to revisit next, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf

from honeyguide.crawl.again.change_model import ChangeModel, PageKind, kind_of
from honeyguide.crawl.again.change_rate import ChangeRate
from honeyguide.crawl.again.known_pages import CHANGED, DAY, TOUCHED, KnownPage, known_pages, share_of
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.frontier import Frontier, Points, PromiseHistogram
from honeyguide.store.url_events import Query
from honeyguide.strategy.reading import Reading
from honeyguide.topic.revisit import RevisitSettings

Value = Callable[[ChangeRate, float, float], float]
"""The value of a visit, given the rate of changes of a page, its weight, and the days since its last visit."""

_MAX_RELEVANCE = 2.0  # upper bound of relevance relative to the threshold
_IRRELEVANT = 0.1  # factor of the relevance of irrelevant pages
_MAX_NEW = 3.0  # upper bound of new relevant pages per change of a hub
_LINKS = {PageKind.FRONT: 0.5, PageKind.HUB: 1.0, PageKind.ARTICLE: 0.05}  # new links per change, assumed initially
_FOLLOWED = 2  # weight of the share of relevant pages of the whole crawl, as a number of followed links
_FIRST_RETRY = 1.0  # days until the next attempt after a failure, doubled each time
_LONGEST_RETRY = 64.0
_GONE = 7.0  # the same for a page that is gone
_MIN_WAIT = 0.05  # seconds after which a host that may not be contacted is tried again


def by_gain(rate: ChangeRate, weight: float, days: float) -> float:
    """The weight of a page times the marginal gain of a visit: see `ChangeRate.gain`."""
    return weight * rate.gain(days)


@dataclass(frozen=True, slots=True)
class RevisitOptions:
    """How a run revisits pages."""

    only: bool = True
    """Whether the only new pages fetched are those that revisits lead to: URLs that were waiting keep waiting."""
    value: Value = by_gain

    @classmethod
    def of(cls, settings: RevisitSettings, wanted: RevisitOptions | None) -> RevisitOptions | None:
        """The options given for a run, or else those of the topic; None if no page is revisited."""
        return wanted or (cls(only=False) if settings.always else None)


class Revisits:
    """Takes the pages that are due, best first among the hosts that may be contacted.

    A page is due when the probability that it has changed, times its relevance, reaches the minimum in the settings.
    Due pages compete by the value of a visit. Each page is in exactly one state: waiting for its time, due, or being
    visited; so no page is visited again before it is due again. Only the frontier knows which hosts may be contacted,
    and it is consulted for every visit.
    """

    def __init__(
        self, frontier: Frontier, settings: RevisitSettings, threshold: float, options: RevisitOptions | None = None
    ) -> None:
        self._frontier = frontier
        self._settings = settings
        self._threshold = threshold
        self.options = options or RevisitOptions()
        self.model = ChangeModel()
        self._pages: dict[int, KnownPage] = {}
        self._harvest = 0.0
        self._later: list[tuple[float, int]] = []  # heap of (due time, page)
        self._due: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)  # by host; highest value first
        self._ready: list[tuple[float, int]] = []  # hosts with due pages, by their highest value
        self._resting: list[tuple[float, int]] = []  # hosts with due pages, by when they may be contacted
        self._worth = PromiseHistogram()  # values of all due pages
        self._listed: dict[int, float] = {}  # by host in one of these: its time, 0 if ready. Other entries are outdated
        self._visits = 0
        self._others = 0
        self._changed = 0
        frontier.on_returned = self._returned

    def begin(self, query: Query, harvest: float, now: float) -> None:
        """Load all pages from committed data, and determine when each of them is due."""
        self._harvest = harvest
        self._pages = known_pages(query, self._frontier, self._threshold, self.model)
        for page in self._pages.values():
            self._plan(page, now)

    def _plan(self, page: KnownPage, now: float) -> None:
        """Let a page wait until it is due."""
        time = self._due_at(page)
        if time <= now:
            self._make_due(page, now)
        elif time < inf:
            heappush(self._later, (time, page.number))

    def _make_due(self, page: KnownPage, now: float) -> None:
        value = self._value(page, now)
        self._worth.add(value)
        heappush(self._due[page.host], (-value, page.number))
        if page.host not in self._listed:
            self._schedule(page.host, 0.0)

    def _schedule(self, host: int, time: float) -> None:
        """Schedule a host with due pages: from `time` on, or now if it is 0."""
        self._listed[host] = time
        if time:
            heappush(self._resting, (time, host))
        else:
            heappush(self._ready, (self._due[host][0][0], host))

    # ---- values ----

    def weight(self, page: KnownPage) -> float:
        """How much it matters that the copy of a page is current, given its relevance and the pages that it leads to.

        A new page that is not found is as much of a loss as an outdated copy. So the weight of a hub includes the new
        links per change, and the share of relevant pages among those that were followed.
        """
        relevance = min(page.relevance, _MAX_RELEVANCE) * (1.0 if page.relevant else _IRRELEVANT)
        links = (_LINKS[page.kind] + page.brought) / (1 + page.changes)
        harvest = (_FOLLOWED * self._harvest + page.found) / (_FOLLOWED + page.followed)
        return relevance + min(links * harvest, _MAX_NEW)

    def _rate(self, page: KnownPage) -> ChangeRate:
        return self.model.rate(page.number, page.site, page.kind)

    def _value(self, page: KnownPage, now: float) -> float:
        return self.options.value(self._rate(page), self.weight(page), max(now - page.visited, 0.0) / DAY)

    def _due_at(self, page: KnownPage) -> float:
        soonest = page.visited + 60 * self._settings.soonest
        if page.failures:
            first = _GONE if page.is_gone else _FIRST_RETRY
            return max(soonest, page.tried + DAY * min(first * 2.0 ** (page.failures - 1), _LONGEST_RETRY))
        weight = self.weight(page)
        if weight <= 0:
            return inf
        chance = self._settings.chance / weight
        return max(soonest, page.visited + DAY * self._rate(page).days_until(chance))

    # ---- taking ----

    def take(self, now: float, most: int, *, share: bool) -> list[int]:
        """Take up to `most` of the best due pages on hosts that may be contacted now, and set them in flight.

        With `share`, they are limited to their share of all visits, since new URLs are waiting, too. Returns fewer
        pages, or none, rather than waits.
        """
        while self._later and self._later[0][0] <= now:
            _, number = heappop(self._later)
            self._make_due(self._pages[number], now)
        while self._resting and self._resting[0][0] <= now:
            time, host = heappop(self._resting)
            if self._listed.get(host) == time:
                self._schedule(host, 0.0)
        if share:
            most = min(most, int(self._settings.share * (self._visits + self._others + most)) - self._visits)
        taken: list[int] = []
        while len(taken) < most and self._ready:
            _, host = heappop(self._ready)
            if self._listed.get(host) != 0.0:
                continue
            if self._frontier.take_again(number := self._due[host][0][1], now):
                value, _ = heappop(self._due[host])
                if value > -inf:
                    self._worth.add(-value, -1)
                taken.append(number)
            if self._due[host]:
                self._schedule(host, max(self._frontier.hosts.next_time(host), now + _MIN_WAIT))
            else:
                del self._listed[host]
        self._visits += len(taken)
        return taken

    def due(self, most: int) -> Points:
        """A histogram of the values of visits to due pages, with at most `most` points."""
        return self._worth.points(most)

    def count_new(self, visits: int) -> None:
        """So many visits to new URLs have begun."""
        self._others += visits

    def next_time(self, now: float) -> float | None:
        """The earliest time at which `take` may return a page that is already due; None if there is none."""
        if self._ready:
            return now
        return self._resting[0][0] if self._resting else None

    # ---- outcomes ----

    def _returned(self, number: int, not_before: float) -> None:
        """Reschedule a page that could not be requested yet, because something had to be looked up first."""
        self._visits -= 1
        page = self._pages[number]
        heappush(self._due[page.host], (-inf, number))
        if page.host not in self._listed:
            self._schedule(page.host, not_before)

    def visited(self, number: int, result: str, now: float, detail: dict[str, object]) -> None:
        """Learn from a visit, and schedule the next one, if it is in this run."""
        page = self._pages.get(number)
        if page is not None:
            if self._listed.get(page.host):  # its host may be available earlier than expected
                self._schedule(page.host, self._frontier.hosts.next_time(page.host))
            page.learn(result, now, self.model, detail)
            self._changed += result in (CHANGED, TOUCHED)
            if not self.options.only:
                self._plan(page, now)

    def end(self, journal: RecorderProtocol, now: float) -> None:
        """Record at the end of the run how many rows of pages have changed, for readers of the database."""
        if self._changed:
            journal.event(now, "versions", None, pages=self._changed)

    def add(self, number: int, reading: Reading, fetched: float, *, is_copy: bool) -> None:
        """Add a page that was fetched for the first time."""
        if self.options.only:
            return
        host = self._frontier.urls.host(number)
        self._pages[number] = KnownPage(
            number,
            host,
            self._frontier.hosts.domain(host),
            kind_of(self._frontier.urls.url(number), reading.words, len(reading.links)),
            share_of(reading.relevance, self._threshold),
            reading.relevant and not is_copy,
            fetched,
        )
        self._plan(self._pages[number], fetched)
