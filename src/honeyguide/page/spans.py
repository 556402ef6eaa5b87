"""Spans, the results of segmenters and link contexts, in place of copies of text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin

Spans = NDArray[np.int32]
"""Rows of (first, last) positions over a page's words; `last` is the position after the span."""


def spans(pairs: Iterable[tuple[int, int]]) -> Spans:
    """Spans from pairs of positions."""
    return np.array(list(pairs), np.int32).reshape(-1, 2)


def spans_of(first: NDArray[np.int32], last: NDArray[np.int32]) -> Spans:
    """Spans from two columns of positions."""
    found = np.empty((len(first), 2), np.int32)  # numpy's own function takes three times as long
    found[:, 0], found[:, 1] = first, last
    return found


@twin("sums")
def distinct(spans: Spans) -> tuple[Spans, NDArray[np.intp]]:
    """The distinct spans among some, in any order, and the index of each given span among them."""
    pairs = spans[:, 0].astype(np.int64) << 32 | spans[:, 1]
    order = pairs.argsort()
    ordered = pairs.take(order)
    begins = np.ones(len(pairs), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    which = np.empty(len(pairs), np.intp)
    which[order] = begins.cumsum() - 1
    return spans.take(order[begins], axis=0), which


@twin("sums")
def words_in(spans: NDArray[np.int32]) -> int:
    """The total number of words in some spans; words in several spans count several times."""
    return int(np.add.reduce(spans[:, 1] - spans[:, 0], dtype=np.int64))


@twin("places")
def spans_at(spans: Spans, which: NDArray[np.int32], first: int, last: int) -> Spans:
    """Some of the spans, by their numbers; the one from `first` to `last` for a number below 0."""
    found = np.empty((len(which), 2), np.int32)
    found[:] = first, last
    is_one = which >= 0
    found[is_one] = spans[which[is_one]]
    return found
