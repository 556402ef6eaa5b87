"""Verdicts: what a test says, in words that a colleague understands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from honeyguide.lab.statistics import Question, paired_tests
from honeyguide.lab.verdicts import p_value, verdict, verdicts

SEVEN = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


def say(
    first: Sequence[float | None], second: Sequence[float | None], metric: str = "auc_recall", pages: int | None = None
) -> str:
    """The verdict on guide against otie, with one value per topic."""
    values = [{(f"topic {number}", 0): value for number, value in enumerate(side)} for side in (first, second)]
    (test,) = paired_tests([Question("guide", "otie", metric, pages, *values)])
    return verdict(test)


def test_a_lead_that_is_unlikely_to_be_chance() -> None:
    # As in the statistics: t = 4.899 with 6 degrees of freedom, p = .0014.
    better = [value * 1.1 for value in SEVEN]
    assert (
        say(better, SEVEN) == "guide found 10 % more than otie, and that is unlikely to be chance (p = .001, 7 topics)"
    )
    # The same difference on every topic: Wilcoxon's p, 1/2⁷.
    assert say([value + 0.1 for value in SEVEN], SEVEN).endswith("unlikely to be chance (p = .008, 7 topics)")
    many = [number / 100 for number in range(1, 31)]
    assert say([2 * value for value in many], many) == (
        "guide found 100 % more than otie, and that is unlikely to be chance (p < .001, 30 topics)"
    )


def test_a_lead_that_may_be_chance() -> None:
    # Differences .6 -.1 .07: mean .19, deviation .365, t = .902 with 2 degrees of freedom; .57 / .7 = 81 %.
    assert say([0.7, 0.2, 0.37], [0.1, 0.3, 0.3]) == (
        "guide found 81 % more than otie, but on 3 topics that may be chance (p = .23)"
    )


def test_when_it_was_found() -> None:
    better = [value * 1.1 for value in SEVEN]
    assert say(better, SEVEN, "target_recall").startswith("guide found 10 % more than otie by the end, and")
    assert say(better, SEVEN, "target_recall", 1000).startswith(
        "guide found 10 % more than otie within 1,000 pages, and"
    )


def test_other_measures_have_their_names() -> None:
    better = [value * 1.1 for value in SEVEN]
    assert say(better, SEVEN, "harvest_rate").startswith("guide's harvest rate was 10 % higher than otie's, and")
    price = say([88.0, 177, 263, 352, 440], [100.0, 200, 300, 400, 500], "bytes_per_relevant")
    assert price.startswith(
        "guide's number of bytes per relevant page was 12 % lower than otie's, and that is unlikely"
    )


def test_few_topics_are_said_to_be_few() -> None:
    said = say([0.21, 0.31, 0.42], [0.1, 0.2, 0.3])
    assert said.endswith("and that is unlikely to be chance (p < .001, 3 topics, which is not many)")


def test_one_topic_allows_no_test() -> None:
    assert say([0.2], [0.1]) == (
        "guide found 100 % more than otie on the only topic; with a single topic, chance cannot be ruled out"
    )


def test_ties() -> None:
    assert say(SEVEN, SEVEN) == "guide and otie found the same on all 7 topics"
    assert say([0.5], [0.5]) == "guide and otie found the same on the only topic"
    assert say([0.5], [0.5], "harvest_rate", 50) == (
        "guide and otie had the same harvest rate within 50 pages on the only topic"
    )
    assert say([0.25, 0.5], [0.5, 0.25]) == "guide and otie found the same on average, but not on each of the 2 topics"


def test_the_first_is_worse() -> None:
    said = say(SEVEN, [value * 1.1 for value in SEVEN])
    assert said == "guide found 9.1 % less than otie, so nothing suggests that it is better (p = 1, 7 topics)"


def test_from_nothing() -> None:
    assert say([0.1, 0.2], [0.0, 0.0]).startswith("guide found some of the targets, otie none, but on 2 topics")
    assert say([0.1, 0.2], [0.0, 0.0], "harvest_rate").startswith("guide's harvest rate was 0.15, otie's 0, but on 2")


def test_what_is_left_out() -> None:
    assert say([0.5, 0.3, 0.9], [0.4, 0.2, None]).endswith(" (1 trial without a counterpart left out)")
    assert say([0.5, 0.3, 0.9, 0.2], [0.4, 0.2, None, None]).endswith(" (2 trials without a counterpart left out)")
    assert say([0.5, None], [None, 0.5]) == "guide and otie have no topic in common, so they cannot be compared"


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.00099, "p < .001"),
        (0.001, "p = .001"),
        (0.0301, "p = .030"),
        (0.0994, "p = .099"),
        (0.0995, "p = .10"),
        (0.43, "p = .43"),
        (0.994, "p = .99"),
        (0.996, "p = 1"),
        (1.0, "p = 1"),
    ],
)
def test_probabilities(p: float, said: str) -> None:
    assert p_value(p) == said


def cells(**values: Sequence[float]) -> list[dict[str, Any]]:
    return [
        {"strategy": name, "topic": f"t{topic}", "repeat": 0, "auc_recall": value, "curve": [[1, 0.0, value]]}
        for name, figures in values.items()
        for topic, value in enumerate(figures)
    ]


def test_of_each_pair_the_better_one_is_told_and_the_oracle_takes_no_part() -> None:
    found = verdicts(cells(otie=[0.2, 0.2], guide=[0.4, 0.5], oracle=[1.0, 1.0], same=[0.2, 0.2]), points=[1])
    told = [(row["better"], row["worse"]) for row in found if row["metric"] == "auc_recall"]
    assert sorted(told) == [("guide", "otie"), ("guide", "same"), ("otie", "same")]
    assert [row["verdict"] for row in found if row["pages"] == 1 and row["better"] == "otie"] == [
        "otie and same found the same within 1 page on both topics"
    ]
