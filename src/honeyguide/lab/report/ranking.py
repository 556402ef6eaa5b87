"""The ranking: the order of strategies, what each of them beats, and how figures are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.document import words
from honeyguide.lab.trial import ORACLE

_RANKED_BY = "auc_recall"


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A figure that tables show."""

    key: str
    head: str
    say: Callable[[float], str]


def _fraction(value: float) -> str:
    return f"{value:.3f}"


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _minutes(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.1f}"


COLUMNS = (
    TableColumn("auc_recall", "Area under recall", _fraction),
    TableColumn("share_of_oracle", "Share of the oracle's", _percent),
    TableColumn("target_recall", "Recall", _percent),
    TableColumn("harvest_rate", "Harvest", _percent),
    TableColumn("site_recall", "Sites", _percent),
    TableColumn("bytes_per_relevant", "Bytes per relevant page", words.size),
    TableColumn("virtual_minutes", "Virtual minutes", _minutes),
)


@dataclass(frozen=True, slots=True)
class RankedStrategy:
    """A strategy and its place in the ranking; the oracle has none."""

    strategy: str
    place: int | None
    figures: dict[str, dict[str, float | None]]
    """Mean and standard error by metric."""
    topics: int
    beats: tuple[str, ...]
    """The strategies that it is significantly better than, best first."""

    def mean(self, metric: str) -> float | None:
        """The mean of a metric; None when there is none."""
        return self.figures.get(metric, {}).get("mean")

    def formatted(self, column: TableColumn) -> tuple[str, str]:
        """Mean and standard error as text; a dash for no mean, "" for no error."""
        mean, error = self.mean(column.key), self.figures.get(column.key, {}).get("standard_error")
        if mean is None:
            return words.NO_NUMBER, ""
        return column.say(mean), "" if error is None else f"± {column.say(error).removesuffix('%')}"


def columns(ranked: Sequence[RankedStrategy]) -> list[TableColumn]:
    """The columns that have values."""
    return [column for column in COLUMNS if any(one.mean(column.key) is not None for one in ranked)]


def standings(results: dict[str, Any]) -> list[RankedStrategy]:
    """All strategies, by decreasing mean area under recall, followed by the oracle."""
    topics: dict[str, set[str]] = {}
    for cell in results["cells"]:
        topics.setdefault(cell["strategy"], set()).add(cell["topic"])
    summary = results["summary"]

    def order(strategy: str) -> tuple[bool, float, str]:
        mean = summary.get(strategy, {}).get(_RANKED_BY, {}).get("mean")
        return strategy == ORACLE, 1.0 if mean is None else -mean, strategy

    ordered = sorted(topics, key=order)
    shown = [test for test in deciding(results["tests"]) if test["significant"]]
    beaten = {strategy: {test["worse"] for test in shown if test["better"] == strategy} for strategy in ordered}
    return [
        RankedStrategy(
            strategy,
            None if strategy == ORACLE else number,
            summary.get(strategy, {}),
            len(topics[strategy]),
            tuple(other for other in ordered if other in beaten[strategy]),
        )
        for number, strategy in enumerate(ordered, start=1)
    ]


def deciding(tests: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tests by the figure that strategies are ranked by, over the whole crawl."""
    return [test for test in tests if test["metric"] == _RANKED_BY and test["pages"] is None]


def by_place(tests: Sequence[dict[str, Any]], ranked: Sequence[RankedStrategy]) -> list[dict[str, Any]]:
    """The tests in the order of the ranking: those in which the best strategy is the better one come first."""
    places = {one.strategy: number for number, one in enumerate(ranked)}
    last = len(places)
    return sorted(tests, key=lambda test: (places.get(test["better"], last), places.get(test["worse"], last)))


def measure(test: dict[str, Any]) -> str:
    """The measure of a test, in words."""
    names = {column.key: column.head for column in COLUMNS}
    name = names.get(test["metric"], str(test["metric"]).replace("_", " ")).lower()
    return name if test["pages"] is None else f"{name} at {words.pages(test['pages'])}"


def probability(value: float | None) -> str:
    """Format a p value, without the leading zero."""
    if value is None:
        return words.NO_NUMBER
    return "< .001" if value < 0.0005 else f"{value:.3f}".removeprefix("0")
