"""A model that has learnt from labels during a crawl."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores, in_language, keyword_scores, naming_model
from honeyguide.relevance.text import Text

_MIN_CHANCE: Final = 1e-4  # scores are clipped to this distance from 0 and 1


@dataclass(eq=False)
class Taught:
    """Two models: the initial model of the crawl, and one that has also learnt from labels.

    Whole pages are judged by both, by the weighted mean of their log odds. Parts of pages, which links are chosen by,
    are scored by the first model alone. Answers are about pages, and mostly about pages near the topic: what they teach
    to reject is what links to relevant pages, so that the words around good links would be taken for bad ones.
    """

    first: Relevance
    learnt: Relevance
    weight: float
    """The weight of the model that has learnt from labels, for whole pages; from 0 to 1."""
    threshold: float

    def in_language(self, language: str) -> Relevance:
        """This model for texts in a language."""
        first, learnt = in_language(self.first, language), in_language(self.learnt, language)
        return self if first is self.first and learnt is self.learnt else replace(self, first=first, learnt=learnt)

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span: by both models if it is a whole page, otherwise by the first."""
        scores = self.first.score(text, spans)
        if not text.url:
            return scores
        is_whole = (spans[:, 0] == 0) & (spans[:, 1] == len(text))
        if is_whole.any():
            from scipy.special import expit, logit  # noqa: PLC0415 (heavy: a third of the time that a crawl starts in)

            before = _beyond(scores[is_whole], self.first.threshold)
            after = _beyond(self.learnt.score(text, spans[is_whole]), self.learnt.threshold)
            mean = before + self.weight * (after - before)
            scores[is_whole] = expit(mean + logit(self.threshold))
        return scores

    def titles(self, text: Text, spans: Spans) -> Scores:
        """Scores of titles, by the first model."""
        naming = naming_model(self.first)
        return self.first.score(text, spans) if naming is None else naming.titles(text, spans)

    def addresses(self, text: Text, spans: Spans) -> Scores:
        """Scores of the words of addresses, by the first model."""
        naming = naming_model(self.first)
        return self.first.score(text, spans) if naming is None else naming.addresses(text, spans)

    def keyword_scores(self, text: Text, spans: Spans) -> Scores:
        """Scores by the topic's own words alone, by the first model."""
        return keyword_scores(self.first, text, spans)


def _beyond(scores: Scores, threshold: float) -> Scores:
    """The log odds of scores, as far as they are above those of the threshold."""
    from scipy.special import logit  # noqa: PLC0415 (as above)

    least, most = _MIN_CHANCE, 1 - _MIN_CHANCE
    beyond: Scores = logit(np.clip(scores, least, most)) - logit(np.clip(threshold, least, most))
    return beyond
