"""Hooks in the loop of a crawl, for commands and for learning from labels."""

from __future__ import annotations

from typing import Protocol


class Control(Protocol):
    """Applies commands, which are recorded with the next commit."""

    def apply(self, now: float) -> None:
        """Apply the received commands. Called before every commit of the run except the last."""
        ...

    def committed(self) -> None:
        """Called when the applied commands are on disk."""
        ...


class LessonSteps(Protocol):
    """Lets the crawl learn from labels while it runs, a little at a time."""

    @property
    def is_busy(self) -> bool:
        """Whether `step` has something to do immediately."""
        ...

    @property
    def awaits_commit(self) -> bool:
        """Whether `step` has something to do right after the next commit, since enough has changed for one commit."""
        ...

    def step(self) -> None:
        """Do a little work. Called in every iteration of the loop."""
        ...

    async def close(self) -> None:
        """Cancel the work in progress."""
        ...
