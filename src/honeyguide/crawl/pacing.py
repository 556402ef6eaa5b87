"""When a host may be asked again, and a URL be tried again: all rules of it are here.

The frontier keeps the limits it was given and every rest it is told of; who decides how long a host rests is the
pacing. The crawler tells it what happened, and it tells the frontier what follows. Another rule is another class with
these methods, for the most part one that changes a method of `StandardPacing`::

    class Considerate(StandardPacing):
        '''Leaves a host alone five times as long as its slowest answer took.'''

        def answered(self, host: int, response: Response, now: float) -> None:
            super().answered(host, response, now)
            self.frontier.set_delay(host, max(self.frontier.delay(host), 5 * response.elapsed))

    Session(topic, folder, pacing=Considerate)
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Protocol

from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.fetch.base import Failure, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.frontier import Frontier
from honeyguide.page.url import host_of

LONG_REST = 3600.0
"""Seconds that a host is left alone when trying again soon has not helped."""
FAILURES_IN_A_ROW = 5
"""Requests without an answer, one after the other, that earn a host a long rest."""

_PENDING = 0.1  # seconds beyond a host's delay before it is looked whether a robots.txt has come in
_PASSING = frozenset((429, 500, 502, 503, 504))
_MOST_DOUBLINGS = 16  # beyond it the wait is days long, and far beyond it a float would overflow
_SECONDS = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


class Pacing(Protocol):
    """Decides when hosts may be asked again, and tells the frontier.

    Hosts go by their numbers in the frontier. Times are Unix seconds.
    """

    def begin(self, now: float, /) -> None:
        """A run begins. What earlier runs know (URLs, robots.txt, rests that were kept) has been read back before.

        Args:
            now: The time.
        """
        ...

    def answered(self, host: int, response: Response, now: float, /) -> None:
        """A host has answered, with whatever status.

        Args:
            host: The host that was asked.
            response: Its answer, to a request for a page or for a robots.txt.
            now: The time.
        """
        ...

    def failed(self, host: int, failure: Failure, now: float, /) -> None:
        """A host has not answered.

        Args:
            host: The host whose page was wanted.
            failure: What went wrong, on the way to the page or to its robots.txt.
            now: The time.
        """
        ...

    def retry(self, number: int, result: Response | Failure, now: float, /) -> float | None:
        """A URL was asked for and there is no page: whether to ask again. Called after `answered` or `failed`.

        Args:
            number: The URL, which is still in flight.
            result: What came instead of a page.
            now: The time.

        Returns:
            The time before which not to try again; None if it is to count as failed.
        """
        ...

    def robots_known(self, origin: str, crawl_delay: float | None, /) -> None:
        """The rules of an origin are known: its robots.txt was read now, or by an earlier run before `begin`.

        Args:
            origin: Scheme, host and port, like ``https://example.org``.
            crawl_delay: Seconds that it asks for between two requests; None if it does not.
        """
        ...

    def robots_unknown(self, origin: str, result: Response | Failure, now: float, /) -> bool:
        """A robots.txt was asked for and there are no rules to rely on.

        Args:
            origin: Whose it is.
            result: What came instead.
            now: The time.

        Returns:
            Whether to ask again, once the host has rested; if not, the URL that was wanted counts as failed.
        """
        ...

    def robots_pending(self, now: float, host: int | None = None, /) -> float:
        """A URL cannot be asked for yet, since the robots.txt of its origin is not there.

        Args:
            now: The time.
            host: The host that has to be asked for it, and may not be asked now; None if it has been asked.

        Returns:
            The time before which not to look again.
        """
        ...


MakePacing = Callable[[FetchSettings, Frontier, RecorderProtocol], Pacing]
"""What makes the pacing of a run: `StandardPacing`, or a class like it."""


class StandardPacing:
    """The pacing of the topic file's ``[fetch]`` table.

    * Crawl-delay counts, within the limits of ``delay`` and ``max_crawl_delay``.
    * Retry-After, with an answer that is neither a page nor a redirect, counts for the whole host, however long it is.
    * Passing errors are tried again ``retries`` times, after ``backoff`` seconds that double each time.
    * A host that does not answer five times in a row is left alone for an hour.
    * A host whose robots.txt cannot be had is left alone for as long, and then for an hour each time (RFC 9309,
      2.3.1.4).
    * In a new run every host has its full pause first: it may have been asked a moment ago.

    Rests beyond a delay are noted in the journal, so that the next run keeps them.
    """

    def __init__(self, settings: FetchSettings, frontier: Frontier, journal: RecorderProtocol) -> None:
        self.settings = settings
        self.frontier = frontier
        self.journal = journal
        self._failures: Counter[int] = Counter()  # in a row, by host
        self._robots_failures: Counter[str] = Counter()  # in a row, by origin

    # ---- hosts ----

    def begin(self, now: float) -> None:
        """Rest every host that is known, for its delay or those that it shares, whichever is longest."""
        frontier, limits = self.frontier, self.frontier.politeness
        least = max(limits.domain.delay, limits.ip.delay)
        for host in frontier.host_numbers():
            frontier.rest(host, now + max(frontier.delay(host), least))

    def answered(self, host: int, response: Response, now: float) -> None:  # noqa: ARG002 (for other pacings)
        """Forget the failures of a host."""
        self._failures.pop(host, None)

    def failed(self, host: int, failure: Failure, now: float) -> None:  # noqa: ARG002 (for other pacings)
        """Count the failures of a host, and after too many in a row leave it alone for long."""
        self._failures[host] += 1
        if self._failures[host] >= FAILURES_IN_A_ROW:
            del self._failures[host]
            until = now + LONG_REST
            self._rest(host, until, f"{FAILURES_IN_A_ROW} failures in a row")
            self.journal.event(now, "host rests", None, host=self.frontier.host_name(host), until=until)

    def _rest(self, host: int, until: float, reason: str) -> None:
        self.journal.host_rests(self.frontier.host_name(host), until, reason)
        self.frontier.rest(host, until)

    # ---- URLs ----

    def retry(self, number: int, result: Response | Failure, now: float) -> float | None:
        """Try again what may go better later, after the backoff or as Retry-After asks, whichever is later."""
        urls = self.frontier.urls
        asked = _asked_to_wait(result, now)
        if asked:
            self._rest(urls.host(number), now + asked, "Retry-After")
        tries = urls.attempts(number)
        if not worth_retrying(result) or tries >= self.settings.retries:
            return None
        return now + max(backoff(self.settings.backoff, tries + 1, urls.url(number)), asked)

    # ---- robots.txt ----

    def robots_known(self, origin: str, crawl_delay: float | None) -> None:
        """Wait between requests as long as a robots.txt asks, within limits."""
        self._robots_failures.pop(origin, None)
        if crawl_delay is not None:
            settings = self.settings
            seconds = max(settings.delay, min(crawl_delay, settings.max_crawl_delay))
            self.frontier.set_delay(self._host(origin), seconds)

    def robots_unknown(self, origin: str, result: Response | Failure, now: float) -> bool:
        """Leave the host alone, for longer each time, unless asking again cannot help."""
        self._robots_failures[origin] += 1
        if isinstance(result, Failure) and not result.transient:
            return False
        failures = self._robots_failures[origin]
        again = failures <= self.settings.retries
        wait = backoff(self.settings.backoff, failures, origin) if again else LONG_REST
        until = now + max(wait, _asked_to_wait(result, now))
        self._rest(self._host(origin), until, "its robots.txt could not be fetched")
        return True

    def robots_pending(self, now: float, host: int | None = None) -> float:
        """Look again after a host's usual delay, and not before the host that has to be asked may be."""
        soon = now + self.settings.delay + _PENDING
        return soon if host is None else max(soon, self.frontier.host_next_time(host))

    def _host(self, origin: str) -> int:
        return self.frontier.host_number(host_of(origin + "/"))


