"""Decides whether to take a URL now, or to wait for better URLs on hosts that rest."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

from honeyguide.frontier.promise_histogram import Points, PromiseHistogram

_USUAL_RATE: Final = 0.006  # at a haste of 0.5: chosen on generated webs of 1,500 pages, see results/patience.md
_SMOOTHING: Final = 0.05  # of the running mean of times
_MAX_INTERVAL: Final = 60.0  # seconds between two pages; anything longer counts as a pause


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What other shards of a crawl have, so that all shards apply the same threshold."""

    waiting: Points = ()
    """The promises of their URLs that are worth waiting for, the highest first."""
    interval: float = 0.0
    """Mean seconds between two pages of the whole crawl; 0 to use what is measured here."""
    taken: float = 0.0
    """The mean promise of the URLs taken so far in the whole crawl; 0 to use what is measured here."""
    last_taken: float = -inf
    """When a page was last fetched anywhere."""
    since: float = -inf
    """The time of this information; -inf if it is always up to date."""

    def is_better(self, promise: float) -> bool:
        """Whether any URL there promises more."""
        return bool(self.waiting) and self.waiting[0][0] > promise

    def taken_meanwhile(self, promise: float, now: float, own: int) -> float:
        """Estimate the total excess over a promise of the URLs that other shards have taken since `since`.

        The estimate assumes that the best are taken first, and that all shards together take one per interval,
        including the `own` ones of this shard.
        """
        if self.since == -inf or not self.interval:
            return 0.0
        left, excess = (now - self.since) / self.interval - own, 0.0
        for better, count in self.waiting:
            if left <= 0 or better <= promise:
                break
            excess += min(count, left) * (better - promise)
            left -= count
        return excess


class Reservation:
    """Reserves the remaining pages of the budget for the best URLs, as long as the waiting time is worth it.

    Taking a URL while n better ones wait on hosts that may not be contacted yet delays each of these by one page. The
    loss is the sum by which their promises exceed that of the URL: after each of the next n pages, the crawl has found
    fewer relevant pages by the respective difference. The gain is time. So the tolerated loss is proportional to the
    time between two pages, and a URL is taken as soon as

        Σ (pᵢ - p)  ≤  rate · haste²/(1 - haste)² · promise · pages · seconds,

    where the sum is over the better URLs, but no more of them than there are pages left. `promise`, the mean promise of
    the URLs taken so far, makes the rule independent of the unit of promises, and `pages`, the whole budget, makes the
    loss a share of the area under the crawl's curve. The mean is over the whole crawl, since a second is worth the same
    at its beginning, when promises are high and much can be lost, as at its end. `seconds` is the usual time between
    two pages, or the time since the last URL was taken if that is longer: a crawl may slow down, but it goes on.

    Nothing is reserved if the time left is too short for the pages left, without a limit of pages, or with a haste of
    1.
    """

    def __init__(self, haste: float) -> None:
        """`haste` ranges from 0, to wait for every better URL, to 1, to wait for none."""
        self.ever_waits = haste < 1.0
        """Whether it may ever be better to wait."""
        self._rate = _USUAL_RATE * (haste / (1.0 - haste)) ** 2 if self.ever_waits else inf
        self.waiting = PromiseHistogram()
        """The promises of the URLs that are worth waiting for, here and elsewhere."""
        self.elsewhere = Elsewhere()
        """What other shards have: see `expect`."""
        self._left = self._total = self._seconds_left = inf
        self._interval = 0.0  # seconds between two pages
        self._taken = 0.0  # mean promise of the URLs taken
        self._count = 0  # their number
        self._count_at_update = 0  # their number at the last call of `expect`
        self._last_taken: float | None = None
        self._last_done: float | None = None
        self._pages = 0

    def plan(self, left: float, total: float, seconds_left: float) -> None:
        """Set the pages left, the total number of pages, and the time left; inf for no limit."""
        self._left, self._total, self._seconds_left = left, total, seconds_left

    def expect(self, elsewhere: Elsewhere) -> None:
        """Set what other shards have."""
        self.waiting.add_points(self.elsewhere.waiting, -1)
        self.waiting.add_points(elsewhere.waiting)
        self.elsewhere = elsewhere
        self._count_at_update = self._count

    def points(self, most: int) -> Points:
        """The promises of the URLs that wait here: see `PromiseHistogram.points`."""
        self.waiting.add_points(self.elsewhere.waiting, -1)
        points = self.waiting.points(most)
        self.waiting.add_points(self.elsewhere.waiting)
        return points

    def stop(self) -> None:
        """Never wait for better URLs from now on."""
        self.ever_waits = False

    @property
    def _is_patient(self) -> bool:
        return self.ever_waits and self._total != inf and self._left * self._interval <= self._seconds_left

    def time_for(self, promise: float, now: float) -> float:
        """The time from which a URL is worth taking if nothing changes: `now` or earlier if it is now, inf if never."""
        elsewhere = self.elsewhere
        last = max(elsewhere.last_taken, -inf if self._last_taken is None else self._last_taken)
        if last == -inf or not self._is_patient:
            return now
        meanwhile = elsewhere.taken_meanwhile(promise, now, self._count - self._count_at_update)
        loss = self.waiting.excess(promise, max(self._left, 1.0)) - meanwhile
        tolerated = self._rate * abs(elsewhere.taken or self._taken) * self._total  # per second
        if loss <= tolerated * (elsewhere.interval or self._interval):
            return now
        return last + loss / tolerated if tolerated else inf

    @property
    def taken(self) -> float:
        """The mean promise of the URLs taken so far."""
        return self._taken

    def take(self, promise: float, now: float) -> None:
        """Record that a URL was taken."""
        self.restore(promise)
        self._last_taken = now

    def restore(self, promise: float) -> None:
        """Record that a URL was taken by an earlier run."""
        self._count += 1
        self._taken += (promise - self._taken) / self._count

    def done(self, now: float) -> None:
        """Record that a page was fetched."""
        if self._last_done is not None:
            self._pages += 1
            newest = max(_SMOOTHING, 1 / self._pages)  # a plain mean at first
            self._interval += newest * (min(now - self._last_done, _MAX_INTERVAL) - self._interval)
        self._last_done = now
