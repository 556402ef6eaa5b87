"""CBP-SLC and its baselines (000; spec, section 5): links in relevant parts are followed, others dropped."""

from __future__ import annotations

from honeyguide.frontier import Merge
from honeyguide.settings import Parameter
from honeyguide.strategy.parts import ALPHA, LINKS, TAG_SET, Values, context, segmenter
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import Selective

_MERGES = {"max": Merge.MAX, "first": Merge.FIRST}
_MERGE = {
    "merge": Parameter(
        "max", "which score of a waiting URL counts: the best, or the first (in the paper)", choices=tuple(_MERGES)
    )
}
_CBP = {"alpha": ALPHA, "k": LINKS, "tags": TAG_SET, **_MERGE}


def _queue(values: Values) -> PlainQueue:
    """The paper ignores a link whose URL is already in the frontier; by default, the best score counts."""
    return PlainQueue(_MERGES[str(values["merge"])])


def _rule(values: Values, *, block: bool = False, anchor: bool = False, around: bool = False) -> Selective:
    return Selective(
        segmenter("cbp", values) if block else None,
        context("anchor", values) if anchor else None,
        context("parent", values) if around else None,
    )


RECIPES = (
    Recipe(
        "anchor-only",
        "CBP-SLC",
        "links with a relevant anchor get its score; other links are dropped",
        lambda values: _rule(values, anchor=True),
        queue=_queue,
        parameters=_MERGE,
        parts="anchor, rule selective, queue max",
    ),
    Recipe(
        "link-context",
        "CBP-SLC",
        "the same with all text under the parent element of the link",
        lambda values: _rule(values, around=True),
        queue=_queue,
        parameters=_MERGE,
        parts="parent node, rule selective, queue max",
    ),
    Recipe(
        "slc",
        "CBP-SLC",
        "selective link context: the anchor, else the text under the parent element",
        lambda values: _rule(values, anchor=True, around=True),
        queue=_queue,
        parameters=_MERGE,
        parts="anchor, parent node, rule selective, queue max",
    ),
    Recipe(
        "cbp",
        "CBP-SLC",
        "links in a relevant block get its score; other links are dropped",
        lambda values: _rule(values, block=True),
        queue=_queue,
        parameters=_CBP,
        parts="CBP blocks, rule selective, queue max",
    ),
    Recipe(
        "cbp-slc",
        "CBP-SLC",
        "a relevant block, else a relevant anchor, else a relevant context",
        lambda values: _rule(values, block=True, anchor=True, around=True),
        queue=_queue,
        parameters=_CBP,
        parts="CBP blocks, anchor, parent node, rule selective, queue max",
    ),
)
