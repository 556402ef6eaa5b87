"""The statistics of the lab: formulas against cases worked by hand."""

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from honeyguide.lab import statistics
from honeyguide.lab.statistics import PairedTest, Question
from honeyguide.lab.verdicts import verdict


def one_repeat(values: Sequence[float | None]) -> dict[tuple[str, int], float | None]:
    return {(f"topic {number:02}", 0): value for number, value in enumerate(values)}


def ask(
    first: Sequence[float | None] | dict[tuple[str, int], float | None],
    second: Sequence[float | None] | dict[tuple[str, int], float | None],
    metric: str = "target_recall",
    pages: int | None = 1000,
) -> Question:
    both = [values if isinstance(values, dict) else one_repeat(values) for values in (first, second)]
    return Question("guide", "otie", metric, pages, *both)


def answer(question: Question) -> PairedTest:
    (comparison,) = statistics.paired_tests([question])
    return comparison


# --- Means and errors ------------------------------------------------------------------------------------------------


def test_repeats_are_averaged_before_topics() -> None:
    # Topic a: (.2 + .4) / 2 = .3; topic b: .5. Mean .4 (not the mean of the three cells), deviation √(.01 + .01),
    # error √(.02 / 2) = .1.
    summary = statistics.summary({("a", 0): 0.2, ("a", 1): 0.4, ("b", 0): 0.5})
    assert summary.mean == pytest.approx(0.4)
    assert summary.standard_error == pytest.approx(0.1)
    assert (summary.over, summary.count) == ("topics", 2)


def test_with_one_topic_the_error_is_over_its_repeats() -> None:
    # Deviation of .2 .4 .6 is .2, over √3.
    summary = statistics.summary({("a", repeat): value for repeat, value in enumerate([0.2, 0.4, 0.6])})
    assert summary.mean == pytest.approx(0.4)
    assert summary.standard_error == pytest.approx(0.2 / math.sqrt(3))
    assert (summary.over, summary.count) == ("repeats", 3)


def test_an_error_that_cannot_be_had_is_none() -> None:
    assert statistics.summary({("a", 0): 0.2}).standard_error is None
    empty = statistics.summary({("a", 0): None, ("b", 0): float("nan")})
    assert (empty.mean, empty.standard_error, empty.count) == (None, None, 0)


def test_values_are_read_from_cells() -> None:
    cells: list[dict[str, object]] = [
        {"topic": "a", "repeat": 0, "strategy": "guide", "target_recall": 0.5, "bytes_per_relevant": None},
        {"topic": "a", "repeat": 1, "strategy": "guide", "target_recall": 1},
        {"topic": "a", "repeat": 0, "strategy": "otie", "target_recall": 0.25},
    ]
    assert statistics.values_of(cells, "guide", "target_recall") == {("a", 0): 0.5, ("a", 1): 1.0}
    assert statistics.values_of(cells, "guide", "bytes_per_relevant") == {("a", 0): None, ("a", 1): None}


# --- The tests -------------------------------------------------------------------------------------------------------


def test_t_test_by_hand() -> None:
    # Differences 1 2 3: mean 2, deviation 1, error 1/√3, t = 2√3 = 3.4641 with 2 degrees of freedom, where the upper
    # tail has the closed form p = (1 - t/√(t² + 2)) / 2 = (1 - √12/√14) / 2 = .0371.
    result = statistics.t_test([1.0, 2.0, 3.0])
    assert result == pytest.approx((2 * math.sqrt(3), (1 - math.sqrt(12 / 14)) / 2))


