"""The interface of queues, and the plain queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.frontier import Frontier, Merge, Rank
from honeyguide.strategy.link_table import LinkTable

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading


class Queue(Protocol):
    """Turns readings into offers and changes of priority, in the order in which pages arrive.

    It looks up URLs through `frontier.urls` and acts through `frontier.offer`, `change` and `weigh`: a few operations
    per link, never a scan of the waiting URLs. State beyond the priorities in the frontier is saved incrementally
    (`dirty_state`) and loaded when a crawl is resumed (`restore`), so that a crawl in several runs gives the same
    result as in a single run.
    """

    merge: Merge
    """How another offer of a waiting URL changes its priority."""
    rank: Rank | None = None
    """The order of URLs with the same priority; by default the one offered first comes first."""

    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        """Called when the seeds have been offered, with priority 1.

        Called at the start of every run, and later with the new URLs listed by a sitemap or feed among the seeds.

        Args:
            frontier: The frontier of the crawl.
            seeds: The numbers of the seeds.
        """
        ...

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """Called when a page was fetched, read and settled: offer its links, and change the priorities of others.

        Args:
            frontier: The frontier of the crawl.
            number: The number of the URL.
            reading: The result of reading the page, with its link table.
            max_depth: The maximum number of links from a seed to a URL; 0 for no limit.
        """
        ...

    def on_failed(self, frontier: Frontier, number: int) -> None:
        """Called when a URL failed or was refused.

        Args:
            frontier: The frontier of the crawl.
            number: The number of the URL.
        """
        ...

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """Called when a URL redirects to another, which has been offered with the same priority.

        Args:
            frontier: The frontier of the crawl.
            source: The number of the URL that redirects.
            target: The number of the target URL.
        """
        ...

    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        """The state that has changed since the last call.

        Returns:
            Pieces of state, each with the name under which it is saved.
        """
        ...

    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        """Load the saved state, before a resumed run begins.

        Args:
            frontier: The restored frontier of the crawl.
            state: All pieces by name, each as last saved.
        """
        ...


@runtime_checkable
class ExplainingQueue(Protocol):
    """A queue that weighs several features and can report the contribution of each."""

    def parts(self, frontier: Frontier, number: int) -> Sequence[tuple[str, float]]:
        """The contribution of each feature to the promise of a URL: when it was chosen, or now if it is waiting.

        Args:
            frontier: The frontier of the crawl.
            number: The number of the URL.

        Returns:
            The label and the contribution of each feature.
        """
        ...


@runtime_checkable
class ListingQueue(Protocol):
    """A queue that distinguishes sitemaps and feeds from pages. Others treat them as pages with links."""

    def listing(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """Called when a sitemap or feed was fetched and read: offer its links, but do not learn from it as a page.

        Args:
            frontier: The frontier of the crawl.
            number: The number of the URL.
            reading: The result of reading it, with its link table, the best links first.
            max_depth: The maximum number of links from a seed to a URL; 0 for no limit.
        """
        ...


@runtime_checkable
class RevisingQueue(Protocol):
    """A queue that can correct what it has learnt from a page, when the page is judged again."""

    def revise(self, frontier: Frontier, number: int, reading: Reading, *, links: bool = False) -> None:
        """Called when a page was judged again: correct what was learnt from it. Priorities change only in `rescore`.

        Args:
            frontier: The frontier of the crawl.
            number: The number of the URL. `page` was called with it before.
            reading: How the page is judged now, with its links.
            links: Whether the scores of its links have changed as well, because of a new model.
        """
        ...

    def rescore(self, frontier: Frontier, first: int, last: int) -> None:
        """Update the priorities of the waiting URLs with numbers from `first` up to, but excluding, `last`.

        Args:
            frontier: The frontier of the crawl.
            first: The first number. A round of rescoring begins with 0.
            last: The number after the last.
        """
        ...


class PageElsewhere(NamedTuple):
    """A page that was fetched elsewhere and has links to URLs here."""

    number: int
    """Its number here, in the state `State.ELSEWHERE`."""
    reading: Reading
    """The result of reading it, with those of its links that belong here."""
    note: bytes
    """What `SharingQueue.note` returned there."""


@runtime_checkable
class SharingQueue(Protocol):
    """A queue that cooperates with queues of its kind on other machines, each of which has its own URLs.

    `PlainQueue` has no state, so it does not need these methods; a queue that is derived from it without
    them works on one machine only.
    """

    def note(self, number: int) -> bytes:
        """What a queue on another machine needs to know about a page to use its links.

        Args:
            number: The number of the URL. `page` was called with it before.

        Returns:
            A few bytes, which are passed to `links` there.
        """
        ...

    def passed(self, links: LinkTable) -> LinkTable:
        """What queues on other machines need of the links of a page.

        Args:
            links: The links of a page that was fetched here.

        Returns:
            A table of the same links, for `links` there: the smaller, the better.
        """
        ...

    def links(self, frontier: Frontier, pages: Sequence[PageElsewhere], max_depth: int) -> None:
        """Called when pages fetched elsewhere have links to URLs here: offer them. The pages are learnt from there.

        Args:
            frontier: The frontier of this machine.
            pages: The pages, in the order in which they were fetched.
            max_depth: The maximum number of links from a seed to a URL; 0 for no limit.
        """
        ...

    def revise_links(self, frontier: Frontier, reading: Reading, before: bytes, note: bytes, *, links: bool) -> None:
        """Called when a page with links to URLs here was judged again elsewhere. Priorities change only in `rescore`.

        Args:
            frontier: The frontier of this machine.
            reading: How the page is judged now, with those of its links that belong here.
            before: What `note` returned there before.
            note: What it returns now.
            links: Whether the scores of its links have changed as well.
        """
        ...

    def hand_over(self, number: int, part: int = 0, parts: int = 0) -> bytes:
        """Everything known about a URL, for a queue on another machine.

        Args:
            number: The number of the URL.
            part: If several queues hand over all of their URLs, the index of this one.
            parts: The number of these queues. 0 if only a few URLs are handed over: then state that they share with
                other URLs is left out.

        Returns:
            Some bytes, which are passed to `take_over` there.
        """
        ...

    def take_over(self, frontier: Frontier, number: int, known: bytes) -> None:
        """Load what a queue on another machine knew about a URL.

        Args:
            frontier: The frontier of this machine.
            number: The URL's number here.
            known: What `hand_over` returned there, or empty bytes.
        """
        ...

    def learnt(self) -> NDArray[np.float64]:
        """What this queue itself has learnt so far, as sums, which can be added up over several queues.

        Returns:
            The sums, always in the same order.
        """
        ...

    def take_learnt(self, sums: NDArray[np.float64]) -> None:
        """Take over what queues that no longer exist had learnt.

        Args:
            sums: What `learnt` returned there, added up.
        """
        ...

    def share(self, others: NDArray[np.float64]) -> None:
        """Use what others have learnt so far as well; replaces the sums of the last call.

        Args:
            others: The sums of all other queues, added up.
        """
        ...

    def owed(self) -> Sequence[tuple[int, int, float]]:
        """Outcomes, since the last call, to report to pages elsewhere that were the first to link to pages here.

        Returns:
            For each such page, its number here, how many of its links were fetched, and the sum of their outcomes.
        """
        ...

    def credit(self, number: int, pages: int, outcome: float) -> None:
        """Called when pages that a page was the first to link to have been fetched elsewhere.

        Args:
            number: The number of the page.
            pages: The number of these pages.
            outcome: The sum of their outcomes.
        """
        ...


@runtime_checkable
class ImportanceQueue(Protocol):
    """A queue that estimates the importance of pages from the links between them."""

    def importance(self, frontier: Frontier, number: int) -> float:
        """The estimated importance of a page.

        Args:
            frontier: The frontier of the crawl.
            number: The number of the URL.

        Returns:
            Its share of the importance of all pages, from 0 to 1.
        """
        ...


class PlainQueue(Queue):
    """Offers each link with its score; of several offers, the best, the last or their sum counts."""

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
        """Nothing: all state is in the frontier."""
        return ()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        pass


def offer_links(frontier: Frontier, number: int, links: Iterable[tuple[str, float]], max_depth: int) -> list[int]:
    """Offer the links of a page, unless they are deeper than `max_depth`.

    Args:
        frontier: The frontier of the crawl.
        number: The number of the page.
        links: The URL and the priority of each link.
        max_depth: The maximum number of links from a seed to a URL; 0 for no limit.

    Returns:
        The numbers of the links, in order; none if they are too deep.
    """
    depth = frontier.urls.depth(number) + 1
    if max_depth and depth > max_depth:
        return []
    offer = frontier.offer
    return [offer(url, priority, number, depth) for url, priority in links]
