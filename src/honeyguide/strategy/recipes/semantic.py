"""The crawlers of 004 (spec, section 1): one priority, with three measures of similarity to the topic."""

from __future__ import annotations

from honeyguide.page.context import anchors
from honeyguide.settings import Parameter
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import MAX, PageView
from honeyguide.strategy.queues.mean import MeanQueue
from honeyguide.strategy.recipe import Recipe

_LAMBDA = Parameter(0.5, "weight of the pages that contain a link against its anchor", minimum=0, maximum=1)


def _anchor(view: PageView) -> LinkTable:
    """The score of the anchor of each link, the best of several; 0 for an empty anchor."""
    return view.table(view.scores(anchors(view.page), MAX))


def _recipe(name: str, summary: str) -> Recipe:
    return Recipe(
        name,
        "SSVSM",
        summary,
        lambda _: _anchor,
        lambda values: MeanQueue(float(values["lambda"])),
        parameters={"lambda": _LAMBDA},
        parts=f"page and anchor by the model {name}, queue running mean",
        model=name,
        idf="crawl",  # w = tf · idf, over the pages of the crawl
    )


RECIPES = (
    _recipe("vsm", "pages and anchors that share words with the topic"),
    _recipe("ssrm", "pages and anchors whose words are semantically similar to the topic's, over all pairs"),
    _recipe("ssvsm", "pages and anchors whose words are semantically similar to the topic's, as vectors over pairs"),
)
