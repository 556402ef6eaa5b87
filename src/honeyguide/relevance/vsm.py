"""The vector space model: the cosine between a text's words and the topic's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from honeyguide.lazy import lazy
from honeyguide.page.spans import Spans
from honeyguide.relevance.bags import Bags, among, text_bags
from honeyguide.relevance.base import Scores
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.span_sums import Floats, TermPositions, squared, term_positions
from honeyguide.relevance.term_finder import TermFinder
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
    likeness: ClassVar[bool] = True
    words: str = ""
    """The words of the topic, if the model has nothing else: then it can be made for any language."""

    @classmethod
    def of(cls, topic: Text, language: str, threshold: float, frequencies: Frequencies | None = None) -> Vsm:
        """The model of the words of a topic, including repetitions. Without frequencies every idf is 1."""
        terms, counts = counted(topic.tokens(Tokenizer(language)))
        return cls(language, terms, counts.astype(float), frequencies or Frequencies.none(), threshold)

    def in_language(self, language: str) -> Vsm:
        """The model for texts in another language: the same words, with its stems and stop words.

        The model itself if that would leave none of the words, or if it is made of more than words.
        """
        if not self.words or language == self.language:
            return self
        frequencies = Frequencies.prior(Tokenizer(language)) if self.frequencies.documents else None
        found = replace(Vsm.of(Text.of(self.words), language, self.threshold, frequencies), words=self.words)
        return found if len(found.terms) else self

    def seeing(self, documents: Sequence[Tokens]) -> Vsm:
        """The same model with document frequencies updated with more documents."""
        return replace(self, frequencies=self.frequencies.seeing(documents))

    @lazy
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.language)

    @lazy
    def weights(self) -> NDArray[np.float64]:
        """The topic's vector, normalised to length 1."""
        weights = self.counts * self.frequencies.idf(self.terms)
        length = np.sqrt(weights @ weights)
        return weights / length if length else weights

    @lazy
    def _largest(self) -> tuple[float, float]:
        """The largest weight of a word in the dot product with the topic, and in the square of a length."""
        idf = self.frequencies.idf(self.terms)
        return float(np.max(self.weights * idf, initial=0.0)), self.frequencies.largest_idf**2

    @lazy
    def _finder(self) -> TermFinder:
        return TermFinder(self.terms)

    def score(self, text: Text, spans: Spans) -> Scores:
        """One cosine per span. Lengths are computed only for spans with a word of the topic, which are few."""
        scores = np.zeros(len(spans))
        shared = text.derived(self, lambda: self._shared(text))
        if not shared:
            return scores
        if len(spans) == 1:
            dots, squares = self._of_bags(text_bags(text, self._tokenizer, spans))
        else:
            found, weights = shared
            dots = found.within(spans).sums(weights, self._largest[0])
            squares = np.zeros(len(spans))
            near = dots.nonzero()[0]
            squares[near] = self._squares(text, spans.take(near, axis=0))
        lengths = np.sqrt(squares)
        return np.minimum(np.divide(dots, lengths, out=scores, where=lengths > 0), 1.0)

    def _shared(self, text: Text) -> tuple[TermPositions, Floats] | tuple[()]:
        """The occurrences of the topic's terms in a text, and their contributions to the dot product with the topic.

        Nothing if none of them does.
        """
        tokens = text.tokens(self._tokenizer)
        position = self._finder.find(tokens)
        if not len(position):
            return ()
        found = TermPositions(tokens, position)
        place = self.terms.searchsorted(found.terms)
        return found, self.weights.take(place) * self.frequencies.idf(found.terms)

    def _squares(self, text: Text, spans: Spans) -> Floats:
        """The square of the length of each span's vector."""
        found = term_positions(text, self._tokenizer)
        idf = text.derived((self, "idf"), lambda: self.frequencies.idf(found.terms))
        return found.within(spans).sums_of_counts(idf * idf, self._largest[1], squared)

    def _of_bags(self, found: Bags) -> tuple[Floats, Floats]:
        """The dot product of each bag with the topic, and the square of its length."""
        weights = found.count
        if self.frequencies.documents:
            weights = weights * self.frequencies.idf(found.term)
        shared = among(Bags(found.rows, found.row, found.term, weights), self.terms)
        return shared.summed(shared.count * self.weights[shared.term]), found.summed(weights * weights)
