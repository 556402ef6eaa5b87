"""The multilayer perceptron with one hidden layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.classifiers.features import Features
from honeyguide.relevance.text import Text
from honeyguide.relevance.weighting import Floats


@dataclass(eq=False)
class Neural:
    """P(relevant) = s(out · s(hidden · x + hidden_bias) + out_bias), with s(z) = 1 / (1 + exp(-z))."""

    features: Features
    hidden: Floats
    """One row per term, one column per hidden node."""
    hidden_bias: Floats
    out: Floats
    out_bias: float
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """One probability per span; 0 for a span without any of the terms."""
        vectors = self.features.vectors(text, spans)
        nodes = expit(vectors.times(self.hidden) + self.hidden_bias)
        probability: Scores = expit(nodes @ self.out + self.out_bias)
        return np.where(vectors.known, probability, 0.0)
