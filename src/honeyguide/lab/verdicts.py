"""What the cells of a comparison say together: means with their errors, and which strategy is better than which."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from honeyguide.lab.metrics import at
from honeyguide.lab.statistics import Cell, PairedTest, Question, Values, paired_tests, summary, values_of
from honeyguide.lab.trial import ORACLE

MEASURES = ("auc_recall", "target_recall", "harvest_rate")
"""By which strategies are compared, over the whole of their crawls."""

_NO_FIGURES = frozenset({"topic", "strategy", "repeat", "seconds", "order_digest", "curve"})

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
    """Each strategy against each other, by each measure, and by target recall after some numbers of pages.

    For every pair it is asked of both whether it is better; all questions by one measure are one family for Holm's
    correction. Of the two answers the one is given whose strategy has the better mean. The oracle takes no part.
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
        found += [_row(answer) for answer in paired_tests(questions) if _is_asked(answer, place)]
    return found


def _values(cells: Cells, strategy: str, measure: str, pages: int | None) -> Values:
    if pages is None:
        return values_of(cells, strategy, measure)
    found: dict[Cell, float | None] = {}
    for cell in cells:
        if cell["strategy"] == strategy:
            found[cell["topic"], cell["repeat"]] = at(cell["curve"], pages)[1]
    return found


def _is_asked(answer: PairedTest, place: dict[str, int]) -> bool:
    """Whether the first strategy is the better one; of equal ones the one that was named first."""
    difference = answer.difference or 0.0
    return difference > 0 or (difference == 0 and place[answer.first] < place[answer.second])


def _row(answer: PairedTest) -> dict[str, Any]:
    return {
        "metric": answer.metric,
        "pages": answer.pages,
        "better": answer.first,
        "worse": answer.second,
        "better_mean": answer.first_mean,
        "worse_mean": answer.second_mean,
        "mean_difference": answer.difference,
        "interval": list(answer.interval) if answer.interval else None,
        "t": answer.t,
        "p": answer.p,
        "p_holm": answer.p_holm,
        "wilcoxon_p": answer.p_wilcoxon,
        "wilcoxon_p_holm": answer.p_wilcoxon_holm,
        "significant": answer.significant,
        "topics": answer.topics,
        "wins": answer.wins,
        "losses": answer.losses,
        "verdict": answer.verdict,
    }
