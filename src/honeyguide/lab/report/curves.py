"""The curves of a comparison, averaged: repeats within a topic first, then topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_PLACES = 100  # points of a drawn curve: one every few pixels


@dataclass(frozen=True, eq=False)
class CurveLine:
    """The mean at each place of its set, and the standard error, which is None when there is only one value."""

    strategy: str
    mean: Floats
    error: Floats | None


@dataclass(frozen=True, eq=False)
class CurveSet:
    """The curves of one topic, or of the mean over topics."""

    name: str
    share: bool
    """Whether the places are shares of the budget, as is needed when budgets differ; else they are pages."""
    places: Floats
    recall: tuple[CurveLine, ...]
    harvest: tuple[CurveLine, ...]
    sites: tuple[CurveLine, ...]
    """Of site recall; none if the targets of a topic are on one site."""
    note: str
    """What the bands around the lines show."""


def curve_sets(results: dict[str, Any], strategies: Sequence[str]) -> list[CurveSet]:
    """The curves of the mean over topics, if there are several, then of each topic; lines are in the given order.

    A strategy without a trial in a topic has no line there, and its mean is over the topics it has.
    """
    cells = [cell for cell in results["cells"] if cell["budget"] > 0]
    topics = list(dict.fromkeys(cell["topic"] for cell in cells))
    of_topics = [_topic(topic, [cell for cell in cells if cell["topic"] == topic], strategies) for topic in topics]
    return [_mean(cells, topics, strategies), *of_topics] if len(topics) > 1 else of_topics


def _topic(topic: str, cells: Sequence[dict[str, Any]], strategies: Sequence[str]) -> CurveSet:
    share, places = _places(cells)
    by_strategy = {
        strategy: [_sampled(cell, places, share=share) for cell in cells if cell["strategy"] == strategy]
        for strategy in strategies
    }
    repeats = max((len(rows) for rows in by_strategy.values()), default=0)
    note = f"Mean of {repeats} repeats, ±1 standard error over them." if repeats > 1 else "One trial per strategy."
    return _view(topic, share, places, by_strategy, note)


def _mean(cells: Sequence[dict[str, Any]], topics: Sequence[str], strategies: Sequence[str]) -> CurveSet:
    share, places = _places(cells)
    sampled: dict[tuple[str, str], list[Floats]] = {}
    for cell in cells:
        sampled.setdefault((cell["strategy"], cell["topic"]), []).append(_sampled(cell, places, share=share))
    by_strategy = {
        strategy: [np.mean(sampled[strategy, topic], axis=0) for topic in topics if (strategy, topic) in sampled]
        for strategy in strategies
    }
    note = f"Mean over {len(topics)} topics (repeats averaged first), ±1 standard error over the topics."
    return _view(f"Mean over {len(topics)} topics", share, places, by_strategy, note)


def _view(name: str, share: bool, places: Floats, by_strategy: dict[str, list[Floats]], note: str) -> CurveSet:
    recall, harvest, sites = (
        tuple(
            _line(strategy, np.array([row[column] for row in rows])) for strategy, rows in by_strategy.items() if rows
        )
        for column in range(3)
    )
    is_known = not any(np.isnan(line.mean).any() for line in sites)
    return CurveSet(name, share, places, recall, harvest, sites if is_known else (), note)


def _line(strategy: str, values: Floats) -> CurveLine:
    """Of values in [0, 1] the band stays there too: the standard error is at most the mean, and at most 1 - mean."""
    count = len(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else None
    return CurveLine(strategy, values.mean(axis=0), error)


def _places(cells: Sequence[dict[str, Any]]) -> tuple[bool, Floats]:
    """Where curves are compared: at pages, or at shares of the budget when budgets differ (then True)."""
    budgets = {cell["budget"] for cell in cells}
    if len(budgets) > 1:
        return True, np.linspace(0, 1, _PLACES + 1)[1:]
    pages = np.linspace(0, max(budgets, default=1), _PLACES + 1).round()
    return False, np.unique(np.maximum(pages, 1))


def _sampled(cell: dict[str, Any], places: Floats, *, share: bool) -> Floats:
    """Recall, harvest and site recall at the places: straight lines between the points, held after the end.

    Before its first point, which is page 1 of a crawl, it is as there. A crawl of no pages has zeros. Site recall is
    NaN if all targets are on one site.
    """
    sampled = np.zeros((3, len(places)))
    if cell.get("site_recall") is None:
        sampled[2] = np.nan
    if cell["curve"]:
        pages, harvest, recall, *sites = np.array(cell["curve"], dtype=float).T
        at = places * cell["budget"] if share else places
        for row, values in enumerate((recall, harvest, *sites)):
            sampled[row] = np.interp(at, pages, values)
    return sampled
