"""Sem(i, j), how similar two words are in meaning: the interface, and the measures on WordNet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, tanh
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.semantic import find
from honeyguide.relevance.semantic.terms import FieldsOnly, Terms
from honeyguide.relevance.semantic.wordnet import Nouns

Matrix = NDArray[np.float32]


class Similarity(Protocol):
    """Computes the similarity of words. Like a model it is a dataclass that can be saved."""

    def between(self, rows: Terms, columns: Terms, /) -> Matrix:
        """The similarity of each pair, in [0, 1]; 1 for words with the same stem. Pairs do not affect each other."""
        ...


def with_stems(matrix: Matrix, rows: Terms, columns: Terms) -> Matrix:
    """The matrix with 1 for all pairs with the same stem (in place)."""
    matrix[np.equal.outer(rows.stems, columns.stems)] = 1.0
    return matrix


# Each takes the depth h of the common ancestor of two synsets (a root's is 1) and the number l of steps from one over
# it to the other. Wu and Palmer: 2·depth(lcs) / (depth(c1) + depth(c2)), where the depth of each is that of the path
# through the lcs. Li et al. with α = 0.2, β = 0.6.
MEASURES: Mapping[str, Callable[[int, int], float]] = MappingProxyType(
    {
        "wu-palmer": lambda depth, steps: 2 * depth / (2 * depth + steps),
        "path": lambda _, steps: 1 / (1 + steps),
        "li": lambda depth, steps: exp(-0.2 * steps) * tanh(0.6 * depth),
    }
)


@dataclass(eq=False)
class WordNetSimilarity(FieldsOnly):
    """The greatest similarity of two words' noun synsets; 1 for a shared synset, 0 for words WordNet does not know.

    If there are several paths of hypernyms (the spec leaves this open), the depth of a synset is that of its longest
    path, the steps between two are those of the shortest, and of all their common ancestors the one that makes them
    most similar counts. In a tree that is the lowest. So, for words i and j with the synsets above
    them A_i, A_j, and d_i(a) the steps from the nearest synset of i up to a,

        Sem(i, j) = max over a in A_i ∩ A_j of measure(depth(a), d_i(a) + d_j(a)),

    which does not require comparing pairs of synsets. Words under different roots have nothing in common: 0.
    """

    measure: str
    cutoff: float
    """Lower similarities become 0."""
    digest: str
    """The digest of the WordNet: with another, the same text would get other scores."""
    place: str = ""
    """Where to look for WordNet, if it is not in a default place."""

    def __post_init__(self) -> None:
        self._nouns  # noqa: B018 (what is not here should be said now, not when the first page is scored)

    @classmethod
    def of(cls, measure: str, cutoff: float, place: str = "") -> WordNetSimilarity:
        """The similarity by the WordNet at the given place, or else by the first that is found."""
        return cls(measure, cutoff, find.load(place).digest, place)

    @cached_property
    def _nouns(self) -> Nouns:
        return find.load(self.place, self.digest).nouns

    @cached_property
    def _table(self) -> NDArray[np.float32]:
        """The measure by depth and steps. A table, so that no value depends on how numpy computes many at once."""
        measure = MEASURES[self.measure]
        deepest, farthest = (int(values.max(initial=0)) for values in (self._nouns.depth, self._nouns.distance))
        table = [
            [measure(depth, steps) if steps else 1.0 for steps in range(2 * farthest + 1)]
            for depth in range(1, deepest + 1)
        ]
        values = np.array([table[0], *table] if table else [[0.0]], np.float32)  # there is no depth 0
        values[values < self.cutoff] = 0.0
        return values

    def between(self, rows: Terms, columns: Terms, /) -> Matrix:
        """The similarity of each pair: see `Similarity`."""
        one = self._over(rows)
        other = one if rows is columns else self._over(columns)
        matrix = np.zeros(len(rows) * len(columns), np.float32)
        first = np.searchsorted(other.concept, one.concept, "left")
        count = np.searchsorted(other.concept, one.concept, "right") - first
        code = self._nouns.depth[one.concept].astype(np.intp) * self._table.shape[1] + one.distance
        place = one.word * len(columns)
        values = self._table.reshape(-1)
        for part in pieces(count):
            here, there = runs(first[part], count[part])
            here += part.start
            pairs = place[here] + other.word[there]
            np.maximum.at(matrix, pairs, values[code[here] + other.distance[there]])
        return with_stems(matrix.reshape(len(rows), len(columns)), rows, columns)

    def _over(self, terms: Terms) -> _Over:
        """The concepts above some words, ordered by concept. Only those that can matter given the cut-off."""
        nouns = self._nouns
        known, row = nouns.find(terms.tokens)
        starts = nouns.starts[row]
        words, entries = runs(starts, nouns.starts[row + 1] - starts)
        concept, distance = nouns.concept[entries], nouns.distance[entries]
        near = self._table[nouns.depth[concept], distance] > 0  # a second word can only be farther away
        concept, distance, words = concept[near], distance[near], words[near]
        order = np.argsort(concept, kind="stable")
        return _Over(known[words[order]], concept[order], distance[order])


class _Over(NamedTuple):
    """Parallel arrays: word number, a concept above it, and the steps up to that."""

    word: NDArray[np.intp]
    concept: NDArray[np.int32]
    distance: NDArray[np.int16]


_MOST_AT_ONCE = 1 << 19


def pieces(sizes: NDArray[np.intp]) -> list[slice]:
    """Consecutive slices of a list of sizes, each with a sum of about half a million: this bounds the memory in use."""
    if not len(sizes):
        return []
    part = np.cumsum(sizes) // _MOST_AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(sizes)]
    return [slice(begin, end) for begin, end in pairwise(cuts)]


def runs(first: NDArray[np.integer], count: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For runs of consecutive numbers: the run of each number, and the numbers."""
    owner = np.repeat(np.arange(len(count)), count)
    offset = first - (np.cumsum(count) - count)
    return owner, np.arange(len(owner)) + offset[owner]
