"""Makes one crawl of many shards: hands out pages, says what waits elsewhere, adds up what was learnt, ends the run.

It knows nothing of machines, processes or messages under way: `report` takes what a shard says, and returns what to
tell it. Whatever it may not forget, it passes to `save` before it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil, inf
from typing import Any, Final

import numpy as np

from honeyguide.cluster.ledger import GrantLedger
from honeyguide.cluster.messages import Floats, Orders, ShardReport
from honeyguide.crawl.budget import OwnBudget, StopReason
from honeyguide.frontier import Points, PromiseHistogram
from honeyguide.store.inbox import Message
from honeyguide.store.tally import COUNTED, Tally
from honeyguide.topic.budget import BudgetSettings

POINTS: Final = 64
"""By which a shard describes what waits there; others get twice as many."""
_AHEAD: Final = 2.0  # seconds of crawling that are granted ahead
_LEAST: Final = 4  # pages that a shard with anything to do is granted ahead, while there are enough
_SMOOTHING: Final = 0.3  # of the speed, per report


class Coordinator:
    """Knows the latest report of every shard.

    Invariant: the pages of all shards, with those that they may still fetch, are never more than the budget: see
    `GrantLedger`.
    """

    def __init__(
        self,
        shards: Sequence[str],
        budget: BudgetSettings,
        patience: float,
        ledger: GrantLedger,
        epoch: int,
        now: float,
        save: Callable[[Mapping[str, Any], StopReason | None], None],
        stop: StopReason | None = None,
        allowance: OwnBudget | None = None,
        before: int = 0,
        share_again: float = 0.5,
    ) -> None:
        """Set up for a run.

        Args:
            shards: The names of all of them.
            budget: That of the whole crawl.
            patience: Seconds that the crawl waits when no host may be contacted.
            ledger: What earlier runs, or a coordinator that died, have granted.
            epoch: Larger than that of any coordinator before.
            now: The time.
            save: Called with the ledger, and why the run ends, when one of them has changed; they are safe when it
                returns.
            stop: Why the run ends, if a coordinator that died has decided that it does.
            allowance: What the budget allows; by default, every page counts, whichever run it was fetched by.
            before: Visits of earlier runs that the budget does not count.
            share_again: The share of visits to known pages while new ones wait, too.
        """
        self.shards = tuple(shards)
        self.budget = budget
        self.tally = Tally()
        """Of the whole crawl."""
        self._patience = patience
        self._ledger = ledger
        self._epoch = epoch
        self._save = save
        self._allowance = allowance or OwnBudget()
        self._uncounted = before
        self._share_again = share_again
        self._began = now
        self._before: float | None = None  # seconds of crawling in earlier runs
        self._reports: dict[str, ShardReport] = {}
        self._waiting, self._due = PromiseHistogram(), PromiseHistogram()  # of all shards
        self._learnt: dict[str, Floats] = {}
        self._all_learnt: Floats = np.zeros(0)  # their sum, kept: a report must not cost more with more shards
        self._version = 0  # of what was learnt
        self._speed = 0.0  # pages per second, of the whole crawl
        self._counted = (now, 0)  # when the speed was last measured, and the pages by then
        self._last_page = -inf
        self._wave = 1
        self._quiet: tuple[int, ...] | None = None  # the totals of the last wave, if nothing happened in it
        self._stop = self._saved_stop = stop
        self._told: list[Message] = []
        self._has_told: dict[str, set[str]] = {shard: set() for shard in self.shards}  # ids of those that it has

    # ---- from outside ----

    def request_stop(self, reason: StopReason) -> None:
        """End the run."""
        self._stop = self._stop or reason

    def tell(self, message: Message) -> None:
        """Pass a command on to all shards."""
        if all(message.id != one.id for one in self._told):
            self._told.append(message)
            self._told.sort(key=lambda one: one.id)

    def has_been_told(self, number: str) -> bool:
        """Whether all shards have a command."""
        return all(number in known for known in self._has_told.values())

    @property
    def stop(self) -> StopReason | None:
        """Why the run ends, if it does."""
        return self._stop

    @property
    def has_ended(self) -> bool:
        """Whether all shards have ended."""
        return all(shard in self._reports and self._reports[shard].ended for shard in self.shards)

    @property
    def reports(self) -> Mapping[str, ShardReport]:
        """The latest of each shard."""
        return self._reports

    # ---- reports ----

    def report(self, report: ShardReport, now: float) -> Orders:
        """A shard reports. Returns what to tell it."""
        before = self._reports.get(report.shard)
        is_known = before is not None and (before.life, before.number) >= (report.life, report.number)
        used = report.tally.visits - report.start
        self._has_told[report.shard] |= report.told
        if not is_known and self._ledger.report(report.shard, report.life, report.start, used, report.returned):
            self._take(report, before, now)
        if self._stop is None:
            self._stop = self._reason()
        granted = self._grant(report)
        if granted or self._stop is not self._saved_stop:
            self._saved_stop = self._stop
            self._save(self._ledger.dump(), self._stop)
        return self._orders(report, now)

    def _take(self, report: ShardReport, before: ShardReport | None, now: float) -> None:
        if before is not None:
            self._waiting.add_points(before.waiting, -1)
            self._due.add_points(before.due, -1)
        if report.is_idle:  # nothing of this can be fetched: no other shard should wait for it, or leave pages to it
            report = replace(report, waiting=(), due=())
        self._waiting.add_points(report.waiting)
        self._due.add_points(report.due)
        self._reports[report.shard] = report
        if report.learnt is not None:
            known = self._learnt.get(report.shard)
            new = report.learnt if known is None else report.learnt - known
            self._all_learnt = self._all_learnt + new if len(self._all_learnt) else new
            self._learnt[report.shard] = report.learnt
            self._version += 1
        self._count(report, before, now)
        if report.ended is not None and not report.ended.finished and self._stop is None:
            self._stop = report.ended  # it was told to stop by itself, or it has failed
        if all(shard in self._reports and self._reports[shard].wave >= self._wave for shard in self.shards):
            self._end_wave(now)

    def _count(self, report: ShardReport, before: ShardReport | None, now: float) -> None:
        tally, own, known = self.tally, report.tally, before.tally if before is not None else Tally()
        pages = tally.pages + own.pages - known.pages
        if before is not None and before.life == report.life:
            relevant = max(report.tally.relevant - before.tally.relevant, 0)
            tally.recent.extend(number < relevant for number in range(pages - tally.pages))
            if own.visits > known.visits:
                self._last_page = now
        for name in ("relevant", "duplicates", "size", "answers", "again", "changed", "gone"):
            setattr(tally, name, getattr(tally, name) + getattr(own, name) - getattr(known, name))
        tally.pages = pages
        tally.best = max(tally.best, own.best)
        for name in COUNTED:
            setattr(tally, name, getattr(tally, name) + getattr(own, name) - getattr(known, name))
        if self._before is None and len(self._reports) == len(self.shards):
            self._before = max(one.tally.seconds - one.tally.run_seconds for one in self._reports.values())
            self._counted = (now, tally.visits)
            window = self.budget.harvest_window or 100
            tally.recent = type(tally.recent)(tally.recent, maxlen=window)
        tally.run_seconds = max(tally.run_seconds, own.run_seconds)
        tally.seconds = (self._before or 0.0) + tally.run_seconds
        at, counted = self._counted
        if self._before is not None and now - at >= 0.5:  # before, pages of earlier runs are still being counted
            self._speed += _SMOOTHING * ((tally.visits - counted) / (now - at) - self._speed)
            self._counted = (now, tally.visits)

    # ---- the end ----

    def _reason(self) -> StopReason | None:
        if len(self._reports) < len(self.shards):
            return None
        return self._allowance.spent(self.budget, self.tally)

    def _end_wave(self, now: float) -> None:
        """All shards have reported since the last wave ended. If nothing happens any more, the crawl is over.

        That is so if all are idle and as many items were received as were sent, in two waves one after the other with
        the same totals: in one wave alone, an item could have been on its way past those that report (Mattern's method
        of four counters).
        """
        reports = self._reports.values()
        self._wave += 1
        sent, received = sum(one.sent for one in reports), sum(one.received for one in reports)
        if not all(one.is_idle for one in reports) or sent != received:
            self._quiet = None
            return
        totals = (sent, received, *(one.life for one in reports), self.tally.visits)
        if totals == self._quiet and self._stop is None:
            times = [one.next_time for one in reports if one.next_time is not None]
            unpromising = any(one.is_unpromising for one in reports)
            next_time = min(times, default=None)
            self._stop = self._allowance.idle(next_time, now, self._patience, unpromising=unpromising)
        self._quiet = totals

    # ---- grants ----

    @property
    def _limit(self) -> int:
        """The most visits that there may have been in all, by all runs; 0 for no limit."""
        return self.budget.pages + self._uncounted if self.budget.pages else 0

    def _grant(self, report: ShardReport) -> int:
        account = self._ledger.accounts[report.shard]
        if account.life != report.life or self._stop is not None or len(self._ledger.accounts) < len(self.shards):
            return 0
        return self._ledger.grant(report.shard, self._keep(report) - account.unused, self._limit)

    def _keep(self, report: ShardReport) -> int:
        """How many pages ahead a shard should have: as many as it has of the best URLs that wait anywhere.

        So the best are fetched first, wherever they are. A shard gets a few more while there are enough pages, so that
        it need not ask for each.
        """
        if report.is_idle or report.ended is not None:
            return 0
        free = self._ledger.free(self._limit)
        if free == inf:
            return 1_000_000_000
        unused = sum(max(account.unused, 0) for account in self._ledger.accounts.values())
        window = max(_AHEAD * self._speed, _LEAST * len(self.shards))
        is_last = free + unused <= window
        window = min(window, free + unused)
        share = self._share(report, window)
        if is_last:
            return ceil(share * window)
        return max(_LEAST, ceil(share * window))

    def _share(self, report: ShardReport, window: float) -> float:
        """The part of the best that there is to visit, so many, that a shard has."""
        if not self._waiting.count and not self._due.count:
            busy = sum(not one.is_idle and one.ended is None for one in self._reports.values())
            return 1 / max(busy, 1)
        again = (self._share_again if self._waiting.count else 1.0) if self._due.count else 0.0
        new = (1.0 - again) * _share_of_best(report.waiting, self._waiting, (1.0 - again) * window)
        return new + again * _share_of_best(report.due, self._due, again * window)

    # ---- orders ----

    def _orders(self, report: ShardReport, now: float) -> Orders:
        account = self._ledger.accounts[report.shard]
        plan = self._allowance.plan(self.budget, self.tally)
        return Orders(
            epoch=self._epoch,
            life=account.life,
            wave=self._wave,
            granted=account.granted,
            keep=self._keep(report),
            left=plan.left,
            total=plan.total,
            seconds=plan.seconds,
            waiting=self._elsewhere(report),
            interval=1 / self._speed if self._speed else 0.0,
            taken=self._taken(),
            idle_for=now - self._last_page,
            learnt=self._learnt_elsewhere(report),
            version=self._version,
            told=tuple(one for one in self._told if one.id not in self._has_told[report.shard]),
            stop=self._stop,
        )

    def _elsewhere(self, report: ShardReport) -> Points:
        own = self._reports.get(report.shard, report).waiting
        self._waiting.add_points(own, -1)
        points = self._waiting.points(2 * POINTS)
        self._waiting.add_points(own)
        return points

    def _taken(self) -> float:
        taken = [one.taken for one in self._reports.values() if one.taken]
        return sum(taken) / len(taken) if taken else 0.0

    def _learnt_elsewhere(self, report: ShardReport) -> Floats | None:
        own = self._learnt.get(report.shard)
        if len(self._learnt) <= (own is not None) or (report.epoch, report.version) == (self._epoch, self._version):
            return None
        return self._all_learnt if own is None else self._all_learnt - own


def _share_of_best(own: Points, all_of_them: PromiseHistogram, most: float) -> float:
    """Which part of the best that wait anywhere, so many, are among a shard's own."""
    best, worst = 0, -inf
    for promise, count in all_of_them.points(4 * POINTS):
        best, worst = best + count, promise
        if best >= most:
            break
    # A point stands for a range of promises, so those of a shard may be a little above or below that of all.
    slack = abs(worst) * 0.01
    return min(sum(count for promise, count in own if promise >= worst - slack) / max(best, 1), 1.0)
