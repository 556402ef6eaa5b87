"""Promotion: a page promotes its own links, or its sibling links (002)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from typing_extensions import override

from honeyguide.frontier import NO_PARENT, Frontier, Merge, Rank
from honeyguide.page.url import host_of
from honeyguide.strategy.queues.base import PlainQueue, offer_links

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.frontier import UrlView
    from honeyguide.strategy.reading import Reading


class PromotionQueue(PlainQueue):
    """A link enters with 0, and is then set to the score of a page near it (002, FCrawl, steps 11 and 12).

    Children of a page are all its links. Siblings are the waiting URLs that were first found on the same page. Seeds
    have no siblings, and keep their priority whichever pages link to them. The target of a redirect takes the place of
    its source: it has the same siblings, and counts as a seed if the source was one.
    """

    def __init__(
        self,
        *,
        children: bool,
        siblings: bool,
        above: float,
        overwrites: bool = True,
        levels: int = 0,
        rank: Rank | None = None,
    ) -> None:
        """Set up the policy: only a page that scores more than `above` promotes links.

        A promotion overwrites the priority, downwards as well, unless only the best counts. `levels` limits the depth
        inside a site, counted from the page where the site was entered. `rank` decides between equal priorities.
        """
        # An offer of 0 does not change a URL that waits with more; overwriting changes are made individually.
        super().__init__(Merge.MAX)
        self.rank = rank
        self._children = children
        self._siblings = siblings
        self._above = above
        self._overwrites = overwrites
        self._levels = levels
        self._redirected_to: defaultdict[int, list[int]] = defaultdict(list)  # by page, targets of its redirects

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        score = reading.relevance
        changes = score > self._above
        if changes and self._siblings:
            self._change(frontier, self._waiting_siblings(frontier.urls, number), score)
        links = self._inside(frontier.urls, number, reading.links.urls)
        promise = score if changes and self._children else 0.0
        numbers = offer_links(frontier, number, ((url, promise) for url in links), max_depth)
        if changes and self._children and self._overwrites:
            self._change(frontier, numbers, score)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """A known target keeps the page where it was first found."""
        if frontier.urls.parent(target) == source:
            self._note_target(frontier.urls, target)

    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:  # noqa: ARG002 (the frontier knows all)
        """The targets of redirects are reconstructed from the URLs of the frontier."""
        urls = frontier.urls
        for number in range(len(urls)):
            if _is_redirect_target(urls, number):
                self._note_target(urls, number)

    def _note_target(self, urls: UrlView, target: int) -> None:
        link = _link(urls, target)
        if urls.depth(link):
            self._redirected_to[urls.parent(link)].append(target)

    def _waiting_siblings(self, urls: UrlView, number: int) -> Iterator[int]:
        link = _link(urls, number)
        if not urls.depth(link):
            return
        parent = urls.parent(link)
        yield from filter(urls.is_waiting, urls.children(parent))
        yield from self._redirected_to.get(parent, ())

    def _change(self, frontier: Frontier, numbers: Iterable[int], score: float) -> None:
        urls = frontier.urls
        for number in numbers:
            if urls.depth(number) and (self._overwrites or score > urls.priority(number)):
                frontier.change(number, score)

    def _inside(self, urls: UrlView, number: int, links: Sequence[str]) -> Sequence[str]:
        """The links that are not too deep inside their site; a link to another site enters that at its first level."""
        if not self._levels or _level(urls, number) < self._levels:
            return links
        here = host_of(urls.url(number))
        return [url for url in links if host_of(url) != here]


def _is_redirect_target(urls: UrlView, number: int) -> bool:
    """Whether a URL was first found as the target of a redirect: it is no deeper than its source."""
    parent = urls.parent(number)
    return parent != NO_PARENT and urls.depth(parent) == urls.depth(number)


def _link(urls: UrlView, number: int) -> int:
    """The link or seed that led to a URL, possibly by redirects."""
    while _is_redirect_target(urls, number):
        number = urls.parent(number)
    return number


def _level(urls: UrlView, number: int) -> int:
    """How many links were followed inside the site of a URL since the site was entered."""
    host, depth = urls.host(number), urls.depth(number)
    entered = depth
    for ancestor in urls.ancestors(number):
        if urls.host(ancestor) != host:
            break
        entered = urls.depth(ancestor)
    return depth - entered
