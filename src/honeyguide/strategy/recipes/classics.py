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
STIFFNESS = Parameter(1.0, "regularisation strength of the classifier", minimum=0.001)
REFIT = Parameter(10, "minimum number of new outcomes before the classifier is refitted", minimum=1)
_CLASSIFIER = {"window": WINDOW, "stiffness": STIFFNESS, "refit": REFIT}


def _spawn(values: Values) -> Rule:
    """Give the first `width` links of a page scores above 0; one and a half times as many if it is relevant."""
    width = int(values["width"])

    def rule(view: PageView) -> LinkTable:
        is_relevant = view.relevance >= view.model.threshold
        scores = np.zeros(len(view.links))
        scores[: width * 3 // 2 if is_relevant else width] = FED if is_relevant else HUNGRY
        return view.table(scores)

    return rule


def _neighbourhood(values: Values) -> Rule:
    """β · anchor + (1 - β) · context, where the context is 1 if the anchor scores at all, else the score of its window.

    Of several links to a URL the best counts: that with the best anchor, else the best window.
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
    """β · page + (1 - β) · window, the best of several links; `page` is the name of the parameter β."""
    return mixed(whole_page, context("window", values), float(values[page]), MAX)


def _link_words(values: Values, page: str = "beta") -> Rule:
    """A first guess, with the words in and around the link, from which the queue learns to correct the guess."""
    return LinkWords(_guess(values, page), int(values["window"]))


def _classifier(values: Values) -> LinkClassifierQueue:
    return LinkClassifierQueue(float(values["stiffness"]), int(values["refit"]))


def _on_host(values: Values) -> Rule:
    """The score of a link compared with others of its host."""
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
        "the first links of a page, more of a relevant one; chains of irrelevant pages end",
        _spawn,
        lambda values: FishQueue(int(values["depth"])),
        parameters={
            "width": Parameter(10, "number of links of an irrelevant page that come before the rest", minimum=1),
            "depth": Parameter(
                3, "links followed in a row from a seed or a relevant page without reaching a relevant page", minimum=0
            ),
        },
        parts="page, rule by position, queue max with a depth",
    ),
    Recipe(
        "shark-search",
        "classic",
        "decaying relevance of the pages on the path, plus the scores of anchor and surrounding words",
        _neighbourhood,
        lambda values: SharkQueue(float(values["delta"]), float(values["gamma"])),
        parameters={
            "delta": Parameter(0.5, "decay of the inherited score per link", minimum=0, maximum=1),
            "beta": Parameter(0.8, "weight of the anchor against the surrounding words", minimum=0, maximum=1),
            "gamma": Parameter(0.5, "weight of the inherited score against the neighbourhood", minimum=0, maximum=1),
            "window": WINDOW,
        },
        parts="anchor, window, rule neighbourhood, queue inheritance",
    ),
    Recipe(
        "link-classifier",
        "classic",
        "learns from fetched pages which words in and around a link, and in its URL, predict relevance",
        _link_words,
        _classifier,
        parameters={"beta": BETA, **_CLASSIFIER},
        parts="anchor, window, address; rule mixed as a first guess; queue chances, refitted",
    ),
    Recipe(
        "host-bandit",
        "classic",
        "the score of a link times a Thompson sample of its host's success rate so far",
        _on_host,
        _bandit,
        parameters={
            "score": Parameter(
                "learnt",
                "score of a link: by a link classifier, page and window mixed, or inherited from its page",
                choices=_SCORES,
            ),
            "alpha": Parameter(1.0, "prior count of relevant pages per host", minimum=0.001),
            "beta": Parameter(1.0, "prior count of other pages per host", minimum=0.001),
            "seed": Parameter(0, "seed of the random draws", minimum=0),
            "page": Parameter(0.25, "weight of the page against the window", minimum=0, maximum=1),
            **_CLASSIFIER,
        },
        parts="as link-classifier, or rule mixed, or rule inherited; queue Thompson sampling by host",
    ),
)
