"""Which page is visited again next, and when."""

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
"""What a visit is worth: from how often a page changes, how much it counts, and how many days it was not visited."""

_MOST_RELEVANT = 2.0  # times the threshold: what is more relevant still does not count more
_IRRELEVANT = 0.1  # how much the relevance of a page counts that is not relevant
_MOST_BROUGHT = 3.0  # new relevant pages for each change of a hub, at most: more do not count more
_LINKS = {PageKind.FRONT: 0.5, PageKind.HUB: 1.0, PageKind.ARTICLE: 0.05}  # new ones that a change brings, at first
_FOLLOWED = 2  # links of a page that count as much as how many pages of the crawl are relevant
_FIRST_RETRY = 1.0  # days after which a page that could not be had is tried again, doubled each time
_LONGEST_RETRY = 64.0
_GONE = 7.0  # the same for one that is gone
_SHORTEST_WAIT = 0.05  # seconds after which a host is tried again whose turn it is not


def by_gain(rate: ChangeRate, weight: float, days: float) -> float:
    """What it counts times how much longer its copy is current for a visit: see `ChangeRate.gain`."""
    return weight * rate.gain(days)


@dataclass(frozen=True, slots=True)
class RevisitOptions:
    """How a run visits pages again."""

    only: bool = True
    """Whether nothing new is fetched but what these visits lead to: URLs that waited before keep waiting."""
    value: Value = by_gain

    @classmethod
    def of(cls, settings: RevisitSettings, wanted: RevisitOptions | None) -> RevisitOptions | None:
        """What is wanted for a run; else, what the topic says of every run: None if no page is visited again."""
        return wanted or (cls(only=False) if settings.always else None)


class Revisits:
    """Takes the pages that are due, best first among the hosts that may be contacted.

    A page is due when it has changed with such a chance that, times its relevance, it reaches the least one of the
    settings. Those that are due compete by what a visit is worth. Each page is in at most one place: it waits for its
    time, it is due, or it is being visited; so nothing is visited twice in a run before its time has come again. Which
    host may be contacted only the frontier knows, and it is asked for every visit.
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
        self._later: list[tuple[float, int]] = []  # when each page is due
        self._due: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)  # by host; the highest value first
        self._ready: list[tuple[float, int]] = []  # hosts with pages that are due, by the value of the best
        self._resting: list[tuple[float, int]] = []  # hosts with pages that are due, by when they may be contacted
        self._worth = PromiseHistogram()  # of the pages that are due
        self._listed: dict[int, float] = {}  # hosts that are in either: from when on; 0 = ready. Others are outdated
        self._visits = 0
        self._others = 0
        self._changed = 0
        frontier.on_returned = self._returned

    def begin(self, query: Query, harvest: float, now: float) -> None:
        """Find out which pages there are, from what has been committed, and when each of them is due."""
        self._harvest = harvest
        self._pages = known_pages(query, self._frontier, self._threshold, self.model)
        for page in self._pages.values():
            self._plan(page, now)

    def _plan(self, page: KnownPage, now: float) -> None:
        """Let a page wait until it is due."""
        time = self._due_at(page)
        if time <= now:
            self._put(page, now)
        elif time < inf:
            heappush(self._later, (time, page.number))

    def _put(self, page: KnownPage, now: float) -> None:
        value = self._value(page, now)
        self._worth.add(value)
        heappush(self._due[page.host], (-value, page.number))
        if page.host not in self._listed:
            self._list(page.host, 0.0)

    def _list(self, host: int, time: float) -> None:
        """Let a host with pages that are due be tried from a time on; 0 for at once."""
        self._listed[host] = time
        if time:
            heappush(self._resting, (time, host))
        else:
            heappush(self._ready, (self._due[host][0][0], host))

    # ---- what a page is worth ----

    def weight(self, page: KnownPage) -> float:
        """How much it counts whether the copy of a page is current: by its relevance, and what it leads to.

        A page that is new and not found yet is as much of a loss as one whose copy is out of date. So a hub counts by
        the new links that its changes have brought, and by how many of those that were followed were relevant.
        """
        relevance = min(page.relevance, _MOST_RELEVANT) * (1.0 if page.relevant else _IRRELEVANT)
        links = (_LINKS[page.kind] + page.brought) / (1 + page.changes)
        harvest = (_FOLLOWED * self._harvest + page.found) / (_FOLLOWED + page.followed)
        return relevance + min(links * harvest, _MOST_BROUGHT)

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
        """The best pages that are due on hosts that may be contacted now, at most `most`. They are in flight then.

        With `share`, no more of them than their share of all visits: new URLs wait, too. Never waits: returns fewer
        pages, or none.
        """
        while self._later and self._later[0][0] <= now:
            _, number = heappop(self._later)
            self._put(self._pages[number], now)
        while self._resting and self._resting[0][0] <= now:
            time, host = heappop(self._resting)
            if self._listed.get(host) == time:
                self._list(host, 0.0)
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
                self._list(host, max(self._frontier.hosts.next_time(host), now + _SHORTEST_WAIT))
            else:
                del self._listed[host]
        self._visits += len(taken)
        return taken

    def due(self, most: int) -> Points:
        """What visits of the pages that are due are worth: at most so many points."""
        return self._worth.points(most)

    def count_new(self, visits: int) -> None:
        """So many visits to new URLs have begun."""
        self._others += visits

    def next_time(self, now: float) -> float | None:
        """The earliest time at which `take` may return a page that is due already; None if there is none."""
        if self._ready:
            return now
        return self._resting[0][0] if self._resting else None

    # ---- what came of it ----

    def _returned(self, number: int, not_before: float) -> None:
        """A page could not be requested yet: something else was needed first."""
        self._visits -= 1
        page = self._pages[number]
        heappush(self._due[page.host], (-inf, number))
        if page.host not in self._listed:
            self._list(page.host, not_before)

    def visited(self, number: int, result: str, now: float, detail: dict[str, object]) -> None:
        """A page was visited: learn from that, and let it wait for its next time, unless that is another run."""
        page = self._pages.get(number)
        if page is not None:
            if self._listed.get(page.host):  # its host may be free again earlier than was thought
                self._list(page.host, self._frontier.hosts.next_time(page.host))
            page.learn(result, now, self.model, detail)
            self._changed += result in (CHANGED, TOUCHED)
            if not self.options.only:
                self._plan(page, now)

    def end(self, journal: RecorderProtocol, now: float) -> None:
        """The run ends: record how many rows of pages have changed, for those who have read them before."""
        if self._changed:
            journal.event(now, "versions", None, pages=self._changed)

    def add(self, number: int, reading: Reading, fetched: float, *, is_copy: bool) -> None:
        """A page was fetched for the first time."""
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
