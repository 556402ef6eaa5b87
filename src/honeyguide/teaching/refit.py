"""Fits a model to examples and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import choose, make_model
from honeyguide.relevance.taught import Taught
from honeyguide.relevance.text import Text
from honeyguide.strategy.reading import Reading

REFIT_AFTER: Final = (5, 10, 20, 35, 50)
"""Numbers of answers after which a model is fitted again; the intervals grow, since each answer matters less."""

_REFIT_EVERY: Final = 25  # answers, after those
_WEIGHT: Final = 0.5  # weight of the model with answers; the rest is for the one with examples alone
_CLEARLY: Final = 0.8  # how far a teacher's answer moves the relevance of a page from the threshold towards 1 or 0


def is_due(answers: int) -> bool:
    """Whether to fit the model again after this number of answers."""
    return answers in REFIT_AFTER or (answers > REFIT_AFTER[-1] and answers % _REFIT_EVERY == 0)


def refit(material: Material, relevant: Sequence[Text], others: Sequence[Text], first: Relevance) -> Relevance | None:
    """Fit a model to examples and answers.

    Args:
        material: The material that the first model was made from.
        relevant: The pages that a teacher has judged relevant. They count as much as examples.
        others: The pages that a teacher has judged irrelevant.
        first: The initial model of the crawl, which continues to score links.

    Returns:
        The model; None if there is not enough to learn from yet.
    """
    try:
        model = make_model(with_answers(material, relevant, others))
    except InputError:  # it needs pages of both kinds
        return None
    has_examples = bool(material.positive or material.negative)
    return Taught(first, model, _WEIGHT if has_examples else 1.0, model.threshold)


def with_answers(material: Material, relevant: Sequence[Text], others: Sequence[Text]) -> Material:
    """The material of a topic, with the pages judged by a teacher as further examples.

    A threshold in the topic refers to the scores of the first model. If there are enough examples for another model
    now, that has its own threshold.
    """
    known = replace(material, positive=[*material.positive, *relevant], negative=[*material.negative, *others])
    if choose(known).model.name == choose(material).model.name:
        return known
    return replace(known, relevance=replace(known.relevance, threshold=0.0))


def corrected(reading: Reading, is_relevant: bool) -> Reading:
    """The reading of a page that a teacher has judged."""
    threshold = reading.threshold
    least, most = threshold + _CLEARLY * (1 - threshold), threshold - _CLEARLY * threshold
    relevance = max(reading.relevance, least) if is_relevant else min(reading.relevance, most)
    return replace(reading, relevance=relevance, relevant=is_relevant and not reading.noindex and not reading.foreign)
