"""What takes part in the loop of a crawl when there is somebody to tell it something."""

from __future__ import annotations

from typing import Protocol


class Control(Protocol):
    """Takes orders from outside, which are recorded with the next commit."""

    def apply(self, now: float) -> None:
        """Apply what has come in. Called before every commit of the run but the last."""
        ...

    def committed(self) -> None:
        """What was applied is on disk."""
        ...


class LessonSteps(Protocol):
    """Lets the crawl learn from labels while it runs, a little at a time."""

    @property
    def is_busy(self) -> bool:
        """Whether `step` has something to do at once."""
        ...

    @property
    def awaits_commit(self) -> bool:
        """Whether there is something to do at once after the next commit: what has changed is as much as one takes."""
        ...

    def step(self) -> None:
        """Do a little. Called in every turn of the loop."""
        ...

    async def close(self) -> None:
        """End what is under way."""
        ...
