"""1-DNF and 1-DNFC: which unlabelled documents are surely not about the topic (000, algorithm 2).

A document may be about the topic if it has any of the positive features: a disjunction of single terms. If `min_share`
(the paper's λ) is 0 this is 1-DNF, otherwise 1-DNFC.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from honeyguide.relevance.pu.base import frequent
from honeyguide.relevance.weighting import Flags, document_frequencies

FEWEST_HITS = 0.05


def positive_features(counts: csr_array, is_positive: Flags, min_share: float, min_count: int) -> Flags:
    """df(t,P)/|P| > df(t,U)/|U| and df(t,P)/|P| > λ, of the terms that occur at least `min_count` times."""
    share_positive = document_frequencies(counts[is_positive]) / is_positive.sum()
    share_unlabelled = document_frequencies(counts[~is_positive]) / (~is_positive).sum()
    are_positive: Flags = (share_positive > share_unlabelled) & (share_positive > min_share)
    return are_positive & frequent(counts, min_count)


def hits(counts: csr_array, features: Flags) -> NDArray[np.int64]:
    """How many of the features occur in each row; repeated occurrences count once."""
    occurs = (counts.data > 0) & features[counts.indices]
    before = np.zeros(len(occurs) + 1, np.int64)
    np.cumsum(occurs, out=before[1:])
    number: NDArray[np.int64] = np.diff(before[counts.indptr])
    return number


def reliable_negatives(counts: csr_array, is_positive: Flags, min_share: float, min_count: int) -> Flags:
    """The unlabelled rows that have no positive feature."""
    are_negative: Flags = hits(counts, positive_features(counts, is_positive, min_share, min_count)) == 0
    return ~is_positive & are_negative


def first_negatives(counts: csr_array, is_positive: Flags, min_share: float, min_count: int) -> Flags:
    """The initial reliable negatives. If there are none: the 5 % of U with the fewest hits, at least one.

    Of rows with the same number of hits, the first are taken.
    """
    number = hits(counts, positive_features(counts, is_positive, min_share, min_count))
    negatives: Flags = ~is_positive & (number == 0)
    if not negatives.any():
        unlabelled = np.flatnonzero(~is_positive)
        wanted = max(1, round(FEWEST_HITS * len(unlabelled)))
        negatives[unlabelled[np.argsort(number[unlabelled], kind="stable")[:wanted]]] = True
    return negatives
