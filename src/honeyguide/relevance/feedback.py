"""A topic in a few words that learns from the crawl's own pages which other words belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores
from honeyguide.relevance.text import Text, Tokens
from honeyguide.relevance.vsm import Vsm


@dataclass(eq=False)
class Feedback:
    """Begins as the vector space model, and adds words to it from the pages that it calls most relevant so far.

    A few keywords occur on few of the pages about a topic, and hardly ever in the texts of links. What such pages have
    in common, beyond the keywords, is soon known (pseudo-relevance feedback): see `expand`.
    """

    interim: Vsm
    """The topic in words."""
    threshold: float
    milestones: ClassVar[tuple[int, ...]] = (8, 12, 20, 35, 60, 100, 200, 400, 1000)
    """It learns early and often: the links of the first pages decide where a crawl goes."""
    likeness: ClassVar[bool] = True

    def score(self, text: Text, spans: Spans) -> Scores:
        """One cosine with the topic's words per span."""
        return self.interim.score(text, spans)

    def in_language(self, language: str) -> Relevance:
        """The topic's words alone, for texts in another language: what is added to them are words of its own one."""
        other = self.interim.in_language(language)
        return self if other is self.interim else replace(other, threshold=self.threshold)

    def learned(self, documents: Sequence[Tokens]) -> Relevance:
        """The model with the words that the pages add."""
        from honeyguide.relevance.classifiers.expansion import expand  # noqa: PLC0415 (scipy takes a while)

        return expand(self.interim, documents, self.threshold)
