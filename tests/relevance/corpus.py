"""Texts for models to learn from: two subjects that share most of their words."""

from __future__ import annotations

from typing import Any

from honeyguide.relevance.material import Material
from honeyguide.testing.texts import BEES, SHARED, TRAINS, bees, texts
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

__all__ = ["BEES", "SHARED", "TRAINS", "bees", "material", "texts", "topic"]


def topic(**tables: Any) -> Topic:
    return Topic.make(name="bees", seeds=["http://a.example/"], keywords="honey, bee", **tables)


def material(**tables: Any) -> Material:
    """The examples of `bees`, for a topic with some settings."""
    examples = bees()
    return material_of(topic(**tables), examples.positive, examples.negative, examples.unlabelled)
