"""A progress bar for work whose steps can be counted."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from honeyguide.cli.output import say

_LINES = 10  # without a terminal, progress is this many lines


class Bar:
    """Progress on standard error: a bar on a terminal, otherwise a few lines; nothing if `quiet`.

    It begins with the first `show`, and ends with the block, or earlier with `stop`.
    """

    def __init__(self, *, quiet: bool) -> None:
        console = Console(stderr=True)
        self._progress: Progress | None = None
        if not quiet and console.is_terminal:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._progress = Progress(*columns, console=console, transient=True)
        self._quiet = quiet
        self._tasks: dict[str, int] = {}
        self._last_line = ("", -1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Make room for another display."""
        if self._progress is not None:
            self._progress.stop()

    def show(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` steps of `what` are done."""
        if self._progress is not None:
            self._progress.start()
            if what not in self._tasks:
                self._tasks[what] = self._progress.add_task(what, total=total)
            self._progress.update(self._tasks[what], completed=done, total=total)  # type: ignore[arg-type]
        elif not self._quiet and total:
            line = (what, done * _LINES // total)
            if line != self._last_line:
                self._last_line = line
                say(f"{what}: {done:,} of {total:,}", file=sys.stderr, flush=True)
