"""Running means: a priority of the mean relevance of the pages that contain a link, and its anchor (004)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from typing_extensions import override

from honeyguide.frontier import Frontier, Merge, State
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.queues.column import FloatColumn

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading


class MeanQueue(PlainQueue):
    """λ · mean relevance of the fetched pages that contain the link + (1 - λ) · score of its anchor (spec, section 1).

    A reading's scores are those of the anchors. The paper assumes one anchor per link; of several the best
    counts, since a poor anchor on another page ("here", an image) does not invalidate it. Seeds keep their priority.
    """

    def __init__(self, share: float) -> None:
        """`share` is λ."""
        super().__init__(Merge.MAX)  # matters only for redirects: all other priorities are set here
        self._share = share
        self._sums = FloatColumn("relevance of pages")
        self._pages = FloatColumn("pages")
        self._anchors = FloatColumn("anchor")

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """On a page at `max_depth`, only links to known URLs are updated."""
        urls, relevance = frontier.urls, reading.relevance
        depth = urls.depth(number) + 1
        may_add = not max_depth or depth <= max_depth
        for url, anchor in reading.links.rows():
            link = urls.find(url)
            if link is not None:
                self._add(frontier, link, relevance, 1, anchor)
            elif may_add:
                link = frontier.offer(url, self._priority(relevance, anchor), number, depth)
                self._note(link, relevance, 1, anchor)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """Pages that link to the source count as linking to the target."""
        if frontier.urls.depth(source):
            self._add(frontier, target, self._sums[source], self._pages[source], self._anchors[source])

    @override
    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        for column in (self._sums, self._pages, self._anchors):
            yield from column.dirty_state()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        for column in (self._sums, self._pages, self._anchors):
            column.restore(state)

    def _add(self, frontier: Frontier, link: int, relevance: float, pages: float, anchor: float) -> None:
        """Add further pages that contain a known link."""
        urls = frontier.urls
        if urls.state(link) > State.IN_FLIGHT or not urls.depth(link):
            return
        pages += self._pages[link]
        relevance += self._sums[link]
        anchor = max(anchor, self._anchors[link])
        self._note(link, relevance, pages, anchor)
        frontier.change(link, self._priority(relevance / pages, anchor))

    def _note(self, link: int, relevance: float, pages: float, anchor: float) -> None:
        self._sums[link] = relevance
        self._pages[link] = pages
        if anchor:  # most have none, and it never decreases
            self._anchors[link] = anchor

    def _priority(self, relevance: float, anchor: float) -> float:
        return self._share * relevance + (1 - self._share) * anchor
