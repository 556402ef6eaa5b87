"""Naive Bayes with kernel density estimates (the judge of 001)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.classifiers.features import Features
from honeyguide.relevance.text import Text
from honeyguide.relevance.weighting import Floats

_LEAST = 1e-75
"""No value is impossible: a single term must not outweigh all others."""


@dataclass(eq=False)
class KernelBayes:
    """log P(+)/P(-) = log |P|/|N| + Σ_i log p(x_i|P) - log p(x_i|N), each p the mean of normal curves.

    The curves of a term and a class are centred at the values that the texts of the class have for it. p(x) is their
    mass within half a step of x, where the step is the mean gap between the values that the term has at all; the width
    of the curves is the range of the class's values divided by the square root of their number, and at least a sixth of
    the step. The paper only says kernel density; these are the choices of Weka, which it used.
    """

    features: Features
    positive: Floats
    """The training vectors: one row per text, one column per term."""
    negative: Floats
    threshold: float

    @cached_property
    def _steps(self) -> Floats:
        values = np.sort(np.vstack([self.positive, self.negative]), axis=0)
        gaps = (np.diff(values, axis=0) > 0).sum(axis=0)
        steps: Floats = np.divide(values[-1] - values[0], gaps, out=np.ones(len(gaps)), where=gaps > 0)
        return steps

    @cached_property
    def _widths(self) -> tuple[Floats, Floats]:
        widths = [
            np.maximum((rows.max(axis=0) - rows.min(axis=0)) / np.sqrt(len(rows)), self._steps / 6)
            for rows in (self.positive, self.negative)
        ]
        return widths[0], widths[1]

    @cached_property
    def _absent(self) -> Floats:
        """The log ratio of each term if it does not occur: most terms, in most texts."""
        return self._ratios(np.zeros(len(self.features)), np.arange(len(self.features)))

    @cached_property
    def _nothing(self) -> float:
        """The log ratio of a text without any of the terms."""
        return float(np.log(len(self.positive) / len(self.negative)) + self._absent.sum())

    def _ratios(self, values: Floats, terms: NDArray[np.intp]) -> Floats:
        """Log p(x|P) - log p(x|N) for the given values of the given terms."""
        half = self._steps[terms] / 2
        sides = []
        for rows, width in zip((self.positive, self.negative), self._widths, strict=True):
            apart = values - rows[:, terms]
            mass = ndtr((apart + half) / width[terms]) - ndtr((apart - half) / width[terms])
            sides.append(np.log(np.maximum(mass.mean(axis=0), _LEAST)))
        ratios: Floats = sides[0] - sides[1]
        return ratios

    def score(self, text: Text, spans: Spans) -> Scores:
        """One probability per span; 0 for a span without any of the terms."""
        vectors = self.features.vectors(text, spans)
        differences = self._ratios(vectors.count, vectors.term) - self._absent[vectors.term]
        probability: Scores = expit(self._nothing + vectors.summed(differences))
        return np.where(vectors.known, probability, 0.0)
