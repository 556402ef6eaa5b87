"""Genre-aware relevance: the kind of a page and its subject, each recognised by its own terms.

Method 002 of the spec (section 4), in the paper section 3.1 and steps 05 to 09 of its FCrawl.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.page.spans import Spans
from honeyguide.page.url_words import url_words
from honeyguide.relevance.base import Scores
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.material import Material
from honeyguide.relevance.phrases import Finder, Phrase, phrase, phrases
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.span_sums import SpanSums, TermPositions, squared
from honeyguide.relevance.text import Text, TokenForm, Tokenizer, bare


@dataclass(eq=False)
class Genre:
    """Cosines with genre terms and with content terms, and their mean; for a whole page, also with its address.

    A cosine is taken over the terms of its set only. In the paper w_ij = f_ij / max f · idf_i in a text and w_is =
    idf_i in the set; the maximum is a common factor of all weights, which leaves a cosine unchanged.

    Case and accents are ignored and stop words removed, in texts and terms alike; there is no stemming. A term of
    several words is then found where they follow each other. Overlapping terms all count.
    """

    language: str
    genre: list[str]
    content: list[str]
    url: list[str]
    genre_weight: float
    content_weight: float
    text_weight: float
    url_weight: float
    frequencies: Frequencies
    """Frequencies of `TokenForm.BARE` words. Without documents every idf is 1, which the paper found as good."""
    threshold: float

    @classmethod
    def of(cls, terms: TermSettings, language: str, threshold: float, frequencies: Frequencies | None = None) -> Genre:
        """The model of a topic's ``[terms]``. Raises `InputError` if they cannot distinguish pages."""
        model = cls(
            language,
            list(terms.genre),
            list(terms.content),
            list(terms.url),
            terms.genre_weight,
            terms.content_weight,
            terms.text_weight,
            terms.url_weight,
            frequencies or Frequencies.none(),
            threshold,
        )
        model._check()
        return model

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span; the address of a text counts for the span that is the whole text.

        Without genre terms only the content terms count, and vice versa.
        """
        tokens = text.tokens(self._tokenizer)
        dots, squares = np.zeros((2, 2, len(spans)))  # of genre and content
        for number, first, last in self._finder.find(tokens):
            # Occurrences wholly inside a span are a contiguous range, since all occurrences here have one length.
            begins, ends = np.searchsorted(first, spans[:, 0]), np.searchsorted(last, spans[:, 1])
            found = TermPositions(number)
            sums = SpanSums(found, begins, np.maximum(begins, ends))
            for row, weights in enumerate(self._weights):
                weight = weights.take(found.terms)
                largest = float(weights.max()) ** 2
                dots[row] += sums.sums(weight * weight, largest)
                squares[row] += sums.sums_of_counts(weight * weight, largest, squared)
        lengths = np.sqrt(squares * (self._weights**2).sum(axis=1, keepdims=True))
        cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
        scores: Scores = np.minimum(self._shares @ cosines, 1.0)
        if self._address and text.url and tokens.any():
            is_whole = (spans[:, 0] == 0) & (spans[:, 1] == len(text))
            if is_whole.any():
                both = self.text_weight + self.url_weight
                mixed = (self.text_weight * scores + self.url_weight * self._address.cosine(text.url)) / both
                scores = np.where(is_whole, mixed, scores)
        return scores

    def _check(self) -> None:
        if not self._finder.numbers:
            problem = "there is no genre or content term with a word other than stop words"
            raise InputError("terms", problem, "add some, or let `honeyguide terms` propose them")
        if not self._shares.any():
            raise InputError(
                "terms.genre_weight", "the weights of genre and content are both 0", "increase one of them"
            )
        if self._address and not self.text_weight + self.url_weight:
            raise InputError("terms.text_weight", "the weights of text and address are both 0", "increase one of them")

    # ---- derived from the fields ----

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.language, TokenForm.BARE)

    @cached_property
    def _sets(self) -> tuple[list[Phrase], list[Phrase]]:
        return phrases(self.genre, self._tokenizer), phrases(self.content, self._tokenizer)

    @cached_property
    def _finder(self) -> Finder:
        return Finder([*self._sets[0], *self._sets[1]])

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """The weight of each number of the finder as a genre term, and as a content term; 0 if it is not one."""
        return np.stack([_weights(self._finder, terms, self.frequencies) for terms in self._sets])

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """The shares of genre and content in their mean; if only one has terms, its share is 1."""
        genre, content = self._sets
        if not (genre and content):
            return np.array([float(bool(genre)), float(bool(content))])
        weights = np.array([self.genre_weight, self.content_weight])
        total = weights.sum()
        shares: NDArray[np.float64] = weights / total if total else weights
        return shares

    @cached_property
    def _address(self) -> _AddressTerms | None:
        terms = _AddressTerms(self.url, self._tokenizer, self.frequencies)
        return terms if len(terms.weights) > 1 else None


class _AddressTerms:
    """The cosine of addresses with URL terms.

    An address is split at everything but letters and digits, between letters and digits, and at camel case; so are the
    terms. A term of several words is also found if they are written together inside one word of the address, with or
    without stop words (``historyofart``).
    """

    def __init__(self, terms: Sequence[str], tokenizer: Tokenizer, frequencies: Frequencies) -> None:
        self._tokenizer = tokenizer
        spelled: dict[Phrase, set[str]] = {}
        for term in terms:
            words = url_words(f"://{term}")  # as if it were an address without a scheme
            tokens = phrase(words, tokenizer)
            if tokens:
                counting = [word for word in words if phrase([word], tokenizer)]
                spelled.setdefault(tokens, set()).update(("".join(map(bare, words)), "".join(map(bare, counting))))
        self._finder = Finder(spelled)
        self._together = [(self._finder.numbers[one], sorted(ways)) for one, ways in spelled.items() if len(one) > 1]
        self.weights = _weights(self._finder, list(spelled), frequencies)

    def cosine(self, url: str) -> float:
        """The cosine of an address. Camel case may separate words or not (``JavaScript``): the better match counts."""
        counts = self._counts(url_words(url))
        plain = url.lower()
        if plain != url:
            counts = np.maximum(counts, self._counts(url_words(plain)))
        in_url = counts * self.weights
        length = np.sqrt((in_url @ in_url) * (self.weights @ self.weights))
        return min(float(in_url @ self.weights / length), 1.0) if length else 0.0

    def _counts(self, words: list[str]) -> NDArray[np.float64]:
        counts = np.zeros(self._finder.size)
        for number, _, _ in self._finder.find(self._tokenizer(words)):
            counts += np.bincount(number, minlength=self._finder.size)
        if self._together:
            text = " ".join(map(bare, words))
            for node, ways in self._together:
                counts[node] += max(map(text.count, ways))
        return counts


def _weights(finder: Finder, terms: Sequence[Phrase], frequencies: Frequencies) -> NDArray[np.float64]:
    """The idf of each term, by its number; 0 for numbers that are not terms.

    Only the frequencies of words are known. A term occurs in no more documents than the rarest of its words, so it gets
    the idf of that one: a lower bound of its own.
    """
    weights = np.zeros(finder.size)
    for term in terms:
        weights[finder.numbers[term]] = frequencies.idf(np.array(term, np.uint32)).max()
    return weights


def genre(material: Material, threshold: float) -> Genre:
    """The genre-aware model of a topic's terms.

    If rare terms are to count more, their weights come from the language and the examples only: the crawl counts stems,
    which this model does not use.
    """
    frequencies = material.frequencies(TokenForm.BARE)
    return Genre.of(material.terms, material.language, threshold, frequencies)
