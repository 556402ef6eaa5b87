"""Words to tokens: lower case, no stop words, stems; each token a number that is the same in every process."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import cache

import numpy as np
import Stemmer
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.relevance.stopwords import STOP_WORDS

Tokens = NDArray[np.uint32]
"""A token a word, in the order of the words; `NOTHING` for words that do not count."""

NOTHING = 0
_MEMO_SIZE = 300_000


def languages() -> tuple[str, ...]:
    """The languages whose words can be stemmed."""
    return tuple(sorted(Stemmer.algorithms()))


class Tokenizer:
    """Turns words into tokens. The same word gives the same token, in any process and any run.

    A token is the CRC-32 of the stem: no table of stems has to be kept, shared or saved, and two stems fall together
    about once in a corpus of 90,000 distinct ones.
    """

    def __init__(self, language: str) -> None:
        if language not in languages():
            raise InputError("relevance.language", f"no stems for {language!r}", f"use one of {', '.join(languages())}")
        self.language = language
        self._memo = _Memo(language)

    def __call__(self, words: Sequence[str]) -> Tokens:
        """One token a word."""
        if len(self._memo) > _MEMO_SIZE:  # a crawl meets new words without end
            self._memo.clear()
        return np.fromiter(map(self._memo.__getitem__, words), np.uint32, len(words))

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[str]]:
        return Tokenizer, (self.language,)


class _Memo(dict[str, int]):
    """Word as it stands → token. Filled as words are met."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stem = Stemmer.Stemmer(language, 0).stemWord
        self._stop = stop_words(language)

    def __missing__(self, word: str) -> int:
        folded = word.lower()
        token = NOTHING if folded in self._stop else zlib.crc32(self._stem(folded).encode("utf-8", "replace"))
        self[word] = token
        return token


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that say nothing about any topic; none for languages without a list."""
    return frozenset(STOP_WORDS.get(language, "").split())
