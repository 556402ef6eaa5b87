"""The outcome of a page: whether it is relevant, and how clearly."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.strategy.guide.outcomes import OutcomeScale

shares = st.floats(0, 1)


def chance(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


def test_without_clarity_only_the_threshold_counts() -> None:
    # Odds of 1/3 at the threshold .25; at .4 odds of 2/3 are twice as much: 4 / (4 + 1).
    scale = OutcomeScale(0.0)
    assert scale.of(0.25, 0.25) == pytest.approx(0.5)
    assert scale.of(0.4, 0.25) == pytest.approx(0.8)
    assert scale.of(0.0, 0.25) == 0.0
    assert scale.of(1.0, 0.25) == 1.0


def test_how_clearly_by_hand() -> None:
    # The first relevant page, 2 beyond a threshold of .5 in log odds, is clear by itself. It is not beyond itself, so
    # what is clear moves down by a step of 1, to 2 · e^(2 · 1 · -.25) = 1.213. The second, .5 beyond: .5 / 1.213 = .412
    # (clearness). Its odds, e^.5, squared: e / (e + 1) = .731. Half of each: .572.
    scale = OutcomeScale(0.5)
    assert scale.of(chance(2), 0.5) == pytest.approx((exp(4) / (exp(4) + 1) + 1) / 2, abs=1e-6)
    assert scale.of(chance(0.5), 0.5) == pytest.approx(0.572, abs=1e-3)


def test_pages_below_the_threshold_are_never_clear_and_change_nothing() -> None:
    scale, other = OutcomeScale(1.0), OutcomeScale(1.0)
    assert scale.of(0.4, 0.5) == 0.0
    assert scale.dump() == other.dump()


def test_what_is_clear_is_what_a_quarter_of_the_relevant_pages_reach() -> None:
    random = np.random.default_rng(5)
    scale = OutcomeScale(1.0)
    beyond = random.exponential(2.0, 4000)
    outcomes = np.array([scale.of(chance(one), 0.5) for one in beyond])
    assert np.mean(outcomes[1000:] == 1.0) == pytest.approx(0.25, abs=0.03)


@given(st.lists(shares, max_size=50), shares, shares, shares)
def test_between_0_and_1_and_the_more_relevant_the_better(
    before: list[float], threshold: float, one: float, other: float
) -> None:
    scale = OutcomeScale(0.5)
    for relevance in before:
        assert 0 <= scale.of(relevance, threshold) <= 1
    state = scale.dump()
    lower, higher = sorted((one, other))
    first = scale.of(lower, threshold)
    scale.restore(state)
    assert first <= scale.of(higher, threshold)


def test_resumed() -> None:
    scale, resumed = OutcomeScale(0.5), OutcomeScale(0.5)
    for relevance in (0.9, 0.6, 0.2, 0.99):
        scale.of(relevance, 0.5)
    resumed.restore(scale.dump())
    assert [scale.of(one, 0.5) for one in (0.7, 0.95)] == [resumed.of(one, 0.5) for one in (0.7, 0.95)]
