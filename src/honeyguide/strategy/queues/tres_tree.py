"""The tree frontier of TRES: waiting URLs in the leaves of a regression tree that grows with the crawl's experience."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.queues.groups import UrlGroups
from honeyguide.strategy.queues.rows import RowStore

Floats = NDArray[np.float64]

_MAX_DEPTH = 18  # levels of the tree
_MIN_EXPERIENCES = 5  # minimum number of experiences in a leaf that may be split
_MAX_EXPERIENCES = 1000  # the latest experiences of a leaf, which a split is based on
_LEAF = -1  # instead of a feature
_NODE = np.dtype([("feature", np.int32), ("value", np.float64), ("left", np.int32), ("depth", np.int32)])
_TREE, _COUNT = "tres tree", "tres experiences"


class TreeFrontier:
    """A binary tree over the features of URLs; each leaf has the experiences and the waiting URLs of its region.

    A leaf with at least five experiences that gets another one is split where that reduces the variance of the rewards
    most, if it does at all: into ``feature <= value`` and the rest. A URL stays in the leaf that it was added to, or in
    one that this was split into. Nothing scans the waiting URLs: adding or removing one takes a few steps, and a split
    moves only the URLs of one leaf, so that each is moved at most 18 times.
    """

    def __init__(self, features: int) -> None:
        """Set up with one empty leaf, for rows of `features` numbers of half precision."""
        self._features = RowStore("tres features", np.dtype([("features", np.float16, features)]))
        self._urls = UrlGroups("tres url")  # by leaf
        self._experience = RowStore(
            "tres experience", np.dtype([("features", np.float16, features), ("reward", np.float32)])
        )
        self._experiences = 0
        # By node; the right child of a node comes next after its left one.
        self._feature, self._value, self._left, self._depth = [_LEAF], [0.0], [0], [0]
        self._learnt: list[array[int]] = [array("I")]  # experiences of a leaf, in order
        self._has_grown = True

    # ---- URLs ----

    def add(self, numbers: NDArray[np.intp], rows: Floats) -> None:
        """Add waiting URLs to the leaves of their features; URLs that are in other leaves are moved."""
        if not len(numbers):
            return
        self._features[numbers] = np.ascontiguousarray(rows, np.float16).view(
            [("features", np.float16, rows.shape[1])]
        )[:, 0]
        self._urls.put(numbers, np.array([self._node(row) for row in rows.tolist()], np.intp))

    def remove(self, number: int) -> None:
        """Remove a URL from its leaf, if it is in one. Its features are kept."""
        self._urls.remove(number)

    def features(self, numbers: NDArray[np.intp]) -> Floats:
        """The features of URLs as they were added; zeros for others."""
        found: Floats = self._features[numbers]["features"].astype(np.float64)
        return found

    def representatives(self, dice: np.random.Generator, most: int) -> NDArray[np.intp]:
        """One random URL per non-empty leaf; if there are more than `most`, of a random selection of leaves."""
        filled = [self._urls[leaf] for leaf in self._urls.filled()]
        if len(filled) > most:
            filled = [filled[place] for place in dice.choice(len(filled), most, replace=False)]
        places = dice.random(len(filled)) * [len(urls) for urls in filled]
        return np.array([urls[int(place)] for urls, place in zip(filled, places.tolist(), strict=True)], np.intp)

    # ---- experience ----

    def learn(self, features: Sequence[float], reward: float) -> None:
        """Add the reward of a fetched URL with these features."""
        order = self._experiences
        self._experience.set_one(order, (*features, reward))
        self._experiences += 1
        node = self._node(features)
        learnt = self._learnt[node]
        learnt.append(order)
        if len(learnt) >= _MIN_EXPERIENCES and self._depth[node] < _MAX_DEPTH:
            latest = self._experience[np.array(learnt[-_MAX_EXPERIENCES:], np.intp)]
            found = best_split(latest["features"].astype(np.float64), latest["reward"].astype(np.float64))
            if found is not None:
                self._split(node, *found)

    def _split(self, node: int, feature: int, value: float) -> None:
        left = len(self._feature)
        self._feature[node], self._value[node], self._left[node] = feature, value, left
        orders, urls = np.array(self._learnt[node], np.intp), np.array(self._urls[node], np.intp)
        is_right = self._experience[orders]["features"][:, feature] > value
        self._learnt[node] = array("I")
        for own in (orders[~is_right], orders[is_right]):
            self._feature.append(_LEAF)
            self._value.append(0.0)
            self._left.append(0)
            self._depth.append(self._depth[node] + 1)
            self._learnt.append(array("I", own.tolist()))
        self._urls.put(urls, left + (self._features[urls]["features"][:, feature] > value))
        self._has_grown = True

    def _node(self, features: Sequence[float]) -> int:
        """The leaf of some features."""
        node = 0
        while (feature := self._feature[node]) != _LEAF:
            node = self._left[node] + (features[feature] > self._value[node])
        return node

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        for part in (self._features, self._urls, self._experience):
            yield from part.dirty_state()
        yield _COUNT, self._experiences.to_bytes(8, "little")
        if self._has_grown:
            nodes = list(zip(self._feature, self._value, self._left, self._depth, strict=True))
            yield _TREE, np.array(nodes, _NODE).tobytes()
            self._has_grown = False

    def restore(self, state: Mapping[str, bytes], urls: int) -> None:
        """Restore what `dirty_state` returned, for a frontier with `urls` URLs."""
        self._features.restore(state)
        self._urls.restore(state, urls)
        self._experience.restore(state)
        self._experiences = int.from_bytes(state[_COUNT], "little")
        nodes = np.frombuffer(state[_TREE], _NODE)
        self._feature, self._value, self._left, self._depth = (nodes[name].tolist() for name in _NODE.names or ())
        self._learnt = [array("I") for _ in self._feature]
        for order in range(self._experiences):
            *features, _reward = self._experience.one(order)
            self._learnt[self._node(features)].append(order)
        self._has_grown = False


def best_split(rows: Floats, rewards: Floats) -> tuple[int, float] | None:
    """Find the feature, and the value up to which rows go left, that reduce the variance of the rewards most.

    The reduction is Var(all) - |left| / |all| · Var(left) - |right| / |all| · Var(right). Of equal reductions, the
    first feature and its lowest value are chosen. Returns None if no split reduces the variance.
    """
    count = len(rewards)
    order = np.argsort(rows, axis=0, kind="stable")
    values, sums = np.take_along_axis(rows, order, axis=0), np.cumsum(rewards[order], axis=0)
    sizes = np.arange(1, count)[:, None]
    # Var(all) less the variances within is the variance between: Σ sizes · (mean - mean of all)², over the count.
    gaps = sums[:-1] / sizes - (sums[-1] - sums[:-1]) / (count - sizes)
    between = np.where(values[:-1] < values[1:], sizes * (count - sizes) / count**2 * gaps**2, 0.0).T
    feature, place = np.unravel_index(np.argmax(between), between.shape)
    return (int(feature), float(values[place, feature])) if between[feature, place] > 0 else None
