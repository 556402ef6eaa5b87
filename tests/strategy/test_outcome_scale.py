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


@pytest.mark.parametrize("likeness", [False, True])
def test_resumed(likeness: bool) -> None:
    scale, resumed = OutcomeScale(0.5), OutcomeScale(0.5)
    for relevance in (0.9, 0.6, 0.2, 0.99):
        scale.of(relevance, 0.5, likeness=likeness)
    resumed.restore(scale.dump())
    found = [[one.of(relevance, 0.5, likeness=likeness) for relevance in (0.7, 0.95)] for one in (scale, resumed)]
    assert found[0] == found[1]


def test_a_crawl_of_an_earlier_version_is_resumed() -> None:
    scale = OutcomeScale(0.5)
    scale.restore(b"[1.5, 20]")
    assert scale.of(0.1, 0.15, likeness=True) == 1.0
    assert scale.of(chance(1.5), 0.5, learns=False) == pytest.approx((exp(3) / (exp(3) + 1) + 1) / 2)


# ---- likeness ----


def test_likeness_counts_by_what_a_tenth_of_the_pages_reach() -> None:
    """However few pages reach the threshold."""
    random = np.random.default_rng(6)
    for usual in (0.02, 0.2):
        scale = OutcomeScale(0.5)
        outcomes = np.array([scale.of(one, 0.15, likeness=True) for one in random.exponential(usual, 4000).clip(0, 1)])
        assert np.mean(outcomes[1000:] == 1.0) == pytest.approx(0.1, abs=0.02)
        assert np.mean((outcomes[1000:] > 0.1) & (outcomes[1000:] < 0.9)) > 0.5


def test_likeness_by_hand() -> None:
    # The first page, .06, is not beyond itself, so what counts fully moves down by a step of 1, to
    # .06 · e^(2 · -.1) = .0491. The second, .03, is below that, too: half a step down to .0491 · e^-.1 = .0444.
    # .03 / .0444 = .675, the root of which is .822.
    scale = OutcomeScale(0.5)
    assert scale.of(0.06, 0.15, likeness=True) == 1.0
    assert scale.of(0.03, 0.15, likeness=True) == pytest.approx(0.822, abs=1e-3)
    assert scale.of(0.0111, 0.15, likeness=True, learns=False) == pytest.approx(0.5, abs=1e-3)


def test_a_word_in_common_is_no_success_if_no_page_has_more() -> None:
    scale = OutcomeScale(0.5)
    for _ in range(3000):
        scale.of(0.0, 0.15, likeness=True)
    assert scale.of(0.00375, 0.15, likeness=True, learns=False) == pytest.approx(0.5)


def test_what_is_only_looked_at_teaches_nothing() -> None:
    scale = OutcomeScale(0.5)
    scale.of(0.1, 0.15, likeness=True)
    state = scale.dump()
    scale.of(0.9, 0.15, likeness=True, learns=False)
    assert scale.dump() == state


@given(st.lists(shares, max_size=50), shares, shares)
def test_the_more_like_the_topic_the_better(before: list[float], one: float, other: float) -> None:
    scale = OutcomeScale(0.5)
    for relevance in before:
        assert 0 <= scale.of(relevance, 0.15, likeness=True) <= 1
    lower, higher = (scale.of(each, 0.15, likeness=True, learns=False) for each in sorted((one, other)))
    assert 0 <= lower <= higher <= 1


# ---- on several machines ----


def learnt(relevances: list[float], *, likeness: bool) -> OutcomeScale:
    scale = OutcomeScale(0.5)
    for relevance in relevances:
        scale.of(relevance, 0.15, likeness=likeness)
    return scale


@pytest.mark.parametrize("likeness", [False, True])
def test_the_same_page_has_the_same_outcome_on_all_machines(likeness: bool) -> None:
    scales = [learnt(relevances, likeness=likeness) for relevances in ([0.9, 0.6, 0.7], [0.2, 0.16], [])]
    totals = [scale.totals() for scale in scales]
    for own, scale in zip(totals, scales, strict=True):
        scale.add_totals(np.sum(totals, axis=0) - own)
        assert scale.totals() == pytest.approx(np.sum(totals, axis=0))
    outcomes = [scale.of(0.18, 0.15, likeness=likeness, learns=False) for scale in scales]
    assert outcomes == pytest.approx([outcomes[0]] * 3)
    assert 0 < outcomes[0] < 1


def test_estimates_of_several_machines_by_hand() -> None:
    # As above: .0491 from one page. Twice that from another; the geometric mean is .0491 · √2 = .0695.
    scale, other = learnt([0.06], likeness=True), learnt([0.12], likeness=True)
    scale.add_totals(other.totals())
    assert scale.of(0.0695 / 4, 0.15, likeness=True, learns=False) == pytest.approx(0.5, abs=1e-3)
    resumed = OutcomeScale(0.5)
    resumed.restore(scale.dump())
    assert resumed.of(0.02, 0.15, likeness=True) == scale.of(0.02, 0.15, likeness=True)


def test_totals_that_were_added_can_be_replaced() -> None:
    scale, before = learnt([0.06, 0.02], likeness=True), learnt([0.06, 0.02], likeness=True)
    more, less = learnt([0.3, 0.4], likeness=True).totals(), learnt([0.3], likeness=True).totals()
    for change in (more, less - more, -less):
        scale.add_totals(change)
    assert scale.of(0.01, 0.15, likeness=True) == pytest.approx(before.of(0.01, 0.15, likeness=True))
