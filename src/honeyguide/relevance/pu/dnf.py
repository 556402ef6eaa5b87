# ruff: noqa: N803 (X is scikit-learn's name for it, and part of its contract)
"""1-DNF and 1-DNFC: which unlabelled documents are surely not about the topic (000, algorithm 2)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from honeyguide.relevance.pu.base import PuClassifier, frequent
from honeyguide.relevance.weighting import Flags, document_frequencies

FEWEST_HITS = 0.05


class OneDNFC(PuClassifier):
    """A document is positive if it has any of the positive features: a disjunction of single terms.

    A positive feature is in a larger share of the positive documents than of the unlabelled ones, and in more than
    `min_share` (the paper's λ) of the positive documents. With `min_share` 0 this is 1-DNF. Terms seen fewer than
    `min_count` times in all documents are passed over.

    After `fit`: `positive_features_`, a flag a term; `reliable_negatives_`, a flag a row of what was fitted, true for
    the unlabelled documents that have no positive feature.
    """

    positive_features_: Flags
    reliable_negatives_: Flags

    def __init__(self, min_share: float = 0.2, min_count: int = 5) -> None:
        self.min_share = min_share
        self.min_count = min_count

    def fit(self, X: Any, y: Any) -> Self:
        """Find the positive features. ValueError when no row is positive, or none unlabelled."""
        counts, is_positive = self._training(X, y)
        self.positive_features_ = positive_features(counts, is_positive, self.min_share, self.min_count)
        self.reliable_negatives_ = ~is_positive & (hits(counts, self.positive_features_) == 0)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How many different positive features each row has."""
        return hits(self._counts(X), self.positive_features_).astype(np.float64)


def positive_features(counts: csr_array, is_positive: Flags, min_share: float, min_count: int) -> Flags:
    """df(t,P)/|P| > df(t,U)/|U| and df(t,P)/|P| > λ, of the terms that occur at least `min_count` times."""
    share_positive = document_frequencies(counts[is_positive]) / is_positive.sum()
    share_unlabelled = document_frequencies(counts[~is_positive]) / (~is_positive).sum()
    are_positive: Flags = (share_positive > share_unlabelled) & (share_positive > min_share)
    return are_positive & frequent(counts, min_count)


def hits(counts: csr_array, features: Flags) -> NDArray[np.int64]:
    """How many of the features occur in each row, once or more often."""
    occurs = (counts.data > 0) & features[counts.indices]
    before = np.zeros(len(occurs) + 1, np.int64)
    np.cumsum(occurs, out=before[1:])
    number: NDArray[np.int64] = np.diff(before[counts.indptr])
    return number


def first_negatives(counts: csr_array, is_positive: Flags, min_share: float, min_count: int) -> Flags:
    """The reliable negatives to begin with. If there is none: the 5 % of U with the fewest hits, one at least.

    Of rows with equally many hits the first are taken.
    """
    number = hits(counts, positive_features(counts, is_positive, min_share, min_count))
    negatives: Flags = ~is_positive & (number == 0)
    if not negatives.any():
        unlabelled = np.flatnonzero(~is_positive)
        wanted = max(1, round(FEWEST_HITS * len(unlabelled)))
        negatives[unlabelled[np.argsort(number[unlabelled], kind="stable")[:wanted]]] = True
    return negatives
