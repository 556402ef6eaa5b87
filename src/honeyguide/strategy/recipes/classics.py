"""Fish-Search and Shark-Search (spec, section 6)."""

from __future__ import annotations

import numpy as np

from honeyguide.page.context import anchors, windows
from honeyguide.relevance.base import Scores
from honeyguide.strategy.asked import Parameter
from honeyguide.strategy.parts import WINDOW, Values
from honeyguide.strategy.queues.fish import FED, HUNGRY, Fish
from honeyguide.strategy.queues.shark import Shark
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import Rule
from honeyguide.strategy.view import MAX, View


def _spawn(values: Values) -> Rule:
    """The first width links of a page are worth something, one and a half times as many if it is relevant."""
    width = int(values["width"])

    def rule(view: View) -> Scores:
        is_relevant = view.relevance >= view.model.threshold
        scores = np.zeros(len(view.links))
        scores[: width * 3 // 2 if is_relevant else width] = FED if is_relevant else HUNGRY
        return scores

    return rule


def _neighbourhood(values: Values) -> Rule:
    """β · anchor + (1 - β) · context, which is 1 where the anchor says anything, else what the words around it say.

    Of several links to a URL the best counts, which is that of the best anchor, else of the best window.
    """
    beta, size = float(values["beta"]), int(values["window"])

    def rule(view: View) -> Scores:
        anchor = view.scores(anchors(view.page), MAX)
        around = np.ones(len(view.links))
        silent = anchor <= 0
        if silent.any():
            around[silent] = view.scores(windows(view.page, size), MAX)[silent]
        return beta * anchor + (1 - beta) * around

    return rule


RECIPES = (
    Recipe(
        "fish-search",
        "classic",
        "the first links of a page, more of a relevant one; lines of irrelevant pages end",
        _spawn,
        lambda values: Fish(int(values["depth"])),
        parameters={
            "width": Parameter(10, "links of an irrelevant page that come before the rest", minimum=1),
            "depth": Parameter(
                3, "links followed on from a seed, or from the links of a relevant page, without another one", minimum=0
            ),
        },
        parts="page, rule by place, queue max with a depth",
    ),
    Recipe(
        "shark-search",
        "classic",
        "what the pages on the way were worth, fading, and what anchor and words around it say",
        _neighbourhood,
        lambda values: Shark(float(values["delta"]), float(values["gamma"])),
        parameters={
            "delta": Parameter(0.5, "what is left of a promise with each link", minimum=0, maximum=1),
            "beta": Parameter(0.8, "how much the anchor counts beside the words around it", minimum=0, maximum=1),
            "gamma": Parameter(0.5, "how much what is inherited counts beside the neighbourhood", minimum=0, maximum=1),
            "window": WINDOW,
        },
        parts="anchor, window, rule neighbourhood, queue inheritance",
    ),
)
