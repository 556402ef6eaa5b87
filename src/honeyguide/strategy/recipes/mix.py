"""A strategy composed by its user: one choice of each part."""

from __future__ import annotations

from honeyguide.frontier import Merge
from honeyguide.settings import Parameter
from honeyguide.strategy.parts import (
    ALPHA,
    CONTEXTS,
    LINKS,
    SEGMENTERS,
    TAG_SET,
    VIPS,
    WINDOW,
    Values,
    context,
    needs_style,
    segmenter,
)
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.recipes.windows import BETA, REPEATED
from honeyguide.strategy.rules import Rule, Selective, equal, inherited, mixed

_RULES = ("mixed", "selective", "inherited", "equal")
_QUEUES = {"max": Merge.MAX, "replace": Merge.REPLACE, "add": Merge.ADD}


def _rule(values: Values) -> Rule:
    blocks, around = str(values["segmenter"]), str(values["context"])
    match values["rule"]:
        case "equal":
            return equal
        case "inherited":
            return inherited
        case "selective":
            divided = segmenter(blocks, values) if blocks != "page" else None
            return Selective(divided, None, context(around, values))
        case _:
            repeated, beta = str(values["repeated"]), float(values["beta"])
            return mixed(segmenter(blocks, values), context(around, values), beta, repeated)


RECIPES = (
    Recipe(
        "mix",
        "honeyguide",
        "composed from parts of your choice",
        _rule,
        lambda values: PlainQueue(_QUEUES[str(values["queue"])]),
        parameters={
            "segmenter": Parameter("page", "how a page is divided into blocks", choices=SEGMENTERS),
            "context": Parameter("window", "the context of a link", choices=CONTEXTS),
            "rule": Parameter("mixed", "how the score of a link is computed", choices=_RULES),
            "queue": Parameter(
                "max", "how the scores of several pages for one link are merged", choices=tuple(_QUEUES)
            ),
            "beta": BETA,
            "window": WINDOW,
            "repeated": REPEATED,
            "alpha": ALPHA,
            "k": LINKS,
            "tags": TAG_SET,
            **VIPS,
        },
        parts="as chosen",
        styled=lambda values: needs_style(str(values["segmenter"])),
    ),
)
