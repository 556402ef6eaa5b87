"""Fish-Search, Shark-Search, the online link classifier, the host bandit (spec, section 6)."""

from __future__ import annotations

import numpy as np

from honeyguide.page.blocks.base import whole_page
from honeyguide.page.context import anchors, windows
from honeyguide.settings import Parameter
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.link_words import LinkWords
from honeyguide.strategy.page_view import MAX, PageView
from honeyguide.strategy.parts import WINDOW, Values, context
from honeyguide.strategy.queues.base import PlainQueue, Queue
from honeyguide.strategy.queues.fish import FED, HUNGRY, FishQueue
from honeyguide.strategy.queues.host_bandit import HostBanditQueue
from honeyguide.strategy.queues.link_classifier import LinkClassifierQueue
from honeyguide.strategy.queues.shark import SharkQueue
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.recipes.windows import BETA
from honeyguide.strategy.rules import Rule, inherited, mixed

_SCORES = ("learnt", "mixed", "inherited")
_CLASSIFIER = {
    "window": WINDOW,
    "stiffness": Parameter(1.0, "how hard it is for the classifier to change its mind", minimum=0.001),
    "refit": Parameter(10, "the fewest new outcomes for which the classifier is fitted anew", minimum=1),
}


def _spawn(values: Values) -> Rule:
    """The first width links of a page are worth something, one and a half times as many if it is relevant."""
    width = int(values["width"])

    def rule(view: PageView) -> LinkTable:
        is_relevant = view.relevance >= view.model.threshold
        scores = np.zeros(len(view.links))
        scores[: width * 3 // 2 if is_relevant else width] = FED if is_relevant else HUNGRY
        return view.table(scores)

    return rule


def _neighbourhood(values: Values) -> Rule:
    """β · anchor + (1 - β) · context, which is 1 where the anchor says anything, else what the words around it say.

    Of several links to a URL the best counts, which is that of the best anchor, else of the best window.
    """
    beta, size = float(values["beta"]), int(values["window"])

    def rule(view: PageView) -> LinkTable:
        anchor = view.scores(anchors(view.page), MAX)
        around = np.ones(len(view.links))
        silent = anchor <= 0
        if silent.any():
            around[silent] = view.scores(windows(view.page, size), MAX)[silent]
        return view.table(beta * anchor + (1 - beta) * around)

    return rule


def _guess(values: Values, page: str) -> Rule:
    """β · page + (1 - β) · window, the best of several links; `page` is what the recipe calls β."""
    return mixed(whole_page, context("window", values), float(values[page]), MAX)


def _link_words(values: Values, page: str = "beta") -> Rule:
    """A guess, and the words in and around the link, from which is learnt where guesses are wrong."""
    return LinkWords(_guess(values, page), int(values["window"]))


def _classifier(values: Values) -> LinkClassifierQueue:
    return LinkClassifierQueue(float(values["stiffness"]), int(values["refit"]))


def _on_host(values: Values) -> Rule:
    """What a link is worth beside others of its host."""
    match values["score"]:
        case "mixed":
            return _guess(values, "page")
        case "inherited":
            return inherited
        case _:
            return _link_words(values, "page")


def _bandit(values: Values) -> HostBanditQueue:
    inner: Queue = _classifier(values) if values["score"] == "learnt" else PlainQueue()
    return HostBanditQueue(inner, float(values["alpha"]), float(values["beta"]), int(values["seed"]))


RECIPES = (
    Recipe(
        "fish-search",
        "classic",
        "the first links of a page, more of a relevant one; lines of irrelevant pages end",
        _spawn,
        lambda values: FishQueue(int(values["depth"])),
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
        lambda values: SharkQueue(float(values["delta"]), float(values["gamma"])),
        parameters={
            "delta": Parameter(0.5, "what is left of a promise with each link", minimum=0, maximum=1),
            "beta": Parameter(0.8, "how much the anchor counts beside the words around it", minimum=0, maximum=1),
            "gamma": Parameter(0.5, "how much what is inherited counts beside the neighbourhood", minimum=0, maximum=1),
            "window": WINDOW,
        },
        parts="anchor, window, rule neighbourhood, queue inheritance",
    ),
    Recipe(
        "link-classifier",
        "classic",
        "learns from where links led which words in and around a link, and in its address, speak for it",
        _link_words,
        _classifier,
        parameters={"beta": BETA, **_CLASSIFIER},
        parts="anchor, window, address; rule mixed as a first guess; queue chances, refitted",
    ),
    Recipe(
        "host-bandit",
        "classic",
        "the score of a link, times what its host may be worth, drawn by how its pages turned out so far",
        _on_host,
        _bandit,
        parameters={
            "score": Parameter(
                "learnt", "a link's score: by a link classifier, page and window mixed, or its page's", choices=_SCORES
            ),
            "alpha": Parameter(1.0, "relevant pages that a host is taken to have had", minimum=0.001),
            "beta": Parameter(1.0, "other pages that a host is taken to have had", minimum=0.001),
            "seed": Parameter(0, "another seed, other draws", minimum=0),
            "page": Parameter(0.25, "how much the page counts beside the window", minimum=0, maximum=1),
            **_CLASSIFIER,
        },
        parts="as link-classifier, or rule mixed, or rule inherited; queue Thompson sampling by host",
    ),
)
