# ruff: noqa: N803 (X is scikit-learn's name for it, and part of its contract)
"""WVC and PEBL: the same SVMs; in WVC all of them vote, in PEBL the last one decides (000; spec, section 5)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from honeyguide.relevance.pu.base import PuLinearVote, SingleSvm, frozen_idf
from honeyguide.relevance.pu.dnf import first_negatives
from honeyguide.relevance.pu.rounds import svm_rounds
from honeyguide.relevance.weighting import Flags, tfc, tfipndf

WEIGHTINGS = ("tfipndf", "tfidf")


class WVC(PuLinearVote):
    """The weighted voting classifier: 1-DNFC finds the first negatives, then all SVMs of the loop vote.

    The weight of an SVM's vote is p_k/Σp, where p_k is the share of the positive documents that it judges positive. If
    none judges any positive, all votes have the same weight.

    `weighting` is that of the vectors the SVMs are trained on: ``"tfipndf"`` or ``"tfidf"`` (normalised: tfc).
    Documents to be judged are always weighted by tfc. `min_share` is 1-DNFC's λ; terms seen fewer than `min_count`
    times are dropped; `max_iter` limits the number of SVMs. If 1-DNFC finds no negative, the 5 % of the unlabelled
    documents with the fewest positive features are used.

    After `fit`, besides the attributes listed in `PuLinearVote`: `n_iter_`, the number of SVMs; `reliable_negatives_`,
    one flag per row, true for the initial negatives of the loop.
    """

    n_iter_: int
    reliable_negatives_: Flags

    def __init__(
        self,
        weighting: str = "tfipndf",
        min_share: float = 0.2,
        min_count: int = 5,
        max_iter: int = 100,
        random_state: int = 0,
    ) -> None:
        self.weighting = weighting
        self.min_share = min_share
        self.min_count = min_count
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows. Raises ValueError if no row is positive, or none is unlabelled."""
        if self.weighting not in WEIGHTINGS:
            raise ValueError(f"weighting is {self.weighting!r}; use one of {', '.join(WEIGHTINGS)}")
        counts, is_positive = self._training(X, y)
        idf = self.idf_ = frozen_idf(counts, self.min_count)
        self.reliable_negatives_ = first_negatives(counts, is_positive, self.min_share, self.min_count)
        self.coef_, self.intercept_, precision = svm_rounds(
            counts,
            is_positive,
            self.reliable_negatives_,
            idf,
            self._weigh,
            self.max_iter,
            self.random_state,
        )
        self.n_iter_ = len(precision)
        total = precision.sum()
        self.votes_ = precision / total if total else np.full(self.n_iter_, 1 / self.n_iter_)
        return self

    def _weigh(self, counts: csr_array, is_positive: Flags) -> csr_array:
        if self.weighting == "tfipndf":
            return tfipndf(counts, is_positive, self.idf_)
        return tfc(counts, self.idf_)


class PEBL(SingleSvm):
    """Positive example based learning: 1-DNF finds the first negatives, and the last SVM of the loop decides.

    Its vectors are tfc. The parameters and the attributes after `fit` are as in `WVC`; there is one SVM with one vote.
    """

    n_iter_: int
    reliable_negatives_: Flags

    def __init__(self, min_count: int = 5, max_iter: int = 100, random_state: int = 0) -> None:
        self.min_count = min_count
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows. Raises ValueError if no row is positive, or none is unlabelled."""
        counts, is_positive = self._training(X, y)
        idf = self.idf_ = frozen_idf(counts, self.min_count)
        self.reliable_negatives_ = first_negatives(counts, is_positive, 0.0, self.min_count)
        rounds = svm_rounds(
            counts,
            is_positive,
            self.reliable_negatives_,
            idf,
            lambda rows, _: tfc(rows, idf),
            self.max_iter,
            self.random_state,
        )
        self.coef_, self.intercept_ = rounds.coef[-1:], rounds.intercept[-1:]
        self.votes_ = np.ones(1)
        self.n_iter_ = len(rounds.precision)
        return self
