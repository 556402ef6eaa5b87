"""How the steering models do, by topic and repeat: what a reader needs to know before believing a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from honeyguide.document.markup import Html, element
from honeyguide.document.page import section, table
from honeyguide.lab.model_quality import LEAST, NAMES, is_degenerate

Rates = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """How one model did over all cases."""

    model: str
    cases: int
    rates: Rates
    """Mean rates of true and false positives, and mean average precision."""
    degenerate: tuple[str, ...]
    """The cases in which it could not tell relevant pages from others."""


def model_summaries(cells: Sequence[dict[str, Any]]) -> list[ModelSummary]:
    """One summary per model, in the order of the cells.

    A model that learns from the crawl's pages may differ between the strategies of a case: each counts.
    """
    by_model: dict[str, dict[tuple[str, int], list[Rates]]] = {}
    for cell in cells:
        rates = tuple(cell.get(name) for name in NAMES[:3])
        if cell.get("model") and None not in rates:
            case = cell["topic"], cell["repeat"]
            by_model.setdefault(cell["model"], {}).setdefault(case, []).append(rates)  # type: ignore[arg-type]
    return [_summary(model, cases) for model, cases in by_model.items()]


def _summary(model: str, cases: dict[tuple[str, int], list[Rates]]) -> ModelSummary:
    means = {case: np.mean(rates, axis=0) for case, rates in cases.items()}
    degenerate = [
        f"{topic}, repeat {repeat}" for (topic, repeat), (yes, no, _) in means.items() if is_degenerate(yes, no)
    ]
    true, false, precision = np.mean(list(means.values()), axis=0).tolist()
    return ModelSummary(model, len(means), (true, false, precision), tuple(degenerate))


def model_notes(cells: Sequence[dict[str, Any]]) -> list[str]:
    """One line per model that is degenerate in some cases, for a terminal."""
    return [
        f"the model {one.model} cannot tell relevant pages from others in {len(one.degenerate)} of {one.cases} cases; "
        f"there, the results of strategies that it steers mean little"
        for one in model_summaries(cells)
        if one.degenerate
    ]


def models(cells: Sequence[dict[str, Any]]) -> Html:
    """The section of the report."""
    summaries = model_summaries(cells)
    if not summaries:
        return Html()
    rows = [
        [one.model, *(f"{100 * rate:.1f} %" for rate in one.rates[:2]), f"{one.rates[2]:.3f}", _degenerate(one)]
        for one in summaries
    ]
    heads = ["Model", "Yes to relevant pages", "Yes to other pages", "Average precision", "Degenerate cases"]
    note = element(
        "p",
        "Means over topics and repeats, on a sample of pages that the model has not learnt from. A case is degenerate "
        f"if the two rates differ by less than {LEAST:g}: the model then answers the same whatever the page is.",
        class_="quiet",
    )
    return section("Steering models", table(heads, rows, look="models"), note)


def _degenerate(one: ModelSummary) -> Html | str:
    if not one.degenerate:
        return f"none of {one.cases}"
    names = element("p", "; ".join(one.degenerate), class_="names")
    return element("details", element("summary", f"{len(one.degenerate)} of {one.cases}"), names)
