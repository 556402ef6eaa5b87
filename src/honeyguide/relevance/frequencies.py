"""Document frequencies, usable from the first page on: they start from a prior and are updated.

IDF requires a collection, which a crawl does not have yet. So counting starts with a prior of some virtual documents:
those that a list of word frequencies makes likely if the package wordfreq is installed, otherwise documents in which
every word is equally rare. The example pages are counted on top, then the crawl's first pages, at fixed numbers of
pages (see `honeyguide.crawl.model_schedule`): the score of a page depends on which pages came before, never on timing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from honeyguide.lazy import lazy
from honeyguide.page.language_codes import CODES
from honeyguide.relevance.text import NOTHING, Tokenizer, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

PRIOR_DOCUMENTS = 20.0
"""The number of virtual documents in the prior."""

_UNSEEN = 0.5
"""The document frequency of a word that was not seen in any document: between none and one."""

_WORDS_PER_DOCUMENT = 300  # of the virtual documents, without stop words
_LISTED_WORDS = 30_000


@dataclass(eq=False)
class Frequencies:
    """In how many of `documents` each term occurs."""

    terms: Tokens
    """In ascending order."""
    counts: NDArray[np.float64]
    documents: float

    @classmethod
    def none(cls) -> Self:
        """No knowledge: every word is equally rare, and so has the same weight."""
        return cls(np.zeros(0, np.uint32), np.zeros(0), 0.0)

    @classmethod
    def prior(cls, tokenizer: Tokenizer) -> Self:
        """The prior of a language, before any page was seen."""
        listed = _word_list(tokenizer.language)
        if not listed:
            return cls(np.zeros(0, np.uint32), np.zeros(0), PRIOR_DOCUMENTS)
        tokens = tokenizer([word for word, _ in listed])
        terms, place = np.unique(tokens, return_inverse=True)
        shares = np.bincount(place, [share for _, share in listed])
        # The probability that a document of that many words contains the term at least once.
        counts = PRIOR_DOCUMENTS * -np.expm1(_WORDS_PER_DOCUMENT * np.log1p(-np.minimum(shares, 0.5)))
        seen = terms != NOTHING
        return cls(terms[seen], counts[seen], PRIOR_DOCUMENTS)

    def seeing(self, documents: Iterable[Tokens]) -> Frequencies:
        """These frequencies, updated with more documents."""
        new = [np.unique(tokens) for tokens in documents]
        if not new:
            return self
        joined = np.concatenate([self.terms, *new])
        ones = np.ones(len(joined) - len(self.terms))
        terms, place = np.unique(joined, return_inverse=True)
        counts = np.bincount(place, np.concatenate([self.counts, ones]))
        seen = terms != NOTHING
        return Frequencies(terms[seen], counts[seen], self.documents + len(new))

    @lazy
    def _idf(self) -> NDArray[np.float64]:
        """The idf of each term, followed by that of a term that was never seen."""
        if not self.documents:
            return np.ones(1)
        total = self.documents + 2 * _UNSEEN  # so that no term is in all documents, and no weight is 0
        return np.log(total / (np.append(self.counts, 0.0) + _UNSEEN))

    @lazy
    def largest_idf(self) -> float:
        """The largest idf of any term."""
        return float(self._idf.max())

    def idf(self, terms: Tokens) -> NDArray[np.float64]:
        """log(N / n) of each term, smoothed; 1 for all terms if there are no documents."""
        if not len(self.terms):
            return np.full(len(terms), self._idf[0])
        place = np.minimum(np.searchsorted(self.terms, terms), len(self.terms) - 1)
        return self._idf[np.where(self.terms[place] == terms, place, len(self.terms))]


def _word_list(language: str) -> list[tuple[str, float]]:
    """The most frequent words of a language with their shares of all words; empty without the package wordfreq."""
    try:
        import wordfreq  # noqa: PLC0415 (it need not be there)
    except ImportError:
        return []
    code = {"norwegian": "nb"}.get(language) or CODES.get(language)
    if code is None or code not in wordfreq.available_languages():
        return []
    share: Callable[[str, str], float] = wordfreq.word_frequency
    return [(word, share(word, code)) for word in wordfreq.top_n_list(code, _LISTED_WORDS)]
