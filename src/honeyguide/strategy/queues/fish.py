"""Fish-Search: a line of irrelevant pages is followed so deep and no deeper (spec, section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from honeyguide.frontier import Frontier
from honeyguide.strategy.queues.base import Plain, offered
from honeyguide.strategy.queues.column import Column

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

FED: Final = 1.0
"""The score of the first links of a relevant page."""
HUNGRY: Final = 0.5
"""The score of the first links of an irrelevant one."""


class Fish(Plain):
    """Links are offered with their scores, and with the depth that is left to them; of several the best counts.

    The links of a relevant page have the full depth, those of an irrelevant one a link less than the page itself. Where
    nothing is left an irrelevant page is not followed; a relevant one always is, since it has its depth back.
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        self._full = float(depth)
        self._left = Column("depth left", self._full)  # seeds have it all

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """As `Queue.page`. That the page is relevant is told by its first link, whose score is `FED` then."""
        if not reading.links:
            return
        left = self._full if reading.scores[0] == FED else self._left[number] - 1
        if left < 0:
            return
        known = len(frontier.record)
        links = offered(frontier, number, reading.links, reading.scores, max_depth)
        self._note(links, known, left)

    def moved(self, frontier: Frontier, source: int, target: int) -> None:
        """As `Queue.moved`. The target has what is left to what led to it, if that is more."""
        known = target if frontier.record.parent[target] == source else target + 1
        self._note([target], known, self._left[source])

    def changed(self) -> Iterable[tuple[str, bytes]]:
        """As `Queue.changed`."""
        return self._left.changed()

    def restore(self, frontier: Frontier, kept: Mapping[str, bytes]) -> None:  # noqa: ARG002 (as `Queue.restore`)
        """As `Queue.restore`."""
        self._left.restore(kept)

    def _note(self, links: Sequence[int], known: int, left: float) -> None:
        """What is left to some links; those numbered below `known` have something already."""
        for link in links:
            if (link >= known and left < self._full) or left > self._left[link]:
                self._left[link] = left
