"""Several models that vote."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores
from honeyguide.relevance.text import Text


@dataclass(eq=False)
class Vote:
    """The vote of an odd number of models (001: two of three).

    The score is the median of their scores, so that it reaches a threshold if most of them do.
    """

    models: list[Relevance]
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span: the median."""
        scores: Scores = np.median([model.score(text, spans) for model in self.models], axis=0)
        return scores
