"""Terms of one or more words: finds all occurrences in a text in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.words import split_words
from honeyguide.relevance.text import NOTHING, Tokenizer, Tokens

Phrase = tuple[int, ...]
"""The tokens of a term, without words that do not count."""


def phrase(words: Sequence[str], tokenizer: Tokenizer) -> Phrase:
    """The tokens of some words; empty if none of them counts."""
    return tuple(token for token in tokenizer(words).tolist() if token != NOTHING)


def phrases(terms: Iterable[str], tokenizer: Tokenizer) -> list[Phrase]:
    """The phrase of each term, without repetitions; terms without a word that counts are left out."""
    made = (phrase(split_words(term)[0], tokenizer) for term in terms)
    return list(dict.fromkeys(one for one in made if one))


class Occurrences(NamedTuple):
    """Occurrences of phrases of one length, in text order: parallel arrays."""

    number: Tokens
    """The number of the phrase, as in `Finder.numbers`."""
    first: NDArray[np.intp]
    """The position of its first word in the text."""
    last: NDArray[np.intp]
    """The position of its last word. Ascending like `first`, since all are of one length."""


class Finder:
    """Finds phrases in texts: where their tokens follow each other, ignoring words that do not count.

    The phrases are the paths of a tree with one token per edge. All starting positions are followed at once, one step
    at a time: the work is a few array operations for each word of the longest phrase, however many phrases there are.
    """

    def __init__(self, sought: Iterable[Phrase]) -> None:
        listed = list(sought)
        self._words = np.unique(np.array([token for one in listed for token in one], np.uint32))
        self._longest = max(map(len, listed), default=0)
        place = {token: index for index, token in enumerate(self._words.tolist())}
        steps: dict[tuple[int, int], int] = {}
        self.numbers: dict[Phrase, int] = {}
        """The number of each phrase: its node, from 1. Inner nodes have numbers too."""
        for one in listed:
            node = 0
            for token in one:
                node = steps.setdefault((node, place[token]), len(steps) + 1)
            self.numbers[one] = node
        self.size = len(steps) + 1
        """Greater than any number."""
        # A step is identified by its node and word, combined into one number; there is no step for the word `_none`.
        self._none = len(self._words)
        keys = np.array([node * (self._none + 1) + word for node, word in steps], np.int64)
        order = np.argsort(keys)
        self._keys = keys[order]
        self._reached = np.array(list(steps.values()), np.uint32)[order]
        self._is_phrase = np.zeros(self.size, np.bool_)
        self._is_phrase[list(self.numbers.values())] = True

    def find(self, tokens: Tokens) -> Iterator[Occurrences]:
        """The occurrences of the phrases, one length at a time, shortest first. Overlapping phrases are all found."""
        if not self._longest:
            return
        kept = tokens.nonzero()[0]
        word = np.full(len(kept) + self._longest, self._none)  # of each token that counts; padded with `_none`
        word[: len(kept)] = self._places(tokens[kept])
        start = (word < self._none).nonzero()[0]
        node = np.zeros(len(start), np.int64)
        for step in range(self._longest):
            key = node * (self._none + 1) + word[start + step]
            place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
            goes_on = self._keys[place] == key
            start = start[goes_on]
            if not len(start):
                return
            reached = self._reached[place[goes_on]]
            node = reached.astype(np.int64)
            whole = self._is_phrase[reached]
            if whole.any():
                found = start[whole]
                yield Occurrences(reached[whole], kept[found], kept[found + step])

    def _places(self, tokens: Tokens) -> NDArray[np.intp]:
        """The index of each token among the words of all phrases, `_none` for others."""
        place = np.minimum(np.searchsorted(self._words, tokens), self._none - 1)
        return np.where(self._words[place] == tokens, place, self._none)
