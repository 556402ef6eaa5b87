"""The coordinator together with its files: the folder of the whole crawl, the ledger of grants, and the inbox."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.cluster.coordinator import Coordinator
from honeyguide.cluster.ledger import GrantLedger
from honeyguide.cluster.lessons import ClusterLessons
from honeyguide.cluster.messages import Orders, ShardReport
from honeyguide.crawl.again.budget import AgainBudget
from honeyguide.crawl.again.revisits import RevisitOptions
from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.clock import Clock, WallClock
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store.commands import changed_limits, checked
from honeyguide.store.folder import lock_folder
from honeyguide.store.inbox import INBOX, Message, pending
from honeyguide.store.shards import read_layout, write_layout
from honeyguide.store.tally import Tally
from honeyguide.topic import Topic

_log = logging.getLogger("honeyguide.cluster")


class ClusterHead:
    """The coordinator of a run. It locks the folder of the crawl, so there is only one at a time.

    Grants, changed limits and the end of the run are in cluster.json before any shard learns of them. If the
    coordinator dies, its successor continues from there, and rebuilds the rest from the reports of the shards, except
    those that have ended.
    """

    def __init__(
        self, folder: Path, topic: Topic, clock: Clock | None = None, again: RevisitOptions | None = None
    ) -> None:
        """With `again`, pages are visited again: see `Session`.

        Raises `InputError` when another process has locked the folder.
        """
        self._folder = folder
        self._topic = topic
        self._clock = clock or WallClock()
        self._lock = lock_folder(folder)
        try:
            layout = read_layout(folder)
            self._layout = replace(layout, epoch=layout.epoch + 1)
            write_layout(folder, self._layout)
        except BaseException:
            self.close()
            raise
        self._forwarded: set[str] = set()
        again = RevisitOptions.of(topic.revisit, again)
        before = Tally.of(self._layout.before)
        only = again is not None and again.only
        self.lessons = ClusterLessons(folder, topic, self._layout.shards)
        self.coordinator = Coordinator(
            self._layout.shards,
            replace(topic.budget, **self._layout.limits),
            topic.fetch.patience,
            GrantLedger.load(self._layout.ledger),
            self._layout.epoch,
            self._clock.now(),
            self._save,
            None if self._layout.stop is None else StopReason(*self._layout.stop),
            None if again is None else AgainBudget(before, only=only),
            before.visits if only else before.again,
            topic.revisit.share,
        )

    def close(self) -> None:
        """Unlock the folder."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _save(self, ledger: Mapping[str, Any], stop: StopReason | None) -> None:
        self._layout = replace(self._layout, ledger=ledger, stop=None if stop is None else (stop.kind, stop.text))
        write_layout(self._folder, self._layout)

    def report(self, report: ShardReport) -> Orders:
        """Take the report of a shard, and return its orders."""
        self.lessons.take(report)
        return self.lessons.answer(report, self.coordinator.report(report, self._clock.now()))

    def poll(self) -> None:
        """Forward new commands and start to fit if necessary. Called about once a second, in an event loop."""
        self.lessons.step()
        for message in pending(self._folder):
            if message.id not in self._forwarded:
                self._forwarded.add(message.id)
                self.coordinator.tell(message)
                if message.command.name == "budget":
                    self._change_budget(message)
            elif self.coordinator.all_have_command(message.id):  # every shard has it on its own disk
                (self._folder / INBOX / f"{message.id}.json").unlink(missing_ok=True)

    def _change_budget(self, message: Message) -> None:
        """Change the limits of the whole crawl; each shard records the command itself."""
        budget = self.coordinator.budget
        try:
            command = checked(message.command, replace(self._topic, budget=budget))
            limits: Any = changed_limits(command.arguments, budget)
        except InputError as error:
            _log.warning("%s", error)
            return
        self.coordinator.budget = replace(budget, **limits)
        self._layout = replace(self._layout, limits={**self._layout.limits, **limits})
        write_layout(self._folder, self._layout)

    def request_stop(self, text: str) -> None:
        """End the run."""
        self.coordinator.request_stop(StopReason("interrupted", text))

    @property
    def tally(self) -> Tally:
        """The counts of the whole crawl."""
        return self.coordinator.tally

    def check(self) -> None:
        """Raise `HoneyguideError` if a shard has failed."""
        for shard, report in self.coordinator.reports.items():
            if report.ended is not None and report.ended.kind == "failed":
                raise HoneyguideError(f"shard {shard}: {report.ended.text}")
