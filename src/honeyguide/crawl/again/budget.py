"""The budget of a run that revisits pages: revisits count as pages, too."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from typing_extensions import override

from honeyguide.crawl.budget import OwnBudget, PagePlan, StopReason
from honeyguide.store.tally import Tally
from honeyguide.topic.budget import BudgetSettings

ALL_VISITED = StopReason(
    "exhausted", "all due pages have been revisited, and the new pages they led to have been fetched"
)


class AgainCounts(NamedTuple):
    """The results of the revisits of a run."""

    visited: int
    changed: int
    gone: int
    new: int
    """Pages that were fetched for the first time."""


class AgainBudget(OwnBudget):
    """The budget of the topic, with visits of known pages counted as pages.

    A run that does nothing else has the whole budget for itself, whatever earlier ones have used.
    """

    def __init__(self, earlier: Tally, *, only: bool) -> None:
        """`earlier` are the counts at the start of the run; `only` as in `RevisitOptions`."""
        self._only = only
        self._again, self._changed, self._gone = earlier.again, earlier.changed, earlier.gone
        self._pages, self._relevant, self._size = earlier.pages, earlier.relevant, earlier.size

    def counts(self, tally: Tally) -> AgainCounts:
        """The results of this run so far."""
        again, changed, gone = tally.again - self._again, tally.changed - self._changed, tally.gone - self._gone
        return AgainCounts(again, changed, gone, tally.pages - self._pages)

    def counted(self, tally: Tally) -> Tally:
        """The counts that the limits apply to."""
        visits = tally.again - self._again
        if not self._only:
            return Tally(tally.pages + visits, tally.relevant, size=tally.size, run_seconds=tally.run_seconds,
                         recent=tally.recent)  # fmt: skip
        return Tally(
            tally.pages - self._pages + visits,
            max(tally.relevant - self._relevant, 0),
            size=tally.size - self._size,
            run_seconds=tally.run_seconds,
            recent=deque(),
        )

    @override
    def spent(self, budget: BudgetSettings, tally: Tally) -> StopReason | None:
        return super().spent(budget, self.counted(tally))

    @override
    def idle(self, next_time: float | None, now: float, patience: float, *, unpromising: bool) -> StopReason | None:
        if self._only and next_time is None:
            return ALL_VISITED
        return super().idle(next_time, now, patience, unpromising=unpromising)

    @override
    def pages(self, budget: BudgetSettings, tally: Tally) -> float:
        return super().pages(budget, self.counted(tally))

    @override
    def plan(self, budget: BudgetSettings, tally: Tally) -> PagePlan:
        return super().plan(budget, self.counted(tally))
