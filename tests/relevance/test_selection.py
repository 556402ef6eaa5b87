"""Scores of terms against tables worked by hand, and against the libraries' own.

Eight documents, four of each class::

             bee  hive  war  the
    +          1     1    0    1        bee:  4 of +, 0 of -   says everything
    +          2     0    0    1        hive: 1 of +, 0 of -
    +          1     0    1    1        war:  1 of +, 2 of -
    +          1     0    0    1        the:  4 of +, 4 of -   says nothing
    -          0     0    1    5
    -          0     0    3    1
    -          0     0    0    1
    -          0     0    0    1
"""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from honeyguide.relevance.selection import chi_squared, information_gain, top

COUNTS = csr_array(
    np.array(
        [
            [1, 1, 0, 1],
            [2, 0, 0, 1],
            [1, 0, 1, 1],
            [1, 0, 0, 1],
            [0, 0, 1, 5],
            [0, 0, 3, 1],
            [0, 0, 0, 1],
            [0, 0, 0, 1],
        ]
    )
)
POSITIVE = np.arange(8) < 4

collections = st.integers(2, 12).flatmap(
    lambda rows: st.tuples(
        arrays(np.int64, (rows, 3), elements=st.integers(0, 2)).map(csr_array),
        arrays(np.bool_, rows),
    )
)


def test_chi_squared() -> None:
    # bee: a=4 b=0 c=0 d=4: 8·(16-0)² / (4·4·4·4) = 8. hive: a=1 b=0 c=3 d=4: 8·(4-0)² / (1·7·4·4) = 8/7.
    # war: a=1 b=2 c=3 d=2: 8·(2-6)² / (3·5·4·4) = 8/15.
    assert chi_squared(COUNTS, POSITIVE).tolist() == pytest.approx([8, 8 / 7, 8 / 15, 0])


def test_information_gain_in_nats() -> None:
    # Before: log 2. bee leaves 0. hive: with 1 (0), without 7 (3 of +):
    # log 2 + 7/8 · (3/7 log 3/7 + 4/7 log 4/7). war: with 3 (1 of +), without 5 (3 of +).
    hive = log(2) + 7 / 8 * (3 / 7 * log(3 / 7) + 4 / 7 * log(4 / 7))
    war = log(2) + 3 / 8 * (1 / 3 * log(1 / 3) + 2 / 3 * log(2 / 3)) + 5 / 8 * (3 / 5 * log(3 / 5) + 2 / 5 * log(2 / 5))
    assert information_gain(COUNTS, POSITIVE).tolist() == pytest.approx([log(2), hive, war, 0])


def test_a_gain_is_never_below_0() -> None:
    # 5 of 15 documents have the term, 2 of the 6 positive ones: it says nothing, and rounding would make it less.
    occurs = np.isin(np.arange(15), [0, 1, 6, 7, 8]).astype(int)
    assert information_gain(csr_array(occurs[:, None]), np.arange(15) < 6).tolist() == [0]


def test_the_best_come_first_and_equal_ones_in_their_order() -> None:
    scores = np.array([1.0, 3.0, 2.0, 3.0, 1.0])
    assert top(scores, 4).tolist() == [1, 3, 2, 0]
    assert top(scores, 99).tolist() == [1, 3, 2, 0, 4]
    assert top(scores, 0).tolist() == []
    assert top(np.tile(scores, 100), 200).tolist() == [1 + 5 * turn + two for turn in range(100) for two in (0, 2)]


def test_one_class_only_tells_nothing_apart() -> None:
    everything = np.ones(8, np.bool_)
    assert not chi_squared(COUNTS, everything).any()
    assert not information_gain(COUNTS, everything).any()


def test_no_documents_at_all() -> None:
    nothing = csr_array((0, 3), dtype=np.int64)
    assert chi_squared(nothing, np.zeros(0, np.bool_)).tolist() == [0, 0, 0]
    assert information_gain(nothing, np.zeros(0, np.bool_)).tolist() == [0, 0, 0]


@given(collections)
def test_scores_are_those_of_scipy_and_scikit_learn(collection: tuple[csr_array, np.ndarray]) -> None:
    counts, positive = collection
    squares, gains = chi_squared(counts, positive), information_gain(counts, positive)
    for term, occurs in enumerate(counts.toarray().T > 0):
        assert gains[term] == pytest.approx(mutual_info_score(occurs, positive), abs=1e-12)
        table = np.array([[np.sum(occurs & side), np.sum(~occurs & side)] for side in (positive, ~positive)])
        if table.sum(axis=0).all() and table.sum(axis=1).all():
            assert squares[term] == pytest.approx(chi2_contingency(table, correction=False).statistic)
        else:
            assert squares[term] == 0


@given(collections)
def test_it_does_not_matter_which_class_is_called_positive(collection: tuple[csr_array, np.ndarray]) -> None:
    counts, positive = collection
    for score in (chi_squared, information_gain):
        np.testing.assert_allclose(score(counts, positive), score(counts, ~positive), atol=1e-12)
