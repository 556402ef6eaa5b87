"""Prerequisites of a request: the address of the host, and the rules of its robots.txt."""

from __future__ import annotations

from enum import Enum, auto

from honeyguide.crawl.blocking import Blocking
from honeyguide.crawl.neighbours import Neighbours
from honeyguide.crawl.pacing import Pacing
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.robots import RobotsCache, RobotsResult
from honeyguide.crawl.visits import AddressVisit, RobotsVisit, Visits
from honeyguide.fetch.base import Failure, Response
from honeyguide.fetch.ip import counted_as
from honeyguide.frontier import Frontier
from honeyguide.page.url import host_of, origin_of


class Cleared(Enum):
    """Whether a URL that was taken from the frontier may be requested."""

    YES = auto()
    NO = auto()  # robots.txt forbids it
    LATER = auto()  # something has to be looked up first; the URL waits again, now or after the lookup


class Clearance:
    """Looks up what is still unknown before a taken URL may be requested.

    Each step is a separate visit, with a slot of the host that it contacts; afterwards the URL waits again. So every
    request, whatever its purpose, counts towards the limits of the host, the domain and the address that it goes to.
    """

    def __init__(
        self,
        frontier: Frontier,
        robots: RobotsCache,
        visits: Visits,
        pacing: Pacing,
        journal: RecorderProtocol,
        blocking: Blocking,
        neighbours: Neighbours,
    ) -> None:
        self._frontier = frontier
        self._robots = robots
        self._visits = visits
        self._pacing = pacing
        self._journal = journal
        self._blocking = blocking
        self._neighbours = neighbours

    def of(self, number: int, url: str, now: float, *, obeys_robots: bool) -> Cleared | Failure:
        """Whether URL `number` may be requested. A failure means that its robots.txt is permanently unavailable."""
        if not self._is_located(number, self._frontier.urls.host(number), url, now):
            return Cleared.LATER
        if not obeys_robots:
            return Cleared.YES
        origin = origin_of(url)
        rules = self._robots.rules(origin, now)
        if rules is not None:
            return Cleared.YES if rules.allowed(url) else Cleared.NO
        verdict = self._robots.unreachable(origin, now)
        if verdict is not None:
            return verdict
        self._fetch_robots(number, origin, now)
        return Cleared.LATER

    # ---- addresses ----

    def _is_located(self, number: int, host: int, url: str, now: float) -> bool:
        """Whether the address of `url` is known, and its host counts towards the limit of that address.

        If not, the address is looked up, or the host is assigned to its address, and URL `number` waits again. So a
        request never goes to an address whose limit was not checked.
        """
        address = self._visits.known_address(url)
        if address is None:
            self._visits.visit_address(number, url)
            return False
        if not address or (counted := counted_as(address)) == self._frontier.hosts.address(host):
            return True
        self._neighbours.locate(self._frontier, host, counted)
        self._frontier.withdraw(number, now)
        return False

    def finish_address(self, visit: AddressVisit, now: float) -> Response | Failure | None:
        """Take the result of a lookup. Returns the failure, if it concerns the URL itself, which is in flight."""
        if not isinstance(visit.result, Failure):
            self._frontier.withdraw(visit.number, now)
            return None
        url = self._frontier.urls.url(visit.number)
        if visit.url == url:
            return visit.result
        return self.finish_robots(RobotsVisit(visit.number, origin_of(url), visit.result), now)

    # ---- robots.txt ----

    def _fetch_robots(self, number: int, origin: str, now: float, *, for_other: bool = False) -> None:
        """Fetch the robots.txt of an origin, because URL `number` needs it.

        If it redirects to a page of another origin, the robots.txt of that origin is fetched first (`for_other`), and
        the page only if it allows that. Further redirects are not followed, since two origins could form a cycle.
        """
        robots, frontier = self._robots, self._frontier
        if robots.is_asking(origin):
            frontier.put_back(number, now, not_before=self._pacing.robots_pending(now))
            return
        address = robots.address(origin)
        if robots.asks_page(origin):
            other = origin_of(address)
            rules = robots.rules(other, now)
            if (verdict := robots.unreachable(other, now)) is not None:
                robots.learn(origin, verdict, now)  # it redirects there, so the verdict applies to it
                frontier.withdraw(number, now)
                return
            if rules is None and not for_other:
                self._fetch_robots(number, other, now, for_other=True)
                return
            if rules is None or not rules.allowed(address):
                self._record(number, origin, robots.unavailable(origin, now), now)
                frontier.withdraw(number, now)
                return
        host = frontier.host_number(host_of(address))
        slot = None
        if host != frontier.urls.host(number):
            if self._blocking.blocks(address):
                # Unknown rules do not count as permission.
                why = f"its robots.txt is at {address}, which is blocked"
                robots.learn(origin, Failure(address, "address", why, transient=False), now)
                frontier.withdraw(number, now)
                return
            if not self._is_located(number, host, address, now):
                return
            slot = frontier.borrow(host, now)
            if slot is None:
                frontier.put_back(number, now, not_before=self._pacing.robots_pending(now, host))
                return
        robots.ask(origin)
        self._visits.visit_robots(number, origin, address, slot, patient=frontier.hosts.is_slow(host))

    def finish_robots(self, visit: RobotsVisit, now: float) -> Response | Failure | None:
        """Take the result of a robots.txt. Returns it if the URL, which is in flight, fails because of it."""
        number, origin, result = visit.number, visit.origin, visit.result
        if visit.slot is not None:
            slot, visit.slot = visit.slot, None
            self._frontier.give_back(slot, now)
        if isinstance(result, Response) and not result.skipped:
            self._journal.answer(result)
        fetched = self._robots.learn(origin, result, now)
        self._record(number, origin, fetched, now)
        if fetched.rules is not None and fetched.rules.retry:
            if not self._pacing.robots_unknown(origin, result, now):
                return result
            self._journal.tally.errors["robots"] += 1
        # After a redirect, the new address is requested when the same URL is taken again.
        self._frontier.put_back(number, now)
        return None

    def _record(self, number: int, origin: str, fetched: RobotsResult, now: float) -> None:
        rules = fetched.rules
        sitemaps = list(rules.sitemaps) if rules else []
        self._journal.event(now, "robots", number, origin=origin, status=fetched.status, sitemaps=sitemaps)
        if rules is not None and not rules.retry:
            self._journal.robots(origin, now, fetched.status, fetched.body)
            self._pacing.robots_known(origin, rules.crawl_delay)
