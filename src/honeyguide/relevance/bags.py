"""Spans to bags of words: which tokens occur in which span, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.span_sums import term_positions
from honeyguide.relevance.text import NOTHING, Text, Tokenizer, Tokens, counted


@dataclass(frozen=True, slots=True)
class Bags:
    """A sparse matrix, one row per span: parallel arrays of its entries, ordered by row, then by term."""

    rows: int
    row: NDArray[np.intp]
    term: NDArray[Any]
    """A token; after `among`, the index of the token in a vocabulary."""
    count: NDArray[np.float64]

    def summed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the entries' values for each row."""
        if self.rows == 1:
            return np.array([values.sum()])
        return np.bincount(self.row, values, self.rows).astype(np.float64, copy=False)


def bags(tokens: Tokens, spans: Spans) -> Bags:
    """The tokens of each span, without `NOTHING`. Spans may overlap."""
    if len(spans) == 1:  # usually a whole page: the spans need not be distinguished
        first, last = spans[0].tolist()
        terms, counts = counted(tokens[first:last])
        return Bags(1, np.zeros(len(terms), np.intp), terms, counts.astype(np.float64))
    lengths = np.maximum(spans[:, 1] - spans[:, 0], 0)
    owner = np.repeat(np.arange(len(spans)), lengths)
    starts = np.cumsum(lengths) - lengths
    occurring = tokens[np.arange(len(owner)) - starts[owner] + spans[owner, 0]]
    # Each occurrence is a pair (span, token); one sort brings equal pairs together.
    pairs = np.sort((owner << 32 | occurring)[occurring != NOTHING])
    begins = np.ones(len(pairs) + 1, np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=begins[1:-1])
    places = begins.nonzero()[0]
    distinct = pairs[places[:-1]]
    return Bags(len(spans), distinct >> 32, (distinct & 0xFFFFFFFF).astype(np.uint32), np.diff(places).astype(float))


def text_bags(text: Text, tokenizer: Tokenizer, spans: Spans) -> Bags:
    """The tokens of each span of a text."""
    if len(spans) == 1 and spans[0, 0] == 0 and spans[0, 1] == len(text):
        found = term_positions(text, tokenizer)
        return Bags(1, np.zeros(len(found.terms), np.intp), found.terms, found.counts)
    return bags(text.tokens(tokenizer), spans)


def among(found: Bags, vocabulary: Tokens) -> Bags:
    """Only the entries whose tokens are in a vocabulary (in ascending order), as indices into it."""
    if not len(vocabulary):
        return Bags(found.rows, found.row[:0], found.row[:0], found.count[:0])
    place = np.minimum(np.searchsorted(vocabulary, found.term), len(vocabulary) - 1)
    known = vocabulary[place] == found.term
    return Bags(found.rows, found.row[known], place[known], found.count[known])
