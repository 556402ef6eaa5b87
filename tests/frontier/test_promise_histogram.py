"""Promises in bins, against all of them in a list."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier.promise_histogram import PromiseHistogram

promises = st.one_of(
    st.floats(-2, 2), st.floats(-1e12, 1e12), st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.0, -1.0, 0.5])
)


def of(*values: float) -> PromiseHistogram:
    histogram = PromiseHistogram()
    histogram.add_all(values)
    return histogram


def exactly(values: list[float], promise: float, most: float) -> float:
    """The sum of what the `most` highest promises exceed one by."""
    highest = sorted(values, reverse=True)[: int(min(most, len(values)))]
    return sum(value - promise for value in highest if value > promise)


@given(st.lists(promises, max_size=40), promises, st.one_of(st.integers(1, 50), st.just(inf)))
def test_excess(values: list[float], promise: float, most: float) -> None:
    # A value may be off by half a bin, and the promise itself by a whole one: by 1/256 of either.
    error = sum(abs(value) + abs(promise) for value in values) / 256
    assert of(*values).excess(promise, most) == pytest.approx(exactly(values, promise, most), abs=error + 1e-300)


def test_excess_by_hand() -> None:
    # 0.9 and 0.7 exceed 0.5 by 0.4 and 0.2; the best alone by 0.4; -1 is below.
    histogram = of(0.9, 0.7, 0.5, 0.1, -1.0)
    assert histogram.excess(0.5, inf) == pytest.approx(0.6, abs=0.005)
    assert histogram.excess(0.5, 1) == pytest.approx(0.4, abs=0.005)
    assert histogram.excess(0.9, inf) == 0.0
    assert histogram.excess(-2.0, inf) == pytest.approx(2.9 + 2.7 + 2.5 + 2.1 + 1.0, rel=0.005)


def test_equal_promises_do_not_exceed_each_other() -> None:
    assert of(*[1 / 3] * 1000).excess(1 / 3, inf) == 0.0


@given(st.lists(promises, max_size=40), st.lists(promises, max_size=10), promises)
def test_what_is_removed_does_not_count(kept: list[float], removed: list[float], promise: float) -> None:
    histogram = of(*kept, *removed)
    for value in removed[::2]:
        histogram.add(value, -1)
    histogram.add_all(removed[1::2], -1)
    assert histogram.count == len(kept)
    assert histogram.excess(promise, inf) == of(*kept).excess(promise, inf)


@given(st.lists(promises, max_size=40), promises)
def test_one_by_one_or_all_at_once(values: list[float], promise: float) -> None:
    histogram = PromiseHistogram()
    for value in values:
        histogram.add(value)
    assert histogram.excess(promise, inf) == of(*values).excess(promise, inf)


def test_nothing() -> None:
    assert PromiseHistogram().excess(0.0, inf) == 0.0
