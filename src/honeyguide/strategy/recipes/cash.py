"""OPIC and OTIE (001; spec, section 3): pages pass cash to their links; the URL with the most cash is next."""

from __future__ import annotations

from honeyguide.settings import Parameter
from honeyguide.strategy.parts import WINDOW, Values
from honeyguide.strategy.queues.cash import LEAK, SPREAD, VIRTUAL, CashQueue, Revision
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.recipes.windows import BETA, prediction
from honeyguide.strategy.rules import equal

_LISTS = {
    "n": Parameter(50, "size of a fetch list; links found on its pages count only after it is done", minimum=1),
    "revisit": Parameter(
        10, "after every so many fetch lists, the richest fetched page passes its cash on; 0: never", minimum=0
    ),
}


def _dangling(default: str) -> dict[str, Parameter]:
    text = "cash of a page without links: lost (leak), shared by all waiting URLs (spread), paid to the seeds (virtual)"
    return {"dangling": Parameter(default, text, choices=(LEAK, SPREAD, VIRTUAL))}


_REVISION = {
    "a": Parameter(0.85, "how much cash changes on a page of relevance 1 or 0", minimum=0),
    "d": Parameter(3.0, "exponent: the higher, the less cash changes on pages of medium relevance", minimum=0.1),
}


def _queue(values: Values, revision: Revision | None = None) -> CashQueue:
    return CashQueue(revision, int(values["n"]), int(values["revisit"]), str(values["dangling"]))


RECIPES = (
    Recipe(
        "opic",
        "OTIE",
        "a page passes its cash to its links in equal shares; the URL with the most cash is next",
        lambda _: equal,
        _queue,
        parameters={**_LISTS, **_dangling(SPREAD)},  # the best on webkb, where half of the pages have no links
        parts="rule equal, queue cash",
    ),
    Recipe(
        "otie",
        "OTIE",
        "cash is revised by the page's relevance and passed to links in proportion to their scores",
        prediction,
        lambda values: _queue(values, Revision(float(values["a"]), float(values["d"]))),
        parameters={
            **_REVISION,
            "beta": BETA,
            "window": WINDOW,
            **_LISTS,
            **_dangling(LEAK),
        },  # as in the paper's Algorithm 1
        parts="window with the anchor in it, rule mixed, queue cash with revision",
    ),
)
