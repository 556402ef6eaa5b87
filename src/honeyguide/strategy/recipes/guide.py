"""The recipe of guide, the default strategy."""

from __future__ import annotations

from honeyguide.settings import Parameter
from honeyguide.strategy.guide.evidence import evidence
from honeyguide.strategy.guide.queue import GuideQueue
from honeyguide.strategy.recipe import Recipe

RECIPES = (
    Recipe(
        "guide",
        "honeyguide",
        "weighs all evidence for a link and learns during the crawl how much to trust each kind",
        lambda _values: evidence,
        lambda values: GuideQueue(**{name: float(value) for name, value in values.items()}),
        parameters={
            "stiffness": Parameter(
                10.0, "strength of the prior weights: the higher, the slower it learns", minimum=0.01
            ),
            "boldness": Parameter(0.3, "weight of a prediction's standard deviation, for exploration", minimum=0),
            "caution": Parameter(
                1.0, "how much less links of examples promise if examples do not link to each other", minimum=0
            ),
            "clarity": Parameter(
                0.5, "weight of how clearly a page is relevant, beside whether it is", minimum=0, maximum=1
            ),
        },
        reads_words=True,
        starts_at_examples=True,
        parts="anchor, windows, CBP blocks, headings, addresses, siblings, folders, hosts; learnt words and weights; "
        "hub credit",
    ),
)
