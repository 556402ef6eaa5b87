"""What the scripts that repeat the papers' crawls make of numbers: choices, claims, tables; on made-up ones."""

from __future__ import annotations

import math
from typing import Any

import pytest
from benchmarks.papers.blocks_crawl import at_equal_numbers
from benchmarks.papers.cash_crawl import minutes_in_lists
from benchmarks.papers.crawls import (
    HARVEST,
    RECALL,
    Claim,
    Crawls,
    answer,
    checked,
    chosen,
    matrix,
    picture,
    ranked,
    table,
)
from benchmarks.papers.windows_crawl import deviation
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.lab.statistics import Summary
from honeyguide.lab.visits import RequestTiming

TOPICS = ("birds", "food", "rail", "rome")


def made_up(**values: list[float]) -> Crawls:
    """Crawls of 100 pages with these recalls, a topic each, and the same harvest everywhere."""
    cells: list[dict[str, Any]] = [
        {
            "topic": topic,
            "repeat": 0,
            "strategy": strategy,
            "budget": 100,
            HARVEST: 0.5,
            RECALL: recall,
            "virtual_minutes": 10 * recall,
            "curve": [[1, 1.0, 0.0], [50, 0.5, recall / 2], [100, 0.5, recall]],
        }
        for strategy, recalls in values.items()
        for topic, recall in zip(TOPICS, recalls, strict=False)
    ]
    return Crawls("made-up.warc.gz", {"cells": cells, "settings": {"web": {"pages": 1000}}})


def verdict(crawls: Crawls, claim: Claim) -> str:
    return checked(crawls, [claim]).removeprefix(f"- {claim.text}: ")


def better(first: str, second: str, figure: str = RECALL, **more: Any) -> Claim:
    return Claim("it is so", first, second, figure, **more)


# ---- claims ----


def test_a_claim_holds_when_the_difference_is_there_and_sure() -> None:
    # Differences .1 .2 .1 .2: mean .15, standard deviation .0577, error .0289, t = 5.196 with 3 degrees: p = .0069.
    crawls = made_up(one=[0.5, 0.6, 0.7, 0.8], two=[0.4, 0.4, 0.6, 0.6])
    assert verdict(crawls, better("one", "two")) == "holds (0.650 against 0.500; better on 4 of 4, p = 0.0069).\n"
    assert verdict(crawls, better("two", "one")).startswith("**no**, significantly the other way round")


def test_a_claim_that_may_be_luck_is_said_to_be() -> None:
    # Differences .3 -.1 .2 -.1: mean .075, standard deviation .206, error .103, t = .728: p = .26.
    crawls = made_up(one=[0.5, 0.3, 0.6, 0.3], two=[0.2, 0.4, 0.4, 0.4])
    assert verdict(crawls, better("one", "two")).startswith("holds, not significant (0.425 against 0.350; better on 2")
    assert verdict(crawls, better("two", "one")).startswith("**no** (0.350 against 0.425")


def test_of_minutes_fewer_are_better() -> None:
    crawls = made_up(quick=[0.1, 0.2, 0.3, 0.2], slow=[0.3, 0.3, 0.5, 0.3])
    assert verdict(crawls, better("quick", "slow", "virtual_minutes")).startswith("holds (2.000 against 3.500")
    assert verdict(crawls, better("slow", "quick", "virtual_minutes")).startswith("**no**, significantly")


def test_level_is_when_neither_is_surely_better() -> None:
    crawls = made_up(one=[0.5, 0.3, 0.6, 0.3], two=[0.2, 0.4, 0.4, 0.4], low=[0.1, 0.05, 0.1, 0.05])
    assert verdict(crawls, better("one", "two", level=True)).startswith("holds (")
    assert verdict(crawls, better("low", "two", level=True)).startswith("**no** (")
    assert verdict(crawls, better("one", "two", HARVEST, level=True)) == (
        "holds (0.500 against 0.500; nothing to test).\n"
    )


def test_claims_about_the_middle_of_a_crawl() -> None:
    crawls = made_up(one=[0.5, 0.6, 0.7, 0.8], two=[0.4, 0.4, 0.6, 0.6])
    assert verdict(crawls, better("one", "two", pages=60)).startswith("holds (0.325 against 0.250")
    assert answer(crawls, better("one", "two", HARVEST, pages=1)).first_mean == 1.0


