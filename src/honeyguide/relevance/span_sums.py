"""Sums over the words of spans, without a bag of words for each span: differences of prefix sums.

The sum of a weight over the words of a span is the difference of two prefix sums. Where the second occurrence of a term
in a span counts for more or less than its first (counts are squared, or damped), the terms that occur more than once in
the span are corrected for. So the cost is that of the words of the text, plus that of the repeated words in each span.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.lazy import lazy
from honeyguide.page.spans import Spans
from honeyguide.relevance.text import Text, Tokenizer, Tokens

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

_BITS: Final = 40  # of the largest weight: the sum over four million words still fits into 63


class TermPositions:
    """The occurrences of terms in a text: the significant words, in the order of the text, numbered from 0."""

    def __init__(self, tokens: Tokens, position: Numbers | None = None) -> None:
        """If `position` is given, only the words at these positions, in ascending order, are used."""
        self.position = tokens.nonzero()[0] if position is None else position
        """For each occurrence, the position of its word in the text. Ascending."""
        self.terms: Tokens
        """The distinct tokens, in ascending order."""
        self.term: Numbers
        """For each occurrence, the index in `terms`."""
        self.earlier: Numbers
        """For each occurrence, the number of the previous one of the same term; -1 for the first of a term."""
        self.terms, self._runs, self.term, self.earlier = _chains(tokens, self.position)

    @lazy
    def counts(self) -> Floats:
        """How often each term occurs."""
        return (self._runs[1:] - self._runs[:-1]).astype(np.float64)

    @lazy
    def repeated(self) -> Numbers:
        """The occurrences that are not the first of their term."""
        return (self.earlier >= 0).nonzero()[0]

    @lazy
    def repeated_before(self) -> Numbers:
        """How many of `repeated` come before each occurrence, and before the end."""
        before = np.zeros(len(self.position) + 1, np.intp)
        (self.earlier >= 0).cumsum(out=before[1:])
        return before

    def within(self, spans: Spans) -> SpanSums:
        """Sums over the words of spans of the text."""
        return SpanSums(self, *_edges_of(self.position, spans))


@twin("sums")
def _chains(tokens: Tokens, position: Numbers) -> tuple[Tokens, Numbers, Numbers, Numbers]:
    """How the tokens at some positions repeat.

    Returns the distinct tokens, in ascending order; where the occurrences of each begin if all are sorted by token, and
    the end; and of each occurrence its token's number, and the occurrence of that before it.
    """
    # Pairs (token, number of the occurrence), packed and sorted: those of a term come in a row.
    pairs = (tokens.take(position).astype(np.int64) << 32) | np.arange(len(position))
    pairs.sort()
    order, ordered = pairs & 0xFFFFFFFF, pairs >> 32
    begins = np.ones(len(pairs) + 1, np.bool_)  # at each place, and after the last: another term begins
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:-1])
    runs = begins.nonzero()[0]
    term = np.empty(len(pairs), np.intp)
    term[order] = begins[:-1].cumsum() - 1
    earlier = np.full(len(pairs), -1, np.intp)
    again = (~begins[:-1]).nonzero()[0]
    earlier[order.take(again)] = order.take(again - 1)
    return ordered.take(runs[:-1]).astype(np.uint32), runs, term, earlier


@twin("sums")
def _edges_of(position: Numbers, spans: Spans) -> tuple[Numbers, Numbers]:
    """For each span, how many of some ascending positions come before it, and before its end."""
    edges = np.searchsorted(position, spans)
    first, last = edges[:, 0], edges[:, 1]
    return first.copy(), np.maximum(first, last)


@twin("sums")
def _differences(weights: NDArray[np.int64], term: Numbers, first: Numbers, last: Numbers, unit: float) -> Floats:
    """The sum of the weights of the terms from each of `first` up to `last`, in multiples of the unit."""
    before = np.zeros(len(term) + 1, np.int64)
    weights.take(term).cumsum(out=before[1:])
    found = (before.take(last) - before.take(first)).astype(np.float64)
    found *= unit
    return found


def term_positions(text: Text, tokenizer: Tokenizer) -> TermPositions:
    """Where terms occur in a text. Computed once per text and tokenizer."""
    return text.derived((tokenizer.language, tokenizer.form), lambda: TermPositions(text.tokens(tokenizer)))


@dataclass(eq=False)
class SpanSums:
    """Sums over spans of a text. Each span has the occurrences of terms from `first` up to, but without, `last`."""

    positions: TermPositions
    first: Numbers
    last: Numbers

    def sums(self, weights: Floats, largest: float) -> Floats:
        """For each span, the sum of the weights of its words.

        The sums are over whole multiples of a small unit, and so without rounding errors: spans with the same words
        get the same sum, wherever they stand, and a span whose words have no weight gets 0.

        Args:
            weights: One for each of `positions.terms`.
            largest: The largest weight of the model in any text, regardless of its sign. It decides the unit.
        """
        if not largest > 0:
            return np.zeros(len(self.first))
        unit = math.ldexp(1.0, math.frexp(largest)[1] - _BITS)
        return _differences(np.rint(weights / unit).astype(np.int64), self.positions.term, self.first, self.last, unit)

    def sums_of_counts(self, weights: Floats, largest: float, worth: Callable[[Floats], Floats]) -> Floats:
        """For each span, the sum over its terms of their weights times the values of their counts in the span.

        Args:
            weights: One for each of `positions.terms`.
            largest: The largest of all weights: see `sums`.
            worth: What counts are worth; 1 for a count of 1.
        """
        sums = self.sums(weights, largest)
        span, term, count = self._repeats
        if len(span):
            # By ascending tokens in each span: the same words give the same sum.
            sums += np.bincount(span, weights.take(term) * (worth(count) - count), len(sums))
        return sums

    @lazy
    def _repeats(self) -> tuple[Numbers, Numbers, Floats]:
        """Where a term occurs more than once: the span, the term, and how often. Ordered by span, then by term."""
        found = self.positions
        return _repeats_of(found.repeated, found.repeated_before, found.earlier, found.term, self.first, self.last)


@twin("sums")
def _repeats_of(
    repeated: Numbers, repeated_before: Numbers, earlier: Numbers, term: Numbers, first: Numbers, last: Numbers
) -> tuple[Numbers, Numbers, Floats]:
    """`SpanSums._repeats`, from the columns of `TermPositions` and the spans."""
    begin, end = repeated_before.take(first), repeated_before.take(last)
    lengths = end - begin
    span = np.arange(len(lengths)).repeat(lengths)
    occurrence = repeated.take(np.arange(len(span)) + (begin - lengths.cumsum() + lengths).take(span))
    is_inside = (earlier.take(occurrence) >= first.take(span)).nonzero()[0]
    # Each of them is a pair (span, term); one sort brings equal pairs together.
    pairs = (span.take(is_inside) << 32) | term.take(occurrence.take(is_inside))
    pairs.sort()
    begins = np.ones(len(pairs) + 1, np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=begins[1:-1])
    runs = begins.nonzero()[0]
    distinct = pairs.take(runs[:-1])
    return distinct >> 32, distinct & 0xFFFFFFFF, (runs[1:] - runs[:-1]).astype(np.float64) + 1.0


def squared(count: Floats) -> Floats:
    """The values of counts in the squared length of a vector."""
    return count * count


_ONE = float(np.log1p(1.0))


def damped(count: Floats) -> Floats:
    """The values of damped counts, log(1 + count), as multiples of the value of a count of 1."""
    worth: Floats = np.log1p(count) / _ONE
    return worth


def damped_squared(count: Floats) -> Floats:
    """The values of damped counts in the squared length of a vector."""
    return squared(damped(count))
