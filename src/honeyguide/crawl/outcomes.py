"""Processes completed visits: settles URLs, offers links, notifies the queue, records everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from honeyguide.crawl.again.outcomes import RevisitOutcomes
from honeyguide.crawl.listings import Listings
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.neighbours import Neighbours
from honeyguide.crawl.pacing import Pacing
from honeyguide.crawl.probation import Probation
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.seeds import Seeds
from honeyguide.crawl.visits import PageVisit, Visits
from honeyguide.errors import PluginError
from honeyguide.fetch.base import Failure, Response
from honeyguide.frontier import Admission, Frontier, State
from honeyguide.page.document import unread_reason
from honeyguide.page.listing import Listing
from honeyguide.page.url import UrlRules
from honeyguide.store.url_events import UrlEvent, failure_text
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Reading, leave_out
from honeyguide.topic import Topic

INTERNAL = "internal"


class Outcomes:
    """Settles URLs or puts them back, offers the URLs that they lead to, notifies the queue, and records everything."""

    def __init__(
        self,
        topic: Topic,
        frontier: Frontier,
        queue: CheckedQueue,
        journal: RecorderProtocol,
        visits: Visits,
        schedule: ModelSchedule,
        pacing: Pacing,
        seeds: Seeds,
        listings: Listings,
        admission: Admission,
        probation: Probation,
        neighbours: Neighbours,
    ) -> None:
        self._topic = topic
        self._frontier = frontier
        self._queue = queue
        self._journal = journal
        self._tally = journal.tally
        self._visits = visits
        self._schedule = schedule
        self._pacing = pacing
        self._seeds = seeds
        self._listings = listings
        self._admission = admission
        self._probation = probation
        self._neighbours = neighbours
        self._urls = UrlRules(topic.urls)
        self.again = RevisitOutcomes(
            topic.scope.max_depth, frontier, queue, journal, admission, neighbours, self._follow_redirect
        )
        """The outcomes of revisits."""

    # ---- pages ----

    def page(self, visit: PageVisit, now: float) -> None:
        """Process the completed visit of a page."""
        number, result = visit.number, visit.result
        if self._frontier.is_again(number):
            self.again.page(visit, now)
        elif isinstance(result, Failure):
            self._retry_or_fail(number, result, now)
        elif visit.reading is not None and visit.reading.form:
            self._read_listing(number, result, visit.reading, now)
        elif visit.reading is not None:
            self._read(visit, result, visit.reading, now)
        elif visit.listing is not None:
            self._listed(number, result, visit.listing, now)
        elif visit.unreadable:
            self._journal.answer(result)
            cut = f"; its body is incomplete ({result.truncated})" if result.truncated else ""
            self.fail(number, "reader", f"{visit.unreadable}{cut}", now)
        elif visit.plugin_error is not None:
            # Stored to help find the fault. The URL stays in flight, so that the next run fetches it again.
            self._journal.answer(result)
            raise visit.plugin_error
        elif result.skipped:
            self._frontier.settle(number, State.REFUSED, now)
            kind = result.header("content-type")
            self.refused(unread_reason(kind, result.url, self._topic.fetch.types), number, now, type=kind)
        else:
            self._journal.answer(result)
            if 300 <= result.status < 400 and result.status != 304:
                self._redirected(number, result, now)
            else:
                self._retry_or_fail(number, result, now)

    def _read(self, visit: PageVisit, response: Response, reading: Reading, now: float) -> None:
        number, rendered = visit.number, visit.rendered
        self._frontier.settle(number, State.DONE, now)
        max_depth = self._topic.scope.max_depth
        too_deep = 0 < max_depth <= self._frontier.urls.depth(number)
        elsewhere = self._neighbours.split(reading)
        leave_out(reading, self._admission, too_deep=too_deep)
        with self._steering(number, response):
            self._queue.page(self._frontier, number, reading, max_depth)
        html = rendered.rendering.html if rendered is not None and rendered.is_used else b""
        original = self._journal.page(number, response, reading, html)
        if rendered is not None:
            self._journal.event(now, "rendering", number, **rendered.detail())
        self.again.add_page(number, reading, response.started, is_copy=original is not None)
        self._probation.page(number, reading, original)
        if elsewhere is not None and not too_deep:
            self._neighbours.pass_links(number, reading, elsewhere, is_copy=original is not None)
        if self._schedule.add(reading.sample):
            self._visits.adopt(self._schedule.config)
            # With the time of the page that caused it, rather than of its processing, so that judging the pages again
            # gives the same event.
            self._journal.event(response.started + response.elapsed, "model", number, pages=self._tally.pages)
        self._listings.page(number, reading, now, counts=reading.relevant and original is None)

    def _read_listing(self, number: int, response: Response, reading: Reading, now: float) -> None:
        """Offer the links of a sitemap or feed that a site refers to, like those of a page."""
        self._frontier.settle(number, State.DONE, now)
        max_depth = self._topic.scope.max_depth
        too_deep = 0 < max_depth <= self._frontier.urls.depth(number)
        self._listings.listing(number, reading, now)
        elsewhere = self._neighbours.split(reading)
        leave_out(reading, self._admission, too_deep=too_deep)
        first = len(self._frontier)
        with self._steering(number, response):
            self._queue.listing(self._frontier, number, reading, max_depth)
        if elsewhere is not None and not too_deep:
            self._neighbours.pass_links(number, reading, elsewhere, is_copy=False)
        self._journal.answer(response)
        self._journal.left_out(number, reading.left_out)
        new = len(self._frontier) - first
        detail = {"form": reading.form, "urls": reading.listed, "new": new, "first": first if new else 0}
        self._journal.event(now, "listing", number, **detail, links=True)

    def _listed(self, number: int, response: Response, listing: Listing, now: float) -> None:
        self._frontier.settle(number, State.DONE, now)
        with self._steering(number, response):
            self._queue.on_failed(self._frontier, number)  # it is not a page
            new, elsewhere, left_out = self._seeds.offer_listed(number, listing)
            self._queue.begin(self._frontier, new)
        if elsewhere:
            self._neighbours.pass_listed(number, elsewhere, listing.form, self._seeds.level(number) or 0)
        self._journal.answer(response)
        self._journal.left_out(number, left_out)
        detail = {"form": listing.form, "urls": len(listing.addresses), "new": len(new), "first": new[0] if new else 0}
        self._journal.event(now, "listing", number, **detail)

    def _redirected(self, number: int, response: Response, now: float) -> None:
        if self._target(response) is None:
            location = response.header("location")
            self.fail(number, str(response.status), f"redirect without a usable Location: {location[:200]!r}", now)
            return
        self._frontier.settle(number, State.DONE, now)
        self._follow_redirect(number, response, now)

    def _target(self, response: Response) -> str | None:
        location = response.header("location")
        return self._urls.join(response.url, location) if location else None

    def _follow_redirect(self, number: int, response: Response, now: float) -> None:
        """Offer the target of a settled redirect."""
        target = self._target(response)
        if target is None:
            return
        hops = self._journal.redirect_hops.get(number, 0) + 1
        if hops > self._topic.fetch.redirects:
            self.refused("redirects", number, now, target=target)
        elif reason := self._listings.refusal(number, target):
            self.refused(reason, number, now, target=target)
        elif not self._neighbours.owns(target):
            is_seed, level = number in self._seeds, self._seeds.level(number)
            self._neighbours.pass_redirect(number, target, hops, is_seed=is_seed, level=level)
            reached = self._frontier.note_elsewhere(target, self._frontier.urls.depth(number))
            self._journal.redirect(number, reached, hops)
            self._journal.event(now, "redirect", number, status=response.status, target=target)
        else:
            urls = self._frontier.urls
            reached = self._frontier.offer(target, urls.priority(number), number, urls.depth(number))
            self._listings.redirected(number, reached, now)
            with self._steering(number):
                self._queue.on_redirect(self._frontier, number, reached)
            self._journal.redirect(number, reached, hops)
            self._journal.event(now, "redirect", number, status=response.status, target=target)

    # ---- failures and refusals ----

    def _retry_or_fail(self, number: int, result: Response | Failure, now: float) -> None:
        kind, detail = kind_and_detail(result)
        again = self._pacing.retry(number, result, now)
        if again is None:
            self.fail(number, kind, detail, now)
            return
        self._tally.errors[kind] += 1
        attempt = self._frontier.urls.attempts(number) + 1
        self._journal.event(now, "retry", number, kind=kind, detail=detail, attempt=attempt)
        self._frontier.put_back(number, now, not_before=again, attempt=True)

    def fail(self, number: int, kind: str, detail: str, now: float) -> None:
        """Fail a URL in flight. Failures are counted by `kind`; `detail` is for people."""
        if self._frontier.is_again(number):
            self.again.failed(number, kind, detail, now)
            return
        self._frontier.settle(number, State.FAILED, now)
        self.failed(number, kind, detail, now)

    def failed(self, number: int, kind: str, detail: str, now: float) -> None:
        """Record that a URL has failed."""
        with self._steering(number):
            self._queue.on_failed(self._frontier, number)
        self._tally.errors[kind] += 1
        self._journal.event(now, "failed", number, kind=kind, detail=detail)
        self._seeds.warn(number, failure_text(kind, detail))

    def broken(self, number: int, detail: str, now: float) -> None:
        """Fail a URL on which our own code raised an exception, at whatever stage."""
        if self._frontier.is_again(number):
            self.again.failed(number, INTERNAL, detail, now)
        else:
            self._frontier.abandon(number, now)
            self.failed(number, INTERNAL, detail, now)

    def forbidden(self, number: int, now: float, why: Failure | None = None) -> None:
        """Refuse a taken URL because of its robots.txt, or fail it because that is unavailable (`why`)."""
        if self._frontier.is_again(number):
            self._frontier.refuse(number, now)
            self.again.refused(number, "robots", now)
        elif why is None:
            self._frontier.refuse(number, now)
            self.refused("robots", number, now)
        else:
            self._frontier.refuse(number, now, State.FAILED)
            self.failed(number, why.kind, why.detail, now)

    def refused(self, reason: str, number: int, now: float, **detail: str) -> None:
        """Record that a URL is refused."""
        with self._steering(number):
            self._queue.on_failed(self._frontier, number)
        self._tally.refused[reason] += 1
        self._journal.event(now, "refused", number, reason=reason, **detail)
        self._seeds.warn(number, UrlEvent(now, "refused", {"reason": reason, **detail}).text)

    @contextmanager
    def _steering(self, number: int, response: Response | None = None) -> Iterator[None]:
        """Wraps a call that notifies the queue of a URL's outcome.

        If the queue fails, the URL waits again, for a run with a corrected strategy, and `response`, which is not
        stored yet, is stored for finding the fault.
        """
        try:
            yield
        except PluginError:
            self._frontier.reopen(number)
            if response is not None:
                self._journal.answer(response)
            raise


def kind_and_detail(result: Response | Failure) -> tuple[str, str]:
    """The kind of a failure, by which it is counted, and its detail, for people."""
    return (result.kind, result.detail) if isinstance(result, Failure) else (str(result.status), result.reason)
