"""Whether a URL is worth one of the pages left, or whether to wait for better ones on hosts that rest."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

from honeyguide.frontier.promise_histogram import Points, PromiseHistogram

_USUAL_RATE: Final = 0.006  # at a haste of 0.5: chosen on generated webs of 1,500 pages, see results/patience.md
_SMOOTHING: Final = 0.05  # of the running mean of times
_LONGEST: Final = 60.0  # seconds between two pages, beyond which the crawl was paused


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What other shards of a crawl have, so that one price holds for all of them."""

    waiting: Points = ()
    """The promises of their URLs that are worth waiting for, the highest first."""
    interval: float = 0.0
    """Seconds between two pages of the whole crawl; 0 for what is measured here."""
    taken: float = 0.0
    """What the URLs taken so far promised on average, in the whole crawl; 0 for what is measured here."""
    last_taken: float = -inf
    """When a page was last fetched anywhere."""
    since: float = -inf
    """When this became known; -inf if it is always up to date."""

    def is_better(self, promise: float) -> bool:
        """Whether anything there promises more."""
        return bool(self.waiting) and self.waiting[0][0] > promise

    def taken_meanwhile(self, promise: float, now: float, own: int) -> float:
        """By how much those URLs exceed a promise, in sum, that other shards have probably taken since this was known.

        They take the best first, and all shards together one in each interval, of which so many were this one's `own`.
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
    """Reserves the pages that are left for the best URLs, as far as the time that this takes is worth it.

    To take a URL while n better ones wait, on hosts that may not be contacted yet, is to take each of these one page
    later. By how much their promises exceed that of the URL, in sum, is what the crawl loses by it: for each of the
    next n pages its count of relevant pages is lower by the difference. What it gains is time. So the loss that is
    tolerated is proportional to the time between two pages, and a URL is taken as soon as

        Σ (pᵢ - p)  ≤  rate · haste²/(1 - haste)² · promise · pages · seconds,

    with the sum over the better URLs, but over no more of them than there are pages left; `promise`, what was taken on
    average, makes it independent of the unit of promises; and `pages`, the whole budget, makes the loss a share of the
    area under the crawl's curve. It is the average over the whole crawl, since a second is worth the same at its
    beginning, when promises are high and much can be lost, as at its end. The seconds are those that usually pass
    between two pages, or those since the last URL was taken, if these are more: a crawl slows down, but goes on.

    With less time than the pages that are left would take, time is scarce and nothing is reserved; nor if no limit
    is in pages, or with a haste of 1.
    """

    def __init__(self, haste: float) -> None:
        """`haste` is from 0, to wait for every better URL, to 1, to wait for none."""
        self.ever_waits = haste < 1.0
        """Whether it matters what waits."""
        self._rate = _USUAL_RATE * (haste / (1.0 - haste)) ** 2 if self.ever_waits else inf
        self.waiting = PromiseHistogram()
        """The promises of the URLs that are worth waiting for, here and elsewhere."""
        self.elsewhere = Elsewhere()
        """What waits on other machines: see `expect`."""
        self._left = self._all = self._seconds_left = inf
        self._interval = 0.0  # seconds between two pages
        self._taken = 0.0  # promise of what was taken, on average
        self._count = 0  # how much that was
        self._count_then = 0  # and when it became known what waits elsewhere
        self._last_taken: float | None = None
        self._last_done: float | None = None
        self._pages = 0

    def plan(self, left: float, total: float, seconds_left: float) -> None:
        """Set how many pages are left, how many there will have been in all, and the time left; inf for no limit."""
        self._left, self._all, self._seconds_left = left, total, seconds_left

    def expect(self, elsewhere: Elsewhere) -> None:
        """Set what waits on other machines."""
        self.waiting.add_points(self.elsewhere.waiting, -1)
        self.waiting.add_points(elsewhere.waiting)
        self.elsewhere = elsewhere
        self._count_then = self._count

    def points(self, most: int) -> Points:
        """What waits here: see `PromiseHistogram.points`."""
        self.waiting.add_points(self.elsewhere.waiting, -1)
        points = self.waiting.points(most)
        self.waiting.add_points(self.elsewhere.waiting)
        return points

    def stop(self) -> None:
        """Reserve nothing from now on."""
        self.ever_waits = False

    @property
    def _is_patient(self) -> bool:
        return self.ever_waits and self._all != inf and self._left * self._interval <= self._seconds_left

    def time_for(self, promise: float, now: float) -> float:
        """The time from which a URL is worth taking if nothing changes: at most `now` if it is now, inf if never."""
        elsewhere = self.elsewhere
        last = max(elsewhere.last_taken, -inf if self._last_taken is None else self._last_taken)
        if last == -inf or not self._is_patient:
            return now
        meanwhile = elsewhere.taken_meanwhile(promise, now, self._count - self._count_then)
        loss = self.waiting.excess(promise, max(self._left, 1.0)) - meanwhile
        tolerated = self._rate * abs(elsewhere.taken or self._taken) * self._all  # per second
        if loss <= tolerated * (elsewhere.interval or self._interval):
            return now
        return last + loss / tolerated if tolerated else inf

    @property
    def taken(self) -> float:
        """What the URLs taken so far promised, on average."""
        return self._taken

    def take(self, promise: float, now: float) -> None:
        """A URL was taken."""
        self.restore(promise)
        self._last_taken = now

    def restore(self, promise: float) -> None:
        """A URL was taken by an earlier run."""
        self._count += 1
        self._taken += (promise - self._taken) / self._count

    def done(self, now: float) -> None:
        """A page was fetched."""
        if self._last_done is not None:
            self._pages += 1
            newest = max(_SMOOTHING, 1 / self._pages)  # a plain mean at first
            self._interval += newest * (min(now - self._last_done, _LONGEST) - self._interval)
        self._last_done = now
