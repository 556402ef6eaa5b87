"""Training: the model that suits a topic's examples, its threshold, and its quality."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from honeyguide.relevance.base import Relevance
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import Choice, choose
from honeyguide.relevance.spec import ModelSpec
from honeyguide.relevance.text import Text
from honeyguide.relevance.validation import (
    FOLDS,
    HeldOutScore,
    Quality,
    best_threshold,
    columns,
    cross_validate,
    quality,
)

_log = logging.getLogger("honeyguide.relevance")

CURVE = tuple(step / 10 for step in range(1, 10))


@dataclass(frozen=True, slots=True)
class Training:
    """A model, and how it was trained."""

    model: Relevance
    choice: Choice
    verdicts: list[HeldOutScore]
    """In the order of the examples; empty if there are too few to hold some out."""
    against: str
    """The kind of examples that the positive ones were compared with: "negative" or "unlabelled"; "" for none."""
    given: bool
    """Whether the topic sets the threshold."""

    @property
    def threshold(self) -> float:
        """The lowest score of a relevant page."""
        return self.model.threshold

    def folds(self) -> list[Quality]:
        """The quality of each fold that has examples of both kinds."""
        numbers = sorted({verdict.fold for verdict in self.verdicts})
        parts = [[verdict for verdict in self.verdicts if verdict.fold == number] for number in numbers]
        return [
            quality(*columns(part), self.threshold)
            for part in parts
            if {verdict.positive for verdict in part} == {True, False}
        ]

    def curve(self) -> list[tuple[float, Quality]]:
        """The quality over all verdicts at several thresholds, including the chosen one."""
        scores, positive = columns(self.verdicts)
        return [(at, quality(scores, positive, at)) for at in sorted({*CURVE, self.threshold})]

    def wrong(self) -> list[HeldOutScore]:
        """The misclassified examples, farthest from the threshold first."""
        found = [verdict for verdict in self.verdicts if (verdict.score >= self.threshold) != verdict.positive]
        return sorted(found, key=lambda verdict: -abs(verdict.score - self.threshold))


def train(
    material: Material,
    folds: int = FOLDS,
    progress: Callable[[str], None] = lambda _: None,
    spec: ModelSpec | None = None,
) -> Training:
    """Fit a model to a topic's examples.

    The threshold is the one in the settings, if they set one; otherwise the one that suits the examples best
    (`best_threshold`), unless it is part of the model's method.

    Args:
        material: The examples, and everything else that the model is made from.
        folds: The number of parts into which the examples are divided for cross-validation.
        progress: Called with a description of the current step.
        spec: The model; by default the one that suits the material (`choose`).

    Returns:
        The model, and how good it is.

    Raises:
        InputError: Something that the model needs is missing.
    """
    choice = Choice(spec, "it was specified") if spec is not None else choose(material)
    against = "negative" if material.negative else "unlabelled" if material.unlabelled else ""
    verdicts: list[HeldOutScore] = []
    if len(material.positive) > 1:

        def make(positive: Sequence[Text], others: Sequence[Text]) -> Relevance:
            held = replace(material, positive=positive)
            held = replace(held, negative=others) if material.negative else replace(held, unlabelled=others)
            return choice.model.fit(held, choice.model.threshold)

        others = material.negative or material.unlabelled
        verdicts = cross_validate(material.positive, others, make, folds, progress)
    threshold = material.relevance.threshold
    if not threshold and verdicts and choice.model.tuned:
        threshold = best_threshold(*columns(verdicts), labelled=against == "negative")
    progress("all examples")
    model = choice.model.fit(material, threshold or choice.model.threshold)
    about = {"model": choice.model.name, "threshold": model.threshold, "positive": len(material.positive)}
    _log.info("trained the model %(model)s, threshold %(threshold).3f", about, extra=about)
    return Training(model, choice, verdicts, against, given=material.relevance.threshold > 0)
