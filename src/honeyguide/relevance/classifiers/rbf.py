"""The SVM with an RBF kernel: the baseline of genre-aware crawling (002)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.classifiers.features import Features
from honeyguide.relevance.text import Text
from honeyguide.relevance.weighting import Floats


@dataclass(eq=False)
class Rbf:
    """margin = Σ_k dual_k · exp(-gamma · |x - s_k|²) + intercept, calibrated as in `Linear`."""

    features: Features
    support: Floats
    """One row per support vector."""
    dual: Floats
    intercept: float
    gamma: float
    slope: float
    offset: float
    threshold: float

    @cached_property
    def _transposed(self) -> Floats:
        return np.ascontiguousarray(self.support.T)

    @cached_property
    def _lengths(self) -> Floats:
        lengths: Floats = (self.support**2).sum(axis=1)
        return lengths

    def score(self, text: Text, spans: Spans) -> Scores:
        """One probability per span; 0 for a span without any of the terms."""
        vectors = self.features.vectors(text, spans)
        own = vectors.summed(vectors.count**2)
        distances = own[:, None] + self._lengths - 2 * vectors.times(self._transposed)
        margins = np.exp(-self.gamma * np.maximum(distances, 0.0)) @ self.dual + self.intercept
        probability: Scores = expit(-(self.slope * margins + self.offset))
        return np.where(vectors.known, probability, 0.0)
