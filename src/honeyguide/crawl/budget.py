"""When a crawl stops, and why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, Protocol

from typing_extensions import override

from honeyguide.store.tally import Tally
from honeyguide.topic.budget import BudgetSettings


@dataclass(frozen=True, slots=True)
class StopReason:
    """Why a crawl ended: one word for programs, one phrase for people."""

    kind: str
    """"pages", "relevant", "bytes", "minutes", "harvest", "promise", "exhausted", "waiting", "interrupted" or
    "failed"."""
    text: str

    @property
    def finished(self) -> bool:
        """Whether running the same crawl again, unchanged, would do nothing."""
        return self.kind not in ("interrupted", "waiting", "failed", "minutes")


INTERRUPTED = StopReason("interrupted", "interrupted by the user; run the same command again to continue")
EXHAUSTED = StopReason("exhausted", "nothing left to fetch within the scope")
UNPROMISING = StopReason("promise", "nothing left that promises as much as budget.min_promise")

_LAST_TIME = 253_402_000_000.0  # in the year 9999: later times have no date


def idle(next_time: float | None, now: float, patience: float, *, unpromising: bool) -> StopReason | None:
    """The reason to stop when no request is in progress; None to wait until `next_time`, when one may be made.

    If none may ever be made, nothing is left, or only URLs below ``budget.min_promise`` are (`unpromising`).
    """
    if next_time is None:
        return UNPROMISING if unpromising else EXHAUSTED
    if next_time - now <= patience:
        return None
    when = time.strftime("%H:%M", time.localtime(min(next_time, _LAST_TIME)))
    return StopReason(
        "waiting", f"none of the remaining hosts may be contacted before {when}; run the same command again then"
    )


class LimitState(NamedTuple):
    """How far a crawl has come towards one of its limits."""

    kind: str
    """As in `StopReason`."""
    done: float
    most: float

    @property
    def share(self) -> float:
        """The used fraction of the limit, from 0 to 1."""
        return min(self.done / self.most, 1.0)


def nearest_limit(budget: BudgetSettings, tally: Tally) -> LimitState | None:
    """The limit with the largest used fraction; None if no limit can be counted down to."""
    limits = (
        LimitState("pages", tally.pages, budget.pages),
        LimitState("relevant", tally.relevant, budget.relevant),
        LimitState("bytes", tally.size, budget.bytes),
        LimitState("minutes", tally.run_seconds / 60, budget.minutes),
    )
    return max((limit for limit in limits if limit.most), key=lambda limit: limit.share, default=None)


_ASSUMED_SIZE = 30_000  # assumed bytes per page before the first one


def pages_left(budget: BudgetSettings, tally: Tally) -> float:
    """Estimate how many more pages the limits allow, apart from the time limit; inf without limits.

    The estimate uses the mean size of pages and the share of relevant ones so far.
    """
    left = inf
    if budget.pages:
        left = budget.pages - tally.pages
    if budget.bytes:
        left = min(left, (budget.bytes - tally.size) * (tally.pages + 1) / (tally.size + _ASSUMED_SIZE))
    if budget.relevant:
        left = min(left, (budget.relevant - tally.relevant) * (tally.pages + 2) / (tally.relevant + 1))
    return max(left, 0.0)


def seconds_left(budget: BudgetSettings, tally: Tally) -> float:
    """The remaining time of this run; inf without a limit."""
    return 60 * budget.minutes - tally.run_seconds if budget.minutes else inf


def spent(budget: BudgetSettings, tally: Tally) -> StopReason | None:
    """The first limit that has been reached, or None."""
    if budget.pages and tally.pages >= budget.pages:
        return StopReason("pages", f"the budget of {budget.pages:,} pages is used up")
    if budget.relevant and tally.relevant >= budget.relevant:
        return StopReason("relevant", f"the target of {budget.relevant:,} relevant pages is reached")
    if budget.bytes and tally.size >= budget.bytes:
        return StopReason("bytes", f"the budget of {budget.bytes:,} bytes is used up")
    if budget.minutes and tally.run_seconds >= budget.minutes * 60:
        minutes = "minute" if budget.minutes == 1 else "minutes"
        text = f"this run has taken its {budget.minutes:g} {minutes}; run the same command again to continue"
        return StopReason("minutes", text)
    window = budget.harvest_window
    if window and len(tally.recent) >= window and tally.harvest_now < budget.harvest_floor:
        return StopReason(
            "harvest",
            f"only {tally.harvest_now:.1%} of the last {window:,} pages were relevant, "
            f"less than {budget.harvest_floor:.1%}",
        )
    return None


class PagePlan(NamedTuple):
    """The remaining budget; inf where there is no limit."""

    left: float
    """Pages."""
    total: float
    """Pages in total, including those fetched so far."""
    seconds: float


class Allowance(Protocol):
    """Decides how many pages a run may still fetch, and when it ends."""

    def spent(self, budget: BudgetSettings, tally: Tally) -> StopReason | None:
        """The reason to stop now, or None. Called in every iteration of the loop."""
        ...

    def idle(self, next_time: float | None, now: float, patience: float, *, unpromising: bool) -> StopReason | None:
        """The reason to stop when no request is in progress, or None: see the function `idle`."""
        ...

    def pages(self, budget: BudgetSettings, tally: Tally) -> float:
        """How many more pages may be fetched now, including those that are being fetched."""
        ...

    def plan(self, budget: BudgetSettings, tally: Tally) -> PagePlan:
        """The remaining budget of the whole crawl."""
        ...


class OwnBudget(Allowance):
    """The whole budget of the topic, for a crawl on one machine."""

    @override
    def spent(self, budget: BudgetSettings, tally: Tally) -> StopReason | None:
        return spent(budget, tally)

    @override
    def idle(self, next_time: float | None, now: float, patience: float, *, unpromising: bool) -> StopReason | None:
        return idle(next_time, now, patience, unpromising=unpromising)

    @override
    def pages(self, budget: BudgetSettings, tally: Tally) -> float:
        return budget.pages - tally.pages if budget.pages else inf

    @override
    def plan(self, budget: BudgetSettings, tally: Tally) -> PagePlan:
        left = pages_left(budget, tally)
        return PagePlan(left, tally.pages + left, seconds_left(budget, tally))
