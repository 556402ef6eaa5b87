"""The sitemaps and feeds that sites refer to: when to request them, and which of their URLs to follow."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Final

import numpy as np

from honeyguide.crawl.neighbours import Neighbours
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.seeds import MOST_LEVELS, Seeds
from honeyguide.crawl.visits import Expected
from honeyguide.frontier import NO_PARENT, Frontier
from honeyguide.page.listing import FEED, INDEX
from honeyguide.page.scope import Scope
from honeyguide.page.settings import ScopeSettings
from honeyguide.page.url import UrlRules, host_of, origin_of
from honeyguide.settings import ALWAYS, NEVER
from honeyguide.strategy.link_table import NO_LINKS
from honeyguide.strategy.listed import OF_LISTINGS
from honeyguide.strategy.reading import Reading

UNPROVEN: Final = -1000.0
"""The priority of a listing whose site has no relevant pages yet: it is taken when nothing else waits."""
MOST_OF_HOST: Final = 50
"""Maximum number of listings from the pages of a host, its robots.txt and its sitemap indexes together."""
MOST_IN_ROBOTS: Final = 20
"""Maximum number of listings from a robots.txt."""

_PAGES_PER_LISTING = 3  # relevant pages of a host per listing after the first, and ...
_MIN_SHARE = 0.25  # ... the minimum share of relevant pages
_AGAIN_AFTER = 86_400.0  # seconds after which a listing is read again; doubled whenever it lists nothing new
_LONGEST_WAIT = 32 * _AGAIN_AFTER
_PROMISE = 0.5  # promise of a listing, relative to the page that earns it: it costs a request without a page
_FOREIGN = "host"  # reason for dropping URLs that a sitemap may not list


class _Site:
    """The relevance of the pages of a host so far, and the listings that it refers to."""

    __slots__ = ("listings", "pages", "read", "relevant", "waiting", "worth")

    def __init__(self) -> None:
        self.pages = 0
        self.relevant = 0
        self.worth = 0.0  # sum of the relevance of its pages
        self.listings = 0
        self.waiting: deque[int] = deque()  # listings that it has not earned yet
        self.read = 0  # number of listings that it has earned, without indexes


class Listings:
    """Offers sitemaps and feeds to the frontier, with promises that reflect their sites.

    A listing waits behind everything else until its site has proved relevant: the first relevant page of a host earns
    it one of its listings, and every third relevant page another one, as long as a quarter of its pages are relevant.
    The promise of the listing is then half that of the page, times the share of relevant pages of its host, on whatever
    scale the strategy uses for promises: so it is read when no better links are left. A site with many listings, or
    with an index of many, costs no more than it yields. The site of a listing is the host that refers to it, in its
    robots.txt, in the head of a page, or in another listing.
    """

    def __init__(
        self,
        scope: ScopeSettings,
        rules: UrlRules,
        frontier: Frontier,
        robots: RobotsCache,
        journal: RecorderProtocol,
        seeds: Seeds,
        neighbours: Neighbours,
    ) -> None:
        self._choice = scope.sitemaps if seeds.follows else NEVER
        self._refusal = Scope(scope).refusal
        self._max_depth = scope.max_depth
        self._rules = rules
        self._frontier = frontier
        self._robots = robots
        self._journal = journal
        self._seeds = seeds
        self._neighbours = neighbours
        self._sites: defaultdict[int, _Site] = defaultdict(_Site)  # by host
        self._found: dict[int, tuple[int, int]] = {}  # by listing: referring host, and level
        self._read: set[int] = set()  # listings that were read
        self._checked_origins: set[str] = set()  # origins whose robots.txt was checked

    def begin(self, now: float, *, again: bool = False) -> None:
        """Restore what earlier runs found; with `again`, reopen listings that may list something new."""
        if self._choice == NEVER:
            return
        urls = self._frontier.urls
        for number, relevance, counts in self._journal.outcomes():
            self._count(self._sites[urls.host(number)], relevance, counts=counts)
        read: dict[int, str] = {}
        due: dict[int, tuple[float, float]] = {}  # time of the last reading, and seconds until the next
        for number, form, time, new in self._journal.listings_read():
            wait = _AGAIN_AFTER if new or number not in due else min(2 * due[number][1], _LONGEST_WAIT)
            read[number], due[number] = form, (time, wait)
        self._read.update(read)
        for number, name, level in self._journal.listings_found():
            host = self._frontier.host_number(name)
            site = self._sites[host]
            self._found[number] = host, level
            site.listings += 1
            if urls.is_waiting(number) and urls.priority(number) == UNPROVEN:
                site.waiting.append(number)
            elif read.get(number) != INDEX:
                site.read += 1
        if again:
            for number, (time, wait) in due.items():
                if now >= time + wait and self._sites[self._site_of(number)].relevant:
                    self._reopen(number)

    def _site_of(self, number: int) -> int:
        return self._found[number][0] if number in self._found else self._frontier.urls.host(number)

    def _reopen(self, number: int) -> None:
        """Return a listing that was read to the frontier."""
        self._frontier.drop(number)  # in case it waits, because a run was interrupted before it was read
        self._frontier.reopen(number)

    def was_read(self, number: int) -> bool:
        """Whether a URL is a listing that was read, and may be read again."""
        return number in self._read

    # ---- requests ----

    def expected(self, number: int) -> Expected:
        """What the response for a taken URL may be, besides a page."""
        found = self._found.get(number)
        if found is None:
            return Expected(seed=self._seeds.may_list(number), feed=self._choice != NEVER)
        if self._frontier.urls.priority(number) == UNPROVEN:  # hidden from strategies, which compute with priorities
            self._frontier.change_in_flight(number, 0.0)
        site = self._sites[found[0]]
        return Expected(listing=True, worth=site.worth / site.pages if site.pages else 0.0)

    def refusal(self, source: int, target: str) -> str:
        """Why the target of a redirect must not be followed; "" if it may be."""
        if source not in self._found:
            return self._seeds.refusal(source, target)
        reason = self._refusal(target)
        return reason if reason in OF_LISTINGS else ""

    def redirected(self, source: int, target: int, now: float) -> None:
        """Record a redirect."""
        self._seeds.redirected(source, target)
        if source in self._found and target not in self._found:
            self._note(target, *self._found[source], "redirect", now)

    # ---- references from pages and listings ----

    def page(self, number: int, reading: Reading, now: float, *, counts: bool) -> None:
        """Take a page that was read; it `counts` if it is relevant and new."""
        if self._choice == NEVER:
            return
        urls = self._frontier.urls
        host, url = urls.host(number), urls.url(number)
        site = self._sites[host]
        self._count(site, reading.relevance, counts=counts)
        if (origin := origin_of(url)) not in self._checked_origins:
            self._checked_origins.add(origin)
            for named in self._sitemaps_of(origin)[:MOST_IN_ROBOTS]:
                self._offer(named, number, host, 0, "robots.txt", now)
        for named in reading.listings:
            self._offer(named, number, host, 0, "page", now)
        # The priority of a seed is not a promise; neither is one that is not above 0, such as all in breadth-first.
        if counts and urls.depth(number) and urls.priority(number) > 0:
            self._promote(site, _PROMISE * urls.priority(number) * site.relevant / (site.pages + 1))

    def listing(self, number: int, reading: Reading, now: float) -> None:
        """Take a listing that was read: drop links that it may not have, and offer the listings among them."""
        urls = self._frontier.urls
        self._read.add(number)
        host, level = self._found.get(number, (urls.host(number), 0))
        if reading.form != FEED:
            self._drop_foreign(number, reading)
        if reading.form != INDEX:
            return
        if level < MOST_LEVELS:
            for url in reading.links.urls:
                self._offer(url, number, host, level + 1, "sitemap index", now)
        reading.left_out["listings"] = sum(self._frontier.urls.find(url) is None for url in reading.links.urls)
        reading.links = NO_LINKS
        site = self._sites[host]
        site.read = max(site.read - 1, 0)
        self._promote(site, urls.priority(number))

    def _sitemaps_of(self, origin: str) -> list[str]:
        """The sitemaps in the robots.txt of an origin, as canonical URLs."""
        named = (self._rules.join(f"{origin}/", address) for address in self._robots.sitemaps(origin))
        return [url for url in named if url is not None and self._refusal(url) not in OF_LISTINGS]

    def _offer(self, url: str, parent: int, host: int, level: int, by: str, now: float) -> None:
        frontier, site = self._frontier, self._sites[host]
        depth = frontier.urls.depth(parent) + 1
        if site.listings >= MOST_OF_HOST or 0 < self._max_depth <= depth or not self._neighbours.owns(url):
            return
        if frontier.urls.find(url) is not None:
            return
        is_wanted = self._choice == ALWAYS
        priority = frontier.urls.priority(parent) if is_wanted else UNPROVEN
        number = frontier.offer(url, priority, parent, depth)
        self._note(number, host, level, by, now)
        if is_wanted:
            site.read += 1
        else:
            site.waiting.append(number)

    def _note(self, number: int, host: int, level: int, by: str, now: float) -> None:
        self._found[number] = host, level
        self._sites[host].listings += 1
        self._journal.event(now, "found listing", number, by=by, host=self._frontier.hosts.name(host), level=level)

    # ---- promises ----

    def _count(self, site: _Site, relevance: float, *, counts: bool) -> None:
        site.pages += 1
        site.relevant += counts
        site.worth += relevance

    def _promote(self, site: _Site, promise: float) -> None:
        """Set the promise of the next listing of a site, if the site has earned it."""
        if site.relevant <= _PAGES_PER_LISTING * site.read or site.relevant < _MIN_SHARE * site.pages:
            return
        while site.waiting:
            number = site.waiting.popleft()
            if self._frontier.urls.is_waiting(number):
                self._frontier.change(number, promise)
                site.read += 1
                return

    # ---- URLs of other hosts ----

    def _drop_foreign(self, number: int, reading: Reading) -> None:
        """Drop the URLs of other hosts, unless their own robots.txt refers to the sitemap, or to one that led to it."""
        own = host_of(self._frontier.urls.url(number))
        ways = self._ways(number)
        named = {
            origin: not ways.isdisjoint(self._sitemaps_of(origin))
            for origin in {origin_of(url) for url in reading.links.urls}
        }
        is_own = np.array([host_of(url) == own or named[origin_of(url)] for url in reading.links.urls], np.bool_)
        if not is_own.all():
            reading.left_out[_FOREIGN] = int(np.count_nonzero(~is_own))
            reading.links = reading.links.where(is_own)

    def _ways(self, number: int) -> set[str]:
        """A listing and those that led to it."""
        urls = self._frontier.urls
        ways: set[str] = set()
        while number != NO_PARENT and (number in self._found or not ways):
            ways.add(urls.url(number))
            number = urls.parent(number)
        return ways
