"""Fish-Search: a chain of irrelevant pages is followed to a limited depth (spec, section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from honeyguide.frontier import Frontier
from honeyguide.strategy.queues.base import PlainQueue, offer_links
from honeyguide.strategy.queues.column import FloatColumn

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

FED: Final = 1.0
"""The score of the first links of a relevant page."""
HUNGRY: Final = 0.5
"""The score of the first links of an irrelevant one."""


class FishQueue(PlainQueue):
    """Offers links with their scores and a remaining depth; of several offers, the best counts.

    The links of a relevant page get the full depth, those of an irrelevant page one less than the page itself. An
    irrelevant page without remaining depth is not followed; a relevant page always is, since it regains the full depth.
    """

    def __init__(self, depth: int) -> None:
        super().__init__()
        self._full = float(depth)
        self._left = FloatColumn("depth left", self._full)  # seeds have the full depth

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """The score of the first link shows whether the page is relevant: it is `FED` then."""
        if not len(reading.links):
            return
        left = self._full if reading.links.scores[0] == FED else self._left[number] - 1
        if left < 0:
            return
        known = len(frontier)
        links = offer_links(frontier, number, reading.links.rows(), max_depth)
        self._note(links, known, left)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """The target gets the remaining depth of its source, if that is larger."""
        known = target if frontier.urls.parent(target) == source else target + 1
        self._note([target], known, self._left[source])

    @override
    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        return self._left.dirty_state()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        self._left.restore(state)

    def _note(self, links: Sequence[int], known: int, left: float) -> None:
        """Record the remaining depth of some links; those numbered below `known` have one already."""
        for link in links:
            if (link >= known and left < self._full) or left > self._left[link]:
                self._left[link] = left
