"""Coordinates the shards of a crawl: grants pages, shares pending URLs and learnt weights, and ends the run.

It knows nothing about machines, processes or messages in transit: `report` takes the report of a shard and returns
its orders. State that must survive a crash is passed to `save` before `report` returns.
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
"""Points that a shard summarises its pending URLs with; what it gets about all other shards has twice as many."""
_SECONDS_AHEAD: Final = 2.0  # seconds of crawling granted in advance
_MIN_AHEAD: Final = 4  # pages granted in advance to every shard that is not idle, while the budget lasts
_TOP_UP: Final = 0.25  # of the pages that a shard should hold: a smaller grant is not worth a write to disk yet
_SMOOTHING: Final = 0.3  # weight of the latest measurement of the speed


class Coordinator:
    """Keeps the latest report of every shard.

    Invariant: the pages that all shards have fetched or may still fetch never exceed the budget: see `GrantLedger`.
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
        uncounted: int = 0,
        revisit_share: float = 0.5,
    ) -> None:
        """Set up for a run.

        Args:
            shards: The names of all shards.
            budget: The budget of the whole crawl.
            patience: Seconds that the crawl waits while no host may be contacted.
            ledger: What earlier runs, or a coordinator that died, granted.
            epoch: Larger than that of any earlier coordinator.
            now: The current time.
            save: Called with the ledger and the reason for the stop, if any, when either has changed; both are on
                disk when it returns.
            stop: Why the run ends, if a coordinator that died had already decided that.
            allowance: What the budget allows; by default, every page counts, in whichever run it was fetched.
            uncounted: Visits of earlier runs that the budget does not count.
            revisit_share: The share of visits that go to known pages while new pages are waiting.
        """
        self.shards = tuple(shards)
        self.budget = budget
        self.tally = Tally()
        """The counts of the whole crawl."""
        self._patience = patience
        self._ledger = ledger
        self._epoch = epoch
        self._save = save
        self._allowance = allowance or OwnBudget()
        self._uncounted = uncounted
        self._revisit_share = revisit_share
        self._began = now
        self._earlier_seconds: float | None = None  # of crawling, in earlier runs
        self._reports: dict[str, ShardReport] = {}
        self._waiting, self._due = PromiseHistogram(), PromiseHistogram()  # sums over all shards
        self._learnt: dict[str, Floats] = {}
        self._all_learnt: Floats = np.zeros(0)  # running sum: the cost of a report must not grow with the shards
        self._version = 0  # of `_all_learnt`
        self._speed = 0.0  # pages per second, of the whole crawl
        self._speed_measured = (now, 0)  # time of the last measurement of the speed, and the pages at that time
        self._last_page = -inf
        self._wave = 1
        self._quiet: tuple[int, ...] | None = None  # the totals of the last wave, if all shards were idle in it
        self._stop = self._saved_stop = stop
        self._commands: list[Message] = []
        self._received: dict[str, set[str]] = {shard: set() for shard in self.shards}  # ids of commands, per shard

    # ---- control ----

    def request_stop(self, reason: StopReason) -> None:
        """End the run."""
        self._stop = self._stop or reason

    def tell(self, message: Message) -> None:
        """Pass a command to all shards."""
        if all(message.id != command.id for command in self._commands):
            self._commands.append(message)
            self._commands.sort(key=lambda command: command.id)

    def all_have_command(self, command_id: str) -> bool:
        """Whether all shards have received a command."""
        return all(command_id in received for received in self._received.values())

    @property
    def stop(self) -> StopReason | None:
        """Why the run ends; None while it goes on."""
        return self._stop

    @property
    def has_ended(self) -> bool:
        """Whether all shards have ended."""
        return all(shard in self._reports and self._reports[shard].ended for shard in self.shards)

    @property
    def reports(self) -> Mapping[str, ShardReport]:
        """The latest report of each shard."""
        return self._reports

    # ---- reports ----

    def report(self, report: ShardReport, now: float) -> Orders:
        """Take the report of a shard, and return its orders."""
        previous = self._reports.get(report.shard)
        is_outdated = previous is not None and (previous.life, previous.number) >= (report.life, report.number)
        used = report.tally.visits - report.start
        self._received[report.shard] |= report.commands
        if not is_outdated and self._ledger.report(report.shard, report.life, report.start, used, report.returned):
            self._take(report, previous, now)
        if self._stop is None:
            self._stop = self._reason()
        keep = self._keep(report)
        granted = self._grant(report, keep)
        if granted or self._stop is not self._saved_stop:
            self._saved_stop = self._stop
            self._save(self._ledger.dump(), self._stop)
        return self._orders(report, keep, now)

    def _take(self, report: ShardReport, previous: ShardReport | None, now: float) -> None:
        if previous is not None:
            self._waiting.add_points(previous.waiting, -1)
            self._due.add_points(previous.due, -1)
        if report.is_idle:  # it can fetch none of its URLs: no other shard should wait for them, or leave pages to it
            report = replace(report, waiting=(), due=())
        self._waiting.add_points(report.waiting)
        self._due.add_points(report.due)
        self._reports[report.shard] = report
        if report.learnt is not None:
            old = self._learnt.get(report.shard)
            change = report.learnt if old is None else report.learnt - old
            self._all_learnt = self._all_learnt + change if len(self._all_learnt) else change
            self._learnt[report.shard] = report.learnt
            self._version += 1
        self._count(report, previous, now)
        if report.ended is not None and not report.ended.finished and self._stop is None:
            self._stop = report.ended  # the shard itself was stopped, or it failed
        if all(shard in self._reports and self._reports[shard].wave >= self._wave for shard in self.shards):
            self._end_wave(now)

    def _count(self, report: ShardReport, previous: ShardReport | None, now: float) -> None:
        tally, own, old = self.tally, report.tally, previous.tally if previous is not None else Tally()
        pages = tally.pages + own.pages - old.pages
        if previous is not None and previous.life == report.life:
            relevant = max(report.tally.relevant - previous.tally.relevant, 0)
            tally.recent.extend(number < relevant for number in range(pages - tally.pages))
            if own.visits > old.visits:
                self._last_page = now
        for name in ("relevant", "duplicates", "size", "answers", "again", "changed", "gone"):
            setattr(tally, name, getattr(tally, name) + getattr(own, name) - getattr(old, name))
        tally.pages = pages
        tally.best = max(tally.best, own.best)
        for name in COUNTED:
            setattr(tally, name, getattr(tally, name) + getattr(own, name) - getattr(old, name))
        if self._earlier_seconds is None and len(self._reports) == len(self.shards):
            self._earlier_seconds = max(one.tally.seconds - one.tally.run_seconds for one in self._reports.values())
            self._speed_measured = (now, tally.visits)
            window = self.budget.harvest_window or 100
            tally.recent = type(tally.recent)(tally.recent, maxlen=window)
        tally.run_seconds = max(tally.run_seconds, own.run_seconds)
        tally.seconds = (self._earlier_seconds or 0.0) + tally.run_seconds
        measured, visits = self._speed_measured
        if self._earlier_seconds is not None and now - measured >= 0.5:  # all pages of earlier runs are counted
            self._speed += _SMOOTHING * ((tally.visits - visits) / (now - measured) - self._speed)
            self._speed_measured = (now, tally.visits)

    # ---- the end ----

    def _reason(self) -> StopReason | None:
        if len(self._reports) < len(self.shards):
            return None
        return self._allowance.spent(self.budget, self.tally)

    def _end_wave(self, now: float) -> None:
        """Start a new wave, now that all shards have reported in this one, and stop if the crawl has terminated.

        It has terminated if, in two consecutive waves with the same totals, all shards are idle and as many items were
        received as were sent. One wave is not enough, since an item may be in transit while the shards report
        (Mattern's four-counter method).
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
        """The maximum number of visits in all runs together; 0 for no limit."""
        return self.budget.pages + self._uncounted if self.budget.pages else 0

    def _grant(self, report: ShardReport, keep: int) -> int:
        account = self._ledger.accounts[report.shard]
        if account.life != report.life or self._stop is not None or len(self._ledger.accounts) < len(self.shards):
            return 0
        missing = keep - account.unused
        if missing < _TOP_UP * keep:
            return 0
        return self._ledger.grant(report.shard, missing, self._limit)

    def _keep(self, report: ShardReport) -> int:
        """How many unused pages a shard should hold: as many as it has of the best pending URLs of all shards.

        So the best URLs are fetched first, whichever shard they are on. While the budget lasts, a shard gets a few
        pages more, so that it need not ask for each.
        """
        if report.is_idle or report.ended is not None:
            return 0
        free = self._ledger.free(self._limit)
        if free == inf:
            return 1_000_000_000
        unused = sum(max(account.unused, 0) for account in self._ledger.accounts.values())
        window = max(_SECONDS_AHEAD * self._speed, _MIN_AHEAD * len(self.shards))
        is_last = free + unused <= window
        window = min(window, free + unused)
        share = self._share(report, window)
        if is_last:
            return ceil(share * window)
        return max(_MIN_AHEAD, ceil(share * window))

    def _share(self, report: ShardReport, window: float) -> float:
        """The fraction of the `window` best visits, of all shards, that belongs to a shard."""
        if not self._waiting.count and not self._due.count:
            busy = sum(not one.is_idle and one.ended is None for one in self._reports.values())
            return 1 / max(busy, 1)
        again = (self._revisit_share if self._waiting.count else 1.0) if self._due.count else 0.0
        new = (1.0 - again) * _share_of_best(report.waiting, self._waiting, (1.0 - again) * window)
        return new + again * _share_of_best(report.due, self._due, again * window)

    # ---- orders ----

    def _orders(self, report: ShardReport, keep: int, now: float) -> Orders:
        account = self._ledger.accounts[report.shard]
        plan = self._allowance.plan(self.budget, self.tally)
        return Orders(
            epoch=self._epoch,
            life=account.life,
            wave=self._wave,
            granted=account.granted,
            keep=keep,
            left=plan.left,
            total=plan.total,
            seconds=plan.seconds,
            waiting=self._elsewhere(report),
            interval=1 / self._speed if self._speed else 0.0,
            taken=self._taken(),
            idle_for=now - self._last_page,
            learnt=self._learnt_elsewhere(report),
            version=self._version,
            commands=tuple(command for command in self._commands if command.id not in self._received[report.shard]),
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


def _share_of_best(own: Points, everywhere: PromiseHistogram, count: float) -> float:
    """The fraction of the `count` best pending URLs of all shards that are a shard's own."""
    best, worst = 0, -inf
    for promise, urls in everywhere.points(4 * POINTS):
        best, worst = best + urls, promise
        if best >= count:
            break
    # A point stands for a range of promises, so the points of a shard may differ a little from those of all shards.
    slack = abs(worst) * 0.01
    return min(sum(urls for promise, urls in own if promise >= worst - slack) / max(best, 1), 1.0)
