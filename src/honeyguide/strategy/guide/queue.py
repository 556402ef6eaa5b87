"""The steering half of guide: learns during the crawl which evidence to trust, and sets priorities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from struct import Struct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.frontier import NO_PARENT, UNKNOWN, Frontier, Merge, State
from honeyguide.page.context.regions import Region
from honeyguide.strategy.guide import url_rows
from honeyguide.strategy.guide.evidence import TEXTS, WORDS
from honeyguide.strategy.guide.features import (
    LABELS,
    Floats,
)
from honeyguide.strategy.guide.joined_links import JoinedLinks
from honeyguide.strategy.guide.knowledge import Knowledge
from honeyguide.strategy.guide.url_rows import (
    URL,
    array_of,
    correct_scores,
    folder_number,
    replace_texts,
)
from honeyguide.strategy.link_table import NO_LINKS, LinkTable
from honeyguide.strategy.queues.base import (
    ExplainingQueue,
    ListingQueue,
    PageElsewhere,
    PlainQueue,
    RevisingQueue,
    SharingQueue,
)

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

Numbers = NDArray[np.intp]

_RAW = np.dtype((np.void, URL.itemsize))
_NO_ROWS = np.zeros(0, _RAW)
_NO_NUMBERS = np.zeros(0, np.intp)
_WAITING, _DIRECTORY = int(State.WAITING), int(Region.DIRECTORY)  # plain integers: numpy is slow with enum members
_SWEEP = 40  # URLs that are re-scored after each page, in rotation
_SIBLINGS = 10  # siblings before and after a fetched page that are re-scored
_MIN_SHOWN, _POOR_MEAN = 4, 0.25  # fetched links of a directory, and their mean outcome, for re-scoring all its links
_FIT_EVERY_EARLY, _FIT_EVERY, _EARLY_PAGES = 2, 10, 100  # pages between two fits, and those during the first 100 pages
_MIN_CHANGE = 0.02  # smallest change of a promise for which priorities are updated ...
_MIN_CHANGE_BELOW = 0.25  # ... plus this fraction of its distance below the promises that are being taken
_SMOOTHING = 0.1  # of the running mean of the promises that are taken
_STEERING = "steering"
_NOTE = Struct("<fB")  # note on a page: its outcome, and the number of links since a relevant page


class GuideQueue(PlainQueue, ExplainingQueue, ListingQueue, RevisingQueue, SharingQueue):
    """The priority of a link is the expected outcome of fetching it: the relevance of its target and pages behind it.

    The scores of its texts are standardised over the crawl, so that any relevance model will do. The weights of the
    features are refitted every few pages. After each page, a bounded number of waiting links is re-scored: its nearby
    siblings, and others in rotation. A page is credited with the relevant pages that it was the first to link to, so
    that the crawl seeks hubs, and links like those that led to hubs. Uncertainty counts in favour of a link (an upper
    confidence bound).
    """

    def __init__(self, stiffness: float, caution: float, boldness: float, clarity: float) -> None:
        """Set up with nothing learnt.

        Args:
            stiffness: The strength of the prior weights relative to what is learnt.
            caution: How far to lower the promises of links that only examples have, if examples do not link to each
                other: the exponent of `ExampleTrust.value`, which multiplies these promises.
            boldness: By how many standard deviations of its uncertainty a promise is raised.
            clarity: The weight of how clearly a page is relevant, as opposed to whether it is.
        """
        super().__init__(Merge.REPLACE)
        self.known = Knowledge(stiffness, caution, boldness, clarity)
        """What it knows and has learnt, all but what depends on the frontier."""
        self._next_swept = 0
        self._taken = 0.0  # running mean of the promises that were taken
        self._pending_credits: dict[int, tuple[int, float]] = {}  # by page elsewhere: count and outcomes behind it

    # ---- learning ----

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        outcome = self.known.scale.of(reading.relevance, reading.threshold, likeness=reading.likeness)
        self._learn(frontier, number, outcome)
        self.known.words.learn(self.known.urls.one(number)[url_rows.PAGE], reading.page_words)
        if self.known.pages.count % (_FIT_EVERY_EARLY if self.known.pages.count < _EARLY_PAGES else _FIT_EVERY) == 0:
            self.known.model.fit()
        self._steer(frontier, number, reading, outcome, max_depth, *self._to_rescore(frontier, number))

    @override
    def listing(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        outcome = self.known.scale.of(reading.relevance, reading.threshold, likeness=reading.likeness, learns=False)
        self._steer(frontier, number, reading, outcome, max_depth)

    def on_failed(self, frontier: Frontier, number: int) -> None:
        """Count a failed URL as irrelevant in the rates of its section, region, folder and host."""
        row = self.known.urls.one(number)
        if row[url_rows.PAGES] and not row[url_rows.EXAMPLE]:
            self.known.rates.add(row, frontier.urls.host(number), 0.0)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """Copy what is known about a URL to the target of its redirect, unless something is known about that."""
        if not self.known.urls.one(target)[url_rows.PAGES] and frontier.urls.depth(target):
            self.known.urls.set_one(target, self.known.urls.one(source))
            self.known.words.copy(source, target)

    def _learn(self, frontier: Frontier, number: int, outcome: float) -> None:
        """Learn from a page: update the model, the rates, and the page that linked to it."""
        urls = frontier.urls
        host, depth = urls.host(number), urls.depth(number)
        row = self.known.urls.one(number)
        page, features = self.known.learn_page(number, host, depth, outcome)
        row = (*row[: url_rows.FOLDER], folder_number(urls.url(number)), page, *row[url_rows.GAP :])
        self.known.urls.set_one(number, row)
        if depth:  # a seed was not chosen by the model
            self._taken += _SMOOTHING * (urls.priority(number) - self._taken)
            self.known.model.learn(features, outcome)
            parent = urls.parent(number)
            if urls.depth(parent):
                if urls.state(parent) is State.ELSEWHERE:
                    pages, outcomes = self._pending_credits.get(parent, (0, 0.0))
                    self._pending_credits[parent] = pages + 1, outcomes + outcome
                self.credit(parent, 1, outcome)
        if not row[url_rows.EXAMPLE]:
            self.known.rates.add(row, host, outcome)

    def credit(self, number: int, pages: int, outcome: float) -> None:
        """Credit a page with the outcomes of pages that it was the first to link to."""
        if page := self.known.urls.one(number)[url_rows.PAGE]:
            self.known.model.correct(*self.known.pages.correct(page, pages=pages, behind=outcome))

    @override
    def revise(self, frontier: Frontier, number: int, reading: Reading, *, links: bool = False) -> None:
        row = self.known.urls.one(number)
        page = row[url_rows.PAGE]
        if not page:
            return
        urls, before = frontier.urls, self.known.pages.outcome(page)
        outcome = self.known.scale.of(reading.relevance, reading.threshold, likeness=reading.likeness, learns=False)
        if outcome != before:
            corrected = self.known.pages.correct(page, outcome=outcome - before)
            self.known.words.correct()
            if urls.depth(number):
                self.known.model.correct(*corrected)
            parent = urls.parent(number)
            if urls.depth(number) and urls.depth(parent):
                if urls.state(parent) is State.ELSEWHERE:
                    pages, outcomes = self._pending_credits.get(parent, (0, 0.0))
                    self._pending_credits[parent] = pages, outcomes + outcome - before
                elif hub := self.known.urls.one(parent)[url_rows.PAGE]:
                    self.known.model.correct(*self.known.pages.correct(hub, behind=outcome - before))
            if not row[url_rows.EXAMPLE]:
                self.known.rates.correct(row, urls.host(number), outcome - before)
        self._revise_links(frontier, reading, before, outcome, links=links)

    @override
    def revise_links(self, frontier: Frontier, reading: Reading, before: bytes, note: bytes, *, links: bool) -> None:
        self._revise_links(frontier, reading, _NOTE.unpack(before)[0], _NOTE.unpack(note)[0], links=links)

    def _revise_links(
        self, frontier: Frontier, reading: Reading, before: float, outcome: float, *, links: bool
    ) -> None:
        """Update the rows of the links of a page whose outcome has changed."""
        numbers = frontier.urls.numbers(reading.links.urls)
        is_known = numbers != UNKNOWN
        known = numbers[is_known]
        if len(known):
            rows = self.known.urls[known]
            correct_scores(rows, before, outcome, len(reading.links) + reading.links_elsewhere)
            if links:
                texts = reading.links[TEXTS][is_known]
                self.known.scaler.add(texts)
                replace_texts(rows, texts)
            if reading.relevant:
                rows["gap"] = 0
            self.known.urls[known] = rows

    @override
    def rescore(self, frontier: Frontier, first: int, last: int) -> None:
        if first == 0:
            self.known.model.fit()
            self.known.words.refit()
        again, rows, depths = self._waiting(frontier, np.arange(first, last))
        if len(again):
            self._update_priorities(frontier, again, self.known.promises(rows, frontier.urls.hosts(again), depths))

    def _learn_examples(self, frontier: Frontier, links: Sequence[int]) -> None:
        """Learn from new links that lead to examples."""
        for number in links:
            self.known.learn_example(number, frontier.urls.host(number), frontier.urls.depth(number))

    # ---- on several machines ----

    @override
    def note(self, number: int) -> bytes:
        row = self.known.urls.one(number)
        return _NOTE.pack(self.known.pages.outcome(row[url_rows.PAGE]), row[url_rows.GAP])

    @override
    def links(self, frontier: Frontier, pages: Sequence[PageElsewhere], max_depth: int) -> None:
        urls = frontier.urls
        linking = [
            one for one in pages if len(one.reading.links) and (not max_depth or urls.depth(one.number) < max_depth)
        ]
        if not linking:
            return
        tables = [one.reading.links for one in linking]
        joined = JoinedLinks([table.urls for table in tables])
        links = urls.numbers(joined.urls)
        rows = self.known.urls.raw(links)
        is_first, is_new = rows.view(URL)["pages"] == 0, links == UNKNOWN
        self.known.scaler.add(np.concatenate([table[TEXTS] for table in tables]))
        for (_, reading, note), places in zip(linking, joined.places, strict=True):
            outcome, gap = _NOTE.unpack(note)
            own = rows[places]
            self.known.add_evidence(own, links[places], reading, outcome, gap)
            rows[places] = own
        known = links[~is_new]
        self.known.urls[known] = rows[~is_new]
        parents = zip((one.number for one in linking), joined.counts(is_new), strict=True)
        new = list(compress(joined.urls, is_new.tolist()))
        links[is_new] = self._offer(frontier, parents, new, rows[is_new], known)
        if np.count_nonzero(rows.view(URL)["example"]):
            self._learn_examples(frontier, links[is_first].tolist())

    @override
    def passed(self, links: LinkTable) -> LinkTable:
        return self.known.words.passed(links)

    @override
    def hand_over(self, number: int, part: int = 0, parts: int = 0) -> bytes:
        self.known.urls[np.array([number])] = self.known.rows(np.array([number]))
        row = self.known.urls.one(number)
        # The section numbers of several queues must not collide.
        sections = (section and parts and section * parts + part for section in row[url_rows.SECTION])
        row = (*row[: url_rows.SECTION.start], *sections, *row[url_rows.SECTION.stop :])
        return array_of(row).tobytes() + self.known.pages.dump(row[url_rows.PAGE])

    @override
    def take_over(self, frontier: Frontier, number: int, known: bytes) -> None:
        if not known:
            return
        self.known.urls[np.array([number])] = np.frombuffer(known[: URL.itemsize], URL)
        row, outcome = self.known.urls.one(number), 0.0
        self.known.reserve_sections(max(row[url_rows.SECTION]))
        if len(known) > URL.itemsize:
            page = self.known.pages.load(known[URL.itemsize :])
            row = (*row[: url_rows.PAGE], page, *row[url_rows.GAP :])
            self.known.urls.set_one(number, row)
            outcome = self.known.pages.outcome(page)
        elif frontier.urls.state(number) not in (State.FAILED, State.REFUSED):
            return
        if row[url_rows.PAGES] and not row[url_rows.EXAMPLE]:
            self.known.rates.add(row, frontier.urls.host(number), outcome)

    @override
    def learnt(self) -> Floats:
        return self.known.sums.own()

    @override
    def take_learnt(self, sums: Floats) -> None:
        self.known.sums.add(sums)
        self.known.model.fit()

    @override
    def share(self, others: Floats) -> None:
        self.known.sums.set_others(others)

    @override
    def owed(self) -> list[tuple[int, int, float]]:
        pending = [(number, pages, outcome) for number, (pages, outcome) in self._pending_credits.items()]
        self._pending_credits.clear()
        return pending

    # ---- steering ----

    def _steer(
        self, frontier: Frontier, number: int, reading: Reading, outcome: float, max_depth: int, *others: Numbers
    ) -> None:
        """Offer the new links of a page with their promises, and re-score its other links and `others`."""
        urls = frontier.urls
        is_followed = not max_depth or urls.depth(number) < max_depth
        table = reading.links if is_followed else NO_LINKS
        links = urls.numbers(table.urls)
        rows = self.known.merged(number, reading, outcome, links) if len(table) else _NO_ROWS
        is_new = links == UNKNOWN
        new = list(compress(table.urls, is_new.tolist()))
        known = links[~is_new]
        self.known.urls[known] = rows[~is_new]
        offered = self._offer(frontier, [(number, len(new))], new, rows[is_new], np.concatenate((known, *others)))
        if len(offered) and WORDS in table.columns:
            self.known.words.store(offered, table[WORDS][is_new])
        if np.count_nonzero(rows.view(URL)["example"]):
            links[is_new] = offered
            self._learn_examples(frontier, links[rows.view(URL)["pages"] == 1].tolist())

    def _offer(
        self,
        frontier: Frontier,
        parents: Iterable[tuple[int, int]],
        new: Sequence[str],
        new_rows: NDArray[Any],
        known: Numbers,
    ) -> Numbers:
        """Offer new URLs with their promises, and re-score known ones. Returns the numbers of the new ones.

        All promises are computed in one batch, since for so few links the number of numpy calls dominates the cost.

        Args:
            frontier: The frontier.
            parents: Pages with the number of new URLs found on each, in the order of these URLs.
            new: The new URLs.
            new_rows: Their rows, without fields.
            known: The numbers of known URLs.
        """
        urls = frontier.urls
        again, again_rows, depths = self._waiting(frontier, known)
        if not new:
            self._update_priorities(frontier, again, self.known.promises(again_rows, urls.hosts(again), depths))
            return _NO_NUMBERS
        new_rows.view(URL)["folder"] = list(map(folder_number, new))
        found = [(number, count, urls.depth(number) + 1) for number, count in parents if count]
        promised = self.known.promises(
            np.concatenate((new_rows, again_rows)),
            np.concatenate((frontier.hosts_of(new), urls.hosts(again))),
            np.concatenate((*([depth] * count for _, count, depth in found), depths)),
        )
        self._update_priorities(frontier, again, promised[len(new) :])
        numbers: list[int] = []
        for number, count, depth in found:
            own = slice(len(numbers), len(numbers) + count)
            numbers += frontier.offer_all(new[own], promised[own].tolist(), number, depth)
        offered = np.array(numbers, np.intp)
        self.known.urls[offered] = new_rows
        return offered

    def _update_priorities(self, frontier: Frontier, numbers: Numbers, after: Floats) -> None:
        """Set the new priorities of waiting links, where the change is large enough to matter."""
        before = frontier.urls.priorities(numbers)
        # Far below the promises that are being taken, the order does not matter yet.
        least = _MIN_CHANGE + _MIN_CHANGE_BELOW * np.maximum(self._taken - np.maximum(before, after), 0.0)
        is_large = np.abs(after - before) > least
        for link, promise in zip(numbers[is_large].tolist(), after[is_large].tolist(), strict=True):
            frontier.change(link, promise)

    def _waiting(self, frontier: Frontier, links: Numbers) -> tuple[Numbers, NDArray[Any], Numbers]:
        """Filter the waiting URLs among some links. Returns numbers, rows without fields, and depths.

        Seeds and listings are left out, since nothing is known about them.
        """
        urls = frontier.urls
        depths, rows = urls.depths(links), self.known.rows(links)
        is_open = (urls.states(links) == _WAITING) & (depths > 0) & (rows.view(URL)["pages"] > 0)
        return links[is_open], rows[is_open], depths[is_open]

    def _to_rescore(self, frontier: Frontier, number: int) -> tuple[Numbers, Numbers]:
        """The URLs to re-score after a page: its siblings, and the next ones in rotation."""
        beside = frontier.urls.siblings(number, None if self._disappoints(frontier, number) else _SIBLINGS)
        every = len(frontier)
        first = self._next_swept
        last = min(first + _SWEEP, every)
        self._next_swept = last % every
        return np.array(beside, np.intp), np.arange(first, last)

    def _disappoints(self, frontier: Frontier, number: int) -> bool:
        """Whether to re-score all links of the directory that a URL was found on, since too few of them are relevant.

        That is checked after 4 fetched links, 8, 16 and so on, so that the cost per link stays small.
        """
        if self.known.urls.one(number)[url_rows.REGION] != _DIRECTORY:
            return False
        parent = frontier.urls.parent(number)
        page = self.known.urls.one(parent)[url_rows.PAGE] if parent != NO_PARENT else 0
        shown, relevance = self.known.pages.behind(page)
        return shown >= _MIN_SHOWN and int(shown) & (int(shown) - 1) == 0 and relevance < _POOR_MEAN * shown

    @override
    def parts(self, frontier: Frontier, number: int) -> list[tuple[str, float]]:
        urls, row = frontier.urls, self.known.urls.one(number)
        if row[url_rows.PAGE]:
            parts = self.known.pages.parts(row[url_rows.PAGE])
        else:
            parts = self.known.model.parts(self.known.features(number, urls.host(number), urls.depth(number))).tolist()
        return list(zip(LABELS, parts, strict=True))

    # ---- state ----

    @override
    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        yield from self.known.dirty_state()
        yield _STEERING, np.array([self._next_swept, self._taken]).tobytes()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        if state:
            self.known.restore(state)
            swept, self._taken = np.frombuffer(state[_STEERING]).tolist()
            self._next_swept = int(swept)
