"""A strategy put together by its user: one choice of each part."""

from __future__ import annotations

from honeyguide.frontier import Merge
from honeyguide.settings import Parameter
from honeyguide.strategy.parts import (
    ALPHA,
    CONTEXTS,
    LINKS,
    PDOC,
    SEGMENTERS,
    TAG_SET,
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
        "your own choice of parts",
        _rule,
        lambda values: PlainQueue(_QUEUES[str(values["queue"])]),
        parameters={
            "segmenter": Parameter("page", "how a page is cut up", choices=SEGMENTERS),
            "context": Parameter("window", "what stands for a link", choices=CONTEXTS),
            "rule": Parameter("mixed", "what makes a score of it", choices=_RULES),
            "queue": Parameter("max", "what several pages say of a link", choices=tuple(_QUEUES)),
            "beta": BETA,
            "window": WINDOW,
            "repeated": REPEATED,
            "alpha": ALPHA,
            "k": LINKS,
            "tags": TAG_SET,
            "pdoc": PDOC,
        },
        parts="as you say",
        styled=lambda values: needs_style(str(values["segmenter"])),
    ),
)
