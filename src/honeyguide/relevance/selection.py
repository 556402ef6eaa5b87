"""Which terms separate two classes of documents. Only whether a term occurs counts, not how often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from honeyguide.relevance.weighting import Flags, Floats, document_frequencies


def chi_squared(counts: csr_array, is_positive: Flags) -> Floats:
    """χ² of each term with the class, without continuity correction (001; spec, section 3).

    For the table of rows with (a, b) and without (c, d) the term in the positive and the negative class it is N (ad -
    bc)² / ((a+b)(c+d)(a+c)(b+d)): from 0 to N. A term that occurs in all rows, or in none, gets 0.
    """
    with_term, positives_with = _occurrences(counts, is_positive)
    rows, positives = len(is_positive), int(is_positive.sum())
    # ad - bc, written with the margins of the table
    difference = positives_with * rows - with_term * positives
    margins = with_term * (rows - with_term) * positives * (rows - positives)
    return np.divide(rows * difference**2, margins, out=np.zeros(len(margins)), where=margins > 0)


def information_gain(counts: csr_array, is_positive: Flags) -> Floats:
    """How much information the occurrence of a term gives about the class, in nats (003; spec, section 2).

    From 0 to the entropy of the classes. Another base of the logarithm would not change the order.
    """
    with_term, positives_with = _occurrences(counts, is_positive)
    rows, positives = len(is_positive), int(is_positive.sum())
    if not rows:
        return np.zeros(counts.shape[1])
    without = rows - with_term
    before = _entropy(np.array([positives / rows]))
    after_with = _entropy(_ratio(positives_with, with_term))
    after_without = _entropy(_ratio(positives - positives_with, without))
    gain = before - (with_term * after_with + without * after_without) / rows
    return np.maximum(gain, 0.0)  # for an uninformative term a rounding error may make it negative


def top(scores: Floats, k: int) -> NDArray[np.intp]:
    """The `k` terms with the highest scores, best first; ties in order of the terms."""
    return np.argsort(-scores, kind="stable")[:k]


def _occurrences(counts: csr_array, is_positive: Flags) -> tuple[Floats, Floats]:
    """In how many rows each term occurs, and in how many positive ones. As floats: their products are large."""
    return document_frequencies(counts).astype(np.float64), document_frequencies(counts[is_positive]).astype(np.float64)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


def _entropy(share: Floats) -> Floats:
    """The entropy of two classes, one of which has the given share; 0 log 0 is 0."""
    both = np.stack([share, 1 - share])
    entropy: Floats = -np.sum(both * np.log(both, out=np.zeros_like(both), where=both > 0), axis=0)
    return entropy
