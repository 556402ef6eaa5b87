"""The steering half of guide: learns, during the crawl, which evidence can be trusted here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.errors import HoneyguideError
from honeyguide.frontier import Frontier, Merge, State
from honeyguide.page.context.regions import Region
from honeyguide.page.url import host_of
from honeyguide.strategy.guide.evidence import EXAMPLE, REGION, SECTION, TEXTS
from honeyguide.strategy.guide.features import (
    FEATURES,
    LABELS,
    PRIORS,
    SECTIONS,
    URL,
    Floats,
    Rates,
    UrlFacts,
    feature_matrix,
    scaled_texts,
)
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.scaler import RunningScaler
from honeyguide.strategy.guide.texts import TEXT_FEATURES, text_column
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.queues.base import ExplainingQueue, PlainQueue
from honeyguide.strategy.queues.rows import RowStore, joined

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

Numbers = NDArray[np.intp]

# What is remembered of a page: the features it was chosen by, what each added, and how it turned out.
_PAGE = np.dtype(
    [
        ("features", np.float32, len(FEATURES)),
        ("parts", np.float32, len(FEATURES)),
        ("outcome", np.float32),
        ("shown", np.float32),  # fetched pages that it was the first to link to
        ("shown_relevance", np.float32),
    ]
)

_NEAR = text_column("near")
_FOLDERS = 1 << 18  # numbers that folders are hashed to
_FAR = 9  # links since a relevant page beyond which more make no difference
_SWEPT = 40  # waiting URLs that are re-scored after a page, in turns
_BESIDE = 10  # siblings before and after a page that are re-scored with it
_SOME, _POOR = 4, 0.25  # links of a directory that were followed, and their mean outcome, at which all are re-scored
_OFTEN, _RARELY, _EARLY = 2, 10, 100  # pages between two fits: during the first 100 pages, and later
_FULL_HUB = 3.0  # relevant pages behind a page from which it counts fully as a hub
_EXAMPLE_WEIGHT = 0.3  # how much a link to an example teaches, whose outcome is known without a visit
_WORTH = 0.02  # a promise that changed by less is not worth a change of order, ...
_BELOW = 0.25  # ... nor one that is as far below what is taken as four times its change
_SMOOTHING = 0.1  # of the running mean of the promises of what is taken
_RICH = 1000.0  # cash beyond which more makes no difference
_USUAL = 0.1  # the mean outcome of a link, before anything is known
_LEAST_USUAL = 0.02  # and at least, afterwards
_MODEL, _SCALER, _COUNTERS, _FEATURES = "model", "scaler", "counters", "features"


class GuideQueue(PlainQueue, ExplainingQueue):
    """The priority of a link is the expected outcome of fetching it: its target's relevance and that of pages behind.

    The scores of its texts are measured in standard deviations from what is usual in this crawl, so that any relevance
    model will do. The weights of the features are refitted every few pages. After each page a bounded number of waiting
    links is re-scored: its siblings nearby, and others in turns. A page is credited with the relevant pages that it was
    the first to link to, so that hubs, and links like those that led to hubs, are sought. Uncertainty counts in
    favour of a link (an upper confidence bound).
    """

    def __init__(self, stiffness: float, known: float, boldness: float) -> None:
        """Set up with nothing learnt.

        Args:
            stiffness: How strongly the prior weights hold against what is learnt.
            known: What the promise of an example page, which is no news, is multiplied by.
            boldness: How many standard deviations of its own uncertainty a promise is raised by.
        """
        super().__init__(Merge.REPLACE)
        self._known = known
        self._boldness = boldness
        self._model = BayesianRidge(PRIORS, stiffness, fewest=8)
        self._scaler = RunningScaler(len(TEXT_FEATURES))
        self._urls = RowStore("url", URL)
        self._pages = RowStore("page", _PAGE)
        self._rates = Rates()
        self._next_section = 1
        self._next_swept = 0
        self._fetched = 0
        self._taken = 0.0  # running mean of the promises of what was taken

    # ---- learning ----

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        outcome = _outcome(reading.relevance, reading.threshold)
        self._learn(frontier, number, outcome)
        if self._fetched % (_OFTEN if self._fetched < _EARLY else _RARELY) == 0:
            self._model.fit()
        self._steer(frontier, number, reading, outcome, max_depth)

    def on_failed(self, frontier: Frontier, number: int) -> None:
        """A URL that failed counts as an irrelevant one for those that it has something in common with."""
        row = self._urls[np.array([number])]
        if row["pages"][0] and not row["example"][0]:
            self._rates.add(row, frontier.urls.host(number), 0.0)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """A target of which nothing is known yet takes over what is known of the URL that redirects to it."""
        own = np.array([target])
        if not self._urls[own]["pages"][0] and frontier.urls.depth(target):
            self._urls[own] = self._urls[np.array([source])]

    def _learn(self, frontier: Frontier, number: int, outcome: float) -> None:
        """Learn from a page: the model, those that it has something in common with, the page that linked to it."""
        urls, own = frontier.urls, np.array([number])
        self._fetched += 1
        row = self._urls[own]
        features = self._features(row, urls.hosts(own), urls.depths(own))[0].astype(np.float32).astype(np.float64)
        page = np.zeros(1, _PAGE)
        page["features"], page["parts"], page["outcome"] = features, self._model.parts(features), outcome
        self._pages[np.array([self._fetched])] = page
        row["page"] = self._fetched
        row["folder"] = _folder(urls.url(number))
        self._urls[own] = row
        if urls.depth(number):  # a seed was nobody's choice
            self._taken += _SMOOTHING * (urls.priority(number) - self._taken)
            self._model.learn(features, outcome)
            parent = urls.parent(number)
            if urls.depth(parent):
                self._credit(parent, outcome)
        if not row["example"][0]:
            self._rates.add(row, urls.host(number), outcome)

    def _credit(self, parent: int, outcome: float) -> None:
        """Correct the outcome of a page by that of another which it was the first to link to."""
        place = self._urls[np.array([parent])]["page"].astype(np.intp)
        if not place[0]:
            return
        page = self._pages[place]
        before = _worth(page)
        page["shown"] += 1
        page["shown_relevance"] += outcome
        self._pages[place] = page
        self._model.correct(page["features"][0].astype(np.float64), before, _worth(page))

    def _learn_example(self, frontier: Frontier, number: int, row: NDArray[Any]) -> None:
        """Learn from a link to an example, whose outcome is known without a visit."""
        urls, own = frontier.urls, np.array([number])
        outcome = float(row["example"][0] > 0)
        features = self._features(row, urls.hosts(own), urls.depths(own))[0]
        self._model.learn(features, outcome, _EXAMPLE_WEIGHT)
        self._rates.add(row, urls.host(number), outcome)

    # ---- steering ----

    def _steer(self, frontier: Frontier, number: int, reading: Reading, outcome: float, max_depth: int) -> None:
        """Offer the new links of a page at what they promise, and re-score its other links and a few others.

        All promises are computed at once: for so few links it is the number of numpy calls that costs.
        """
        urls = frontier.urls
        depth = urls.depth(number) + 1
        table = reading.links
        followed: Sequence[str] = () if max_depth and depth > max_depth else table.urls
        find = urls.find
        links = np.array([-1 if (link := find(url)) is None else link for url in followed], np.intp)
        is_new = links < 0
        rows = self._merge_evidence(number, reading, outcome, links, is_new) if followed else np.zeros(0, URL)
        again = _waiting(frontier, np.concatenate([links[~is_new], self._others(frontier, number)]))
        new = [url for url, is_one in zip(followed, is_new.tolist(), strict=True) if is_one]
        rows["folder"][is_new] = [_folder(url) for url in new]
        new_host = [frontier.host_number(host_of(url)) for url in new]
        promises = self._promises(
            joined(rows[is_new], self._urls[again]),
            np.concatenate([np.array(new_host, np.intp), urls.hosts(again)]),
            np.concatenate([np.full(len(new), depth), urls.depths(again)]),
        )
        new_promises = promises[: len(new)].tolist()
        links[is_new] = [frontier.offer(url, each, number, depth) for url, each in zip(new, new_promises, strict=True)]
        self._urls[links[is_new]] = rows[is_new]
        self._change(frontier, again, promises[len(new) :])
        for place in np.flatnonzero((rows["pages"] == 1) & (rows["example"] != 0)).tolist():
            self._learn_example(frontier, int(links[place]), rows[place : place + 1])

    def _merge_evidence(
        self, number: int, reading: Reading, outcome: float, links: Numbers, is_new: NDArray[np.bool_]
    ) -> NDArray[Any]:
        """What is known of the links of a page, now that it was read. For those that are not new it is stored."""
        table = reading.links
        self._scaler.add(table[TEXTS].astype(np.float64))
        rows = np.zeros(len(links), URL)
        old = links[~is_new]
        rows[~is_new] = self._urls[old]
        gap = 0 if reading.relevant else min(int(self._urls[np.array([number])]["gap"][0]) + 1, _FAR)
        _add_page(rows, table, outcome, gap)
        self._add_sections(rows, table[SECTION])
        self._urls[old] = rows[~is_new]
        return rows

    def _add_sections(self, rows: NDArray[Any], sections: NDArray[Any]) -> None:
        """Number the sections of a page, and remember for each link the one it stands in, while there is room."""
        named, own = np.unique(sections, return_inverse=True)
        own = own + self._next_section
        self._next_section += len(named)
        room = rows["sections"] == 0
        has_room = room.any(axis=1)
        places = room.argmax(axis=1)
        rows["sections"][has_room, places[has_room]] = own[has_room]

    @property
    def usual(self) -> float:
        """The mean outcome of a link so far."""
        return max(self._model.mean, _LEAST_USUAL) if self._model.count else _USUAL

    def _features(self, rows: NDArray[Any], host: Numbers, depth: Numbers) -> Floats:
        scaled = scaled_texts(self._scaler, rows)
        return feature_matrix(UrlFacts(rows, host, depth, scaled, self._rates, self.usual))

    def _promises(self, rows: NDArray[Any], host: Numbers, depth: Numbers) -> Floats:
        features = self._features(rows, host, depth)
        promises = self._model.predict(features) + self._boldness * self._model.deviation(features)
        promises[rows["example"] != 0] *= self._known
        listed = np.flatnonzero((rows["region"] == Region.DIRECTORY) & (rows["pages"] <= SECTIONS))
        if len(listed):
            # Nothing but a directory vouches for them, whose words say nothing: what was found behind it does.
            promises[listed] = np.minimum(promises[listed], self._rates.earned(rows[listed], host[listed]))
        return promises

    def _change(self, frontier: Frontier, numbers: Numbers, promises: Floats) -> None:
        """Give waiting links their new priorities, where that makes a difference."""
        before = frontier.urls.priorities(numbers)
        # Far below what is taken the order does not matter yet.
        worth = _WORTH + _BELOW * np.maximum(self._taken - np.maximum(before, promises), 0.0)
        is_worth = np.abs(promises - before) > worth
        for link, promise in zip(numbers[is_worth].tolist(), promises[is_worth].tolist(), strict=True):
            frontier.change(link, promise)

    def _others(self, frontier: Frontier, number: int) -> Numbers:
        """The siblings next to a URL, and the next URLs in turn to be re-scored."""
        beside = frontier.urls.siblings(number, None if self._disappoints(frontier, number) else _BESIDE)
        every = len(frontier)
        swept = np.arange(self._next_swept, min(self._next_swept + _SWEPT, every))
        self._next_swept = int(swept[-1] + 1) % every
        return np.concatenate([np.array(beside, np.intp), swept])

    def _disappoints(self, frontier: Frontier, number: int) -> bool:
        """Whether to re-score all links of the directory that a URL was found on: too few of them are any good.

        It is time to after 4 of them, 8, 16 ...: so however many there are, each costs a few re-scorings only.
        """
        if self._urls[np.array([number])]["region"][0] != Region.DIRECTORY:
            return False
        page = self._pages[self._urls[np.array([frontier.urls.parent(number)])]["page"].astype(np.intp)]
        shown, relevance = int(page["shown"][0]), float(page["shown_relevance"][0])
        return shown >= _SOME and shown & (shown - 1) == 0 and relevance < _POOR * shown

    @override
    def parts(self, frontier: Frontier, number: int) -> list[tuple[str, float]]:
        urls, own = frontier.urls, np.array([number])
        row = self._urls[own]
        place = row["page"].astype(np.intp)
        if place[0]:
            parts = self._pages[place]["parts"][0]
        else:
            parts = self._model.parts(self._features(row, urls.hosts(own), urls.depths(own))[0])
        return list(zip(LABELS, parts.tolist(), strict=True))

    # ---- state ----

    @override
    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        yield from self._urls.dirty_state()
        yield from self._pages.dirty_state()
        yield _FEATURES, json.dumps(LABELS).encode()
        yield _MODEL, self._model.dump()
        yield _SCALER, self._scaler.dump()
        for rate in self._rates.all():
            yield from rate.dirty_state()
        yield _COUNTERS, np.array([self._next_swept, self._fetched, self._next_section, self._taken]).tobytes()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        if _MODEL not in state:
            return
        if tuple(json.loads(state[_FEATURES])) != LABELS:
            raise HoneyguideError("the crawl was steered by a guide with other features; start a new crawl")
        for rows in (self._urls, self._pages):
            rows.restore(state)
        for rate in self._rates.all():
            rate.restore(state)
        self._model.restore(state[_MODEL])
        self._scaler.restore(state[_SCALER])
        swept, fetched, section, self._taken = np.frombuffer(state[_COUNTERS]).tolist()
        self._next_swept, self._fetched, self._next_section = int(swept), int(fetched), int(section)


def _add_page(rows: NDArray[Any], table: LinkTable, outcome: float, gap: int) -> None:
    """Add what a page says about its links to what is known of them."""
    texts, is_new = table[TEXTS], rows["pages"] == 0
    rows["gap"] = np.where(is_new, gap, np.minimum(rows["gap"], gap))
    rows["pages"] = np.minimum(rows["pages"], 0xFFFE) + 1
    pages = rows["pages"].astype(np.float32)
    rows["texts"] += (texts - rows["texts"]) / pages[:, None]
    rows["relevance"] += (outcome - rows["relevance"]) / pages
    rows["cash"] = np.minimum(rows["cash"] + outcome / len(rows), _RICH)
    rows["best"] = np.maximum(rows["best"], outcome)
    rows["best_near"] = np.maximum(rows["best_near"], texts[:, _NEAR])
    rows["region"] = np.where(is_new, table[REGION], rows["region"])
    rows["example"] = table[EXAMPLE]


def _waiting(frontier: Frontier, links: Numbers) -> Numbers:
    """Those of some links that wait and are no seeds."""
    urls = frontier.urls
    waiting: Numbers = links[(urls.states(links) == State.WAITING) & (urls.depths(links) > 0)]
    return waiting


def _folder(url: str) -> int:
    """A number for the folder that a URL is in; two may share one."""
    return crc32(url.rpartition("/")[0].encode()) % _FOLDERS + 1


def _outcome(relevance: float, threshold: float) -> float:
    """A page's relevance as an outcome: 1/2 at the threshold, and soon 0 or 1 away from it (the odds, squared)."""
    threshold = min(max(threshold, 1e-3), 1 - 1e-3)
    ours, even = (relevance * (1 - threshold)) ** 2, (threshold * (1 - relevance)) ** 2
    return float(np.float32(ours / (ours + even)))


def _worth(page: NDArray[Any]) -> float:
    """A page's outcome, plus that of the pages it was first to link to: many relevant ones make it a hub."""
    shown, relevance = float(page["shown"][0]), float(page["shown_relevance"][0])
    behind = min(relevance / _FULL_HUB, 1.0) * relevance / shown if shown else 0.0
    return float(page["outcome"][0]) + behind
