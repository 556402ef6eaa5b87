"""Choosing the model that suits a topic, and making it."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.relevance.base import Relevance
from honeyguide.relevance.material import Material
from honeyguide.relevance.registry import AUTO, model_named
from honeyguide.relevance.spec import ModelSpec

ENOUGH = 5
"""The number of examples from which a classifier can be trained."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A model for a topic, and the reason for choosing it."""

    model: ModelSpec
    reason: str


def choose(material: Material) -> Choice:
    """Choose the model that the settings specify; for "auto", the one that suits the material.

    Raises:
        InputError: The settings specify a model of another package, which cannot be imported.
    """
    if material.relevance.model != AUTO:
        return Choice(model_named(material.relevance.model), "the topic specifies it")
    if material.preferred:
        return Choice(model_named(material.preferred), "the strategy is defined with it")
    name, reason = _suitable(material)
    return Choice(model_named(name), reason)


def _suitable(material: Material) -> tuple[str, str]:
    if material.terms.genre or material.terms.content:
        return "genre", "the topic has terms"
    positive, negative = len(material.positive), len(material.negative)
    if positive >= ENOUGH and negative >= ENOUGH:
        return "fields", f"there are {positive} positive and {negative} negative examples"
    if positive >= ENOUGH:
        against = "the unlabelled ones" if material.unlabelled else "the crawl's first pages"
        return "votes", f"there are {positive} positive examples, to compare with {against}"
    if positive:
        return "vsm", f"there are too few examples to learn from ({positive}; {ENOUGH} are needed)"
    if material.idf == "one" and material.keywords:
        return "feedback", "there are words but no examples: the crawl's own pages add others"
    return "vsm", "there are words but no examples"


def make_model(material: Material, spec: ModelSpec | None = None) -> Relevance:
    """A model for a topic.

    Args:
        material: The material to make it from.
        spec: The model; by default the one that `choose` picks.

    Returns:
        The model. Its threshold is the one in the settings, otherwise the model's default.

    Raises:
        InputError: Something that the model needs is missing.
        PluginError: The model's own code fails.
    """
    spec = spec or choose(material).model
    return spec.fit(material, material.relevance.threshold or spec.threshold)
