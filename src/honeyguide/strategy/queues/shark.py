"""Shark-Search: what a page promises fades along the way, and never ends at once (spec, section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from honeyguide.frontier import Frontier, State
from honeyguide.strategy.queues.base import Plain, offered
from honeyguide.strategy.queues.column import Column

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading


class Shark(Plain):
    """gamma · what a link inherits + (1 - gamma) · what its neighbourhood says; of several offers the best counts.

    A link inherits delta · the relevance of its page, if that has any, else delta · what the page itself has inherited;
    from several pages, the most. Seeds have inherited nothing. A reading's scores are those of the neighbourhoods.
    """

    def __init__(self, delta: float, gamma: float) -> None:
        super().__init__()
        self._delta = delta
        self._gamma = gamma
        self._inherited = Column("inherited")

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """As `Queue.page`."""
        inherited = self._delta * (reading.relevance if reading.relevance > 0 else self._inherited[number])
        gamma = self._gamma
        scores = [gamma * inherited + (1 - gamma) * around for around in reading.scores]
        self._pass_on(frontier, offered(frontier, number, reading.links, scores, max_depth), inherited)

    def moved(self, frontier: Frontier, source: int, target: int) -> None:
        """As `Queue.moved`. The target inherits what had been for what led to it."""
        self._pass_on(frontier, [target], self._inherited[source])

    def changed(self) -> Iterable[tuple[str, bytes]]:
        """As `Queue.changed`."""
        return self._inherited.changed()

    def restore(self, frontier: Frontier, kept: Mapping[str, bytes]) -> None:  # noqa: ARG002 (as `Queue.restore`)
        """As `Queue.restore`."""
        self._inherited.restore(kept)

    def _pass_on(self, frontier: Frontier, links: Sequence[int], inherited: float) -> None:
        """To those that are not fetched yet."""
        state = frontier.record.state
        for link in links:
            if state[link] <= State.IN_FLIGHT and inherited > self._inherited[link]:
                self._inherited[link] = inherited
