"""Words to tokens: lower case, no stop words, stems; each token a number that is the same in every process."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from functools import cache

import numpy as np
import Stemmer
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.relevance.stopwords import STOP_WORDS

Tokens = NDArray[np.uint32]
"""A token a word, in the order of the words; `NOTHING` for words that do not count. Not to be written to."""

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
        # Bytes joined and looked at as numbers: numpy takes Python's integers one by one, at twice the time.
        return np.frombuffer(b"".join(map(self._memo.__getitem__, words)), np.uint32)

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[str]]:
        return Tokenizer, (self.language,)


class _Memo(dict[str, bytes]):
    """Word as it stands → its token's bytes. Filled as words are met."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stem = Stemmer.Stemmer(language, 0).stemWord
        self._stop = stop_words(language)

    def __missing__(self, word: str) -> bytes:
        folded = word.lower()
        token = NOTHING if folded in self._stop else zlib.crc32(self._stem(folded).encode("utf-8", "replace"))
        self[word] = written = token.to_bytes(4, sys.byteorder)
        return written


def counted(tokens: Tokens) -> tuple[Tokens, NDArray[np.int64]]:
    """The distinct tokens, in order, without `NOTHING`, and how often each occurs."""
    ordered = np.sort(tokens)
    begins = np.ones(len(ordered) + 1, np.bool_)  # at each place, and behind the last: something new begins
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:-1])
    if len(ordered):
        begins[0] = ordered[0] != NOTHING
    places = begins.nonzero()[0]
    return ordered[places[:-1]], np.diff(places)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that say nothing about any topic; none for languages without a list."""
    return frozenset(STOP_WORDS.get(language, "").split())
