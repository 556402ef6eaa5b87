"""The robots.txt rules of the origins of a crawl: one robots.txt per origin, requested once a day."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from honeyguide.fetch.base import Failure, Response
from honeyguide.fetch.robots import Rules, read_robots
from honeyguide.page.url import UrlRules, has_bad_port, origin_of

_log = logging.getLogger("honeyguide.crawl")

KEPT_FOR = 86_400.0
"""Seconds for which a robots.txt is cached (RFC 9309, 2.4)."""

_MOST_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class RobotsResult:
    """The result of a request for a robots.txt."""

    rules: Rules | None
    """None when the request was redirected, and the new address has to be requested."""
    status: int
    body: bytes


class RobotsCache:
    """The rules of every origin whose robots.txt was fetched, and the address to request for other origins."""

    def __init__(self, agent: str, urls: UrlRules) -> None:
        self._agent = agent
        self._urls = urls
        self._rules: dict[str, tuple[Rules, float]] = {}
        self._redirected: dict[str, tuple[str, int]] = {}
        self._asking: set[str] = set()
        self._unreachable: dict[str, tuple[Failure, float]] = {}

    def load(self, rows: Iterable[tuple[str, float, int, bytes]]) -> None:
        """Load the responses of an earlier run: origin, time, status, body."""
        for origin, fetched, status, body in rows:
            try:
                self._rules[origin] = (read_robots(status, body, self._agent), fetched)
            except Exception:  # noqa: BLE001 (of an older version that could read it: it is requested again)
                _log.warning("the stored robots.txt of %s cannot be read", origin, exc_info=True)

    def known(self) -> Iterator[tuple[str, Rules]]:
        """Every origin whose robots.txt was fetched, with its rules."""
        return ((origin, rules) for origin, (rules, _) in self._rules.items())

    def sitemaps(self, origin: str) -> Sequence[str]:
        """The addresses of sitemaps in the robots.txt of an origin, as written, however old it is."""
        known = self._rules.get(origin)
        return known[0].sitemaps if known is not None else ()

    def rules(self, origin: str, now: float) -> Rules | None:
        """The rules of an origin, or None when its robots.txt has to be requested (again).

        One that was fetched far in the future, before the clock was set back, is as old as one of the past.
        """
        known = self._rules.get(origin)
        return known[0] if known is not None and abs(now - known[1]) < KEPT_FOR else None

    def unreachable(self, origin: str, now: float) -> Failure | None:
        """The failure if the robots.txt of an origin is at an address that may not be accessed; else None.

        Such an origin is not crawled (RFC 9309, 2.3.1.4). The verdict is valid for a day, like a robots.txt; it is not
        stored, so the next run requests it again.
        """
        known = self._unreachable.get(origin)
        return known[0] if known is not None and abs(now - known[1]) < KEPT_FOR else None

    def address(self, origin: str) -> str:
        """The address to request next for the rules of an origin."""
        redirected = self._redirected.get(origin)
        return redirected[0] if redirected else f"{origin}/robots.txt"

    def asks_page(self, origin: str) -> bool:
        """Whether the address to request next is a page of another origin, to which that origin's own rules apply."""
        address = self.address(origin)
        other = origin_of(address)
        return other != origin and address != f"{other}/robots.txt"

    def is_asking(self, origin: str) -> bool:
        """Whether the robots.txt of an origin is being requested."""
        return origin in self._asking

    def ask(self, origin: str) -> None:
        """Mark the robots.txt of an origin as being requested."""
        self._asking.add(origin)

    def give_up(self, origin: str) -> None:
        """Record that the request for the robots.txt of an origin had no result."""
        self._asking.discard(origin)
        self._redirected.pop(origin, None)

    def unavailable(self, origin: str, now: float) -> RobotsResult:
        """Record that the robots.txt of an origin redirects to a URL that may not be fetched, so it is unavailable.

        This allows everything (RFC 9309, 2.3.1.3), as if the server itself had answered 403.
        """
        self._redirected.pop(origin, None)
        rules = read_robots(403, b"", self._agent)
        self._rules[origin] = (rules, now)
        return RobotsResult(rules, 403, b"")

    def learn(self, origin: str, result: Response | Failure, now: float) -> RobotsResult:
        """Process the response. If the result has no rules, `address` returns the next address to request."""
        self._asking.discard(origin)
        status, body = (result.status, result.body) if isinstance(result, Response) else (0, b"")
        if isinstance(result, Response) and 300 <= status < 400 and self._follow(origin, result):
            return RobotsResult(None, status, b"")
        self._redirected.pop(origin, None)
        self._unreachable.pop(origin, None)
        if isinstance(result, Failure) and result.kind == "address":
            self._unreachable[origin] = (result, now)
        rules = read_robots(status, body, self._agent)
        if not rules.retry:
            self._rules[origin] = (rules, now)
        return RobotsResult(rules, status, body)

    def _follow(self, origin: str, response: Response) -> bool:
        location = response.header("location")
        target = self._urls.join(response.url, location) if location else None
        hops = self._redirected.get(origin, ("", 0))[1] + 1
        if target is None or hops > _MOST_REDIRECTS or has_bad_port(target):
            return False
        self._redirected[origin] = (target, hops)
        return True