def test_t_test_of_students_sleep_data() -> None:
    # Student (1908): hours of sleep gained, second drug less first, ten patients. t = 4.0621, two-tailed p = .002833.
    result = statistics.t_test([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
    assert result is not None
    assert result[0] == pytest.approx(4.0621, abs=1e-4)
    assert result[1] == pytest.approx(0.002833 / 2, abs=1e-6)


@pytest.mark.parametrize("differences", [[], [1.0], [0.0, 0.0, 0.0], [0.1, 0.3 - 0.2, 0.1]])
def test_no_t_test_without_spread(differences: list[float]) -> None:
    assert statistics.t_test(differences) is None


def test_wilcoxon_by_hand() -> None:
    # 1 2 3, all above 0: one of 2³ choices of signs has a rank sum of 6.
    assert statistics.wilcoxon([1.0, 2.0, 3.0]) == pytest.approx(1 / 8)
    # -1 2 3: rank sum 5; 6 and 5 are reached by one choice each.
    assert statistics.wilcoxon([-1.0, 2.0, 3.0]) == pytest.approx(2 / 8)
    # Equal sizes: ranks 2 2 2; the sum 4 is reached by three choices, 6 by one. The zero is dropped.
    assert statistics.wilcoxon([0.0, -1.0, 1.0, 1.0]) == pytest.approx(4 / 8)
    # The sleep data without its zero: nine positive differences, 1 of 2⁹.
    assert statistics.wilcoxon([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]) == pytest.approx(1 / 512)
    assert statistics.wilcoxon([-1.0]) == 1
    assert statistics.wilcoxon([0.0, 0.0]) is None


@given(st.lists(st.integers(-4, 4).filter(bool), min_size=1, max_size=8))
def test_wilcoxon_counts_all_signs(differences: list[int]) -> None:
    ranks = stats.rankdata(np.abs(differences))
    reached = ranks[np.array(differences) > 0].sum()
    sums = [np.dot(signs, ranks) for signs in itertools.product([0, 1], repeat=len(ranks))]
    expected = np.mean([total >= reached for total in sums])
    assert statistics.wilcoxon([float(difference) for difference in differences]) == pytest.approx(expected)


@given(st.lists(st.floats(-10, 10), min_size=3, max_size=12, unique_by=lambda value: round(abs(value), 6)))
def test_both_tests_agree_with_scipy(differences: list[float]) -> None:
    differences = [round(difference, 6) for difference in differences if round(difference, 6)]
    if len(differences) < 3:
        return
    expected = stats.ttest_1samp(differences, 0, alternative="greater")
    assert statistics.t_test(differences) == pytest.approx((expected.statistic, expected.pvalue))
    exact = stats.wilcoxon(differences, alternative="greater", method="exact").pvalue
    assert statistics.wilcoxon(differences) == pytest.approx(exact)


def test_holm_by_hand() -> None:
    # Sorted .005 .01 .03 .04, times 4 3 2 1: .02 .03 .06 .04; the last may not be below .06.
    assert statistics.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # A test that was not made does not count: .02 · 2 and .5 · 1.
    assert statistics.holm([0.02, None, 0.5]) == [pytest.approx(0.04), None, pytest.approx(0.5)]
    assert statistics.holm([0.6, 0.7]) == [1, 1]
    assert statistics.holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_keeps_the_order_and_never_lowers(ps: list[float]) -> None:
    corrected = [p for p in statistics.holm(ps) if p is not None]
    assert len(corrected) == len(ps)
    assert all(before <= after <= 1 for before, after in zip(ps, corrected, strict=True))
    assert all(
        corrected[one] <= corrected[other] for one in range(len(ps)) for other in range(len(ps)) if ps[one] < ps[other]
    )


def test_bootstrap_is_repeatable_and_near_the_normal_interval() -> None:
    values = np.random.default_rng(3).normal(5, 1, 100).tolist()
    interval = statistics.bootstrap(values, seed=1)
    assert interval is not None
    assert interval == statistics.bootstrap(values, seed=1)
    assert interval != statistics.bootstrap(values, seed=2)
    error = np.std(values, ddof=1) / 10
    assert interval == pytest.approx((np.mean(values) - 1.96 * error, np.mean(values) + 1.96 * error), abs=0.03)


def test_bootstrap_at_the_edges() -> None:
    # Of 0 and 1 a resample has mean 0, ½ or 1 with chances ¼ ½ ¼: the middle 95 % reach from 0 to 1.
    assert statistics.bootstrap([0.0, 1.0]) == (0.0, 1.0)
    assert statistics.bootstrap([2.0, 2.0, 2.0]) == (2.0, 2.0)
    assert statistics.bootstrap([2.0]) is None


# --- Paired tests ----------------------------------------------------------------------------------------------------

SEVEN = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


def test_a_clear_gain() -> None:
    # Means .44 and .4. Differences .01 … .07: mean .04, deviation .0216, error .00816, t = 4.899, 6 degrees of freedom.
    result = answer(ask([value * 1.1 for value in SEVEN], SEVEN))
    assert [result.first_mean, result.second_mean] == pytest.approx([0.44, 0.4])
    assert [result.difference, result.change] == pytest.approx([0.04, 0.1])
    assert result.t == pytest.approx(0.04 / (math.sqrt(28 / 6) * 0.01 / math.sqrt(7)))
    assert result.p_wilcoxon == pytest.approx(1 / 128)
    assert result.p == result.p_holm == result.decisive_p
    assert result.interval is not None
    assert 0 < result.interval[0] < 0.04 < result.interval[1]
    assert result.significant
    assert result.first_is_ahead


def test_the_family_is_corrected() -> None:
    clear, unclear = ask([value * 1.1 for value in SEVEN], SEVEN), ask([0.2, 0.1, 0.35], [0.1, 0.2, 0.3])
    first, second = statistics.paired_tests([clear, unclear])
    assert first.p_holm == pytest.approx(2 * answer(clear).p)  # type: ignore[operator]
    assert second.p_holm == second.p


def test_a_difference_that_is_not_significant() -> None:
    # Differences .1 -.1 .05 .1 .0: mean .03; three wins, one loss.
    result = answer(ask([0.2, 0.2, 0.35, 0.4, 0.5], [0.1, 0.3, 0.3, 0.3, 0.5]))
    assert not result.significant
    assert (result.wins, result.losses) == (3, 1)


def test_less_is_better_for_a_price() -> None:
    # 88 instead of 100 bytes and so on: 1,320 against 1,500 in all, 12 % less.
    result = answer(ask([88.0, 177, 263, 352, 440], [100.0, 200, 300, 400, 500], "bytes_per_relevant", None))
    assert result.significant
    assert (result.wins, result.losses, result.first_is_ahead) == (5, 0, True)
    assert not answer(ask([110.0, 221, 329], [100.0, 200, 300], "bytes_per_relevant")).significant


def test_one_topic_has_no_test() -> None:
    one = answer(ask([0.2], [0.1]))
    assert (one.p, one.p_wilcoxon, one.interval, one.significant) == (None, None, None, False)


def test_no_difference_at_all() -> None:
    same = answer(ask(SEVEN, SEVEN))
    assert (same.t, same.p, same.p_wilcoxon, same.significant, same.interval) == (None, None, None, False, (0, 0))
    assert not same.first_is_ahead


def test_the_same_difference_on_every_topic_is_left_to_wilcoxon() -> None:
    result = answer(ask([value + 0.1 for value in SEVEN], SEVEN))
    assert (result.t, result.p) == (None, None)
    assert result.significant
    assert result.decisive_p == pytest.approx(1 / 2**7)


def test_only_cells_of_both_are_compared() -> None:
    # Topic a by repeat 1 alone: .5 against .4. Topic b: .3 against .2. Topic c has no value of the second.
    first: dict[tuple[str, int], float | None] = {("a", 0): 0.9, ("a", 1): 0.5, ("b", 0): 0.3, ("c", 0): 0.9}
    second: dict[tuple[str, int], float | None] = {("a", 1): 0.4, ("b", 0): 0.2, ("c", 0): None, ("d", 0): 0.1}
    result = answer(ask(first, second))
    assert (result.topics, result.missing) == (2, 3)
    assert [result.first_mean, result.second_mean] == pytest.approx([0.4, 0.3])


def test_there_is_no_change_from_next_to_nothing() -> None:
    assert answer(ask([0.1, 0.2], [0.0, 0.0])).change is None
    assert answer(ask([1.0, 0.5], [5e-324, 0.0])).change is None


def test_nothing_in_common() -> None:
    result = answer(ask({("a", 0): 0.5}, {("b", 0): 0.5}))
    assert (result.topics, result.difference, result.p_holm) == (0, None, None)


_VALUE = st.none() | st.floats(0, 1) | st.sampled_from([0.0, 0.5, float("nan"), float("inf")])


@given(st.lists(st.tuples(_VALUE, _VALUE), max_size=8), st.sampled_from(["target_recall", "bytes_per_relevant"]))
def test_whatever_comes_in_no_nan_comes_out(pairs: list[tuple[float | None, float | None]], metric: str) -> None:
    question = ask([pair[0] for pair in pairs], [pair[1] for pair in pairs], metric)
    summaries = [statistics.summary(values) for values in (question.first_values, question.second_values)]
    tests = statistics.paired_tests([question, question])
    json.dumps([[asdict(item) for item in tests], [asdict(item) for item in summaries]], allow_nan=False)
    for test in tests:
        assert "None" not in verdict(test)
        assert "nan" not in verdict(test)
