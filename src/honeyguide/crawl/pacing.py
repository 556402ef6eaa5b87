"""When a host may be contacted again, and when a URL is retried: all such rules are in this module.

The frontier enforces limits and rests; the pacing decides how long a host rests. The crawler notifies the pacing of
events, and the pacing updates the frontier. To change a rule, write another class with these methods, usually a
subclass that overrides a method of `StandardPacing`::

    class Considerate(StandardPacing):
        '''Waits five times as long between requests as the slowest response of the host took.'''

        def answered(self, host: int, response: Response, now: float) -> None:
            super().answered(host, response, now)
            self.frontier.set_delay(host, max(self.frontier.hosts.delay(host), 5 * response.elapsed))

    honeyguide.crawl(topic, pacing=Considerate)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Protocol

from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.fetch import numbers
from honeyguide.fetch.base import Failure, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.frontier import Frontier
from honeyguide.page.url import host_of

LONG_REST = 3600.0
"""Seconds for which a host is not contacted when early retries have failed."""
FAILURES_IN_A_ROW = 5
"""Consecutive requests without a response after which a host gets a long rest."""

SLOW = 5.0
"""Seconds from which a response is slow: its host then shares some of the connections with other slow hosts."""

_TIMEOUT_WEIGHT = 3  # a timeout counts as this many failures, since it occupied a connection for the maximum time
_TIMEOUT_BACKOFF = 12  # factor of the backoff before the only retry after a timeout
_PENDING = 0.1  # seconds added to a host's delay before checking again whether its robots.txt has arrived
_TRANSIENT = frozenset((429, 500, 502, 503, 504))
_MAX_DOUBLINGS = 16  # beyond this, the wait is days long, and eventually a float would overflow


class Pacing(Protocol):
    """Decides when hosts may be contacted again, and updates the frontier.

    Hosts are identified by their numbers in the frontier. Times are Unix seconds.
    """

    def begin(self, now: float, /) -> None:
        """A run starts. The state of earlier runs (URLs, robots.txt, recorded rests) has already been restored.

        Args:
            now: The current time.
        """
        ...

    def answered(self, host: int, response: Response, now: float, /) -> None:
        """A host has responded, with any status.

        Args:
            host: The host that was contacted.
            response: Its response to a request for a page or a robots.txt.
            now: The current time.
        """
        ...

    def failed(self, host: int, failure: Failure, now: float, /) -> None:
        """A host has not responded.

        Args:
            host: The host of the URL that was to be fetched.
            failure: Why the request for the page or for its robots.txt failed.
            now: The current time.
        """
        ...

    def requested(self, host: int, count: int, now: float, /) -> None:
        """A page that was rendered in a browser has requested scripts and data from a host.

        Args:
            host: The host that was contacted.
            count: How many requests it got.
            now: The current time.
        """
        ...

    def retry(self, number: int, result: Response | Failure, now: float, /) -> float | None:
        """A request for a URL did not yield a page: decide whether to retry. Called after `answered` or `failed`.

        Args:
            number: The URL, which is still in flight.
            result: The response that is not a page, or the failure.
            now: The current time.

        Returns:
            The earliest time of the next attempt; None if the URL counts as failed.
        """
        ...

    def robots_known(self, origin: str, crawl_delay: float | None, /) -> None:
        """The rules of an origin are known: from its robots.txt, read now or (if before `begin`) by an earlier run.

        Args:
            origin: Scheme, host and port, like ``https://example.org``.
            crawl_delay: Seconds that it requires between two requests; None if it sets no delay.
        """
        ...

    def robots_unknown(self, origin: str, result: Response | Failure, now: float, /) -> bool:
        """A request for a robots.txt did not yield reliable rules.

        Args:
            origin: The origin that the robots.txt belongs to.
            result: The response or the failure.
            now: The current time.

        Returns:
            Whether to retry once the host has rested; if not, the URL that needed the rules counts as failed.
        """
        ...

    def robots_pending(self, now: float, host: int | None = None, /) -> float:
        """A URL cannot be requested yet, because the robots.txt of its origin has not arrived.

        Args:
            now: The current time.
            host: The host that has to be contacted for the robots.txt, but may not be contacted now; None if the
                robots.txt has been requested.

        Returns:
            The earliest time at which to check again.
        """
        ...


MakePacing = Callable[[FetchSettings, Frontier, RecorderProtocol], Pacing]
"""Makes the pacing of a run: `StandardPacing`, or a class like it."""


class StandardPacing:
    """The pacing of the topic file's ``[fetch]`` table.

    * Crawl-delay is obeyed, within the limits of ``delay`` and ``max_crawl_delay``.
    * Retry-After, in a response that is neither a page nor a redirect, applies to the whole host, for up to a year.
    * A status of 429 doubles the delay of its host, from ``backoff`` seconds up to an hour. Every other answer with a
      status below 500 halves it, until it is what it was.
    * After a page that was rendered in a browser, a host rests for its delay once for each request of that page.
    * Transient errors are retried ``retries`` times, after ``backoff`` seconds that double each time.
    * A timeout is retried once, after twelve times that. A host whose last request timed out, or took `SLOW` seconds,
      shares a quarter of the connections with other slow hosts.
    * A host that does not respond five times in a row, or times out twice, is not contacted for an hour.
    * A host whose robots.txt cannot be fetched is not contacted for the same backoff times, and then for an hour each
      time (RFC 9309, 2.3.1.4).
    * At the start of a run, every host first rests for its full delay, since it may have been contacted just before.

    Rests that are longer than a delay are recorded in the journal, so that the next run observes them.
    """

    def __init__(self, settings: FetchSettings, frontier: Frontier, journal: RecorderProtocol) -> None:
        self.settings = settings
        self.frontier = frontier
        self.journal = journal
        self._failures: Counter[int] = Counter()  # in a row, by host
        self._robots_failures: Counter[str] = Counter()  # in a row, by origin
        self._usual_delay: dict[int, float] = {}  # of hosts that have answered 429

    # ---- hosts ----

    def begin(self, now: float) -> None:
        """Let every known host rest for the longest of its own delay and the delays of its domain and address."""
        frontier, limits = self.frontier, self.frontier.politeness
        least = max(limits.domain.delay, limits.ip.delay)
        for host in frontier.hosts.numbers():
            frontier.rest(host, now + max(frontier.hosts.delay(host), least))

    def answered(self, host: int, response: Response, now: float) -> None:
        """Reset the failure count of a host, and slow down or recover."""
        self._failures.pop(host, None)
        self.frontier.set_slow(host, response.elapsed >= SLOW)
        if response.status == 429:
            self._slow_down(host, now)
        elif host in self._usual_delay and response.status < 500:
            self._recover(host)

    def _slow_down(self, host: int, now: float) -> None:
        delay = self.frontier.hosts.delay(host)
        self._usual_delay.setdefault(host, delay)
        slower = min(max(2 * delay, self.settings.backoff), LONG_REST)
        self.frontier.set_delay(host, max(slower, delay))
        self._rest(host, now + slower, "it gets too many requests (status 429)", now)

    def _recover(self, host: int) -> None:
        usual, delay = self._usual_delay[host], self.frontier.hosts.delay(host) / 2
        self.frontier.set_delay(host, max(usual, delay))
        if delay <= usual:
            del self._usual_delay[host]

    def failed(self, host: int, failure: Failure, now: float) -> None:
        """Count a failure of a host, and let it rest for long after `FAILURES_IN_A_ROW` of them, or two timeouts."""
        timed_out = failure.kind == "timeout"
        if timed_out:
            self.frontier.set_slow(host, True)
        self._failures[host] += _TIMEOUT_WEIGHT if timed_out else 1
        if self._failures[host] >= FAILURES_IN_A_ROW:
            del self._failures[host]
            until = now + LONG_REST
            reason = "its requests time out" if timed_out else f"{FAILURES_IN_A_ROW} failures in a row"
            self._rest(host, until, reason, now)

    def requested(self, host: int, count: int, now: float) -> None:
        """Let a host rest for its delay once for each request that a rendered page has sent to it."""
        self.frontier.rest(host, now + count * self.frontier.hosts.delay(host))

    def _rest(self, host: int, until: float, reason: str, now: float) -> None:
        name = self.frontier.hosts.name(host)
        self.journal.host_rests(name, until, reason)
        self.journal.event(now, "host rests", None, host=name, until=until, reason=reason)
        self.frontier.rest(host, until)

    # ---- URLs ----

    def retry(self, number: int, result: Response | Failure, now: float) -> float | None:
        """Retry what may succeed later, after the backoff or after Retry-After, whichever is later."""
        urls = self.frontier.urls
        required = _retry_after_seconds(result, now)
        if required:
            self._rest(urls.host(number), now + required, "Retry-After", now)
        tries = urls.attempts(number)
        if not worth_retrying(result):
            return None
        wait = self._wait(result, tries + 1, urls.url(number))
        return None if wait is None else now + max(wait, required)

    def _wait(self, result: Response | Failure, attempt: int, url: str) -> float | None:
        """The wait before a retry, the first of which is attempt 1; None if there are no more retries."""
        timed_out = isinstance(result, Failure) and result.kind == "timeout"
        if attempt > (min(1, self.settings.retries) if timed_out else self.settings.retries):
            return None
        return backoff(self.settings.backoff * (_TIMEOUT_BACKOFF if timed_out else 1), attempt, url)

    # ---- robots.txt ----

    def robots_known(self, origin: str, crawl_delay: float | None) -> None:
        """Set the delay of a host to the Crawl-delay of its robots.txt, within limits."""
        self._robots_failures.pop(origin, None)
        if crawl_delay is not None:
            settings = self.settings
            seconds = max(settings.delay, min(crawl_delay, settings.max_crawl_delay))
            host = self._host(origin)
            if host in self._usual_delay:
                self._usual_delay[host] = seconds
                seconds = max(seconds, self.frontier.hosts.delay(host))
            self.frontier.set_delay(host, seconds)

    def robots_unknown(self, origin: str, result: Response | Failure, now: float) -> bool:
        """Let the host rest, for longer each time, unless a retry cannot help."""
        self._robots_failures[origin] += 1
        if isinstance(result, Failure) and not result.transient:
            return False
        wait = self._wait(result, self._robots_failures[origin], origin)
        if wait is None:
            wait = LONG_REST
        until = now + max(wait, _retry_after_seconds(result, now))
        self._rest(self._host(origin), until, "its robots.txt could not be fetched", now)
        return True

    def robots_pending(self, now: float, host: int | None = None) -> float:
        """Check again after the default delay, and not before the host of the robots.txt may be contacted."""
        soon = now + self.settings.delay + _PENDING
        return soon if host is None else max(soon, self.frontier.hosts.next_time(host))

    def _host(self, origin: str) -> int:
        return self.frontier.host_number(host_of(origin + "/"))


# ---- rules ----


def worth_retrying(result: Response | Failure) -> bool:
    """Whether the same request may succeed later: transient network errors, 429, 500, 502, 503 and 504."""
    if isinstance(result, Failure):
        return result.transient
    return result.status in _TRANSIENT


def backoff(seconds: float, attempt: int, url: str) -> float:
    """How long to wait before a retry: twice as long each time, with a jitter of up to half in either direction.

    The jitter depends only on URL and attempt, so that a replayed crawl waits for the same times, and yet many URLs
    that failed together are not retried together.

    Args:
        seconds: The time to wait before the first retry.
        attempt: The number of the retry, from 1.
        url: The URL that is retried.

    Returns:
        The time to wait, in seconds.
    """
    seed = blake2b(f"{attempt} {url}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    spread = 0.5 + int.from_bytes(seed, "big") / 2**64
    return seconds * float(2 ** min(attempt - 1, _MAX_DOUBLINGS)) * spread


def retry_after(value: str, now: float) -> float | None:
    """How long a Retry-After header requires to wait. Its value is in seconds or an HTTP-date.

    Args:
        value: The value of the header.
        now: The time at which it was received.

    Returns:
        Seconds, 0 for a time in the past, `numbers.LONGEST_WAIT` at most; None when the value is invalid.
    """
    seconds = numbers.seconds(value)
    if seconds is not None:
        return seconds
    try:
        date = parsedate_to_datetime(value)
        if date.tzinfo is None:  # "-0000" and the asctime form have no time zone, and mean UTC in HTTP
            date = date.replace(tzinfo=UTC)
        return numbers.within(date.timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _retry_after_seconds(result: Response | Failure, now: float) -> float:
    """The seconds that Retry-After specifies; 0 without a valid one."""
    return (retry_after(result.header("retry-after"), now) or 0.0) if isinstance(result, Response) else 0.0
