"""Processes revisits: the page is the same, has changed, is gone, or could not be fetched."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from honeyguide.crawl.again.known_pages import (
    CHANGED,
    FAILED,
    GONE,
    MOVED,
    REFUSED,
    SAME,
    TOUCHED,
    quiet_since,
)
from honeyguide.crawl.again.revisits import Revisits
from honeyguide.crawl.neighbours import Neighbours
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.visits import PageVisit
from honeyguide.errors import PluginError
from honeyguide.fetch.base import Failure, Response
from honeyguide.frontier import Admission, Frontier, State
from honeyguide.store.database import PageRow
from honeyguide.strategy.queues.base import Queue
from honeyguide.strategy.reading import Reading, leave_out

_NO_LONGER_THERE = frozenset((404, 410))


class RevisitOutcomes:
    """Records revisits, and offers the new links that they find.

    The stored copy of a page is never lost: replaced versions are kept, and so are pages that are gone. The URL is
    settled last, so that an earlier failure leaves it unchanged.
    """

    def __init__(
        self,
        max_depth: int,
        frontier: Frontier,
        queue: Queue,
        journal: RecorderProtocol,
        admission: Admission,
        neighbours: Neighbours,
        redirected: Callable[[int, Response, float], None],
    ) -> None:
        """`redirected` offers and records the target of a redirect."""
        self._max_depth = max_depth
        self._frontier = frontier
        self._queue = queue
        self._journal = journal
        self._admission = admission
        self._neighbours = neighbours
        self._redirected = redirected
        self.schedule: Revisits | None = None
        """Notified of every visit; None when visits of an earlier run are replayed."""

    def page(self, visit: PageVisit, now: float) -> None:
        """Process the completed revisit of a page."""
        number, result = visit.number, visit.result
        before = self._journal.stored_page(number)
        assert before is not None
        if isinstance(result, Failure):
            self.failed(number, result.kind, result.detail, now)
        elif visit.is_same or result.status == 304:
            self._journal.unchanged(number, result, before)
            self._end(number, SAME, result.started, now)
        elif visit.reading is not None:
            self._read(visit, result, visit.reading, before, now)
        elif visit.plugin_error is not None:
            self._journal.answer(result)
            raise visit.plugin_error
        elif result.skipped:
            self.failed(number, "type", result.header("content-type"), now)
        else:
            self._journal.answer(result)
            self._other_answer(visit, result, now)

    def _other_answer(self, visit: PageVisit, response: Response, now: float) -> None:
        number = visit.number
        if visit.unreadable:
            self.failed(number, "reader", visit.unreadable, now)
        elif response.status in _NO_LONGER_THERE:
            self._journal.tally.gone += 1
            self._end(number, GONE, response.started, now, status=response.status)
        elif 300 <= response.status < 400 and response.header("location"):
            self._end(number, MOVED, response.started, now, target=response.header("location")[:2000])
            self._redirected(number, response, now)
        else:
            self.failed(number, str(response.status), response.reason, now)

    def _read(self, visit: PageVisit, response: Response, reading: Reading, before: PageRow, now: float) -> None:
        number, frontier, rendered = visit.number, self._frontier, visit.rendered
        too_deep = 0 < self._max_depth <= frontier.urls.depth(number)
        elsewhere = self._neighbours.split(reading)
        leave_out(reading, self._admission, too_deep=too_deep)
        new = self._offer_new(number, response, reading)
        if elsewhere is not None and not too_deep:
            self._neighbours.pass_links(number, reading, elsewhere, is_copy=False, again=True)
        html = rendered.rendering.html if rendered is not None and rendered.is_used else b""
        row = self._journal.version(number, response, reading, before, html)
        if rendered is not None:
            self._journal.event(now, "rendering", number, **rendered.detail())
        if not is_change(before, row):
            self._end(number, TOUCHED, response.started, now)
            return
        self._journal.tally.changed += 1
        quiet = quiet_since(response.header("last-modified"), before.fetched, response.started)
        known = {} if quiet is None else {"quiet": round(quiet, 1)}
        self._end(number, CHANGED, response.started, now, new=new, **known)

    def _offer_new(self, number: int, response: Response, reading: Reading) -> int:
        """Offer the links of a page to unknown URLs. Returns their number."""
        links = reading.links
        is_new = self._admission.are_new(links.urls)
        new = int(np.count_nonzero(is_new))
        if new:
            reading.links = links.where(is_new)
            try:
                self._queue.page(self._frontier, number, reading, self._max_depth)
            except PluginError:
                self._journal.answer(response)
                raise
            finally:
                reading.links = links
        return new

    def add_page(self, number: int, reading: Reading, fetched: float, *, is_copy: bool) -> None:
        """Add a page that was fetched for the first time, and may be due for a revisit in this run."""
        if self.schedule is not None:
            self.schedule.add(number, reading, fetched, is_copy=is_copy)

    def failed(self, number: int, kind: str, detail: str, now: float) -> None:
        """Record that a page could not be fetched; `kind` and `detail` as in `Outcomes.fail`."""
        self._end(number, FAILED, now, now, kind=kind, detail=detail)

    def refused(self, number: int, reason: str, now: float) -> None:
        """Record that a page may no longer be requested."""
        self._end(number, REFUSED, now, now, reason=reason)

    def _end(self, number: int, result: str, visited: float, now: float, **detail: object) -> None:
        self._journal.tally.again += 1
        self._journal.event(visited, "again", number, result=result, **detail)
        if self._frontier.is_again(number):
            self._frontier.settle(number, State.DONE, now)
        if self.schedule is not None:
            self.schedule.visited(number, result, visited, dict(detail))


def is_change(before: PageRow, after: PageRow) -> bool:
    """Whether the words or links of a page have changed, and not only its bytes."""
    return (before.title, before.words, before.links, before.signature) != (
        after.title,
        after.words,
        after.links,
        after.signature,
    )
