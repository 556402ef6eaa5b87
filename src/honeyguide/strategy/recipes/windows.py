"""Page and link context mixed: link context prediction (001), and block text windows with their baselines (003)."""

from __future__ import annotations

from honeyguide.page.blocks.base import whole_page
from honeyguide.settings import Parameter
from honeyguide.strategy.page_view import FIRST, MAX
from honeyguide.strategy.parts import VIPS, WINDOW, Values, context, segmenter
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.queues.fetch_lists import FetchListQueue
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import Rule, mixed

BETA = Parameter(0.25, "weight of the page against the context", minimum=0, maximum=1)
REPEATED = Parameter(FIRST, "which context counts if a URL is linked several times", choices=(FIRST, MAX))


_LIST = Parameter(
    1, "size of a fetch list; links found on its pages count only after it is done (50 in the paper)", minimum=1
)


def _lists(values: Values) -> PlainQueue:
    n = int(values["n"])
    return FetchListQueue(n) if n > 1 else PlainQueue()


def prediction(values: Values) -> Rule:
    """β · page + (1 - β) · window of T words, the anchor among them; the best of several (001)."""
    return mixed(whole_page, context("window", values, anchor_counts=True), float(values["beta"]), MAX)


def _rule(values: Values, blocks: str, name: str, *, page: bool) -> Rule:
    beta = float(values["beta"]) if page else 0.0
    return mixed(segmenter(blocks, values), context(name, values), beta, str(values["repeated"]))


def _recipe(name: str, summary: str, blocks: str, around: str, *, page: bool) -> Recipe:
    parameters = {"repeated": REPEATED}
    if "window" in around:
        parameters["window"] = WINDOW
    if blocks == "vips":
        parameters |= VIPS
    if page:
        parameters["beta"] = BETA
    return Recipe(
        name,
        "BTW",
        summary,
        lambda values: _rule(values, blocks, around, page=page),
        parameters=parameters,
        parts=f"{blocks} blocks, {around}, rule mixed, queue max",
        styled=lambda _: blocks == "vips",
    )


RECIPES = (
    Recipe(
        "link-context-prediction",
        "OTIE",
        "page and text window mixed; the best of several pages counts",
        prediction,
        _lists,
        parameters={"beta": BETA, "window": WINDOW, "n": _LIST},
        parts="window with the anchor in it, rule mixed, queue max",
    ),
    _recipe("text-window", "the words around the link", "page", "window", page=False),
    _recipe("block", "the link's block", "vips", "block", page=False),
    _recipe("page+block", "page and block mixed", "vips", "block", page=True),
    _recipe("btw", "the text window inside the link's block", "vips", "block-window", page=False),
    _recipe("page+btw", "page and block text window mixed", "vips", "block-window", page=True),
)
