"""From a topic to what its relevance model is made from."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.relevance.material import Material
from honeyguide.relevance.text import Text
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic.topic import Topic

MODELLED = ("keywords", "description", "examples", "terms", "relevance")
"""The parts of a topic that decide its model."""


def material_of(
    topic: Topic, positive: Sequence[Text] = (), negative: Sequence[Text] = (), unlabelled: Sequence[Text] = ()
) -> Material:
    """What a topic's model is made from.

    Args:
        topic: Gives the words, the terms, the settings, and the model that its strategy is defined with.
        positive: The texts of the topic's positive examples; `honeyguide.crawl.model_store` reads them.
        negative: Those of its negative examples.
        unlabelled: Those of its unlabelled examples.

    Raises:
        InputError: The topic's strategy cannot be imported.
    """
    return Material(
        keywords=topic.keywords,
        description=topic.description,
        positive=positive,
        negative=negative,
        unlabelled=unlabelled,
        terms=topic.terms,
        relevance=topic.relevance,
        preferred=strategy_named(topic.strategy.name).recipe.model,
    )
