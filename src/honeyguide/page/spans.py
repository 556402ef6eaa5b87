"""Spans: what every segmenter and every link context returns, in place of copies of text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Spans = NDArray[np.int32]
"""Rows of (first, last) positions over a page's words; `last` is the position after the span."""


def spans(pairs: Iterable[tuple[int, int]]) -> Spans:
    """Spans from pairs of positions."""
    return np.array(list(pairs), np.int32).reshape(-1, 2)


def spans_of(first: NDArray[np.int32], last: NDArray[np.int32]) -> Spans:
    """Spans from two columns of positions."""
    return np.stack((first, last), axis=1)
