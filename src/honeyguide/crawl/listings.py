"""The sitemaps and feeds that sites name: when they are worth a request, and which of their URLs are followed."""

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
"""The priority of a listing whose site has not turned out to be relevant: it is taken when nothing else waits."""
MOST_OF_HOST: Final = 50
"""Listings that the pages of a host, its robots.txt and its sitemap indexes may name together."""
MOST_IN_ROBOTS: Final = 20
"""Those that a robots.txt may name."""

_EARNING = 3  # relevant pages of a host for each listing after the first, and ...
_SHARE = 0.25  # ... the least share of its pages that are relevant
_AGAIN_AFTER = 86_400.0  # seconds after which a listing is read again, doubled whenever it lists nothing new
_LONGEST_WAIT = 32 * _AGAIN_AFTER
_PROMISE = 0.5  # of a listing, as a share of that of the page that earns it: it is a request without a page
_FOREIGN = "host"  # the reason for URLs that a sitemap may not list


class _Site:
    """What pages of a host were like, and the listings that it names."""

    __slots__ = ("listings", "pages", "read", "relevant", "waiting", "worth")

    def __init__(self) -> None:
        self.pages = 0
        self.relevant = 0
        self.worth = 0.0  # the sum of their relevance
        self.listings = 0
        self.waiting: deque[int] = deque()  # those of them whose time has not come
        self.read = 0  # those whose time has come, without indexes


class Listings:
    """Offers sitemaps and feeds to the frontier, with a promise that says what they are worth.

    A listing waits behind everything else until its site has turned out to be relevant: the first relevant page of a
    host earns it one of its listings, and every third one another, as long as a quarter of its pages is relevant. The
    listing then promises half of what that page promised, times the share of relevant pages of its host, in whatever
    the strategy measures promises in: so it is read when no better links are left. A site that names many, or an index
    of many, costs no more than it brings. The site of a listing is the host that names it, by its robots.txt, by the
    head of a page, or by another listing.
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
        self._found: dict[int, tuple[int, int]] = {}  # listings: the host that names each, how many led to it
        self._read: set[int] = set()  # those that were read
        self._asked: set[str] = set()  # origins whose robots.txt was looked at

    def begin(self, now: float, *, again: bool = False) -> None:
        """Know again what earlier runs have found; with `again`, read those again that may list something new."""
        if self._choice == NEVER:
            return
        urls = self._frontier.urls
        for number, relevance, counts in self._journal.outcomes():
            self._count(self._sites[urls.host(number)], relevance, counts=counts)
        read: dict[int, str] = {}
        due: dict[int, tuple[float, float]] = {}  # when each was read, and for how long it is not read again
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
        """Let a listing that was read be read once more."""
        self._frontier.drop(number)  # if it waits: a run was interrupted before it was read
        self._frontier.reopen(number)

    def was_read(self, number: int) -> bool:
        """Whether a URL is a listing that was read, so that it may be read again."""
        return number in self._read

    # ---- requests ----

    def expected(self, number: int) -> Expected:
        """What the answer for a URL that was taken may be, beside a page."""
        found = self._found.get(number)
        if found is None:
            return Expected(seed=self._seeds.may_list(number), feed=self._choice != NEVER)
        if self._frontier.urls.priority(number) == UNPROVEN:  # not for strategies to see, which reckon with priorities
            self._frontier.change_in_flight(number, 0.0)
        site = self._sites[found[0]]
        return Expected(listing=True, worth=site.worth / site.pages if site.pages else 0.0)

    def refusal(self, source: int, target: str) -> str:
        """Why what a URL redirects to must not be followed; "" if it may be."""
        if source not in self._found:
            return self._seeds.refusal(source, target)
        reason = self._refusal(target)
        return reason if reason in OF_LISTINGS else ""

    def redirected(self, source: int, target: int, now: float) -> None:
        """A URL redirects to another."""
        self._seeds.redirected(source, target)
        if source in self._found and target not in self._found:
            self._note(target, *self._found[source], "redirect", now)

    # ---- what pages and listings name ----

    def page(self, number: int, reading: Reading, now: float, *, counts: bool) -> None:
        """A page was read; `counts` if it is relevant and new."""
        if self._choice == NEVER:
            return
        urls = self._frontier.urls
        host, url = urls.host(number), urls.url(number)
        site = self._sites[host]
        self._count(site, reading.relevance, counts=counts)
        if (origin := origin_of(url)) not in self._asked:
            self._asked.add(origin)
            for named in self._named(origin)[:MOST_IN_ROBOTS]:
                self._offer(named, number, host, 0, "robots.txt", now)
        for named in reading.listings:
            self._offer(named, number, host, 0, "page", now)
        # The priority of a seed is no promise; nor is one that is not above 0, which all URLs of breadth-first have.
        if counts and urls.depth(number) and urls.priority(number) > 0:
            self._promote(site, _PROMISE * urls.priority(number) * site.relevant / (site.pages + 1))

    def listing(self, number: int, reading: Reading, now: float) -> None:
        """A listing was read: drop those of its links that it may not have, and offer the listings among them."""
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

    def _named(self, origin: str) -> list[str]:
        """The sitemaps that the robots.txt of an origin names, as canonical URLs."""
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

    # ---- what they are worth ----

    def _count(self, site: _Site, relevance: float, *, counts: bool) -> None:
        site.pages += 1
        site.relevant += counts
        site.worth += relevance

    def _promote(self, site: _Site, promise: float) -> None:
        """Let the next listing of a site promise so much, if the site has earned it."""
        if site.relevant <= _EARNING * site.read or site.relevant < _SHARE * site.pages:
            return
        while site.waiting:
            number = site.waiting.popleft()
            if self._frontier.urls.is_waiting(number):
                self._frontier.change(number, promise)
                site.read += 1
                return

    # ---- whose pages a sitemap may list ----

    def _drop_foreign(self, number: int, reading: Reading) -> None:
        """Drop the URLs of other hosts, unless their own robots.txt names the sitemap, or one that led to it."""
        own = host_of(self._frontier.urls.url(number))
        ways = self._ways(number)
        named = {
            origin: not ways.isdisjoint(self._named(origin))
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
