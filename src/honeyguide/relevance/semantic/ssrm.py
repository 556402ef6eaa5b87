"""SSRM, the semantic similarity retrieval model: the mean similarity of a text's words and the topic's."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.semantic.similarity import Similarity
from honeyguide.relevance.semantic.terms import TopicModel, TopicTerms, ratio
from honeyguide.relevance.text import Text


@dataclass(eq=False)
class Ssrm(TopicModel):
    """Sim = Σ_ij w_i w_j Sem(i, j) / Σ_ij w_i w_j, i over the text's terms, j over the topic's (spec, section 1)."""

    topic: TopicTerms
    similarity: Similarity
    threshold: float

    @classmethod
    def of(
        cls,
        topic: Text,
        language: str,
        threshold: float,
        similarity: Similarity,
        frequencies: Frequencies | None = None,
    ) -> Ssrm:
        """The model of the words of a topic, including repetitions. Without frequencies every idf is 1."""
        return cls(TopicTerms.of(topic, language, frequencies), similarity, threshold)

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """One mean similarity per span."""
        terms, found = self.topic.read(text, spans)
        similar = self.similarity.between(terms, self.topic.terms)
        near = (similar * self.topic.weights).sum(axis=1)
        total = found.summed(found.count) * self.topic.weights.sum()
        return ratio(found.summed(found.count * near[found.term]), total)
