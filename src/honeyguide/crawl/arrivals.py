"""What follows from pages that other shards have fetched: for the URLs of this one that they lead to."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.crawl.probation import Probation
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.seeds import SEED_PRIORITY, Seeds
from honeyguide.frontier import Admission, Frontier
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Reading, leave_out


class Arrivals:
    """Offers what pages of other shards lead to, as `Outcomes` does for those of this one.

    The page itself gets a row here that says that it is elsewhere, so that what was found on it has a parent.
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
        """Drop the links of a page that are known here: it was visited again."""
        reading.links = reading.links.where(self._admission.are_new(reading.links.urls))

    def links(self, parent: str, depth: int, reading: Reading, note: bytes, *, doubtful: bool, is_copy: bool) -> None:
        """A page links here. `note` is what its own queue says of it; `doubtful`: its host is on probation."""
        if not len(reading.links):
            return
        number = self._frontier.note_elsewhere(parent, depth)
        leave_out(reading, self._admission)
        self._queue.links(self._frontier, number, reading, note, self._max_depth)
        self._probation.page_elsewhere(number, reading, doubtful=doubtful, is_copy=is_copy)
        self._journal.tally.accepted.update(reading.accepted)
        if full := reading.left_out.get("full", 0):
            self._journal.tally.refused["full"] += full

    def revision(self, reading: Reading, before: bytes, note: bytes, *, links: bool) -> None:
        """A page that links here was judged again: what its own queue said of it, and says now. `links`: they, too."""
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
        """A URL redirects here. `known` is what its own queue knows of it; `level`: see `Neighbours.pass_redirect`."""
        frontier = self._frontier
        number = frontier.note_elsewhere(source, depth)
        is_new = frontier.urls.find(target) is None
        reached = frontier.offer(target, priority, number, depth)
        self._seeds.redirected_here(reached, is_seed=is_seed, level=level)
        if is_new and depth:
            self._queue.take_over(frontier, reached, known)
        self._journal.redirect(number, reached, hops)

    def listed(self, listing: str, urls: Sequence[str], form: str, level: int, now: float) -> None:
        """A sitemap or feed lists URLs of this shard."""
        frontier = self._frontier
        number = frontier.note_elsewhere(listing, 0)
        new = [frontier.offer(url, SEED_PRIORITY) for url in urls if frontier.urls.find(url) is None]
        self._seeds.listed_here(new, form, level)
        self._queue.begin(frontier, new)
        detail = {"form": form, "urls": len(urls), "new": len(new), "first": new[0] if new else 0}
        self._journal.event(now, "listing", number, **detail)

    def credit(self, url: str, pages: int, outcome: float) -> None:
        """Pages that a page of this shard was the first to link to have been fetched elsewhere, with that outcome."""
        number = self._frontier.urls.find(url)
        if number is not None:
            self._queue.credit(number, pages, outcome)
