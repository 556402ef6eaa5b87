"""Which model suits a topic, and making it."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.relevance.base import Relevance
from honeyguide.relevance.material import Material
from honeyguide.relevance.registry import AUTO, model_named
from honeyguide.relevance.spec import ModelSpec

ENOUGH = 5
"""From so many examples on a classifier can be learnt."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A model for a topic, and the reason."""

    model: ModelSpec
    reason: str


def choose(material: Material) -> Choice:
    """The model that the settings ask for; for "auto" the one that suits what there is.

    Raises:
        InputError: A model of another package is asked for, and cannot be imported.
    """
    if material.relevance.model != AUTO:
        return Choice(model_named(material.relevance.model), "the topic asks for it")
    if material.preferred:
        return Choice(model_named(material.preferred), "the strategy is defined with it")
    name, reason = _suitable(material)
    return Choice(model_named(name), reason)


def _suitable(material: Material) -> tuple[str, str]:
    if material.terms.genre or material.terms.content:
        return "genre", "the topic gives terms"
    positive, negative = len(material.positive), len(material.negative)
    if positive >= ENOUGH and negative >= ENOUGH:
        return "fields", f"there are {positive} positive and {negative} negative examples"
    if positive >= ENOUGH:
        against = "the unlabelled ones" if material.unlabelled else "the crawl's first pages"
        return "votes", f"there are {positive} positive examples, to set against {against}"
    if positive:
        return "vsm", f"there are too few examples to learn from ({positive} of {ENOUGH})"
    return "vsm", "there are words and no examples"


def make_model(material: Material, spec: ModelSpec | None = None) -> Relevance:
    """A model for a topic.

    Args:
        material: What it is made from.
        spec: The model; by default the one that `choose` picks.

    Returns:
        The model. Its threshold is the one of the settings, else the model's own.

    Raises:
        InputError: Something that the model needs is missing.
        PluginError: The model's own code fails.
    """
    spec = spec or choose(material).model
    return spec.fit(material, material.relevance.threshold or spec.threshold)