def test_nothing_in_common_is_no_verdict() -> None:
    assert verdict(made_up(one=[0.5]), better("one", "two")).startswith("cannot be said")


def test_the_matrix_counts_what_holds() -> None:
    sure, unsure = (made_up(one=one, two=[0.2, 0.4, 0.4, 0.4]) for one in ([0.5, 0.6, 0.7, 0.7], [0.5, 0.3, 0.6, 0.3]))
    text = matrix({"sure": sure, "unsure": unsure}, [better("one", "two"), better("two", "one")])
    assert text.splitlines()[0] == "|  | sure | unsure |"
    assert text.splitlines()[-1] == (
        "| of 2 | 1 hold (0 not significantly), 1 not (1 significantly the other way round) "
        "| 1 hold (1 not significantly), 1 not (0 significantly the other way round) |"
    )


def test_tables_show_means_and_errors() -> None:
    text = table(made_up(one=[0.4, 0.6]), {"one": "One"}, {RECALL: "recall", "missing": "nothing"})
    assert text.splitlines()[2] == "| One | 0.500 ± 0.100 |  |"  # deviation .1414 over √2


def test_ranks_go_from_the_highest_mean_to_the_lowest() -> None:
    crawls = made_up(one=[0.4, 0.6], two=[0.9, 0.7])
    text = ranked({"web": crawls}, {"one": "One", "two": "Two"}, {RECALL: "recall", HARVEST: "harvest"})
    assert text == "- web, recall: Two 0.800, One 0.500\n- web, harvest: One 0.500, Two 0.500\n"


def test_a_picture_has_a_place_for_every_panel_and_names_each_line_once() -> None:
    def draw(axes: Any) -> None:
        axes.plot([0, 1], [0, 1], label="line")

    figure = picture([[draw, draw], [draw]], "Lines")
    assert [axes.axison for axes in figure.axes] == [True, True, True, False]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["line"]


# ---- topics ----


def test_topics_are_spread_over_labels_of_a_good_size() -> None:
    sizes = {"a": 39, "b": 40, "c": 100, "c.d": 50, "e": 300, "f": 301, "g": 60, "h": 70}
    assert chosen(sizes, 10) == ["b", "c.d", "e", "g", "h"]
    assert chosen(sizes, 3) == ["b", "e", "h"]
    assert chosen({"a": 5}, 3) == []


@given(st.dictionaries(st.text("ab.", min_size=1), st.integers(1, 400)), st.integers(1, 5))
def test_chosen_topics_are_different_and_never_overlap(sizes: dict[str, int], number: int) -> None:
    found = chosen(sizes, number)
    assert len(set(found)) == len(found) <= number
    assert not any(other.startswith(f"{one}.") for one in found for other in found)


# ---- what single papers need ----


def test_target_lengths_are_compared_over_as_many_pages_as_both_found() -> None:
    case, other = ("birds", 0), ("food", 0)
    # Of the first case both have three pages, 0 + 1 + 2 and 1 + 1 + 4 links; of the other one of them has none.
    values = at_equal_numbers([{case: [0, 1, 2, 9], other: []}, {case: [1, 1, 4], other: [1]}])
    assert values == [{case: 1.0, other: None}, {case: 2.0, other: None}]


def test_minutes_in_lists_are_those_of_the_fullest_host() -> None:
    timing = RequestTiming(latency=0.5, delay=1.5)  # two seconds a page
    # Lists of four: a a a b, b c d a. The first takes three pages of a, the second one of each at the same time.
    assert minutes_in_lists("aaabbcda", timing, length=4, workers=4) == pytest.approx(4 * 2 / 60)
    # With two workers the second list takes two pages each; with one worker all pages come one by one.
    assert minutes_in_lists("aaabbcda", timing, length=4, workers=2) == pytest.approx(5 * 2 / 60)
    assert minutes_in_lists("aaabbcda", timing, length=4, workers=1) == pytest.approx(8 * 2 / 60)
    assert minutes_in_lists("", timing) == 0


def test_deviation_is_that_of_the_topics() -> None:
    assert deviation(Summary(0.5, 0.1, "topics", 4)) == pytest.approx(0.2)
    assert deviation(Summary(0.5, None, "topics", 1)) == 0
    assert not math.isnan(deviation(Summary(None, None, "topics", 0)))
