"""TRES and the bandit over link classifiers, which learn during the crawl and choose the next URL themselves."""

from __future__ import annotations

import numpy as np

from honeyguide.page.context import anchors, windows
from honeyguide.settings import Parameter
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.link_words import field_words
from honeyguide.strategy.page_view import MAX, PageView
from honeyguide.strategy.parts import WINDOW, Values
from honeyguide.strategy.queues.link_bandit import FIELD_WORDS, GUESSES, LinkBanditQueue
from honeyguide.strategy.queues.tres import ACTION, TresQueue
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.recipes.classics import REFIT, STIFFNESS
from honeyguide.strategy.rules import Rule

_SEED = Parameter(0, "seed of the random choices", minimum=0)


def _actions(values: Values) -> Rule:
    """The features of a link itself for TRES. The score is the mean relevance of anchor and address."""
    size = int(values["window"])

    def rule(view: PageView) -> LinkTable:
        address, anchor, around = _scores(view, size)
        together = (anchor + address) / 2
        return view.table(together, **{ACTION: np.stack([address, anchor, around, together], axis=1)})

    return rule


def _fields(values: Values) -> Rule:
    """The first guess of each arm, and the words of each field. The score is the mean guess."""
    size = int(values["window"])

    def rule(view: PageView) -> LinkTable:
        address, anchor, around = _scores(view, size)
        guesses = np.stack([np.full(len(anchor), view.relevance), anchor, address, around], axis=1)
        return view.table(guesses.mean(axis=1), **{GUESSES: guesses, FIELD_WORDS: field_words(view, size)})

    return rule


def _scores(view: PageView, window: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The relevance of the address, the anchor and the surrounding words of each link; the best of several links."""
    page = view.page
    return view.address_scores(view.urls), view.scores(anchors(page), MAX), view.scores(windows(page, window), MAX)


RECIPES = (
    Recipe(
        "tres",
        "TRES",
        "learns by reinforcement what links lead to; compares one URL of each leaf of a tree over the frontier",
        _actions,
        lambda values: TresQueue(
            int(values["warmup"]), int(values["refresh"]), float(values["discount"]), int(values["seed"])
        ),
        parameters={
            "warmup": Parameter(25, "pages that are chosen at random at first; 500 in the paper's code", minimum=1),
            "refresh": Parameter(25, "pages between refreshes of the target network; 500 in the code", minimum=1),
            "discount": Parameter(0.99, "what the next reward is worth now", minimum=0, maximum=1),
            "window": WINDOW,
            "seed": _SEED,
        },
        parts="anchor, address, window; path and domain; queue double Q-learning over a tree frontier",
    ),
    Recipe(
        "link-bandit",
        "DISCO",
        "link classifiers for page, anchor, address and surrounding words; UCB1 decides whose favourite is next",
        _fields,
        lambda values: LinkBanditQueue(
            float(values["stiffness"]), int(values["refit"]), float(values["exploration"]), int(values["seed"])
        ),
        parameters={
            "exploration": Parameter(1.0, "factor on the confidence bounds of UCB1", minimum=0),
            "window": WINDOW,
            "stiffness": STIFFNESS,
            "refit": REFIT,
            "seed": _SEED,
        },
        parts="page, anchor, address, window; queue chances by four classifiers, refitted; UCB1",
    ),
)
