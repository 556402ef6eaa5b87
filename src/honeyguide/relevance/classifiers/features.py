"""Texts as vectors over the terms that separate the classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from honeyguide.lazy import lazy
from honeyguide.page.spans import Spans
from honeyguide.relevance.bags import Bags, among, text_bags
from honeyguide.relevance.selection import top
from honeyguide.relevance.span_sums import TermPositions, term_positions
from honeyguide.relevance.text import Text, Tokenizer, Tokens, counted
from honeyguide.relevance.weighting import Flags, Floats, document_frequencies, inverse_frequencies, tf_idf, tfc


@dataclass(eq=False)
class Features:
    """x_i = f_i · idf_i over a vocabulary, of length 1 (tfc), with the N and n_i of the training texts.

    If damped, f_i is replaced with log(1 + f_i). If not of unit length, the weights are left as they are (001, Eq. 4).
    """

    language: str
    terms: Tokens
    """In ascending order."""
    idf: Floats
    damped: bool = False
    unit: bool = True
    unknown: float = 0.0
    """The idf of terms that are not in the vocabulary. They add to the length of a vector and to nothing else: one
    known word says less about a title of eight words than about one of two. If 0, terms of the vocabulary count alone.
    """

    def __len__(self) -> int:
        return len(self.terms)

    @lazy
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.language)

    def vectors(self, text: Text, spans: Spans) -> Vectors:
        """One vector per span; zero for a span without any of the terms."""
        everything = text_bags(text, self._tokenizer, spans)
        found = among(everything, self.terms)
        counts = self._worth(found.count)
        values = counts * self.idf[found.term]
        squares = found.summed(values * values)
        known = squares > 0
        if self.unknown:
            rest = everything.summed(self._worth(everything.count) ** 2) - found.summed(counts**2)
            squares += self.unknown**2 * np.maximum(rest, 0.0)
        if self.unit:
            lengths = np.sqrt(squares)[found.row]
            np.divide(values, lengths, out=values, where=lengths > 0)
        return Vectors(found.rows, found.row, found.term, values, known)

    def _worth(self, counts: Floats) -> Floats:
        return np.log1p(counts) if self.damped else counts

    @lazy
    def largest_idf(self) -> float:
        """The largest idf of any term."""
        return max(float(self.idf.max(initial=0.0)), self.unknown)

    def positions(self, text: Text) -> TermPositions:
        """Where terms occur in a text, whether they are in the vocabulary or not."""
        return term_positions(text, self._tokenizer)

    def look_up(self, terms: Tokens) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Which of some terms are in the vocabulary, and their places in it."""
        if not len(self.terms):
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        place = np.minimum(self.terms.searchsorted(terms), len(self.terms) - 1)
        known = (self.terms.take(place) == terms).nonzero()[0]
        return known, place.take(known)


@dataclass(frozen=True, slots=True)
class Vectors(Bags):
    """Bags whose counts are weights."""

    known: NDArray[np.bool_]
    """For each row, whether it has any weight: if not, nothing is known about the span, and it counts as irrelevant."""

    def dot(self, weights: Floats) -> Floats:
        """The product with a vector: one number per row."""
        return self.summed(self.count * weights[self.term])

    def times(self, matrix: Floats) -> Floats:
        """The product with a matrix, which has one row per term: one row of numbers per row."""
        products = np.zeros((self.rows, matrix.shape[1]))
        if len(self.term):
            begins = np.flatnonzero(np.diff(self.row, prepend=-1))
            products[self.row[begins]] = np.add.reduceat(self.count[:, None] * matrix[self.term], begins)
        return products


def count_matrix(documents: Sequence[Tokens]) -> tuple[csr_array, Tokens]:
    """How often each term (column) occurs in each document (row), and the terms, in ascending order."""
    all_counted = [counted(tokens) for tokens in documents]
    terms: Tokens = np.unique(np.concatenate([np.zeros(0, np.uint32), *(found for found, _ in all_counted)]))
    columns = [np.searchsorted(terms, found).astype(np.int32) for found, _ in all_counted]
    starts = np.cumsum([0, *map(len, columns)]).astype(np.int32)
    data = np.concatenate([np.zeros(0), *(counts for _, counts in all_counted)])
    indices = np.concatenate([np.zeros(0, np.int32), *columns])
    return csr_array((data, indices, starts), shape=(len(documents), len(terms))), terms


Select = Callable[[csr_array, Flags], Floats]
"""Computes one score per term: how well it separates the classes."""


def learn_features(
    documents: Sequence[Tokens], is_positive: Flags, language: str, select: Select, size: int, *, unit: bool = True
) -> tuple[Features, csr_array]:
    """The `size` terms that separate the classes best, and the vectors of the documents over them."""
    counts, terms = count_matrix(documents)
    chosen = np.sort(top(select(counts, is_positive), size))
    counts = counts[:, chosen]
    idf = inverse_frequencies(len(documents), document_frequencies(counts))
    return Features(language, terms[chosen], idf, unit=unit), (tfc if unit else tf_idf)(counts, idf)
