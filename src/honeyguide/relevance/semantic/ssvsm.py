"""SSVSM, the semantic similarity vector space model: a cosine of vectors that are indexed by pairs of words."""

from __future__ import annotations

from collections.abc import Callable
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
from honeyguide.relevance.semantic.terms import Terms, TopicModel, TopicTerms, halves, heaviest, narrowed, ratio
from honeyguide.relevance.text import Text, Tokens

SYMMETRIC, UNION, CROSS = "symmetric", "union", "cross"

MOST_TERMS = 2000
"""In a text with more distinct words, only those with the greatest weights count: the pairs grow with the square."""

_MOST_PAIRS = 1 << 21  # processed together


@dataclass(eq=False)
class Ssvsm(TopicModel):
    """The cosine of D, made of the weights d of the text, and T, made of the weights t of the topic (spec, section 1).

    The paper says that both are mapped to the same set of pairs of terms, but not how. *symmetric*: one mapping for
    both, D_ij = (d_i + d_j) Sem_ij and T_ij = (t_i + t_j) Sem_ij, over the terms of either, a term that is not in the
    text (in the topic) having the weight 0 there. With Q_ij = Sem_ij² and r_i = Σ_j Q_ij,

        Sim = ((d∘t)·r + dᵀQt) / sqrt( ((d∘d)·r + dᵀQd) · ((t∘t)·r + tᵀQt) )

    A text has the similarity 1 to itself; if no two different words are similar, this is the vector space model.

    The other readings have one index each, D_ij = d_i Sem_ij and T_ij = t_j Sem_ij:

        Sim = dᵀQt / sqrt( (d∘d)·r · (t∘t)·r )

    *union*: over the same pairs. *cross*: i over the text's terms, j over the topic's. A text is not always quite
    similar to itself.
    """

    topic: TopicTerms
    similarity: Similarity
    threshold: float
    pairs: str = SYMMETRIC

    @classmethod
    def of(
        cls,
        topic: Text,
        language: str,
        threshold: float,
        similarity: Similarity,
        frequencies: Frequencies | None = None,
        pairs: str = SYMMETRIC,
    ) -> Ssvsm:
        """The model of the words of a topic, including repetitions. Without frequencies every idf is 1."""
        return cls(TopicTerms.of(topic, language, frequencies), similarity, threshold, pairs)

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """One cosine per span."""
        terms, found = self.topic.read(text, spans)
        if self.pairs == CROSS:
            return self._cross(terms, found)
        within_limits = heaviest(found, MOST_TERMS)
        return self._of_both(terms, found) if within_limits is found else self._of_both(*narrowed(terms, within_limits))

    def _cross(self, terms: Terms, found: Bags) -> Scores:
        near = self._near(terms)
        dots = found.summed(found.count * near.product[found.term])
        of_text = found.summed(found.count**2 * near.text[found.term])
        of_topic = found.summed(near.topic[found.term])
        return ratio(dots, np.sqrt(of_text * of_topic))

    def _of_both(self, terms: Terms, found: Bags) -> Scores:
        """*symmetric* and *union*: the pairs of all terms of the text and the topic.

        Pairs with the topic's terms are few. Pairs within the text are needed for r, where they add the terms that only
        the text has, and for dᵀQd.
        """
        sizes = np.bincount(found.row, minlength=found.rows)
        if found.rows > 1 and (len(terms) > MOST_TERMS or sizes @ sizes > _MOST_PAIRS):
            return np.concatenate([self._of_both(*narrowed(terms, half)) for half in halves(found)])
        near, own = self._near(terms), self._own
        place, is_shared = self._places(terms)
        only_here = ~is_shared
        weight, term = found.count, found.term
        within = self._within(terms, found, sizes)
        rows = near.text[term] + within(only_here[term].astype(np.float64))  # r
        dots = weight * near.product[term]
        of_text = weight**2 * rows
        of_topic = own.topic.sum() + found.summed((near.topic * only_here)[term])
        if self.pairs == SYMMETRIC:
            dots += weight * (self.topic.weights[place] * is_shared)[term] * rows
            of_text += weight * within(weight)
            of_topic += self.topic.weights @ own.product
        return ratio(found.summed(dots), np.sqrt(found.summed(of_text) * of_topic))

    def _places(self, terms: Terms) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """The index of each term among the topic's, and whether it is there at all."""
        known = self.topic.terms.tokens
        place = np.minimum(np.searchsorted(known, terms.tokens), len(known) - 1)
        return place, known[place] == terms.tokens

    def _near(self, terms: Terms) -> _Near:
        squares = self._squared(terms, self.topic.terms).astype(np.float64)
        weights = self.topic.weights
        return _Near((squares * weights).sum(axis=1), squares.sum(axis=1), (squares * weights**2).sum(axis=1))

    @cached_property
    def _own(self) -> _Near:
        """The relation of the topic's terms to themselves."""
        return self._near(self.topic.terms)

    def _squared(self, rows: Terms, columns: Terms) -> Matrix:
        squares = self.similarity.between(rows, columns)
        squares *= squares
        return squares

    def _within(
        self, terms: Terms, found: Bags, sizes: NDArray[np.intp]
    ) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """A function that takes a value for each term of each span, and sums Q_ij · value_j over the span's terms j."""
        squares, places = self._squares(terms)
        if found.rows == 1:
            if len(places) < len(squares):
                squares = squares[np.ix_(places, places)]
            return lambda values: np.einsum("ij,j->i", squares, values)
        place = places[found.term]
        count = sizes[found.row]
        one, other = runs((np.cumsum(sizes) - sizes)[found.row], count)
        pairs = squares[place[one], place[other]].astype(np.float64)
        begins = np.cumsum(count) - count
        return lambda values: np.add.reduceat(pairs * values[other], begins) if len(begins) else np.zeros(0)

    def _squares(self, terms: Terms) -> tuple[Matrix, NDArray[np.intp]]:
        """Q of some terms and perhaps others, and the index of each term in it.

        The last result is cached: first a page is scored, then the contexts of its links, which have no further words.
        """
        recent = self._recent
        if len(recent.tokens):
            places = np.minimum(np.searchsorted(recent.tokens, terms.tokens), len(recent.tokens) - 1)
            if (recent.tokens[places] == terms.tokens).all():
                return recent.squares, places
        recent.tokens, recent.squares = terms.tokens, self._squared(terms, terms)
        return recent.squares, np.arange(len(terms))

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
