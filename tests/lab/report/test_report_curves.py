from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.lab.report.curves import CurveSet, curve_sets
from honeyguide.lab.report.panels import panels


def cell(topic: str, strategy: str, curve: list[list[float]], budget: int = 4, repeat: int = 0) -> dict[str, Any]:
    return {"topic": topic, "strategy": strategy, "repeat": repeat, "budget": budget, "curve": curve}


def straight(end: float, budget: int = 4) -> list[list[float]]:
    """Recall grows by the page up to `end`; harvest is the same throughout."""
    return [[page, 0.5, end * page / budget] for page in range(1, budget + 1)]


def seen(*cells: dict[str, Any]) -> list[CurveSet]:
    return curve_sets({"cells": list(cells)}, list(dict.fromkeys(one["strategy"] for one in cells)))


def test_repeats_are_averaged_before_topics() -> None:
    # Topic a: mean of .2 and .4 = .3; topic b: .8 (one repeat). Over topics: .55, not (.2 + .4 + .8) / 3.
    # Standard error over the two topics: |.8 - .3| / 2 = .25.
    mean, a, b = seen(
        cell("a", "guide", straight(0.2)),
        cell("a", "guide", straight(0.4), repeat=1),
        cell("b", "guide", straight(0.8)),
    )
    (line,) = mean.recall
    assert line.error is not None
    assert (line.mean[-1], line.error[-1]) == (pytest.approx(0.55), pytest.approx(0.25))
    assert mean.places.tolist() == [1, 2, 3, 4]
    assert line.mean[0] == pytest.approx(0.55 / 4)
    # Within a topic the band is over repeats: |.4 - .2| / 2 = .1. One repeat has none.
    assert (a.name, b.name) == ("a", "b")
    assert a.recall[0].mean[-1] == pytest.approx(0.3)
    assert a.recall[0].error is not None
    assert a.recall[0].error[-1] == pytest.approx(0.1)
    assert b.recall[0].error is None
    assert "over the topics" in mean.note
    assert "2 repeats" in a.note


def test_one_topic_needs_no_mean() -> None:
    (only,) = seen(cell("a", "guide", straight(0.2)))
    assert (only.name, only.share) == ("a", False)


def test_budgets_that_differ_are_compared_by_their_share() -> None:
    mean, short, long = seen(cell("a", "guide", straight(0.4, 10)), cell("b", "guide", straight(0.8, 200), budget=200))
    del short
    assert mean.share
    assert not long.share
    assert mean.places[-1] == 1
    # Half of both budgets: of a (budget 4) page 2, which has .4 * 2 / 10; of b page 100, which has .4.
    assert mean.recall[0].mean[49] == pytest.approx((0.08 + 0.4) / 2)
    assert long.places[-1] == 200
    assert panels(mean)[0].across == "share of the page budget"
    assert panels(long)[0].across == "pages fetched"


def test_a_crawl_that_ended_early_is_held_and_one_of_no_pages_is_nothing() -> None:
    (view,) = seen(cell("a", "guide", [[1, 1.0, 0.25], [2, 0.5, 0.5]]), cell("a", "lost", []))
    assert view.recall[0].mean.tolist() == [0.25, 0.5, 0.5, 0.5]
    assert view.harvest[0].mean.tolist() == [1.0, 0.5, 0.5, 0.5]
    assert not view.recall[1].mean.any()
    assert panels(view)[0].y.end >= 0.5


def with_sites(curve: list[list[float]]) -> dict[str, Any]:
    """Half of the sites are found at once, and the others at the end."""
    points = [[*point, 0.5 if place < len(curve) - 1 else 1.0] for place, point in enumerate(curve)]
    return {"curve": points, "site_recall": 1.0}


def test_the_recall_of_sites_is_drawn_if_every_topic_has_several() -> None:
    one, other = cell("a", "guide", straight(0.2)), cell("b", "guide", straight(0.4))
    mean, a, b = seen(one | with_sites(one["curve"]), other | with_sites(other["curve"]))
    assert mean.sites[0].mean.tolist() == a.sites[0].mean.tolist() == [0.5, 0.5, 0.5, 1.0]
    assert [panel.title for panel in panels(b)] == ["Target recall", "Harvest rate", "Site recall"]
    mean, a, b = seen(one | with_sites(one["curve"]), other)
    assert (len(mean.sites), len(a.sites), len(b.sites)) == (0, 1, 0)
    assert [panel.title for panel in panels(mean)] == ["Target recall", "Harvest rate"]
    lost = cell("a", "lost", []) | {"site_recall": 0.0}
    (view,) = seen(one | with_sites(one["curve"]), lost)
    assert not view.sites[1].mean.any()


def test_a_strategy_without_a_trial_in_a_topic_has_no_line_there() -> None:
    mean, a, b = seen(
        cell("a", "guide", straight(0.2)), cell("a", "otie", straight(0.4)), cell("b", "guide", straight(0.4))
    )
    assert [line.strategy for line in a.recall] == ["guide", "otie"]
    assert [line.strategy for line in b.recall] == ["guide"]
    assert [round(float(line.mean[-1]), 3) for line in mean.recall] == [0.3, 0.4]
    assert [line.error is None for line in mean.recall] == [False, True]


def test_without_trials_there_is_no_view() -> None:
    assert seen() == []


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.integers(1, 300))
def test_bands_stay_between_nothing_and_all(ends: list[float], budget: int) -> None:
    mean = seen(*(cell(str(n), "guide", straight(end, budget), budget) for n, end in enumerate(ends)))[0]
    (line,) = mean.recall
    assert line.error is not None
    assert np.all(line.mean - line.error >= -1e-9)
    assert np.all(line.mean + line.error <= 1 + 1e-9)
    assert np.all(np.diff(mean.places) > 0)
    assert len(mean.places) <= 101
    panel = panels(mean)[0]
    assert panel.y.end >= float((line.mean + line.error).max()) - 1e-9
