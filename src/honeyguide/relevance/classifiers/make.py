"""Fits the classifiers to the material of a topic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.classifiers import fit as fitting
from honeyguide.relevance.learning import PUBootstrap
from honeyguide.relevance.make import vsm
from honeyguide.relevance.material import Material
from honeyguide.relevance.registry import model_named
from honeyguide.relevance.text import Tokens
from honeyguide.relevance.validation import best_threshold, columns, cross_validate
from honeyguide.settings import Value


def labelled(fit: str, material: Material, threshold: float, **values: Value) -> Relevance:
    """A classifier of positive against negative examples.

    `fit` names a function of `classifiers.fit`, and `values` are its parameters.
    """
    _demand_both(material)
    positive, negative = material.tokens(material.positive), material.tokens(material.negative)
    return _fitted(fit, positive, negative, material, threshold, **values)


def fields(material: Material, threshold: float, embeddings: bool = False) -> Relevance:
    """The classifier of text, title and address, from positive and negative examples and the topic's words."""
    _demand_both(material)
    positive, negative = material.positive, material.negative
    return fitting.fit_fields(
        positive, negative, material.language, threshold, keywords=material.words(), embeddings=embeddings
    )


def unlabelled(fit: str, tuned: bool, material: Material, threshold: float) -> Relevance:
    """A classifier of positive against unlabelled examples; without the latter, one that learns from the first pages.

    Negative examples, if any, are added to the unlabelled ones: the method requires no more of those. See `PUBootstrap`
    for `tuned`.
    """
    if not material.positive:
        problem = "the model learns from pages about the topic, but there are none"
        raise InputError("examples.positive", problem, "add some pages, or choose another relevance.model")
    positive, others = material.tokens(material.positive), material.tokens([*material.negative, *material.unlabelled])
    if others:
        return _fitted(fit, positive, others, material, threshold)
    interim = vsm(material, _interim_threshold(material))
    ends = np.cumsum([len(tokens) for tokens in positive])
    return PUBootstrap(interim, fit, material.language, np.concatenate(positive), ends, tuned, threshold)


def _demand_both(material: Material) -> None:
    for kind, texts in (("positive", material.positive), ("negative", material.negative)):
        if len(texts) < 2:
            problem = f"the model needs at least 2 {kind} examples, but there are {len(texts)}"
            raise InputError(f"examples.{kind}", problem, "add more pages, or choose another relevance.model")


def _interim_threshold(material: Material) -> float:
    """The threshold for the model of the examples alone, from their scores when held out."""
    own = model_named("vsm").threshold
    if len(material.positive) < 2:
        return own
    verdicts = cross_validate(material.positive, (), lambda texts, _: vsm(replace(material, positive=texts), own))
    return min(max(best_threshold(*columns(verdicts), labelled=False), 0.01), 0.99)


def _fitted(
    fit: str, positive: list[Tokens], others: list[Tokens], material: Material, threshold: float, **values: Value
) -> Relevance:
    fitted: Relevance = getattr(fitting, fit)(positive, others, material.language, threshold, **values)
    return fitted
