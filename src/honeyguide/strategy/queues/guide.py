"""The house strategy's queue: learns, during the crawl, which evidence can be trusted here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import Frontier, Merge, State
from honeyguide.strategy.evidence import KNOWN, TEXTS
from honeyguide.strategy.queues.base import Plain, offered
from honeyguide.strategy.queues.success import Success
from honeyguide.strategy.queues.table import Table
from honeyguide.strategy.queues.weighing import Floats, Weighing

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

# What is remembered of a URL, a row a URL.
_PAGES, _RELEVANCE, _BEST_PAGE, _GAP, _GROUP, _IS_KNOWN, _BEST_TEXT = range(7)
_TEXTS = 7  # from here on: the sum over pages of what each text scored
_WIDTH = _TEXTS + len(TEXTS)

FEATURES = (
    *(f"{text} of its links" for text in TEXTS),
    "best text near a link",
    "pages that link to it",
    "best page that links to it",
    "how many link to it",
    "its siblings so far",
    "its folder so far",
    "its host so far",
    "steps since a relevant page",
    "page and text together",
)
"""What a prediction is made from, in words."""

_PRIOR = np.array([0.1, 0.1, 0.15, 0.15, 0.1, 0.1, 0.05, 0.05, 0.2, 0.0, 0.02, 0.5, 0.1, 0.0, 0.0, 0.0])
_FAR = 9.0  # steps beyond which it does not matter how many
_ALL_AT_ONCE = 2048  # waiting URLs that are looked at again after each fit, in turns
_SIBLINGS = 256  # of a page whose outcome changes what they promise
_OFTEN, _RARELY, _EARLY = 5, 10, 100  # pages between two fits: early on, and later
_FULL = 3.0  # relevant pages behind a page from which it counts as a hub


class Guide(Plain):
    """Every link gets the chance that its target is relevant, plus the worth of what lies behind, as learnt so far.

    The model is fitted anew every few pages. Then a bounded number of waiting links is looked at again, in turns, and
    whenever a page comes in, so are its siblings: links from the same part of the same page. A page is credited with
    the relevant pages that it was the first to show, so that hubs, and links like those that led to hubs, are sought.
    """

    def __init__(self, stiffness: float, known: float) -> None:
        """`known` is what is left of the promise of a page that is an example of the topic, and so no news."""
        super().__init__(Merge.REPLACE)
        self._known = known
        self._model = Weighing(_PRIOR, stiffness, fewest=8)
        self._urls = Table("url", _WIDTH)
        self._pages = Table("page", len(FEATURES) + 4)  # features, relevance, children, their relevance, order
        self._groups = Success(2.0)
        self._folders = Success(3.0)
        self._hosts = Success(5.0)
        self._folder_of: dict[str, int] = {}
        self._members: dict[int, list[int]] = {}
        self._next_group = 0
        self._turn = 0
        self._came_in = 0

    # ---- pages ----

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """As `Queue.page`."""
        self._learn(frontier, number, reading.relevance)
        links = offered_links(frontier, number, reading, max_depth)
        if len(links):
            self._note(number, reading, links)
            self._change(frontier, links)
        self._came_in += 1
        if self._came_in % (_OFTEN if self._came_in < _EARLY else _RARELY) == 0:
            self._model.fit()
            self._look_again(frontier)

    def _learn(self, frontier: Frontier, number: int, relevance: float) -> None:
        """What a page turned out to be teaches the model, its siblings, its folder, its host, and who showed it."""
        relevance = float(np.float32(relevance))  # as it is kept, so that a crawl that goes on reckons with the same
        features = self._features(frontier, np.array([number]))[0]
        self._pages[number] = np.array([*features, relevance, 0.0, 0.0, float(self._came_in)])
        parent = frontier.record.parent[number]
        if parent >= 0:  # a seed was nobody's choice
            self._model.learn(features, relevance)
            self._credit(parent, relevance)
        self._folders.add(self._folder(frontier.url(number)), relevance)
        self._hosts.add(frontier.record.host[number], relevance)
        group = int(self._urls[number][_GROUP])
        if group:
            self._groups.add(group, relevance)
            siblings = [one for one in self._members.get(group, ())[-_SIBLINGS:] if one != number]
            self._change(frontier, np.array(siblings, np.intp))

    def _credit(self, parent: int, relevance: float) -> None:
        """The page that showed another first: how its outcome changes by that."""
        row = self._pages[parent].copy()
        if not row.any():
            return
        before = _behind(row[-3], row[-2])
        row[-3] += 1
        row[-2] += relevance
        self._pages[parent] = row
        self._model.correct(row[: len(FEATURES)], _behind(row[-3], row[-2]) - before)

    def _note(self, number: int, reading: Reading, links: NDArray[np.intp]) -> None:
        """Add what a page says about its links to what is known of them."""
        evidence, groups = reading.evidence, reading.groups
        assert evidence is not None
        assert groups is not None
        rows = self._urls.rows(links)
        is_new = rows[:, _PAGES] == 0
        gap = 0.0 if reading.relevant else min(self._urls[number][_GAP] + 1, _FAR)
        rows[:, _GAP] = np.where(is_new, gap, np.minimum(rows[:, _GAP], gap))
        rows[:, _PAGES] += 1
        rows[:, _RELEVANCE] += reading.relevance
        rows[:, _BEST_PAGE] = np.maximum(rows[:, _BEST_PAGE], reading.relevance)
        rows[:, _BEST_TEXT] = np.maximum(rows[:, _BEST_TEXT], evidence[:, 1])
        rows[:, _IS_KNOWN] = np.maximum(rows[:, _IS_KNOWN], evidence[:, KNOWN])
        rows[:, _TEXTS:] += evidence[:, : len(TEXTS)]
        first = self._next_group + 1
        named = {group: first + place for place, group in enumerate(dict.fromkeys(groups.tolist()))}
        self._next_group += len(named)
        own = np.array([named[group] for group in groups.tolist()], np.float64)
        rows[:, _GROUP] = np.where(is_new, own, rows[:, _GROUP])
        self._urls.put(links, rows)
        for link, group in zip(links[is_new].tolist(), own[is_new].tolist(), strict=True):
            self._members.setdefault(int(group), []).append(link)

    # ---- promises ----

    def _features(self, frontier: Frontier, links: NDArray[np.intp]) -> Floats:
        rows = self._urls.rows(links)
        pages = np.maximum(rows[:, _PAGES], 1.0)
        texts = rows[:, _TEXTS:] / pages[:, None]
        relevance = rows[:, _RELEVANCE] / pages
        usual = max(self._model.mean, 0.02) if self._model.count else 0.1
        url, host = frontier.record.url, frontier.record.host
        folders = [self._folder(url[link]) for link in links.tolist()]
        together = np.sqrt(np.maximum(texts[:, 2] * relevance, 0.0))
        return np.column_stack(
            [
                texts,
                rows[:, _BEST_TEXT],
                relevance,
                rows[:, _BEST_PAGE],
                np.log1p(rows[:, _PAGES]),
                self._groups.rates(rows[:, _GROUP].astype(np.intp), usual),
                self._folders.rates(np.array(folders, np.intp), usual),
                self._hosts.rates(np.array([host[link] for link in links.tolist()], np.intp), usual),
                rows[:, _GAP] / 5,
                together,
            ]
        )

    def _change(self, frontier: Frontier, links: NDArray[np.intp]) -> None:
        """Give waiting links the priorities that they have now."""
        if not len(links):
            return
        promises = self._model.predict(self._features(frontier, links))
        known = self._urls.rows(links)[:, _IS_KNOWN] > 0
        promises[known] = promises[known] * self._known - (1 - self._known) * 0.2
        for link, promise in zip(links.tolist(), promises.tolist(), strict=True):
            frontier.change(link, promise)

    def _look_again(self, frontier: Frontier) -> None:
        """The next so many URLs, of which those that wait are looked at again."""
        every = len(frontier)
        if not every:
            return
        turn = np.arange(self._turn, self._turn + min(_ALL_AT_ONCE, every)) % every
        self._turn = int((turn[-1] + 1) % every)
        state, depth = frontier.record.state, frontier.record.depth
        waiting = [one for one in turn.tolist() if state[one] == State.WAITING and depth[one]]
        self._change(frontier, np.array(waiting, np.intp))

    def _folder(self, url: str) -> int:
        return self._folder_of.setdefault(url.rpartition("/")[0], len(self._folder_of))

    # ---- what is kept ----

    def changed(self) -> Iterator[tuple[str, bytes]]:
        """As `Queue.changed`."""
        yield from self._urls.changed()
        yield from self._pages.changed()
        yield "model", self._model.kept()
        yield "numbers", np.array([self._turn, self._came_in, self._next_group]).tobytes()

    def restore(self, frontier: Frontier, kept: Mapping[str, bytes]) -> None:
        """As `Queue.restore`. What follows from the rest is made again, in the order in which it was made."""
        if "model" not in kept:
            return
        self._urls.restore(kept)
        self._pages.restore(kept)
        self._model.restore(kept["model"])
        self._turn, self._came_in, self._next_group = np.frombuffer(kept["numbers"], np.int64).tolist()
        for number in range(len(frontier)):
            group = int(self._urls[number][_GROUP])
            if group:
                self._members.setdefault(group, []).append(number)
        rows = [(self._pages[number], number) for number in range(len(frontier)) if self._pages[number].any()]
        for row, number in sorted(rows, key=lambda one: one[0][-1]):
            relevance, group = float(row[len(FEATURES)]), int(self._urls[number][_GROUP])
            self._folders.add(self._folder(frontier.url(number)), relevance)
            self._hosts.add(frontier.record.host[number], relevance)
            if group:
                self._groups.add(group, relevance)


def offered_links(frontier: Frontier, number: int, reading: Reading, max_depth: int) -> NDArray[np.intp]:
    """Offer what is new at its first guess; the numbers of all links, unless they lie too deep."""
    known = frontier.record.number
    fresh = [(url, score) for url, score in zip(reading.links, reading.scores, strict=True) if url not in known]
    offered(frontier, number, [url for url, _ in fresh], [score for _, score in fresh], max_depth)
    if any(url not in known for url in reading.links):
        return np.zeros(0, np.intp)
    return np.array([known[url] for url in reading.links], np.intp)


def _behind(pages: float, relevance: float) -> float:
    """What the pages that a page was first to show are worth to it: many relevant ones make it a hub."""
    return min(relevance / _FULL, 1.0) * relevance / pages if pages else 0.0
