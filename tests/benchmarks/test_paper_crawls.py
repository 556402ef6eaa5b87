"""What the scripts that repeat the papers' crawls make of numbers: choices, claims, tables; on made-up ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.papers.blocks_crawl import at_equal_numbers
from benchmarks.papers.cash_crawl import minutes_in_lists
from benchmarks.papers.claims import Claim
from benchmarks.papers.crawls import (
    HARVEST,
    RECALL,
    SIZE,
    Crawls,
    by_source,
    chosen,
    early_table,
    findings,
    ranked,
    table,
)
from benchmarks.papers.pictures import picture
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
            "targets": 70,
            HARVEST: 0.5,
            RECALL: recall,
            "virtual_minutes": 10 * recall,
            "curve": [[1, 1.0, 0.0], [50, 0.5, recall / 2], [100, 0.5, recall]],
        }
        for strategy, recalls in values.items()
        for topic, recall in zip(TOPICS, recalls, strict=False)
    ]
    return Crawls("made-up.warc.gz", {"cells": cells, "settings": {"web": {"pages": 1000}}})


# ---- findings ----


def test_claims_are_tested_on_every_column() -> None:
    crawls = made_up(one=[0.5, 0.6, 0.7, 0.8], two=[0.4, 0.4, 0.6, 0.6])
    made = replace(crawls, web="demo:2000")
    claims = [
        Claim("Fig. 1", "it is so", "one", "two", RECALL),
        Claim("Fig. 2", "above", "one", figure=RECALL, bound=0.1),
    ]
    found = findings({"real": crawls, "made": made}, claims)
    assert [(one.data, one.generated, one.place) for one in found] == [
        ("real", False, "Fig. 1"), ("made", True, "Fig. 1"), ("real", False, "Fig. 2"), ("made", True, "Fig. 2"),
    ]  # fmt: skip
    assert [found[0].first, found[0].second, found[2].first, found[2].second] == pytest.approx([0.65, 0.5, 0.65, 0.1])


def test_figures_after_some_pages_and_after_as_many_as_there_are_targets() -> None:
    crawls = made_up(one=[0.5, 0.6, 0.7, 0.8])
    assert crawls.mean("one", RECALL, 60).mean == pytest.approx(0.325)
    assert crawls.mean("one", HARVEST, 1).mean == 1.0
    assert crawls.mean("one", RECALL, SIZE).mean == pytest.approx(0.325), "there are 70 targets"
    head, *_, row = early_table(crawls, {"one": "One"}, RECALL).splitlines()
    assert head == "|  | 25 | 50 | 100 | as many as targets |"
    assert row.startswith("| One | 0.000 ± 0.000 | 0.325")


def test_recorded_and_generated_webs_are_kept_apart() -> None:
    cells = [{"web": web, "topic": "a", "repeat": 0} for web in ("x.warc.gz", "demo:2000", "demo-lists:4000")]
    sides = by_source(cells)
    assert {name: (len(one.cells), one.is_generated) for name, one in sides.items()} == {
        "recorded webs": (1, False), "demo web": (2, True),
    }  # fmt: skip


def test_degenerate_models_are_named() -> None:
    crawls = made_up(one=[0.5])
    rates = {"model": "wvc", "model_true_positive_rate": 1.0, "model_average_precision": 0.1}
    crawls.cells[0].update(rates | {"model_false_positive_rate": 0.97})
    assert crawls.models() == (
        "wvc: says yes to 100 % of the relevant and to 97 % of the other pages, average precision 0.100; "
        "**degenerate in 1 of 1 cases** (birds, repeat 0)\n"
    )


# ---- tables and pictures ----


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
