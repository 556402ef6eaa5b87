"""A strategy that learns during the crawl which positions on a page have links to relevant pages.

Menus are at the top, with short anchor texts; links in the main text are further down and longer. Which of them are
worth following differs from web to web, so it is learnt rather than fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import Frontier
from honeyguide.page.context import anchors, windows
from honeyguide.settings import Parameter
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.queues.base import PlainQueue, offer_links
from honeyguide.strategy.queues.column import FloatColumn
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import Rule

POSITION = "position"
"""The column that the rule adds to the link table and the queue reads."""

TENTHS = 10
LONGEST = 5  # words of an anchor text; longer ones are treated as this long


def position_rule(window: int) -> Rule:
    """A rule that scores a link by the words around it, and records its position on the page."""

    def rule(view: PageView) -> LinkTable:  # pure: worker processes run it
        return view.table(view.scores(windows(view.page, window)), **{POSITION: positions(view)})

    return rule


def positions(view: PageView) -> NDArray[np.int64]:
    """The position of each link as one number: its tenth of the page, combined with the length of its anchor text."""
    spans = anchors(view.page)[np.array(view.links, np.intp)].astype(np.int64)  # the first word, and one past the last
    tenths = np.minimum(spans[:, 0] * TENTHS // max(len(view.page.words), 1), TENTHS - 1)
    lengths = np.minimum(spans[:, 1] - spans[:, 0], LONGEST)
    found: NDArray[np.int64] = tenths * (LONGEST + 1) + lengths
    return found


class PositionQueue(PlainQueue):
    """Offers each link at its score times the share of relevant pages among those found at its position.

    What it learns is saved with the crawl: `dirty_state` returns the changes, `restore` loads them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._position = FloatColumn("position", empty=-1.0)  # by URL: where it was first found; -1 for seeds
        self._pages = FloatColumn("position pages")  # by position: fetched pages that were found there
        self._relevant = FloatColumn("position relevant")  # by position: how many of these are relevant

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """Learn from a fetched page, and offer its links."""
        found_at = int(self._position[number])
        if found_at >= 0:
            self._pages[found_at] += 1
            self._relevant[found_at] += reading.relevant
        places = reading.links[POSITION].tolist()
        rows = zip(reading.links.rows(), places, strict=True)
        offers = [(url, score * self._share(place)) for (url, score), place in rows]
        # The links of a page at the maximum depth are not offered, so there are no numbers.
        for link, place in zip(offer_links(frontier, number, offers, max_depth), places, strict=False):
            if self._position[link] < 0:
                self._position[link] = place

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:  # noqa: ARG002 (only needs the numbers)
        """The target of a redirect has the position of the link that led to it."""
        if self._position[target] < 0:
            self._position[target] = self._position[source]

    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        """Everything that has changed since the last call."""
        return [piece for column in self._columns() for piece in column.dirty_state()]

    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:  # noqa: ARG002 (stores numbers only)
        """Load the saved state."""
        for column in self._columns():
            column.restore(state)

    def _columns(self) -> tuple[FloatColumn, ...]:
        return self._position, self._pages, self._relevant

    def _share(self, place: int) -> float:
        """The share of relevant pages among those found at a position, with add-one smoothing."""
        return (self._relevant[place] + 1) / (self._pages[place] + 2)


def _rule(values: Mapping[str, Any]) -> Rule:
    return position_rule(values["window"])


def _queue(_values: Mapping[str, Any]) -> PositionQueue:
    return PositionQueue()


RECIPE = Recipe(
    name="link-position",
    source="example",
    summary="the words around a link, times the success rate of links at the same position on their pages",
    rule=_rule,
    queue=_queue,
    parameters={"window": Parameter(20, "words around a link", minimum=0, maximum=1000)},
    parts="whole page, text window, score of the window, learnt positions",
)
