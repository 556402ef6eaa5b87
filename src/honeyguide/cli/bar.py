"""A progress bar for work whose steps can be counted."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_LINES = 10  # where no terminal can show a bar, so many lines say how far it is


class Bar:
    """Shows how far something is, on standard error: a bar on a terminal, else a few lines; nothing when quiet."""

    def __init__(self, *, quiet: bool) -> None:
        console = Console(stderr=True)
        self._progress: Progress | None = None
        if not quiet and console.is_terminal:
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._progress = Progress(*columns, console=console, transient=True)
        self._quiet = quiet
        self._tasks: dict[str, int] = {}
        self._said = ("", -1)

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, what: str, done: int, every: int) -> None:
        """So much of so much is done."""
        if self._progress is not None:
            if what not in self._tasks:
                self._tasks[what] = self._progress.add_task(what, total=every)
            self._progress.update(self._tasks[what], completed=done, total=every)  # type: ignore[arg-type]
        elif not self._quiet and every:
            said = (what, done * _LINES // every)
            if said != self._said:
                self._said = said
                print(f"{what}: {done:,} of {every:,}", file=sys.stderr, flush=True)
