"""The loop of WVC and PEBL with every way to weight documents: why TFIPNDF loses to TFIDF (000, figure 8).

TFIPNDF weights a document by its label, which a document that is to be judged does not have. The paper says for its
crawler only what such a document gets (its equation 3: tfc). Here all that it may have meant is tried:

- ``tfc``: f · log(N/n), of length 1, as `honeyguide.relevance.pu` does;
- ``both``: weighted once as if it were positive and once as if it were negative, and the two margins are added;
- ``labels``: weighted by its true label, which nobody has when judging: the result leaks into the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from sklearn.svm import SVC, LinearSVC

from benchmarks.papers.trials import Trial
from honeyguide.relevance.pu.base import BLANK_MARGIN, blank, frozen_idf
from honeyguide.relevance.pu.dnf import first_negatives
from honeyguide.relevance.weighting import Flags, Floats, document_frequencies, tf_idf, tfc

TFIPNDF, TFIDF = "TFIPNDF", "TFIDF"
TFC, BOTH, LABELS = "tfc", "both", "labels"
LINEAR, RBF = "linear", "rbf"
MIN_COUNT, MOST_ROUNDS = 5, 100


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn from P and U."""

    name: str
    min_share: float | None
    """λ of the first negatives; None if all of U is negative from the beginning."""
    votes: bool = False
    """Whether all SVMs vote; else the last one decides."""


WVC = Method("WVC", 0.2, votes=True)
PEBL = Method("PEBL", 0.0)
ALL_NEGATIVE = Method("P against all of U", None)


@dataclass(frozen=True, slots=True)
class Round:
    """One SVM, and the shares of the documents it was trained on that have a term: positive ones, negative ones."""

    margins: Callable[[csr_array], Floats]
    positive: Floats
    negative: Floats


def judged(trial: Trial, method: Method, weighting: str, judging: str, kernel: str = LINEAR) -> Flags:
    """Which documents of the test set are judged positive."""
    idf = frozen_idf(trial.counts, MIN_COUNT)
    in_loop = TFC if judging == LABELS else judging  # labels leak into the test only: U stays unlabelled
    rounds, weights = [], []
    for one, share_found in _rounds(trial, method, weighting, in_loop, kernel, idf):
        rounds.append(one)
        weights.append(share_found)
    if not method.votes:
        rounds, weights = rounds[-1:], [1.0]
    elif not sum(weights):
        weights = [1.0] * len(rounds)
    votes = [
        weight * np.where(margins_of(one, trial.test_counts, idf, judging, trial.test_truth) > 0, 1.0, -1.0)
        for one, weight in zip(rounds, weights, strict=True)
    ]
    positive: Flags = np.sum(votes, axis=0) > 0
    return positive


def margins_of(one: Round, counts: csr_array, idf: Floats, judging: str, truth: Flags | None = None) -> Floats:
    """The margin of each document, weighted as `judging` says."""
    plain = tfc(counts, idf)
    if judging == TFC:
        margins = one.margins(plain)
    else:
        as_positive, as_negative = (
            one.margins(_by_share(counts, idf, shares)) for shares in (one.positive, one.negative)
        )
        margins = as_positive + as_negative
        if judging == LABELS:
            assert truth is not None
            margins = np.where(truth, as_positive, as_negative)
    return np.where(blank(plain), BLANK_MARGIN, margins)


def _rounds(
    trial: Trial, method: Method, weighting: str, judging: str, kernel: str, idf: Floats
) -> Iterator[tuple[Round, float]]:
    """Each SVM of the loop, and the share of P that it judges positive (000, algorithm 3)."""
    counts, is_positive = trial.counts, trial.known == 1
    negatives = ~is_positive
    if method.min_share is not None:
        negatives = first_negatives(counts, is_positive, method.min_share, MIN_COUNT)
    waiting = ~is_positive & ~negatives
    for _ in range(MOST_ROUNDS):
        rows = ~waiting
        one = _trained(counts[rows], is_positive[rows], weighting, kernel, idf)
        margins = margins_of(one, counts, idf, judging)
        yield one, float(np.mean(margins[is_positive] > 0))
        joining = waiting & (margins <= 0)
        if not joining.any():
            return
        waiting &= ~joining


def _trained(counts: csr_array, is_positive: Flags, weighting: str, kernel: str, idf: Floats) -> Round:
    shares = [document_frequencies(counts[side]) / max(int(side.sum()), 1) for side in (is_positive, ~is_positive)]
    vectors = tfc(counts, idf)
    if weighting == TFIPNDF:
        owner = np.repeat(~is_positive, np.diff(counts.indptr)).astype(np.intp)
        vectors = _by_share(counts, idf, np.stack(shares)[owner, counts.indices], each_entry=True)
    if kernel == LINEAR:
        svm = LinearSVC(loss="hinge", C=1.0, tol=1e-3, max_iter=10_000, random_state=0).fit(vectors, is_positive)
        return Round(lambda rows: rows @ svm.coef_[0] + svm.intercept_[0], *shares)
    used = np.flatnonzero(idf)  # LIBSVM's default: 1 over the number of features
    libsvm = SVC(kernel="rbf", gamma="auto", C=1.0, cache_size=500).fit(vectors[:, used], is_positive)
    return Round(lambda rows: libsvm.decision_function(rows[:, used]), *shares)


def _by_share(counts: csr_array, idf: Floats, shares: Floats, *, each_entry: bool = False) -> csr_array:
    """Rows of f · share · log(N/n), of length 1; with one share for each term, or for each entry of the matrix."""
    weighted = tf_idf(counts, idf)
    weighted.data *= shares if each_entry else shares[weighted.indices]
    return tfc(weighted, np.ones(weighted.shape[1]))
