"""What has to be known before a URL may be requested: the address of its host, and the rules of its robots.txt."""

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
    LATER = auto()  # something has to be looked up first; the URL waits again, or will when that has arrived


class Clearance:
    """Looks up, for a URL that was taken, what is not known yet.

    Each step is a visit of its own, with the slot of the host that it contacts, after which the URL waits again. So
    every request, whatever it is for, is counted by the limits of the host, the domain and the address it goes to.
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
        """Whether URL `number` may be requested. A failure says that its robots.txt can never be had."""
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
        """Whether the address that a request for `url` goes to is known, and is that by which its host is counted.

        If not, the address is looked up, or the host moves behind the limit of its address, and URL `number` waits
        again. So a request never goes to an address whose limit was not checked.
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
        """An address was looked up. Returns why there is none, if that concerns the URL itself, which is in flight."""
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

        If it redirects to a page of another origin, the robots.txt of that origin is fetched before (`for_other`), and
        the page only if it allows that. One that leads still further is not followed: two origins could go in circles.
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
                robots.learn(origin, verdict, now)  # it leads there, so the verdict is its own
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
        loan = None
        if host != frontier.urls.host(number):
            if self._blocking.blocks(address):
                # Rules that cannot be known are not taken for permission.
                why = f"its robots.txt is at {address}, which is blocked"
                robots.learn(origin, Failure(address, "address", why, transient=False), now)
                frontier.withdraw(number, now)
                return
            if not self._is_located(number, host, address, now):
                return
            loan = frontier.borrow(host, now)
            if loan is None:
                frontier.put_back(number, now, not_before=self._pacing.robots_pending(now, host))
                return
        robots.ask(origin)
        self._visits.visit_robots(number, origin, address, loan, patient=frontier.hosts.is_slow(host))

    def finish_robots(self, visit: RobotsVisit, now: float) -> Response | Failure | None:
        """A robots.txt has arrived, or not. Returns its result if the URL, which is in flight, fails because of it."""
        number, origin, result = visit.number, visit.origin, visit.result
        if visit.loan is not None:
            loan, visit.loan = visit.loan, None
            self._frontier.give_back(loan, now)
        if isinstance(result, Response) and not result.skipped:
            self._journal.answer(result)
        fetched = self._robots.learn(origin, result, now)
        self._record(number, origin, fetched, now)
        if fetched.rules is not None and fetched.rules.retry:
            if not self._pacing.robots_unknown(origin, result, now):
                return result
            self._journal.tally.errors["robots"] += 1
        # If it was redirected, the new address is requested when the same URL is taken again.
        self._frontier.put_back(number, now)
        return None

    def _record(self, number: int, origin: str, fetched: RobotsResult, now: float) -> None:
        rules = fetched.rules
        sitemaps = list(rules.sitemaps) if rules else []
        self._journal.event(now, "robots", number, origin=origin, status=fetched.status, sitemaps=sitemaps)
        if rules is not None and not rules.retry:
            self._journal.robots(origin, now, fetched.status, fetched.body)
            self._pacing.robots_known(origin, rules.crawl_delay)
