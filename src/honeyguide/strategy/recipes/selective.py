"""CBP-SLC and its baselines (000; spec, section 5): links in relevant parts are followed, others dropped."""

from __future__ import annotations

from honeyguide.strategy.parts import ALPHA, LINKS, TAG_SET, Values, context, segmenter
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import Selective

_CBP = {"alpha": ALPHA, "k": LINKS, "tags": TAG_SET}


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
        parts="anchor, rule selective, queue max",
    ),
    Recipe(
        "link-context",
        "CBP-SLC",
        "the same with all text under the parent element of the link",
        lambda values: _rule(values, around=True),
        parts="parent node, rule selective, queue max",
    ),
    Recipe(
        "slc",
        "CBP-SLC",
        "selective link context: the anchor, else the text under the parent element",
        lambda values: _rule(values, anchor=True, around=True),
        parts="anchor, parent node, rule selective, queue max",
    ),
    Recipe(
        "cbp",
        "CBP-SLC",
        "links in a relevant block get its score; other links are dropped",
        lambda values: _rule(values, block=True),
        parameters=_CBP,
        parts="CBP blocks, rule selective, queue max",
    ),
    Recipe(
        "cbp-slc",
        "CBP-SLC",
        "a relevant block, else a relevant anchor, else a relevant context",
        lambda values: _rule(values, block=True, anchor=True, around=True),
        parameters=_CBP,
        parts="CBP blocks, anchor, parent node, rule selective, queue max",
    ),
)
