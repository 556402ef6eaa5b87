"""The vector space model: the cosine between a text's words and the topic's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.bags import Bags, among, bags
from honeyguide.relevance.base import Scores
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.text import Text, Tokenizer, Tokens, counted


@dataclass(eq=False)
class Vsm:
    """Cosine of w_i = f_i / max f · idf_i (spec, section 1).

    A common factor of all weights leaves a cosine unchanged, so frequencies need not be divided by their maximum.
    """

    language: str
    terms: Tokens
    """The topic's terms, in ascending order."""
    counts: NDArray[np.float64]
    """How often each term occurs in the topic: a count, or any weight."""
    frequencies: Frequencies
    threshold: float

    @classmethod
    def of(cls, topic: Text, language: str, threshold: float, frequencies: Frequencies | None = None) -> Vsm:
        """The model of the words of a topic, including repetitions. Without frequencies every idf is 1."""
        terms, counts = counted(topic.tokens(Tokenizer(language)))
        return cls(language, terms, counts.astype(float), frequencies or Frequencies.none(), threshold)

    def seeing(self, documents: Sequence[Tokens]) -> Vsm:
        """The same model with document frequencies updated with more documents."""
        return replace(self, frequencies=self.frequencies.seeing(documents))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.language)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The topic's vector, normalised to length 1."""
        weights = self.counts * self.frequencies.idf(self.terms)
        length = np.sqrt(weights @ weights)
        return weights / length if length else weights

    def score(self, text: Text, spans: Spans) -> Scores:
        """One cosine per span."""
        found = bags(text.tokens(self._tokenizer), spans)
        weights = found.count
        if self.frequencies.documents:
            weights = weights * self.frequencies.idf(found.term)
        lengths = np.sqrt(found.summed(weights * weights))
        shared = among(Bags(found.rows, found.row, found.term, weights), self.terms)
        dots = shared.summed(shared.count * self.weights[shared.term])
        return np.minimum(np.divide(dots, lengths, out=np.zeros(len(spans)), where=lengths > 0), 1.0)
