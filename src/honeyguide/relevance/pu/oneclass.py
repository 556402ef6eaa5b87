# ruff: noqa: N803 (X is scikit-learn's name for it, and part of its contract)
"""The one-class SVM on the positive documents alone: the baseline that does not learn from the unlabelled ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.svm import OneClassSVM as LibsvmOneClass

from honeyguide.relevance.pu.base import SingleSvm, frozen_idf
from honeyguide.relevance.weighting import tfc


class OneClassSVM(SingleSvm):
    """A linear one-class SVM of the positive documents' tfc vectors.

    The unlabelled documents only contribute to N and n_i, so that the vectors are those of the other classifiers. `nu`
    is the maximum share of positive documents that are treated as outliers; terms seen fewer than `min_count` times are
    dropped. After `fit` it has the attributes listed in `PuLinearVote`, for one SVM with one vote.

    LIBSVM's own default, an RBF kernel with g = 1/F, is equivalent: for vectors of length 1 and a small g that kernel
    is nearly 1 - 2g + 2g·(a · b), and neither the constant nor the factor changes the solution.
    """

    def __init__(self, nu: float = 0.5, min_count: int = 5) -> None:
        self.nu = nu
        self.min_count = min_count

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the positive rows. Raises ValueError if no row is positive, or none is unlabelled."""
        counts, is_positive = self._training(X, y)
        self.idf_ = frozen_idf(counts, self.min_count)
        svm = LibsvmOneClass(kernel="linear", nu=self.nu).fit(tfc(counts[is_positive], self.idf_))
        self.coef_ = svm.coef_.toarray()  # sparse, as the vectors are
        self.intercept_ = np.asarray(svm.intercept_)
        self.votes_ = np.ones(1)
        return self
