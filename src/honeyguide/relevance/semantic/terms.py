"""Texts as weighted words: what the semantic models compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.bags import Bags, bags
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.text import Text, TokenForm, Tokenizer, Tokens, counted


class FieldsOnly:
    """A dataclass that is pickled as its fields; derived values are recomputed in the other process."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Terms:
    """Distinct words in lower case, in the order of their tokens."""

    tokens: Tokens
    stems: Tokens
    words: Sequence[str]

    def __len__(self) -> int:
        return len(self.words)

    def take(self, places: NDArray[np.intp]) -> Terms:
        """The terms at the given indices, which are in ascending order."""
        return Terms(self.tokens[places], self.stems[places], [self.words[place] for place in places.tolist()])


@dataclass(eq=False)
class TopicTerms(FieldsOnly):
    """A topic's words with their weights; finds and weights the terms of other texts in the same way."""

    language: str
    words: list[str]
    """Distinct, in lower case, in the order of their tokens."""
    counts: NDArray[np.float64]
    """How often each word occurs in the topic: a count, or any weight."""
    frequencies: Frequencies
    """Frequencies of stems, as everywhere: a word is as common as its stem."""

    @classmethod
    def of(cls, topic: Text, language: str, frequencies: Frequencies | None = None) -> TopicTerms:
        """The terms of the words of a topic, including repetitions. Without frequencies every idf is 1."""
        tokens, counts = counted(topic.tokens(Tokenizer(language, TokenForm.WORD)))
        made = cls(language, [], counts.astype(np.float64), frequencies or Frequencies.none())
        made.words = list(made._terms_of(topic, tokens).words)
        return made

    @cached_property
    def _as_words(self) -> Tokenizer:
        return Tokenizer(self.language, TokenForm.WORD)

    @cached_property
    def _as_stems(self) -> Tokenizer:
        return Tokenizer(self.language)

    @cached_property
    def terms(self) -> Terms:
        """The topic's terms."""
        return Terms(self._as_words(self.words), self._as_stems(self.words), self.words)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the topic's terms: f · idf."""
        return self.counts * self.frequencies.idf(self.terms.stems)

    def read(self, text: Text, spans: Spans) -> tuple[Terms, Bags]:
        """The terms of spans of a text, and the terms of each span (as indices) with their weights f · idf.

        Frequencies are not divided by the greatest (spec, section 1): a common factor of all weights of a text leaves
        every one of these similarities unchanged.
        """
        found = bags(text.tokens(self._as_words), spans)
        if found.rows == 1:
            tokens, places = found.term, np.arange(len(found.term))
        else:
            tokens, places = np.unique(found.term, return_inverse=True)
        terms = self._terms_of(text, tokens)
        weights = found.count
        if self.frequencies.documents:
            weights = weights * self.frequencies.idf(terms.stems)[places]
        return terms, Bags(found.rows, found.row, places, weights)

    def _terms_of(self, text: Text, tokens: Tokens) -> Terms:
        """The words in a text for some of its tokens, which are distinct and in ascending order."""
        known, places = np.unique(text.tokens(self._as_words), return_index=True)
        places = places[np.searchsorted(known, tokens)]
        stems = text.tokens(self._as_stems)[places]
        return Terms(tokens, stems, [text.words[place].lower() for place in places.tolist()])


class TopicModel(FieldsOnly):
    """A model of a topic's terms: a dataclass with the field `topic`."""

    topic: TopicTerms

    def seeing(self, documents: Sequence[Tokens]) -> Self:
        """The same model with document frequencies updated with more documents."""
        topic = replace(self.topic, frequencies=self.topic.frequencies.seeing(documents))
        changed: Self = replace(self, topic=topic)  # type: ignore[type-var]
        return changed


def heaviest(found: Bags, most: int) -> Bags:
    """Bags with at most `most` terms each: those with the greatest weights; of equal ones, the first."""
    sizes = np.bincount(found.row, minlength=found.rows)
    if sizes.max(initial=0) <= most:
        return found
    order = np.lexsort((found.term, -found.count, found.row))
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = rank < most
    return Bags(found.rows, found.row[kept], found.term[kept], found.count[kept])


def halves(found: Bags) -> tuple[Bags, Bags]:
    """The first half of the rows, and the second."""
    half = found.rows // 2
    cut = np.searchsorted(found.row, half)
    first = Bags(half, found.row[:cut], found.term[:cut], found.count[:cut])
    return first, Bags(found.rows - half, found.row[cut:] - half, found.term[cut:], found.count[cut:])


def narrowed(terms: Terms, found: Bags) -> tuple[Terms, Bags]:
    """The terms that are in any bag, and the bags with indices into these."""
    used, places = np.unique(found.term, return_inverse=True)
    return terms.take(used), Bags(found.rows, found.row, places, found.count)


def ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """One score each: above / below, 0 where below is 0, and never over 1 by a rounding error."""
    return np.minimum(np.divide(above, below, out=np.zeros(len(above)), where=below > 0), 1.0)
