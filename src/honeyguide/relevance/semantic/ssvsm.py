"""SSVSM, the semantic similarity vector space model: a cosine of vectors that are indexed by pairs of words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.bags import Bags
from honeyguide.relevance.base import Scores
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.semantic.similarity import Matrix, Similarity, runs
from honeyguide.relevance.semantic.terms import FieldsOnly, Terms, TopicTerms, halves, heaviest, narrowed, ratio
from honeyguide.relevance.text import Text, Tokens

UNION, CROSS = "union", "cross"

MOST_TERMS = 2000
"""In a text with more distinct words, only those with the greatest weights count: the pairs grow with the square."""

_MOST_PAIRS = 1 << 21  # processed together


@dataclass(eq=False)
class Ssvsm(FieldsOnly):
    """With D_ij = w_i Sem(i, j) of the text and T_ij = w_j Sem(i, j) of the topic (spec, section 1):

        Sim = Σ_ij w_i w_j Sem_ij² / sqrt( Σ_ij (w_i Sem_ij)² · Σ_ij (w_j Sem_ij)² )

    The paper leaves open over which pairs. *cross*: i over the text's terms, j over the topic's. *union*: both over the
    terms of either, a term that is not in the text (in the topic) having the weight 0 there; if no two different words
    are similar, this is the vector space model. A text is not always quite similar to itself.
    """  # noqa: D415 (the formula is the sentence)

    topic: TopicTerms
    similarity: Similarity
    threshold: float
    pairs: str = UNION

    @classmethod
    def of(
        cls,
        topic: Text,
        language: str,
        threshold: float,
        similarity: Similarity,
        frequencies: Frequencies | None = None,
        pairs: str = UNION,
    ) -> Ssvsm:
        """The model of the words of a topic, including repetitions. Without frequencies every idf is 1."""
        return cls(TopicTerms.of(topic, language, frequencies), similarity, threshold, pairs)

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """One cosine per span."""
        terms, found = self.topic.read(text, spans)
        if self.pairs == CROSS:
            return self._cross(terms, found)
        within_limits = heaviest(found, MOST_TERMS)
        return self._union(terms, found) if within_limits is found else self._union(*narrowed(terms, within_limits))

    def _cross(self, terms: Terms, found: Bags) -> Scores:
        near = self._near(terms)
        dots = found.summed(found.count * near.product[found.term])
        of_text = found.summed(found.count**2 * near.text[found.term])
        of_topic = found.summed(near.topic[found.term])
        return ratio(dots, np.sqrt(of_text * of_topic))

    def _union(self, terms: Terms, found: Bags) -> Scores:
        """As *cross*, but both lengths are over more pairs.

        The length of the text also has the pairs of its words with words that only the text has; the length of the
        topic has the pairs of its own words.
        """
        sizes = np.bincount(found.row, minlength=found.rows)
        if found.rows > 1 and (len(terms) > MOST_TERMS or sizes @ sizes > _MOST_PAIRS):
            return np.concatenate([self._union(*narrowed(terms, half)) for half in halves(found)])
        near = self._near(terms)
        only_here = ~np.isin(terms.tokens, self.topic.terms.tokens)
        within = self._within(terms, only_here, found, sizes)
        dots = found.summed(found.count * near.product[found.term])
        of_text = found.summed(found.count**2 * (near.text[found.term] + within))
        of_topic = self._own.topic.sum() + found.summed((near.topic * only_here)[found.term])
        return ratio(dots, np.sqrt(of_text * of_topic))

    def _near(self, terms: Terms) -> _Near:
        squares = self.similarity.between(terms, self.topic.terms).astype(np.float64) ** 2
        weights = self.topic.weights
        return _Near((squares * weights).sum(axis=1), squares.sum(axis=1), (squares * weights**2).sum(axis=1))

    @cached_property
    def _own(self) -> _Near:
        """The relation of the topic's terms to themselves."""
        return self._near(self.topic.terms)

    def _within(
        self, terms: Terms, only_here: NDArray[np.bool_], found: Bags, sizes: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """For each term of each span, Σ_j Sem² over the span's terms j that are not in the topic."""
        squares, places = self._squares(terms, only_here)
        if found.rows == 1:
            if len(places) < len(squares):
                squares = squares[np.ix_(places, places)]
            total: NDArray[np.float64] = squares.sum(axis=1, dtype=np.float64)
            return total
        if not len(found.row):
            return np.zeros(0)
        place = places[found.term]
        count = sizes[found.row]
        one, other = runs((np.cumsum(sizes) - sizes)[found.row], count)
        values = squares[place[one], place[other]].astype(np.float64)
        sums: NDArray[np.float64] = np.add.reduceat(values, np.cumsum(count) - count)
        return sums

    def _squares(self, terms: Terms, only_here: NDArray[np.bool_]) -> tuple[Matrix, NDArray[np.intp]]:
        """Sem² of the terms with those that are not in the topic (0 for the others), and each term's index in it.

        The last result is cached: first a page is scored, then the contexts of its links, which have no further words.
        """
        recent = self._recent
        if len(recent.tokens):
            places = np.minimum(np.searchsorted(recent.tokens, terms.tokens), len(recent.tokens) - 1)
            if (recent.tokens[places] == terms.tokens).all():
                return recent.squares, places
        squares = self.similarity.between(terms, terms)
        squares *= squares
        squares *= only_here
        recent.tokens, recent.squares = terms.tokens, squares
        return squares, np.arange(len(terms))

    @cached_property
    def _recent(self) -> _Recent:
        return _Recent()


class _Near(NamedTuple):
    """Sums over the topic's terms j, for each of some terms i."""

    product: NDArray[np.float64]
    """Σ_j w_j Sem²"""
    text: NDArray[np.float64]
    """Σ_j Sem²"""
    topic: NDArray[np.float64]
    """Σ_j w_j² Sem²"""


class _Recent:
    """The most recent terms, and the values computed for them."""

    def __init__(self) -> None:
        self.tokens: Tokens = np.zeros(0, np.uint32)
        self.squares: Matrix = np.zeros((0, 0), np.float32)
