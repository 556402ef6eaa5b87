"""What a queue is, and the plain one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from honeyguide.frontier import Frontier, Merge

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading


class Queue(Protocol):
    """Turns readings into offers and changes, in the order pages come in. A few operations a link, no scan.

    Whatever it remembers beyond the frontier's priorities it hands over to be kept (`changed`), piece by piece, and
    gets back when a crawl goes on (`restore`): so a crawl in pieces is the same as one in one go.
    """

    merge: Merge
    """What a second offer of a waiting URL does to its priority."""

    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        """The seeds have been offered, at priority 1; called at the start of every run."""
        ...

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """A page was fetched as URL `number`, read, and settled. 0 as `max_depth` is no limit."""
        ...

    def gone(self, frontier: Frontier, number: int) -> None:
        """A URL came to nothing: it failed or was refused."""
        ...

    def moved(self, frontier: Frontier, source: int, target: int) -> None:
        """A URL redirects to another, which has been offered with its priority."""
        ...

    def changed(self) -> Iterable[tuple[str, bytes]]:
        """What has changed since the last call, to be kept under its name."""
        ...

    def restore(self, frontier: Frontier, kept: Mapping[str, bytes]) -> None:
        """What was kept, before a run that goes on begins."""
        ...


@runtime_checkable
class Explaining(Protocol):
    """A queue that weighs several things, and can say what each came to."""

    def parts(self, frontier: Frontier, number: int) -> Sequence[tuple[str, float]]:
        """What spoke for a URL and against it: for a page when it was chosen, for a URL that waits as it is now."""
        ...


class Plain:
    """Each link is offered with its score; of several offers the best counts, or the last, or their sum."""

    def __init__(self, merge: Merge = Merge.MAX) -> None:
        self.merge = merge

    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        """As `Queue.begin`."""

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """As `Queue.page`."""
        offered(frontier, number, reading.links, reading.scores, max_depth)

    def gone(self, frontier: Frontier, number: int) -> None:
        """As `Queue.gone`."""

    def moved(self, frontier: Frontier, source: int, target: int) -> None:
        """As `Queue.moved`."""

    def changed(self) -> Iterable[tuple[str, bytes]]:
        """As `Queue.changed`: the frontier remembers everything."""
        return ()

    def restore(self, frontier: Frontier, kept: Mapping[str, bytes]) -> None:
        """As `Queue.restore`."""


def offered(
    frontier: Frontier, number: int, links: Sequence[str], scores: Sequence[float], max_depth: int
) -> list[int]:
    """Offer the links of a page, unless they lie deeper than `max_depth`. Returns their numbers."""
    depth = frontier.record.depth[number] + 1
    if max_depth and depth > max_depth:
        return []
    offer = frontier.offer
    return [offer(url, score, number, depth) for url, score in zip(links, scores, strict=True)]
