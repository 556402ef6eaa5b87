"""PU classifiers: scikit-learn's own checks, formulas against cases worked by hand, and how the loop goes."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.svm import OneClassSVM as RbfOneClass
from sklearn.utils.estimator_checks import parametrize_with_checks

from honeyguide.relevance.pu.base import PuClassifier, PuLinearVote
from honeyguide.relevance.pu.dnf import first_negatives, hits, positive_features, reliable_negatives
from honeyguide.relevance.pu.oneclass import OneClassSVM
from honeyguide.relevance.pu.rounds import svm_rounds
from honeyguide.relevance.pu.wvc import PEBL, WVC
from honeyguide.relevance.weighting import Floats, inverse_frequencies, tfc, tfipndf

ALL = [WVC(), WVC(weighting="tfidf"), PEBL(), OneClassSVM()]


@parametrize_with_checks(ALL)  # type: ignore[untyped-decorator] # scikit-learn has no types
def test_keeps_the_contract_of_scikit_learn(estimator: PuClassifier, check: Callable[[PuClassifier], None]) -> None:
    check(estimator)


# ---- 1-DNFC ----

# bee: in 4/4 of P and 1/4 of U; hive: 2/4 and 1/4; the: 4/4 and 4/4; war: 0/4 and 2/4.
#         bee hive the war
SMALL = csr_array(
    np.array(
        [
            [1, 2, 1, 0],
            [3, 1, 1, 0],
            [1, 0, 1, 0],
            [1, 0, 1, 0],
            [2, 0, 1, 0],  # the first unlabelled one
            [0, 1, 1, 0],
            [0, 0, 1, 1],
            [0, 0, 2, 1],
        ]
    )
)
KNOWN = np.array([1, 1, 1, 1, 0, 0, 0, 0]) == 1


def test_1_dnf_takes_every_term_that_is_commoner_among_the_positive() -> None:
    assert positive_features(SMALL, KNOWN, 0.0, 1).tolist() == [True, True, False, False]
    assert np.flatnonzero(reliable_negatives(SMALL, KNOWN, 0.0, 1)).tolist() == [6, 7]


def test_1_dnfc_asks_for_more_than_its_share() -> None:
    # hive is in 0.5 of P, and 0.5 is not more than 0.5: the document that has only a hive turns reliable.
    assert positive_features(SMALL, KNOWN, 0.5, 1).tolist() == [True, False, False, False]
    assert np.flatnonzero(reliable_negatives(SMALL, KNOWN, 0.5, 1)).tolist() == [5, 6, 7]


def test_1_dnfc_passes_over_rare_terms() -> None:
    # All documents together have 8 bees and 4 hives.
    assert positive_features(SMALL, KNOWN, 0.0, 5).tolist() == [True, False, False, False]
    assert positive_features(SMALL, KNOWN, 0.0, 4)[1]


def test_hits_are_different_features_not_occurrences() -> None:
    later = csr_array(np.array([[9, 1, 0, 0], [0, 7, 1, 1], [0, 0, 5, 5], [0, 0, 0, 0]]))
    assert hits(later, np.array([True, True, False, False])).tolist() == [2, 1, 0, 0]


def test_without_reliable_negatives_the_5_percent_with_the_fewest_hits_stand_for_them() -> None:
    # 40 unlabelled documents: 5 % are two. All have the first positive feature; rows 7 and 30 to 39 have no second.
    unlabelled = np.ones((40, 3))
    unlabelled[:, 2] = 0
    unlabelled[[7, *range(30, 40)], 1] = 0
    unlabelled[-1] = [0, 1, 0]  # so that both features are commoner in P
    positive = np.array([[1, 1, 1]] * 2)
    counts = csr_array(np.vstack([positive, unlabelled]))
    is_positive = np.arange(42) < 2
    found = first_negatives(counts, is_positive, 0.0, 1)
    assert (np.flatnonzero(found) - 2).tolist() == [7, 30]


def test_reliable_negatives_are_there_at_once_if_there_are_any() -> None:
    np.testing.assert_array_equal(first_negatives(SMALL, KNOWN, 0.0, 1), reliable_negatives(SMALL, KNOWN, 0.0, 1))


# ---- the vote ----


def test_votes_and_priorities_by_hand() -> None:
    # Two terms with idf 1 and 2, three SVMs. Counts (2, 1) weigh (2, 2): x = (1, 1)/√2.
    # Margins: 1/√2 · (2 + 0) - 1 = 0.414…; 1/√2 · (0 - 2) + 0.5 = -0.914…; (0 + 0) + 0 = 0, which is no yes.
    wvc = WVC()
    wvc.classes_, wvc.n_features_in_ = np.array([0, 1]), 2
    wvc.idf_ = np.array([1.0, 2.0])
    wvc.coef_ = np.array([[2.0, 0.0], [0.0, -2.0], [0.0, 0.0]])
    wvc.intercept_ = np.array([-1.0, 0.5, 0.0])
    wvc.votes_ = np.array([0.6, 0.3, 0.1])
    assert wvc.decision_function([[2, 1]]).tolist() == pytest.approx([0.6 - 0.3 - 0.1])
    yes, no = 1 / (1 + exp(-(sqrt(2) - 1))), 1 / (1 + exp(sqrt(2) - 0.5))
    assert wvc.priority([[2, 1]]).tolist() == pytest.approx([0.6 * yes + 0.3 * no + 0.1 * 0.5])
    assert wvc.predict([[2, 1]]).tolist() == [1]


def test_a_vote_that_is_tied_is_not_enough() -> None:
    wvc = WVC()
    wvc.classes_, wvc.n_features_in_ = np.array([0, 1]), 1
    wvc.idf_, wvc.votes_ = np.ones(1), np.array([0.5, 0.5])
    wvc.coef_, wvc.intercept_ = np.array([[1.0], [-1.0]]), np.zeros(2)
    assert wvc.predict([[1]]).tolist() == [0]


# ---- fitted on a collection ----

TERMS = 140


def collection(seed: int, hidden: int = 40) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """Counts, PU labels and the truth: 40 known positives, some hidden, 160 negatives.

    A document has 30 words: of the terms 0 to 9 (the topic's), 10 to 39 (others'), or 40 to 139 (everybody's).
    """
    random = np.random.default_rng(seed)
    truth = np.arange(40 + hidden + 160) < 40 + hidden
    rows = np.zeros((len(truth), TERMS))
    for row, is_positive in zip(rows, truth, strict=True):
        own = random.integers(0, 10, 8) if is_positive else random.integers(10, 40, 8)
        stray = random.integers(0, 40, 4)
        np.add.at(row, np.concatenate([own, stray, random.integers(40, 140, 18)]), 1)
    return csr_array(rows), (np.arange(len(truth)) < 40).astype(int), truth


def margins(model: PuLinearVote, counts: csr_array) -> Floats:
    """As a scorer elsewhere computes them, from the arrays alone."""
    weighted = counts.toarray() * model.idf_
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    found: Floats = weighted / lengths @ model.coef_.T + model.intercept_
    return found


@pytest.mark.parametrize("weighting", ["tfipndf", "tfidf"])
@pytest.mark.parametrize("seed", range(3))
def test_documents_join_the_negatives_until_none_does(seed: int, weighting: str) -> None:
    counts, known, _ = collection(seed)
    wvc = WVC(weighting=weighting).fit(counts, known)
    found = margins(wvc, counts)
    waiting = (known == 0) & ~wvc.reliable_negatives_
    joined = []
    for k in range(wvc.n_iter_):
        rows, labels = counts[~waiting], known[~waiting] == 1
        vectors = tfipndf(rows, labels, wvc.idf_) if weighting == "tfipndf" else tfc(rows, wvc.idf_)
        svm = LinearSVC(loss="hinge", tol=1e-3, random_state=0).fit(vectors, labels)
        np.testing.assert_array_equal(wvc.coef_[k], svm.coef_[0])
        joining = waiting & (found[:, k] <= 0)
        joined.append(int(joining.sum()))
        waiting &= ~joining
    assert all(joined[:-1])
    assert joined[-1] == 0


def test_a_vote_is_worth_the_share_of_the_positive_that_its_svm_finds() -> None:
    counts, known, _ = collection(0)
    wvc = WVC().fit(counts, known)
    found = (margins(wvc, counts)[known == 1] > 0).mean(axis=0)
    np.testing.assert_allclose(wvc.votes_, found / found.sum())


def test_a_positive_document_without_weight_is_not_found_by_any_svm() -> None:
    # Nine positive documents have the first term and one has none; the two negative ones have the second.
    counts = csr_array(np.array([[1, 0]] * 9 + [[0, 0]] + [[0, 1]] * 2))
    is_positive = np.arange(12) < 10
    rounds = svm_rounds(counts, is_positive, ~is_positive, np.ones(2), lambda rows, _: tfc(rows, np.ones(2)), 9, 0)
    assert rounds.intercept[0] > 0
    assert rounds.precision.tolist() == [0.9]


def test_votes_are_equal_when_no_svm_finds_any_positive() -> None:
    # Every term is everywhere, so nothing has weight.
    wvc = WVC().fit(np.full((9, 2), 7), [1] * 3 + [0] * 6)
    np.testing.assert_allclose(wvc.votes_, np.full(wvc.n_iter_, 1 / wvc.n_iter_))
    assert not wvc.predict(np.full((9, 2), 7)).any()


def test_pebl_is_the_last_svm_of_the_same_loop() -> None:
    counts, known, _ = collection(1)
    pebl = PEBL().fit(counts, known)
    wvc = WVC(weighting="tfidf", min_share=0.0).fit(counts, known)
    np.testing.assert_array_equal(pebl.coef_, wvc.coef_[-1:])
    np.testing.assert_array_equal(pebl.intercept_, wvc.intercept_[-1:])
    assert pebl.n_iter_ == wvc.n_iter_
    np.testing.assert_allclose(pebl.decision_function(counts), margins(pebl, counts)[:, 0])


def test_one_class_learns_from_the_positive_alone() -> None:
    counts, known, _ = collection(2)
    model = OneClassSVM().fit(counts, known)
    # Other unlabelled documents, but as many with each term: the same SVM.
    others = counts.toarray()
    others[known == 0] = np.random.default_rng(2).permuted(others[known == 0], axis=0)
    np.testing.assert_array_equal(model.coef_, OneClassSVM().fit(others, known).coef_)


def test_one_class_with_a_flat_rbf_kernel_comes_to_the_same() -> None:
    counts, known, _ = collection(2)
    model = OneClassSVM().fit(counts, known)
    vectors = tfc(counts, model.idf_)
    rbf = RbfOneClass(kernel="rbf", gamma=1e-4, nu=0.5, tol=1e-10).fit(vectors[known == 1])
    scores = rbf.decision_function(vectors)
    assert np.corrcoef(scores, model.decision_function(counts))[0, 1] > 0.999


def test_hidden_positives_are_found() -> None:
    counts, known, truth = collection(3)
    for model in (WVC(weighting="tfidf"), WVC(), PEBL()):
        is_right = model.fit(counts, known).predict(counts) == truth
        assert is_right.mean() > 0.9, model


@pytest.mark.parametrize("model", ALL, ids=str)
def test_arrays_are_all_it_takes_to_score(model: PuLinearVote) -> None:
    counts, known, _ = collection(4)
    model.fit(counts, known)
    share = 1 / (1 + np.exp(-margins(model, counts)))
    np.testing.assert_allclose(model.priority(counts), share @ model.votes_, rtol=1e-12)
    assert model.votes_.sum() == pytest.approx(1)


@pytest.mark.parametrize("model", ALL, ids=str)
def test_a_document_without_a_known_term_is_not_relevant(model: PuLinearVote) -> None:
    counts, known, _ = collection(5)
    model.fit(counts, known)
    model.intercept_ = np.abs(model.intercept_) + 1  # an SVM that says yes to nothing at all
    blank = np.zeros((1, TERMS))
    assert model.predict(blank).tolist() == [0]
    assert model.priority(blank).tolist() == [0]


@pytest.mark.parametrize("model", ALL, ids=str)
def test_rare_terms_are_dropped_with_their_weights(model: PuLinearVote) -> None:
    counts, known, _ = collection(6)
    rare = counts.toarray()
    rare[:, 0] = np.arange(240) < 4  # four times in all
    model.fit(rare, known)
    assert model.idf_[0] == 0
    assert not model.coef_[:, 0].any()
    assert model.idf_[10] == inverse_frequencies(240, np.array([np.sum(rare[:, 10] > 0)]))[0]


@pytest.mark.parametrize("model", ALL, ids=str)
def test_it_does_not_matter_how_counts_are_stored(model: PuClassifier) -> None:
    counts, known, _ = collection(7)
    expected = model.fit(counts, known).decision_function(counts)
    wide = csr_array((counts.data, counts.indices.astype(np.int64), counts.indptr.astype(np.int64)), shape=counts.shape)
    halves = csr_array(  # each entry twice, with half the count
        (np.repeat(counts.data / 2, 2), np.repeat(counts.indices, 2), counts.indptr * 2), shape=counts.shape
    )
    for same in (counts.toarray(), counts.tocsc(), wide, halves):
        np.testing.assert_allclose(model.fit(same, known).decision_function(same), expected)
    assert halves.nnz == 2 * counts.nnz


@pytest.mark.parametrize("model", ALL, ids=str)
@pytest.mark.parametrize("label", [0, 1])
def test_both_positive_and_unlabelled_documents_are_needed(model: PuClassifier, label: int) -> None:
    with pytest.raises(ValueError, match=r"needs positive \(1\) and unlabelled \(0\) documents; got one class only"):
        model.fit(SMALL, [label] * 8)


@pytest.mark.parametrize("model", ALL, ids=str)
def test_counts_are_not_negative(model: PuClassifier) -> None:
    negative: Any = -np.array(SMALL)
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(negative, KNOWN)
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(SMALL, KNOWN).predict(negative)


def test_a_weighting_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="use one of tfipndf, tfidf"):
        WVC(weighting="bm25").fit(SMALL, KNOWN)


def test_a_loop_that_is_cut_short_says_so() -> None:
    counts, known, _ = collection(0)
    with pytest.warns(ConvergenceWarning, match="still added to the negatives after 1 SVMs"):
        wvc = WVC(max_iter=1).fit(counts, known)
    assert wvc.coef_.shape == (1, TERMS)
