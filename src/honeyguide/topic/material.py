"""Collects from a topic the input of its relevance model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from honeyguide.relevance.material import Material
from honeyguide.relevance.text import Text
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic.topic import Topic, changes

MODELLED = ("keywords", "description", "examples", "terms", "relevance")
"""The parts of a topic that determine its model."""


THRESHOLD = "relevance.threshold"
LANGUAGE = "relevance.language"


def model_changes(old: Topic, new: Topic) -> tuple[str, ...]:
    """The names of the settings that differ and determine the model."""
    found = tuple(name for name in changes(old, new) if name.split(".")[0] in MODELLED and name != LANGUAGE)
    return found if old.language == new.language else (*found, LANGUAGE)


def has_examples(topic: Topic) -> bool:
    """Whether the topic names any example page."""
    return any((topic.examples.positive, topic.examples.negative, topic.examples.unlabelled))


def material_of(
    topic: Topic, positive: Sequence[Text] = (), negative: Sequence[Text] = (), unlabelled: Sequence[Text] = ()
) -> Material:
    """The material from which the model of a topic is fitted.

    Args:
        topic: Provides the words, the terms, the settings, and the model and idf that its strategy is defined with.
        positive: The texts of the topic's positive examples; `honeyguide.crawl.model_store` reads them.
        negative: The texts of its negative examples.
        unlabelled: The texts of its unlabelled examples.

    Raises:
        InputError: The topic's strategy cannot be imported.
    """
    recipe = strategy_named(topic.strategy.name).recipe
    return Material(
        keywords=topic.keywords,
        description=topic.description,
        positive=positive,
        negative=negative,
        unlabelled=unlabelled,
        terms=topic.terms,
        relevance=replace(topic.relevance, language=topic.language),
        preferred=recipe.model,
        preferred_idf=recipe.idf,
    )
