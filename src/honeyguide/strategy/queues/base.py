"""The interface of queues, and the plain queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.frontier import Frontier, Merge, Rank

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading


class Queue(Protocol):
    """Turns readings into offers and changes of priority, in the order in which pages come in.

    It sees URLs through `frontier.urls` and acts through `frontier.offer`, `change` and `weigh`: a few operations per
    link, never a scan of what waits. What it remembers beyond the frontier's priorities it hands out to be saved
    (`dirty_state`), piece by piece, and gets back when a crawl is resumed (`restore`), so that a crawl in several runs
    is the same as one in a single run.
    """

    merge: Merge
    """What a second offer of a waiting URL does to its priority."""
    rank: Rank | None = None
    """Which of several URLs of the same priority is next; by default the one that was offered first."""

    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        """The seeds have been offered, at priority 1.

        Called at the start of every run, and during it with the new URLs that a sitemap or feed among the seeds lists.

        Args:
            frontier: The frontier of the crawl.
            seeds: The numbers of the seeds.
        """
        ...

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """A page was fetched, read and settled: offer its links, and change the priorities of others.

        Args:
            frontier: The frontier of the crawl.
            number: The URL's number.
            reading: What the page turned out to be, with its link table.
            max_depth: The most links that may lie between a seed and a URL; 0 for no limit.
        """
        ...

    def on_failed(self, frontier: Frontier, number: int) -> None:
        """A URL failed or was refused.

        Args:
            frontier: The frontier of the crawl.
            number: The URL's number.
        """
        ...

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """A URL redirects to another, which has been offered with its priority.

        Args:
            frontier: The frontier of the crawl.
            source: The number of the URL that redirects.
            target: The number of the URL that it leads to.
        """
        ...

    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        """What has changed since the last call.

        Returns:
            Pieces of state, each with the name under which it is saved.
        """
        ...

    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        """Take back what was saved, before a resumed run begins.

        Args:
            frontier: The frontier of the crawl, restored.
            state: All pieces by name, each as last saved.
        """
        ...


@runtime_checkable
class ExplainingQueue(Protocol):
    """A queue that weighs several features and can say what each contributed."""

    def parts(self, frontier: Frontier, number: int) -> Sequence[tuple[str, float]]:
        """What each feature added to the promise of a URL: when it was chosen, or as it is now if it waits.

        Args:
            frontier: The frontier of the crawl.
            number: The URL's number.

        Returns:
            The label of each feature and what it added.
        """
        ...


@runtime_checkable
class ListingQueue(Protocol):
    """A queue that tells sitemaps and feeds from pages. Others treat them as pages that their links are on."""

    def listing(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """A sitemap or feed was fetched and read: offer its links. It is no page to learn from.

        Args:
            frontier: The frontier of the crawl.
            number: The URL's number.
            reading: What was read, with its link table, the best links first.
            max_depth: The most links that may lie between a seed and a URL; 0 for no limit.
        """
        ...


@runtime_checkable
class RevisingQueue(Protocol):
    """A queue that can correct what it has learnt from a page, when the page is judged again."""

    def revise(self, frontier: Frontier, number: int, reading: Reading, *, links: bool = False) -> None:
        """A page was judged again: correct what was learnt from it. No priority changes before `rescore`.

        Args:
            frontier: The frontier of the crawl.
            number: The URL's number. `page` was called with it before.
            reading: How the page is judged now, with its links.
            links: Whether its links have other scores than before, too: the model that scores them has changed.
        """
        ...

    def rescore(self, frontier: Frontier, first: int, last: int) -> None:
        """Give new priorities to those URLs that wait among some numbers: from `first` up to, but without, `last`.

        Args:
            frontier: The frontier of the crawl.
            first: The first number. Calls for one round of re-scoring begin with 0.
            last: The number after the last.
        """
        ...


@runtime_checkable
class SharingQueue(Protocol):
    """A queue that works together with queues of its kind on other machines, each of which has URLs of its own.

    `PlainQueue` itself remembers nothing, so it does without these methods; a queue that is derived from it and does
    not have them works on one machine only.
    """

    def note(self, number: int) -> bytes:
        """What a queue elsewhere has to know of a page to make use of its links.

        Args:
            number: The URL's number. `page` was called with it before.

        Returns:
            A few bytes, which `links` gets there.
        """
        ...

    def links(self, frontier: Frontier, number: int, reading: Reading, note: bytes, max_depth: int) -> None:
        """A page that was fetched elsewhere links here: offer these links. What it teaches is learnt there.

        Args:
            frontier: The frontier of this machine.
            number: The page's number here, in the state `State.ELSEWHERE`.
            reading: What the page turned out to be, with those of its links that belong here.
            note: What `note` returned there.
            max_depth: The most links that may lie between a seed and a URL; 0 for no limit.
        """
        ...

    def revise_links(self, frontier: Frontier, reading: Reading, before: bytes, note: bytes, *, links: bool) -> None:
        """A page that links here was judged again elsewhere. No priority changes before `rescore`.

        Args:
            frontier: The frontier of this machine.
            reading: How the page is judged now, with those of its links that belong here.
            before: What `note` returned there before.
            note: What it returns there now.
            links: Whether its links have other scores than before, too.
        """
        ...

    def hand_over(self, number: int, part: int = 0, parts: int = 0) -> bytes:
        """All that is known of a URL, for a queue elsewhere.

        Args:
            number: The URL's number.
            part: Which of several queues this is that hand over all of their URLs: from 0.
            parts: How many these are. 0 if only a few URLs are handed over: what they have in common with URLs that
                are not is left out then.

        Returns:
            Some bytes, which `take_over` gets there.
        """
        ...

    def take_over(self, frontier: Frontier, number: int, known: bytes) -> None:
        """Know of a URL what a queue elsewhere knew of it.

        Args:
            frontier: The frontier of this machine.
            number: The URL's number here.
            known: What `hand_over` returned there, or nothing.
        """
        ...

    def learnt(self) -> NDArray[np.float64]:
        """What this queue itself has learnt so far, as sums: those of several queues can be added up.

        Returns:
            The sums, always in the same order.
        """
        ...

    def take_learnt(self, sums: NDArray[np.float64]) -> None:
        """Take over what other queues, which are no more, have learnt.

        Args:
            sums: What `learnt` returned there, added up.
        """
        ...

    def share(self, others: NDArray[np.float64]) -> None:
        """Use what others have learnt so far, too, in place of what this was called with before.

        Args:
            others: The sums of all other queues, added up.
        """
        ...

    def owed(self) -> Sequence[tuple[int, int, float]]:
        """What pages elsewhere have to be told about those that they were the first to link to, since the last call.

        Returns:
            For each page its number here, how many of its links were fetched, and the sum of their outcomes.
        """
        ...

    def credit(self, number: int, pages: int, outcome: float) -> None:
        """Pages that a page was the first to link to have been fetched elsewhere.

        Args:
            number: The page's number.
            pages: How many they are.
            outcome: The sum of their outcomes.
        """
        ...


@runtime_checkable
class ImportanceQueue(Protocol):
    """A queue that estimates how important pages are by the links between them."""

    def importance(self, frontier: Frontier, number: int) -> float:
        """How important a page is, as far as its crawl can tell.

        Args:
            frontier: The frontier of the crawl.
            number: The URL's number.

        Returns:
            Its share of the importance of all pages, from 0 to 1.
        """
        ...


class PlainQueue(Queue):
    """Offers each link with its score; of several offers the best counts, or the last, or their sum."""

    def __init__(self, merge: Merge = Merge.MAX) -> None:
        self.merge = merge

    @override
    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        pass

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        offer_links(frontier, number, reading.links.rows(), max_depth)

    @override
    def on_failed(self, frontier: Frontier, number: int) -> None:
        pass

    @override
    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        pass

    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        """Nothing: the frontier remembers everything."""
        return ()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        pass


def offer_links(frontier: Frontier, number: int, links: Iterable[tuple[str, float]], max_depth: int) -> list[int]:
    """Offer the links of a page, unless they lie deeper than `max_depth`.

    Args:
        frontier: The frontier of the crawl.
        number: The page's number.
        links: The URL and the priority of each link.
        max_depth: The most links that may lie between a seed and a URL; 0 for no limit.

    Returns:
        The numbers of the links, in their order; none when they lie too deep.
    """
    depth = frontier.urls.depth(number) + 1
    if max_depth and depth > max_depth:
        return []
    offer = frontier.offer
    return [offer(url, priority, number, depth) for url, priority in links]
