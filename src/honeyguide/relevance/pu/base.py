# ruff: noqa: N803, N806 (X is scikit-learn's name for it, and part of its contract)
"""What the PU classifiers share: their input, and how a set of linear SVMs judges a document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from honeyguide.relevance.weighting import Flags, Floats, document_frequencies, inverse_frequencies, tfc

BLANK_MARGIN = -1.0
"""The margin of a document without any weighted term: that of a plain negative, whatever the SVM's intercept."""


class PuClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc] # scikit-learn has no types
    """A classifier that learns from counts of terms, some rows of which are known to be positive.

    The labels are 1 (positive) and 0 (unlabelled). Any two labels are accepted: the greater one is the positive.
    """

    classes_: NDArray[Any]
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True  # counts
        tags.classifier_tags.multi_class = False
        # scikit-learn's test data has every feature in every row. For methods that use whether a term occurs, and
        # weight it by log(N/n), such features carry no information.
        tags.classifier_tags.poor_score = True
        return tags

    @abstractmethod
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows. Raises ValueError if no row is positive, or none is unlabelled."""

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """One number per row; the row is judged positive if it is greater than 0."""

    def predict(self, X: Any) -> NDArray[Any]:
        """One label per row: 1 relevant, 0 not."""
        is_relevant = self.decision_function(X) > 0
        return self.classes_[is_relevant.astype(np.intp)]

    def _training(self, X: Any, y: Any) -> tuple[csr_array, Flags]:
        """The counts, and which rows are positive."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y")
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs positive (1) and unlabelled (0) documents; "
                f"got one class only: {self.classes_.tolist()}"
            )
        check_non_negative(X, type(self).__name__)
        return _canonical(X), y == self.classes_[1]

    def _counts(self, X: Any) -> csr_array:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        check_non_negative(X, type(self).__name__)
        return _canonical(X)


class PuLinearVote(PuClassifier):
    """Linear SVMs that vote. Documents to be judged are weighted by tfc, with the N and n_i of the training documents.

    After `fit`, for x = a row's counts · `idf_`, divided by its length:

    - `idf_` (F,): log(N/n_i); 0 for terms that are dropped;
    - `coef_` (K, F), `intercept_` (K,): margin_k = coef_[k] · x + intercept_[k];
    - `votes_` (K,): the weight of each SVM's vote. They add up to 1.

    A document with x = 0 is not relevant: all its margins are -1 and its priority is 0.
    """

    idf_: Floats
    coef_: Floats
    intercept_: Floats
    votes_: Floats

    def decision_function(self, X: Any) -> Floats:
        """The weighted vote of all SVMs, each of which votes 1 or -1."""
        margins, _ = self._margins(X)
        votes: Floats = np.where(margins > 0, 1.0, -1.0) @ self.votes_
        return votes

    def priority(self, X: Any) -> Floats:
        """Σ votes_k · 1/(1 + exp(-margin_k)), in [0, 1]: how soon a link with this text is worth following."""
        margins, is_blank = self._margins(X)
        priorities: Floats = expit(margins) @ self.votes_
        priorities[is_blank] = 0.0
        return priorities

    def _margins(self, X: Any) -> tuple[Floats, Flags]:
        vectors = tfc(self._counts(X), self.idf_)
        is_blank = blank(vectors)
        margins: Floats = vectors @ self.coef_.T + self.intercept_
        margins[is_blank] = BLANK_MARGIN
        return margins, is_blank


class SingleSvm(PuLinearVote):
    """One SVM decides alone: `coef_` is (1, F) and its single vote has weight 1."""

    def decision_function(self, X: Any) -> Floats:
        """The SVM's margin."""
        margins, _ = self._margins(X)
        return margins[:, 0]


def _canonical(X: Any) -> csr_array:
    """X as CSR without duplicate entries, since entries are counted, and with 32-bit indices, as LIBLINEAR requires.

    The input is not modified.
    """
    counts = csr_array(X)
    if counts.indices.dtype != np.int32 and max(*counts.shape, counts.nnz) <= np.iinfo(np.int32).max:
        indices, starts = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
        counts = csr_array((counts.data, indices, starts), shape=counts.shape)
    if not counts.has_canonical_format:
        counts = counts.copy()
        counts.sum_duplicates()
    return counts


def frequent(counts: csr_array, min_count: int) -> Flags:
    """Which terms occur at least `min_count` times in all documents together (000: the rarer ones are dropped)."""
    enough: Flags = counts.sum(axis=0) >= min_count
    return enough


def frozen_idf(counts: csr_array, min_count: int) -> Floats:
    """log(N/n_i) of the collection made of these rows; 0 for terms that are too rare, which drops them."""
    return np.where(
        frequent(counts, min_count), inverse_frequencies(counts.shape[0], document_frequencies(counts)), 0.0
    )


def blank(vectors: csr_array) -> Flags:
    """Which rows have no weight at all."""
    is_blank: Flags = vectors.power(2).sum(axis=1) == 0
    return is_blank
