"""Genre-aware crawling (002; spec, section 4): FCrawl, its five queuing policies, and its baseline.

With one page at a time, fs-1 and fs-2 fetch in the order of breadth-first: equal scores are first in, first out, so the
siblings of a page are what would come next anyway. Where hosts must rest they overtake others.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from honeyguide.settings import Parameter
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.parts import Values
from honeyguide.strategy.queues.promotion import PromotionQueue
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import Rule

_POLICIES: Mapping[str, tuple[bool, bool, bool]] = MappingProxyType(
    {
        "ps": (True, False, False),
        "fs-1": (False, True, False),
        "fs-2": (False, True, True),
        "pfs-1": (True, True, False),
        "pfs-2": (True, True, True),
    }
)
"""Whether children change, whether siblings do, and whether only a page above the change threshold changes them."""

_PARAMETERS = {
    "queue": Parameter("fs-2", "which links a page promotes: its own (ps), its siblings (fs), both (pfs)",
                       choices=tuple(_POLICIES)),
    "change": Parameter(0.20, "fs-2 and pfs-2: score that a page must exceed to promote links", minimum=0, maximum=1),
    "merge": Parameter("replace", "whether the latest promotion counts or the best", choices=("replace", "max")),
    "levels": Parameter(7, "maximum depth inside a site, from the page where it was entered; 0 = no limit", minimum=0),
    "links": Parameter(200, "maximum number of links followed per page, the first ones; 0 = no limit", minimum=0),
}  # fmt: skip


def _rule(values: Values) -> Rule:
    most = int(values["links"])

    def first(view: PageView) -> LinkTable:
        """All links enter with 0; those after the first `links` are dropped."""
        scores = np.zeros(len(view.links))
        if most:
            scores[most:] = np.nan
        return view.table(scores)

    return first


def _queue(values: Values) -> PromotionQueue:
    children, siblings, asks = _POLICIES[str(values["queue"])]
    return PromotionQueue(
        children=children,
        siblings=siblings,
        above=float(values["change"]) if asks else -np.inf,
        overwrites=values["merge"] == "replace",
        levels=int(values["levels"]),
    )


def _recipe(name: str, summary: str, model: str) -> Recipe:
    return Recipe(
        name,
        "genre-aware",
        summary,
        _rule,
        _queue,
        parameters=_PARAMETERS,
        parts=f"page by the model {model}, rule equal, queue promotion of siblings or children",
        model=model,
    )


RECIPES = (
    _recipe("genre", "a page of the right genre and content promotes its sibling links", "genre"),
    _recipe("genre-svm", "the same queues with scores of an SVM with an RBF kernel", "rbf"),
)