# ---- rules ----


def worth_retrying(result: Response | Failure) -> bool:
    """Whether the same request may go better later: passing network errors, 429, 500, 502, 503 and 504."""
    if isinstance(result, Failure):
        return result.transient
    return result.status in _PASSING


def backoff(seconds: float, attempt: int, url: str) -> float:
    """How long to wait before a retry: twice as long each time, varied by up to half either way.

    The variation depends on URL and attempt alone, so that a replayed crawl waits the same and yet many URLs that
    failed together do not come back together.

    Args:
        seconds: How long to wait before the first retry.
        attempt: The number of the retry, from 1.
        url: What is tried again.

    Returns:
        Seconds.
    """
    seed = blake2b(f"{attempt} {url}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    spread = 0.5 + int.from_bytes(seed, "big") / 2**64
    return seconds * float(2 ** min(attempt - 1, _MOST_DOUBLINGS)) * spread


def retry_after(value: str, now: float) -> float | None:
    """How long to wait by a Retry-After header, which has seconds or an HTTP-date. There is no upper bound.

    Args:
        value: The value of the header.
        now: The time it was received.

    Returns:
        Seconds, 0 for a time in the past; None when the value is not usable.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        seconds = float(value)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        date = parsedate_to_datetime(value)
        if date.tzinfo is None:  # "-0000" and the asctime form, which name no zone, are UTC in HTTP
            date = date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _asked_to_wait(result: Response | Failure, now: float) -> float:
    """Seconds that Retry-After asks for; 0 when it does not."""
    return (retry_after(result.header("retry-after"), now) or 0.0) if isinstance(result, Response) else 0.0
