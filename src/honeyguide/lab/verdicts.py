"""Summarises the cells of a comparison: means with standard errors, and verdicts on pairs of strategies in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from honeyguide.lab.metrics import at
from honeyguide.lab.statistics import Cell, PairedTest, Question, Values, paired_tests, summary, values_of
from honeyguide.lab.trial import ORACLE

MEASURES = ("auc_recall", "target_recall", "harvest_rate")
"""The figures by which strategies are compared, over their whole crawls."""

_NO_FIGURES = frozenset({"topic", "strategy", "model", "repeat", "seconds", "order_digest", "curve"})

_MIN_TOPICS = 5  # with fewer topics, not even a lead on all of them is significant by Wilcoxon's test: 1/2⁴ > .05
_FOUND = frozenset({"auc_recall", "target_recall"})
_NAMES = {
    "auc_harvest": "area under harvest",
    "bytes_per_relevant": "number of bytes per relevant page",
    "f1": "F1",
    "pages_per_relevant": "number of pages per relevant page",
    "virtual_minutes_per_relevant": "time per relevant page",
    "visited_for_90_percent": "share of visits for 90 % of what it found",
}

Cells = Sequence[dict[str, Any]]


def summaries(cells: Cells) -> dict[str, dict[str, dict[str, Any]]]:
    """By strategy and figure: the mean, and its standard error over topics (over repeats when there is one topic)."""
    strategies = list(dict.fromkeys(cell["strategy"] for cell in cells))
    figures = [name for name in (cells[0] if cells else {}) if name not in _NO_FIGURES]
    return {strategy: {figure: _summary(cells, strategy, figure) for figure in figures} for strategy in strategies}


def _summary(cells: Cells, strategy: str, figure: str) -> dict[str, Any]:
    found = summary(values_of(cells, strategy, figure))
    return {
        "mean": found.mean,
        "standard_error": found.standard_error,
        "over": found.over,
        "count": found.count,
    }


def verdicts(cells: Cells, points: Sequence[int] = ()) -> list[dict[str, Any]]:
    """Test every pair of strategies by each measure, and by target recall after given numbers of pages.

    For every pair there are two questions, whether the one is better and whether the other is; all questions by one
    measure are one family for Holm's correction. Of the two answers, the one about the strategy with the better mean is
    returned. The oracle is left out.
    """
    strategies = list(dict.fromkeys(cell["strategy"] for cell in cells if cell["strategy"] != ORACLE))
    families = [(measure, None) for measure in MEASURES] + [("target_recall", pages) for pages in points]
    found = []
    for measure, pages in families:
        values = {name: _values(cells, name, measure, pages) for name in strategies}
        questions = [
            Question(one, other, measure, pages, values[one], values[other])
            for one, other in permutations(strategies, 2)
        ]
        place = {name: number for number, name in enumerate(strategies)}
        found += [_row(test) for test in paired_tests(questions) if _is_reported(test, place)]
    return found


def _values(cells: Cells, strategy: str, measure: str, pages: int | None) -> Values:
    if pages is None:
        return values_of(cells, strategy, measure)
    found: dict[Cell, float | None] = {}
    for cell in cells:
        if cell["strategy"] == strategy:
            found[cell["topic"], cell["repeat"]] = at(cell["curve"], pages)[1]
    return found


def _is_reported(test: PairedTest, place: dict[str, int]) -> bool:
    """Whether the first strategy is the better one; if they are equal, whether it comes first in the plan."""
    return test.first_is_ahead or (not test.difference and place[test.first] < place[test.second])


def _row(test: PairedTest) -> dict[str, Any]:
    return {
        "metric": test.metric,
        "pages": test.pages,
        "better": test.first,
        "worse": test.second,
        "better_mean": test.first_mean,
        "worse_mean": test.second_mean,
        "mean_difference": test.difference,
        "interval": list(test.interval) if test.interval else None,
        "t": test.t,
        "p": test.p,
        "p_holm": test.p_holm,
        "wilcoxon_p": test.p_wilcoxon,
        "wilcoxon_p_holm": test.p_wilcoxon_holm,
        "significant": test.significant,
        "topics": test.topics,
        "wins": test.wins,
        "losses": test.losses,
        "verdict": verdict(test),
    }


# ---- in words ----


def verdict(test: PairedTest) -> str:
    """The result of a test in one sentence: which strategy found how much more, and whether it may be chance."""
    if not test.topics:
        return f"{test.first} and {test.second} have no topic in common, so they cannot be compared"
    return _sentence(test) + _missing(test)


def _sentence(test: PairedTest) -> str:
    topics = f"{test.topics} topics"
    if not test.wins and not test.losses:
        everywhere = {1: "the only topic", 2: "both topics"}.get(test.topics, f"all {topics}")
        return f"{_same(test)} on {everywhere}"
    claim = _claim(test)
    if test.topics == 1:
        return f"{claim} on the only topic; with a single topic, chance cannot be ruled out"
    assert test.decisive_p is not None  # with a difference on some topic there is at least Wilcoxon's test
    p = p_value(test.decisive_p)
    if not test.difference:
        return f"{_same(test)} on average, but not on each of the {topics}"
    if not test.first_is_ahead:
        return f"{claim}, so nothing suggests that it is better ({p}, {topics})"
    if not test.significant:
        return f"{claim}, but on {topics} that may be chance ({p})"
    few = ", which is not many" if test.topics < _MIN_TOPICS else ""
    return f"{claim}, and that is unlikely to be chance ({p}, {topics}{few})"


def _claim(test: PairedTest) -> str:
    """For example "guide found 12 % more than otie" or "guide's harvest rate was 8 % lower than otie's"."""
    first, second, name = test.first, test.second, _name(test.metric)
    assert test.difference is not None
    is_more = test.difference > 0
    if test.metric in _FOUND:
        if test.change is None:
            return f"{first} found some of the targets{_when(test)}, {second} none"
        return f"{first} found {_percent(test.change)} {'more' if is_more else 'less'} than {second}{_when(test)}"
    if test.change is None:
        return f"{first}'s {name}{_when(test)} was {test.first_mean:.3g}, {second}'s 0"
    by = f"{_percent(test.change)} {'higher' if is_more else 'lower'}"
    return f"{first}'s {name}{_when(test)} was {by} than {second}'s"


def _same(test: PairedTest) -> str:
    """For example "guide and otie found the same within 1,000 pages"."""
    both = f"{test.first} and {test.second}"
    if test.metric in _FOUND:
        return f"{both} found the same{_when(test)}"
    return f"{both} had the same {_name(test.metric)}{_when(test)}"


def _when(test: PairedTest) -> str:
    if test.pages is not None:
        return f" within {test.pages:,} {'page' if test.pages == 1 else 'pages'}"
    return " by the end" if test.metric == "target_recall" else ""


def _name(metric: str) -> str:
    return _NAMES.get(metric, metric.replace("_", " "))


def _percent(change: float) -> str:
    percent = 100 * abs(change)
    return f"{percent:.2g} %" if percent < 9.95 else f"{percent:,.0f} %"


def p_value(p: float) -> str:
    """Format a p value as in papers: "p = .43", "p = .003", "p < .001"."""
    if p < 0.001:
        return "p < .001"
    if p >= 0.995:
        return "p = 1"
    return f"p = {f'{p:.3f}' if p < 0.0995 else f'{p:.2f}'}".replace("0.", ".", 1)


def _missing(test: PairedTest) -> str:
    if not test.missing:
        return ""
    return f" ({test.missing} {'trial' if test.missing == 1 else 'trials'} without a counterpart left out)"
