"""What each site allows, as far as the crawl has asked: one robots.txt an origin, asked for once a day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from honeyguide.fetch.base import Failure, Response
from honeyguide.fetch.robots import Rules, read_robots
from honeyguide.page.url import UrlRules

KEPT_FOR = 86_400.0
"""Seconds an answer is good for (RFC 9309, 2.4)."""

_MOST_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class RobotsResult:
    """What came of asking: rules, or another address to ask."""

    rules: Rules | None
    status: int
    body: bytes


class RobotsCache:
    """The rules of every origin that was asked, and for the others where to ask."""

    def __init__(self, agent: str, urls: UrlRules) -> None:
        self._agent = agent
        self._urls = urls
        self._rules: dict[str, tuple[Rules, float]] = {}
        self._redirected: dict[str, tuple[str, int]] = {}
        self._asking: set[str] = set()

    def load(self, rows: Iterable[tuple[str, float, int, bytes]]) -> None:
        """Take over answers of an earlier run: origin, time, status, body."""
        for origin, fetched, status, body in rows:
            self._rules[origin] = (read_robots(status, body, self._agent), fetched)

    def known(self) -> Iterator[tuple[str, Rules]]:
        """Every origin that was asked, with its rules."""
        return ((origin, rules) for origin, (rules, _) in self._rules.items())

    def rules(self, origin: str, now: float) -> Rules | None:
        """The rules of an origin, or None when it has to be asked (again)."""
        known = self._rules.get(origin)
        return known[0] if known is not None and now - known[1] < KEPT_FOR else None

    def address(self, origin: str) -> str:
        """Where to ask for the rules of an origin next."""
        redirected = self._redirected.get(origin)
        return redirected[0] if redirected else f"{origin}/robots.txt"

    def is_asking(self, origin: str) -> bool:
        """Whether somebody is on the way to ask."""
        return origin in self._asking

    def ask(self, origin: str) -> None:
        """Somebody sets out to ask."""
        self._asking.add(origin)

    def learn(self, origin: str, result: Response | Failure, now: float) -> RobotsResult:
        """Take in the answer. Without rules in the result, `address` names the next place to ask."""
        self._asking.discard(origin)
        status, body = (result.status, result.body) if isinstance(result, Response) else (0, b"")
        if isinstance(result, Response) and 300 <= status < 400 and self._follow(origin, result):
            return RobotsResult(None, status, b"")
        self._redirected.pop(origin, None)
        rules = read_robots(status, body, self._agent)
        if not rules.retry:
            self._rules[origin] = (rules, now)
        return RobotsResult(rules, status, body)

    def _follow(self, origin: str, response: Response) -> bool:
        location = response.header("location")
        target = self._urls.join(response.url, location) if location else None
        hops = self._redirected.get(origin, ("", 0))[1] + 1
        if target is None or hops > _MOST_REDIRECTS:
            return False
        self._redirected[origin] = (target, hops)
        return True
