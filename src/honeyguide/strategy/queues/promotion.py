"""Promotion: a page lifts the links it holds, or the other links of the page that it was found on (002)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from honeyguide.frontier import Frontier, Merge, State
from honeyguide.page.url import host_of
from honeyguide.strategy.queues.base import Plain, offered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.frontier.record import UrlRecord
    from honeyguide.strategy.reading import Reading


class Promotion(Plain):
    """A link enters with 0, and is changed to the score of pages near it (002, FCrawl, steps 11 and 12).

    Children of a page are all its links. Siblings are the waiting URLs that were first met on the same page. Seeds
    have no siblings, and keep their own priority whoever links to them. A redirect's target stands in the place of
    what led to it: it has its siblings, and its seed's rights.

    No list of siblings is kept: all that is new on a page is offered in one go, so siblings have consecutive numbers,
    and are found in time proportional to how many they are.
    """

    def __init__(
        self, *, children: bool, siblings: bool, above: float, overwrites: bool = True, levels: int = 0
    ) -> None:
        """Only a page that scores more than `above` changes anything.

        A change overwrites, downwards as well, unless only the best is to count. With `levels` no link is followed that
        lies more links deep inside its site, counted from the page where the site was entered.
        """
        # An offer of 0 leaves alone what waits with more; changes that overwrite are made one by one.
        super().__init__(Merge.MAX)
        self._children = children
        self._siblings = siblings
        self._above = above
        self._overwrites = overwrites
        self._levels = levels
        self._led_to: defaultdict[int, list[int]] = defaultdict(list)  # page → what its links were redirected to

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """As `Queue.page`."""
        score = reading.relevance
        changes = score > self._above
        if changes and self._siblings:
            self._change(frontier, self._waiting_siblings(frontier.record, number), score)
        links = self._inside(frontier, number, reading.links)
        promise = score if changes and self._children else 0.0
        numbers = offered(frontier, number, links, [promise] * len(links), max_depth)
        if changes and self._children and self._overwrites:
            self._change(frontier, numbers, score)

    def moved(self, frontier: Frontier, source: int, target: int) -> None:
        """As `Queue.moved`. A target that was known before stays where it was first met."""
        record = frontier.record
        if record.parent[target] == source:
            self._note_target(record, target)

    def restore(self, frontier: Frontier, kept: Mapping[str, bytes]) -> None:  # noqa: ARG002 (the frontier knows all)
        """As `Queue.restore`: targets of redirects are found again in the record."""
        record = frontier.record
        for number in range(len(record)):
            if _was_led_to(record, number):
                self._note_target(record, number)

    def _note_target(self, record: UrlRecord, target: int) -> None:
        link = _link(record, target)
        if record.depth[link]:
            self._led_to[record.parent[link]].append(target)

    def _waiting_siblings(self, record: UrlRecord, number: int) -> Iterator[int]:
        link = _link(record, number)
        if not record.depth[link]:
            return
        parents, parent = record.parent, record.parent[link]
        first, last, end = link, link + 1, len(record)
        while first and parents[first - 1] == parent:
            first -= 1
        while last < end and parents[last] == parent:
            last += 1
        found = record.state.find(State.WAITING, first, last)
        while found >= 0:
            yield found
            found = record.state.find(State.WAITING, found + 1, last)
        yield from self._led_to.get(parent, ())

    def _change(self, frontier: Frontier, numbers: Iterable[int], score: float) -> None:
        record = frontier.record
        for number in numbers:
            if record.depth[number] and (self._overwrites or score > record.priority[number]):
                frontier.change(number, score)

    def _inside(self, frontier: Frontier, number: int, links: Sequence[str]) -> Sequence[str]:
        """The links that lie not too deep inside their site: those of another site enter it."""
        if not self._levels or _level(frontier.record, number) < self._levels:
            return links
        here = host_of(frontier.url(number))
        return [url for url in links if host_of(url) != here]


def _was_led_to(record: UrlRecord, number: int) -> bool:
    """Whether a URL was first met as the target of a redirect: it is no deeper than what led to it."""
    parent = record.parent[number]
    return parent >= 0 and record.depth[parent] == record.depth[number]


def _link(record: UrlRecord, number: int) -> int:
    """The link that led to a URL, by redirects or without: itself if it was a link, or a seed."""
    while _was_led_to(record, number):
        number = record.parent[number]
    return number


def _level(record: UrlRecord, number: int) -> int:
    """How many links were followed inside the site of a URL, since it was entered."""
    host, depth = record.host[number], record.depth[number]
    entered = depth
    for ancestor in record.ancestors(number):
        if record.host[ancestor] != host:
            break
        entered = record.depth[ancestor]
    return depth - entered
