"""The embedding model: the cosine between the topic's vector and a text's, each the sum of its words' vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.semantic.embeddings import WordVectors, load_vectors
from honeyguide.relevance.semantic.terms import TopicModel, TopicTerms, ratio
from honeyguide.relevance.text import Text


@dataclass(eq=False)
class Embedding(TopicModel):
    """Cosine of Σ_i w_i v_i of the text and of the topic, v_i the vector of word i; negative values become 0.

    Words are in lower case, without stop words, weighted as in the vector space model.
    """

    topic: TopicTerms
    digest: str
    """The digest of the embeddings: with others, the same text would get other scores."""
    threshold: float

    def __post_init__(self) -> None:
        self._vectors  # noqa: B018 (what is not here should be said now, not when the first page is scored)

    @classmethod
    def of(cls, topic: Text, language: str, threshold: float, frequencies: Frequencies | None = None) -> Embedding:
        """The model of a topic's words, by the installed embeddings. Without frequencies every idf is 1."""
        return cls(TopicTerms.of(topic, language, frequencies), load_vectors().digest, threshold)

    @cached_property
    def _vectors(self) -> WordVectors:
        return load_vectors(self.digest)

    @cached_property
    def _direction(self) -> NDArray[np.float64]:
        vector = self.topic.weights @ self._vectors.of(self.topic.words).astype(np.float64)
        length = np.sqrt(vector @ vector)
        return vector / length if length else vector

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """One cosine per span."""
        from scipy.sparse import csr_array  # noqa: PLC0415 (who uses another model need not wait for it)

        terms, found = self.topic.read(text, spans)
        vectors = self._vectors.of(terms.words).astype(np.float64)
        begins = np.searchsorted(found.row, np.arange(found.rows + 1))
        sums = csr_array((found.count, found.term, begins), shape=(found.rows, len(terms))) @ vectors
        lengths = np.sqrt((sums**2).sum(axis=1))
        return ratio(np.maximum((sums * self._direction).sum(axis=1), 0.0), lengths)
