"""Each scheme against a collection worked by hand.

Four documents, three terms; the first two documents are positive::

          bee  hive  war        n_i:  bee 2, hive 1, war 3
    d0      2     1    0        log(4/2) = L, log(4/1) = 2L, log(4/3) = M
    d1      1     0    1
    d2      0     0    3
    d3      0     0    1
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from honeyguide.relevance.weighting import (
    document_frequencies,
    inverse_frequencies,
    tf_idf,
    tfc,
    tfipndf,
)

COUNTS = csr_array(np.array([[2, 1, 0], [1, 0, 1], [0, 0, 3], [0, 0, 1]]))
POSITIVE = np.array([True, True, False, False])
L, M = log(2), log(4 / 3)
IDF = np.array([L, 2 * L, M])

matrices = arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.integers(0, 4)).map(csr_array)


def test_frequencies_count_documents_not_occurrences() -> None:
    assert document_frequencies(COUNTS).tolist() == [2, 1, 3]


def test_a_zero_that_is_stored_is_no_occurrence() -> None:
    stored = csr_array((np.array([0, 2]), np.array([0, 1]), np.array([0, 2])), shape=(1, 3))
    assert document_frequencies(stored).tolist() == [0, 1, 0]


def test_inverse_frequencies_are_natural_logarithms_and_0_for_a_term_never_seen() -> None:
    assert inverse_frequencies(4, np.array([2, 1, 3, 0])).tolist() == pytest.approx([L, 2 * L, M, 0])


def test_tf_idf_is_not_normalised() -> None:
    expected = np.array([[2 * L, 2 * L, 0], [L, 0, M], [0, 0, 3 * M], [0, 0, M]])
    np.testing.assert_allclose(tf_idf(COUNTS, IDF).toarray(), expected)


def test_tfc_has_length_1() -> None:
    # d0: (2L, 2L) has the direction (1, 1)
    length = sqrt(L**2 + M**2)
    expected = np.array([[1 / sqrt(2), 1 / sqrt(2), 0], [L / length, 0, M / length], [0, 0, 1], [0, 0, 1]])
    np.testing.assert_allclose(tfc(COUNTS, IDF).toarray(), expected)


def test_tfipndf_weighs_by_the_share_of_the_documents_own_class() -> None:
    # Shares of positives: bee 2/2, hive 1/2, war 1/2; of negatives: war 2/2.
    # d0: bee 2·1·L = 2L, hive 1·½·2L = L: direction (2, 1). d1: bee L, war ½M.
    length = sqrt(L**2 + (M / 2) ** 2)
    expected = np.array([[2 / sqrt(5), 1 / sqrt(5), 0], [L / length, 0, M / 2 / length], [0, 0, 1], [0, 0, 1]])
    np.testing.assert_allclose(tfipndf(COUNTS, POSITIVE, IDF).toarray(), expected)


def test_a_text_that_comes_later_is_weighted_as_one_that_was_there() -> None:
    later = tfc(COUNTS[[1]], IDF).toarray()
    np.testing.assert_array_equal(later, tfc(COUNTS, IDF).toarray()[[1]])


def test_texts_without_weight_stay_zero() -> None:
    nothing = csr_array(np.array([[0, 0, 0], [5, 0, 0]]))
    idf = np.array([0.0, 1.0, 1.0])
    for weighted in (tf_idf(nothing, idf), tfc(nothing, idf)):
        assert not weighted.toarray().any()
    assert not tfipndf(nothing, np.array([True, False]), idf).toarray().any()


@given(matrices)
def test_rows_have_length_1_or_0_and_what_was_given_is_left_alone(counts: csr_array) -> None:
    before = counts.toarray()
    idf = inverse_frequencies(counts.shape[0], document_frequencies(counts))
    positive = np.arange(counts.shape[0]) % 2 == 0
    for weighted in (tfc(counts, idf), tfipndf(counts, positive, idf)):
        lengths = np.linalg.norm(weighted.toarray(), axis=1)
        has_weight = (before * idf).any(axis=1)
        np.testing.assert_allclose(lengths, has_weight.astype(float), atol=1e-12)
    np.testing.assert_array_equal(counts.toarray(), before)


@given(matrices, st.integers(2, 9))
def test_tfc_does_not_see_how_often_a_text_is_repeated(counts: csr_array, times: int) -> None:
    idf = inverse_frequencies(counts.shape[0], document_frequencies(counts))
    np.testing.assert_allclose(tfc(counts * times, idf).toarray(), tfc(counts, idf).toarray(), atol=1e-12)
