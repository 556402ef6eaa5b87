"""Linear models: one SVM with a calibrated probability, or several that vote."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.classifiers.features import Features
from honeyguide.relevance.classifiers.fields import FieldPart
from honeyguide.relevance.text import Text
from honeyguide.relevance.weighting import Floats


@dataclass(eq=False)
class Linear:
    """P(relevant) = 1 / (1 + exp(slope · margin + offset)), margin = coef · x + intercept (Platt's calibration)."""

    features: Features
    coef: Floats
    intercept: float
    slope: float
    offset: float
    threshold: float

    @cached_property
    def _part(self) -> FieldPart:
        return FieldPart(self.features, self.coef)

    def score(self, text: Text, spans: Spans) -> Scores:
        """One probability per span; 0 for a span without any of the terms."""
        margins, known = self._part.margins(text, spans)
        probability: Scores = expit(-(self.slope * (margins + self.intercept) + self.offset))
        return np.where(known, probability, 0.0)


@dataclass(eq=False)
class LinearVote:
    """SVMs that vote: WVC, and PEBL and the one-class SVM, where a single one decides (spec, section 5).

    A text is relevant if the weighted vote of ±1 is positive. Its priority is Σ votes_k / (1 + exp(-margin_k)). The
    score combines both: half the priority, plus a half if the text is relevant. So 0.5 is the threshold, and relevant
    texts, the only ones whose links the method follows, are ordered by priority.
    """

    features: Features
    coef: Floats
    """One row per SVM."""
    intercept: Floats
    votes: Floats
    """The weight of each SVM's vote; they add up to 1."""
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span; 0 for a span without any of the terms."""
        vectors = self.features.vectors(text, spans)
        margins = vectors.times(self.coef.T) + self.intercept
        vote = np.where(margins > 0, 1.0, -1.0) @ self.votes
        priority = expit(margins) @ self.votes
        return np.where(vectors.known, (priority + (vote > 0)) / 2, 0.0)
