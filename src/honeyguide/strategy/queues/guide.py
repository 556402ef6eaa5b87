"""The house strategy's queue: learns, during the crawl, which evidence can be trusted here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import Frontier, Merge, State
from honeyguide.page.url import host_of
from honeyguide.strategy.evidence import KNOWN, REGION, TEXTS
from honeyguide.strategy.queues.base import Plain
from honeyguide.strategy.queues.rows import Rows, joined
from honeyguide.strategy.queues.spread import Spread
from honeyguide.strategy.queues.success import Success
from honeyguide.strategy.queues.weighing import Floats, Weighing

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

WEIGHTS = {
    "its anchor": 0.15,
    "the words near it": 0.2,
    "the words around it": 0.15,
    "its block": 0.15,
    "its parent's text": 0.1,
    "its heading": 0.1,
    "its anchor as a title": 0.15,
    "its address": 0.2,
    "the best words near it": 0.05,
    "the pages that link to it": 0.2,
    "the best page that links to it": 0.0,
    "how many link to it": 0.02,
    "the cash that reached it": 0.0,
    "its siblings so far": 0.4,
    "its region of the site so far": 0.0,
    "its folder so far": 0.1,
    "its host so far": 0.0,
    "steps since a relevant page": 0.0,
    "page and words together": 0.0,
    "links from a seed": -0.4,
}
"""What a promise is made from, and what each is trusted before anything was learnt."""

_SIZE = len(WEIGHTS)
_NEAR, _AROUND = TEXTS.index("near"), TEXTS.index("around")
_COLUMNS = [*range(len(TEXTS)), _NEAR]  # the texts, and the best of those near it
_GROUPS = 2  # sections that a URL is remembered to stand in
_REGIONS = 8  # more than there are
_FOLDERS = 1 << 18  # names that folders are hashed to

# What is remembered of a URL: means over the pages that link to it, the best of them, where it was met first. Small:
# there are as many rows as URLs wait.
_URL = np.dtype(
    [
        ("texts", np.float16, len(TEXTS)),
        ("relevance", np.float16),
        ("best", np.float16),
        ("best_text", np.float16),
        ("cash", np.float16),
        ("pages", np.uint16),
        ("groups", np.uint32, _GROUPS),
        ("folder", np.uint32),
        ("page", np.uint32),  # its place among the pages that came in; 0 for none
        ("gap", np.uint8),
        ("region", np.uint8),
        ("known", np.int8),
    ]
)
# What is remembered of a page: what it was judged by, and what came of it.
_PAGE = np.dtype(
    [
        ("features", np.float32, _SIZE),
        ("parts", np.float32, _SIZE),
        ("outcome", np.float32),
        ("shown", np.float32),  # pages that it was the first to show
        ("shown_relevance", np.float32),
    ]
)

_UNIT = 0.3  # of a deviation, so that the weights of scores and of shares are of one size
_FAR = 9  # steps beyond which it does not matter how many
_AGAIN = 40  # waiting URLs that are looked at again after a page, in turns
_BESIDE = 10  # URLs met before and after one whose outcome changes what they promise
_OFTEN, _RARELY, _EARLY = 2, 10, 100  # pages between two fits: early on, and later
_FULL = 3.0  # relevant pages behind a page from which it counts as a hub
_FREE = 0.3  # how much a link to an example teaches, whose outcome is known without a visit
_WORTH = 0.02  # a promise that changed by less is not worth a change of order, ...
_BELOW = 0.25  # ... nor one that is as far below what is taken as four times its change
_SLOW = 0.1  # how fast what is taken is forgotten
_RICH = 1000.0  # cash beyond which more makes no difference
_FEW = 0.02  # and at least, afterwards
_USUAL = 0.1  # share of links that lead somewhere, before anything is known


class Guide(Plain):
    """Every link gets the chance that its target is relevant, plus the worth of what lies behind, as learnt so far.

    Scores are told in deviations from what is usual in this crawl, so that any relevance model will do. The model is
    fitted anew every few pages; a bounded number of waiting links is looked at again after each page, in turns, and
    with them those of its siblings, links from the same section of a page. A page is credited with the relevant pages
    that it was the first to show, so that hubs, and links like those that led to hubs, are sought. What is uncertain is
    given the benefit of the doubt.
    """

    def __init__(self, stiffness: float, known: float, boldness: float) -> None:
        """`known` is what is left of the promise of an example, which is no news; `boldness` the weight of doubt."""
        super().__init__(Merge.REPLACE)
        self._known = known
        self._boldness = boldness
        self._model = Weighing(np.array(list(WEIGHTS.values())), stiffness, fewest=8)
        self._spread = Spread(len(TEXTS))
        self._urls = Rows("url", _URL)
        self._pages = Rows("page", _PAGE)
        self._groups, self._regions = Success("group", 2.0), Success("region", 4.0)
        self._folders, self._hosts = Success("folder", 3.0), Success("host", 5.0)
        self._next_group = 1
        self._turn = 0
        self._came_in = 0
        self._taken = 0.0  # what was promised by those taken of late

    # ---- pages ----

    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        """As `Queue.page`."""
        outcome = _outcome(reading.relevance, reading.threshold)
        self._learn(frontier, number, outcome)
        if self._came_in % (_OFTEN if self._came_in < _EARLY else _RARELY) == 0:
            self._model.fit()
        self._steer(frontier, number, reading, outcome, max_depth)

    def gone(self, frontier: Frontier, number: int) -> None:
        """As `Queue.gone`: what cannot be had speaks against its surroundings."""
        row = self._urls[np.array([number])]
        if row["pages"][0] and not row["known"][0]:
            self._turned_out(frontier.record.host[number], row, 0.0)

    def moved(self, frontier: Frontier, source: int, target: int) -> None:
        """As `Queue.moved`. What is known of the way holds for a target that nothing is known of."""
        own = np.array([target])
        if not self._urls[own]["pages"][0] and frontier.record.depth[target]:
            self._urls[own] = self._urls[np.array([source])]

    def _learn(self, frontier: Frontier, number: int, outcome: float) -> None:
        """What a page turned out to be teaches the model, its surroundings, and who showed it."""
        record, own = frontier.record, np.array([number])
        self._came_in += 1
        row = self._urls[own]
        features = self._features(row, *_whereabouts(frontier, own))[0].astype(np.float32).astype(np.float64)
        page = np.zeros(1, _PAGE)
        page["features"], page["parts"], page["outcome"] = features, self._model.parts(features), outcome
        self._pages[np.array([self._came_in])] = page
        row["page"] = self._came_in
        row["folder"] = _folder(record.url[number])
        self._urls[own] = row
        if record.depth[number]:  # a seed was nobody's choice
            self._taken += _SLOW * (record.priority[number] - self._taken)
            self._model.learn(features, outcome)
            parent = record.parent[number]
            if record.depth[parent]:
                self._credit(parent, outcome)
        if not row["known"][0]:
            self._turned_out(record.host[number], row, outcome)

    def _credit(self, parent: int, outcome: float) -> None:
        """The page that showed another first: how its own outcome changes by that."""
        place = self._urls[np.array([parent])]["page"].astype(np.intp)
        if not place[0]:
            return
        page = self._pages[place]
        before = _worth(page)
        page["shown"] += 1
        page["shown_relevance"] += outcome
        self._pages[place] = page
        self._model.correct(page["features"][0].astype(np.float64), before, _worth(page))

    def _turned_out(self, host_number: int, row: NDArray[Any], outcome: float) -> None:
        """Those in whose surroundings something turned out so."""
        host = np.array([host_number])
        self._folders.add(row["folder"].astype(np.intp), outcome)
        self._hosts.add(host, outcome)
        self._regions.add(host * _REGIONS + row["region"], outcome)
        groups = row["groups"][0]
        self._groups.add(groups[groups > 0].astype(np.intp), outcome)

    def _steer(self, frontier: Frontier, number: int, reading: Reading, outcome: float, max_depth: int) -> None:
        """Offer what is new on a page at what it promises, and look again at its other links and at some others.

        All promises are made at once: for so few links it is the steps that cost, not the numbers.
        """
        record = frontier.record
        depth = record.depth[number] + 1
        urls = [] if max_depth and depth > max_depth else reading.links
        links = np.array([record.number.get(url, -1) for url in urls], np.intp)
        is_new = links < 0
        rows = self._met(number, reading, outcome, links, is_new) if urls else np.zeros(0, _URL)
        again = self._waiting(frontier, np.concatenate([links[~is_new], self._others(frontier, number)]))
        host, deep = _whereabouts(frontier, again)
        new = [url for url, is_one in zip(urls, is_new.tolist(), strict=True) if is_one]
        rows["folder"][is_new] = [_folder(url) for url in new]
        new_host = [frontier.hosts.named(host_of(url)).number for url in new]
        promises = self._promises(
            joined(rows[is_new], self._urls[again]),
            np.concatenate([np.array(new_host, np.intp), host]),
            np.concatenate([np.full(len(new), depth), deep]),
        )
        worth = promises[: len(new)].tolist()
        links[is_new] = [frontier.offer(url, each, number, depth) for url, each in zip(new, worth, strict=True)]
        self._urls[links[is_new]] = rows[is_new]
        self._change(frontier, again, promises[len(new) :])
        for place in np.flatnonzero((rows["pages"] == 1) & (rows["known"] != 0)).tolist():
            self._teach(frontier, int(links[place]), rows[place : place + 1])

    def _met(
        self, number: int, reading: Reading, outcome: float, links: NDArray[np.intp], is_new: NDArray[np.bool_]
    ) -> NDArray[Any]:
        """What is known of the links of a page, now that it was read. Of those that are not new it is kept."""
        assert reading.evidence is not None
        assert reading.groups is not None
        self._spread.add(reading.evidence[:, : len(TEXTS)].astype(np.float64))
        rows = np.zeros(len(links), _URL)
        old = links[~is_new]
        rows[~is_new] = self._urls[old]
        self._note(rows, number, reading, outcome)
        self._join_groups(rows, reading.groups)
        self._urls[old] = rows[~is_new]
        return rows

    def _note(self, rows: NDArray[Any], number: int, reading: Reading, outcome: float) -> None:
        """Add what a page says about its links to what is known of them."""
        assert reading.evidence is not None
        evidence, is_new = reading.evidence, rows["pages"] == 0
        texts = evidence[:, : len(TEXTS)]
        gap = 0 if reading.relevant else min(int(self._urls[np.array([number])]["gap"][0]) + 1, _FAR)
        rows["gap"] = np.where(is_new, gap, np.minimum(rows["gap"], gap))
        rows["pages"] = np.minimum(rows["pages"], 0xFFFE) + 1
        pages = rows["pages"].astype(np.float32)
        rows["texts"] += (texts - rows["texts"]) / pages[:, None]
        rows["relevance"] += (outcome - rows["relevance"]) / pages
        rows["cash"] = np.minimum(rows["cash"] + outcome / len(rows), _RICH)
        rows["best"] = np.maximum(rows["best"], outcome)
        rows["best_text"] = np.maximum(rows["best_text"], texts[:, _NEAR])
        rows["region"] = np.where(is_new, evidence[:, REGION], rows["region"])
        rows["known"] = evidence[:, KNOWN]

    def _join_groups(self, rows: NDArray[Any], groups: NDArray[np.int32]) -> None:
        """Give the sections of a page numbers, and its links those of theirs, as long as there is room."""
        named, own = np.unique(groups, return_inverse=True)
        own = own + self._next_group
        self._next_group += len(named)
        room = rows["groups"] == 0
        has_room = room.any(axis=1)
        places = room.argmax(axis=1)
        rows["groups"][has_room, places[has_room]] = own[has_room]

    def _teach(self, frontier: Frontier, number: int, row: NDArray[Any]) -> None:
        """A link to an example: what it leads to is known without a visit."""
        outcome = float(row["known"][0] > 0)
        self._model.learn(self._features(row, *_whereabouts(frontier, np.array([number])))[0], outcome, _FREE)
        self._turned_out(frontier.record.host[number], row, outcome)

    # ---- promises ----

    @property
    def usual(self) -> float:
        """What a link usually comes to, so far."""
        return max(self._model.mean, _FEW) if self._model.count else _USUAL

    def _features(self, rows: NDArray[Any], host: NDArray[np.intp], depth: NDArray[np.intp]) -> Floats:
        """What the promises of some URLs are made from, in the order of `WEIGHTS`."""
        features = np.empty((len(rows), _SIZE))
        texts = np.concatenate([rows["texts"], rows["best_text"][:, None]], axis=1, dtype=np.float64)
        measured = self._spread.measured(texts, _COLUMNS)
        relevance = rows["relevance"].astype(np.float64)
        usual = self.usual
        end = len(TEXTS)
        features[:, : end + 1] = measured * _UNIT
        features[:, end + 1] = relevance
        features[:, end + 2] = rows["best"]
        features[:, end + 3] = np.log1p(rows["pages"].astype(np.float64))
        features[:, end + 4] = np.log1p(rows["cash"].astype(np.float64))
        features[:, end + 5] = self._groups.rates(rows["groups"], usual)
        features[:, end + 6] = self._regions.rates(host * _REGIONS + rows["region"], usual)
        features[:, end + 7] = self._folders.rates(rows["folder"], usual)
        features[:, end + 8] = self._hosts.rates(host, usual)
        features[:, end + 9] = rows["gap"] / 5
        features[:, end + 10] = np.sqrt(np.maximum(measured[:, _AROUND] + 1, 0.0) * relevance) * _UNIT
        features[:, end + 11] = np.minimum(depth, 6) / 5
        return features

    def _promises(self, rows: NDArray[Any], host: NDArray[np.intp], depth: NDArray[np.intp]) -> Floats:
        features = self._features(rows, host, depth)
        promises = self._model.predict(features) + self._boldness * self._model.doubt(features)
        promises[rows["known"] != 0] *= self._known
        return promises

    def _change(self, frontier: Frontier, numbers: NDArray[np.intp], promises: Floats) -> None:
        """Give waiting links the priorities that they have now, where that makes a difference."""
        before = np.frombuffer(frontier.record.priority)[numbers]
        # Far below what is taken the order does not matter yet.
        worth = _WORTH + _BELOW * np.maximum(self._taken - np.maximum(before, promises), 0.0)
        is_worth = np.abs(promises - before) > worth
        for link, promise in zip(numbers[is_worth].tolist(), promises[is_worth].tolist(), strict=True):
            frontier.change(link, promise)

    @staticmethod
    def _waiting(frontier: Frontier, links: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of some links that wait and are no seeds."""
        record = frontier.record
        is_open = np.frombuffer(record.state, np.uint8)[links] == State.WAITING
        waiting: NDArray[np.intp] = links[is_open & (np.frombuffer(record.depth, np.uint16)[links] > 0)]
        return waiting

    def _others(self, frontier: Frontier, number: int) -> NDArray[np.intp]:
        """The URLs that were met with one, siblings for the most part, and the next in turn to be looked at again."""
        every = len(frontier)
        beside = np.arange(max(number - _BESIDE, 0), min(number + _BESIDE, every))
        turn = np.arange(self._turn, min(self._turn + _AGAIN, every))
        self._turn = int(turn[-1] + 1) % every
        return np.concatenate([beside, turn])

    def parts(self, frontier: Frontier, number: int) -> list[tuple[str, float]]:
        """As `Explaining.parts`."""
        own = np.array([number])
        row = self._urls[own]
        place = row["page"].astype(np.intp)
        if place[0]:
            parts = self._pages[place]["parts"][0]
        else:
            parts = self._model.parts(self._features(row, *_whereabouts(frontier, own))[0])
        return list(zip(WEIGHTS, parts.tolist(), strict=True))

    # ---- what is kept ----

    def changed(self) -> Iterator[tuple[str, bytes]]:
        """As `Queue.changed`."""
        yield from self._urls.changed()
        yield from self._pages.changed()
        yield "model", self._model.kept()
        yield "spread", self._spread.kept()
        for success in self._successes():
            yield from success.changed()
        yield "numbers", np.array([self._turn, self._came_in, self._next_group, self._taken]).tobytes()

    def restore(self, frontier: Frontier, kept: Mapping[str, bytes]) -> None:  # noqa: ARG002 (as `Queue.restore`)
        """As `Queue.restore`."""
        if "model" not in kept:
            return
        for rows_of in (self._urls, self._pages):
            rows_of.restore(kept)
        for success in self._successes():
            success.restore(kept)
        self._model.restore(kept["model"])
        self._spread.restore(kept["spread"])
        turn, came_in, next_group, self._taken = np.frombuffer(kept["numbers"]).tolist()
        self._turn, self._came_in, self._next_group = int(turn), int(came_in), int(next_group)

    def _successes(self) -> tuple[Success, ...]:
        return self._groups, self._regions, self._folders, self._hosts


def _whereabouts(frontier: Frontier, numbers: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The hosts of some URLs, and how deep they lie."""
    record = frontier.record
    host, depth = np.frombuffer(record.host, np.uint32)[numbers], np.frombuffer(record.depth, np.uint16)[numbers]
    return host.astype(np.intp), depth.astype(np.intp)


def _folder(url: str) -> int:
    """A number for the folder that a URL is in; two may share one."""
    return crc32(url.rpartition("/")[0].encode()) % _FOLDERS + 1


def _outcome(relevance: float, threshold: float) -> float:
    """What a page's relevance is worth: 1/2 at the threshold, and soon 0 or 1 away from it (the odds, squared)."""
    threshold = min(max(threshold, 1e-3), 1 - 1e-3)
    ours, even = (relevance * (1 - threshold)) ** 2, (threshold * (1 - relevance)) ** 2
    return float(np.float32(ours / (ours + even)))


def _worth(page: NDArray[Any]) -> float:
    """A page's outcome, and what the pages that it was first to show add to it: many relevant ones make it a hub."""
    shown, relevance = float(page["shown"][0]), float(page["shown_relevance"][0])
    behind = min(relevance / _FULL, 1.0) * relevance / shown if shown else 0.0
    return float(page["outcome"][0]) + behind
