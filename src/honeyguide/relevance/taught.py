"""A model that has learnt from answers during a crawl."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores, naming_model
from honeyguide.relevance.text import Text


@dataclass(eq=False)
class Taught:
    """Two models: one judges whole pages, the other scores parts of pages, which is what links are chosen by.

    Answers are about pages, and mostly about pages near the topic. A model that has learnt from them knows better which
    pages are relevant. But the pages that it has learnt to reject are those that link to relevant ones, so that it
    takes the words around good links for bad ones. So links go on to be scored by the model that the crawl began with.
    """

    pages: Relevance
    parts: Relevance
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span: by the model for pages if it is a whole page, otherwise by the model for parts."""
        if not text.url:
            return self.parts.score(text, spans)
        is_whole = (spans[:, 0] == 0) & (spans[:, 1] == len(text))
        if is_whole.all():
            return self.pages.score(text, spans)
        scores = self.parts.score(text, spans)
        if is_whole.any():
            scores[is_whole] = self.pages.score(text, spans[is_whole])
        return scores

    def titles(self, text: Text, spans: Spans) -> Scores:
        """Scores of titles, by the model for parts."""
        naming = naming_model(self.parts)
        return self.parts.score(text, spans) if naming is None else naming.titles(text, spans)

    def addresses(self, text: Text, spans: Spans) -> Scores:
        """Scores of the words of addresses, by the model for parts."""
        naming = naming_model(self.parts)
        return self.parts.score(text, spans) if naming is None else naming.addresses(text, spans)
