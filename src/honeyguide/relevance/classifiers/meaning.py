"""Logistic regression on the meaning of a text: on the direction of the sum of the vectors of its words.

The vectors are those of wordllama (extra ``semantics``). Texts on related subjects have similar directions even if they
share no words; so an anchor can be judged even if none of its words occur in the examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from honeyguide.page.spans import Spans
from honeyguide.relevance.bags import text_bags
from honeyguide.relevance.base import whole
from honeyguide.relevance.semantic.embeddings import load_vectors
from honeyguide.relevance.semantic.terms import FieldsOnly
from honeyguide.relevance.text import NOTHING, Text, TokenForm, Tokenizer, Tokens
from honeyguide.relevance.weighting import Flags, Floats


class Meanings:
    """Computes the directions of texts in one language, ignoring stop words."""

    def __init__(self, language: str, digest: str = "") -> None:
        """With a digest, only embeddings with this digest are accepted.

        Raises:
            InputError: There are none: the package wordllama is missing, or is another version.
        """
        self.language = language
        self._words = Tokenizer(language, TokenForm.WORD)
        self._vectors = load_vectors(digest)

    @property
    def digest(self) -> str:
        """Identifies the embeddings."""
        return self._vectors.digest

    def of(self, text: Text, spans: Spans) -> tuple[Floats, Flags]:
        """Σ log(1 + f_i) v_i of each span, of length 1, and whether it has a word that counts; if not, the row is 0."""
        terms, vectors = text.derived((self.language, self.digest), lambda: self._terms(text))
        found = text_bags(text, self._words, spans)
        begins = np.searchsorted(found.row, np.arange(found.rows + 1))
        places = np.searchsorted(terms, found.term)
        counts = csr_array((np.log1p(found.count), places, begins), shape=(found.rows, len(terms)))
        return _of_length_one(counts @ vectors)

    def of_whole(self, texts: Sequence[Text]) -> Floats:
        """One row for each of some texts."""
        return np.concatenate([self.of(text, whole(text))[0] for text in texts])

    def _terms(self, text: Text) -> tuple[Tokens, Floats]:
        """The significant words of a text, as tokens in ascending order, and the vector of each."""
        tokens, first = np.unique(text.tokens(self._words), return_index=True)
        is_word = tokens != NOTHING
        words = [text.words[place].lower() for place in first[is_word].tolist()]
        return tokens[is_word], self._vectors.of(words).astype(np.float64)


@dataclass(eq=False)
class MeaningPart(FieldsOnly):
    """The contribution of a text's direction to the margin: coef · (u - middle) / |u - middle|, u of length 1.

    All directions of texts have a large common component, the middle of the examples; the rest distinguishes them.
    """

    language: str
    middle: Floats
    coef: Floats
    digest: str
    """The digest of the embeddings: with others, the same text would get another margin."""

    def __post_init__(self) -> None:
        self._meanings  # noqa: B018 (what is not here should be said now, not when the first page is scored)

    @cached_property
    def _meanings(self) -> Meanings:
        return Meanings(self.language, self.digest)

    def margins(self, text: Text, spans: Spans) -> tuple[Floats, Flags]:
        """One number per span, 0 for one without words that count, and whether it has any."""
        found, known = self._meanings.of(text, spans)
        return np.where(known, (centred(found, self.middle) * self.coef).sum(axis=1), 0.0), known


def centred(directions: Floats, middle: Floats) -> Floats:
    """Each direction minus the middle, normalised to length 1."""
    return _of_length_one(directions - middle)[0]


def _of_length_one(rows: Floats) -> tuple[Floats, Flags]:
    lengths = np.sqrt((rows**2).sum(axis=1))
    known = lengths > 0
    return np.divide(rows, lengths[:, None], out=np.zeros_like(rows), where=known[:, None]), known
