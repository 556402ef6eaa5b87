"""Genre-aware crawling (002; spec, section 4): FCrawl, its five queuing policies, and its baseline.

The paper does not say which of equal scores goes first, and most are equal, since links enter with 0. With first in,
first out and one page at a time, fs-1 and fs-2 are breadth-first: the siblings of a page would come next anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from zlib import crc32

import numpy as np

from honeyguide.frontier import Rank
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
"""Whether children change, whether siblings change, and whether only pages above the change threshold change them."""

_MOST = 0xFFFFFFFF


def _last(_url: str, number: int) -> int:
    return _MOST - number


def _random(seed: int) -> Rank:
    return lambda url, _number: crc32(url.encode(), seed)


_TIES: Mapping[str, Callable[[int], Rank | None]] = MappingProxyType(
    {"first": lambda _: None, "last": lambda _: _last, "random": _random}
)
"""Which of equal scores goes first, given the seed. The random order depends only on the URL and the seed."""

_PARAMETERS = {
    "queue": Parameter("fs-2", "which links a page promotes: its own (ps), its siblings (fs), both (pfs)",
                       choices=tuple(_POLICIES)),
    "change": Parameter(0.20, "fs-2 and pfs-2: score that a page must exceed to promote links", minimum=0, maximum=1),
    "merge": Parameter("replace", "whether the latest promotion counts or the best", choices=("replace", "max")),
    "ties": Parameter("random", "which of equal priorities goes first: the URL that was found first, last, or any",
                      choices=tuple(_TIES)),
    "seed": Parameter(0, "ties=random: seed of the random order", minimum=0),
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
        rank=_TIES[str(values["ties"])](int(values["seed"])),
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
