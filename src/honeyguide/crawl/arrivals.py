"""Applies what other shards have found for this one: links, redirects, listed URLs, credit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from honeyguide.crawl.probation import Probation
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.seeds import SEED_PRIORITY, Seeds
from honeyguide.frontier import Admission, Frontier
from honeyguide.strategy.queues.base import PageElsewhere
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Reading, leave_out
from honeyguide.strategy.rules import ACCEPTED_BY


class ArrivedLinks(NamedTuple):
    """The links from a page of another shard to URLs of this one."""

    parent: str
    """The page."""
    depth: int
    reading: Reading
    """The page, with these links only."""
    note: bytes
    """The note of its own shard's queue: see `SharingQueue.note`."""
    doubtful: bool
    """Whether its host is on probation."""
    is_copy: bool
    """Whether it duplicates an earlier page."""


class Arrivals:
    """Offers the URLs that pages of other shards lead to, as `Outcomes` does for pages of this one.

    Such a page gets a row in the state ELSEWHERE here, so that the URLs found on it have a parent.
    """

    def __init__(
        self,
        max_depth: int,
        frontier: Frontier,
        queue: CheckedQueue,
        journal: RecorderProtocol,
        seeds: Seeds,
        admission: Admission,
        probation: Probation,
    ) -> None:
        self._max_depth = max_depth
        self._frontier = frontier
        self._queue = queue
        self._journal = journal
        self._seeds = seeds
        self._admission = admission
        self._probation = probation

    def keep_new(self, reading: Reading) -> None:
        """Drop the links of a revisited page to URLs that are known here."""
        reading.links = reading.links.where(self._admission.are_new(reading.links.urls))

    def links(self, pages: Sequence[ArrivedLinks], *, keep_waiting: bool = False) -> None:
        """Offer links from pages. With `keep_waiting`, new URLs are not fetched by this run."""
        first = len(self._frontier)
        linking = [page for page in pages if len(page.reading.links)]
        tables = [page.reading.links for page in linking]
        counts_new = any(ACCEPTED_BY in table.columns for table in tables)
        if self._admission.has_room(sum(map(len, tables))) and not counts_new:
            self._offer(linking)
        else:  # one by one: the free space and the new URLs depend on the pages before
            for page in linking:
                self._offer([page])
        if keep_waiting:
            self._frontier.keep_waiting(range(first, len(self._frontier)))

    def _offer(self, pages: Sequence[ArrivedLinks]) -> None:
        frontier, tally = self._frontier, self._journal.tally
        here = [PageElsewhere(frontier.note_elsewhere(one.parent, one.depth), one.reading, one.note) for one in pages]
        for page in pages:
            leave_out(page.reading, self._admission)
        self._queue.links(frontier, here, self._max_depth)
        for page, (number, reading, _) in zip(pages, here, strict=True):
            self._probation.page_elsewhere(number, reading, doubtful=page.doubtful, is_copy=page.is_copy)
            if reading.accepted:
                tally.accepted.update(reading.accepted)
            if full := reading.left_out.get("full", 0):
                tally.refused["full"] += full

    def revision(self, reading: Reading, before: bytes, note: bytes, *, links: bool) -> None:
        """Revise the links from a page that was judged again; for `before`, `note` and `links` see `revise_links`."""
        self._queue.revise_links(self._frontier, reading, before, note, links=links)

    def redirect(
        self,
        source: str,
        depth: int,
        priority: float,
        target: str,
        known: bytes,
        *,
        hops: int,
        is_seed: bool,
        level: int | None,
    ) -> None:
        """Offer the target of a redirect. `known` is the queue's state of the source; `level` as in `pass_redirect`."""
        frontier = self._frontier
        number = frontier.note_elsewhere(source, depth)
        is_new = frontier.urls.find(target) is None
        reached = frontier.offer(target, priority, number, depth)
        self._seeds.redirected_here(reached, is_seed=is_seed, level=level)
        if is_new and depth:
            self._queue.take_over(frontier, reached, known)
        self._journal.redirect(number, reached, hops)

    def listed(self, listing: str, urls: Sequence[str], form: str, level: int, now: float) -> None:
        """Offer URLs that a sitemap or feed lists."""
        frontier = self._frontier
        number = frontier.note_elsewhere(listing, 0)
        new = [frontier.offer(url, SEED_PRIORITY) for url in urls if frontier.urls.find(url) is None]
        self._seeds.listed_here(new, form, level)
        self._queue.begin(frontier, new)
        detail = {"form": form, "urls": len(urls), "new": len(new), "first": new[0] if new else 0}
        self._journal.event(now, "listing", number, **detail)

    def credit(self, url: str, pages: int, outcome: float) -> None:
        """Credit a page with the outcomes of pages elsewhere that it was the first to link to."""
        number = self._frontier.urls.find(url)
        if number is not None:
            self._queue.credit(number, pages, outcome)
