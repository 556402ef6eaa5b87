"""Shark-Search: the inherited score decays along the path (spec, section 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from typing_extensions import override

from honeyguide.frontier import Frontier, State
from honeyguide.strategy.queues.base import PlainQueue, offer_links
from honeyguide.strategy.queues.column import FloatColumn

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading


class SharkQueue(PlainQueue):
    """gamma · inherited score + (1 - gamma) · neighbourhood score; of several offers, the best counts.

    A link inherits delta · the relevance of its page, if that is not 0, else delta · the inherited score of the page;
    from several pages, the highest. Seeds inherit 0. The scores of a reading are those of the neighbourhoods.
    """

    def __init__(self, delta: float, gamma: float) -> None:
        super().__init__()
        self._delta = delta
        self._gamma = gamma
        self._inherited = FloatColumn("inherited")

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        inherited = self._delta * (reading.relevance if reading.relevance > 0 else self._inherited[number])
        gamma = self._gamma
        links = ((url, gamma * inherited + (1 - gamma) * around) for url, around in reading.links.rows())
        self._pass_on(frontier, offer_links(frontier, number, links, max_depth), inherited)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """The target takes over the inherited score of its source."""
        self._pass_on(frontier, [target], self._inherited[source])

    @override
    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        return self._inherited.dirty_state()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        self._inherited.restore(state)

    def _pass_on(self, frontier: Frontier, links: Sequence[int], inherited: float) -> None:
        """Set the inherited score of links that have not been fetched yet, if it is higher."""
        state = frontier.urls.state
        for link in links:
            if state(link) <= State.IN_FLIGHT and inherited > self._inherited[link]:
                self._inherited[link] = inherited
