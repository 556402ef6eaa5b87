"""Terms from examples: what the pages of a genre share, and what those of a topic share besides.

The paper's GenerateTerms (002, section 6, Algorithm 2). A term is one to three words that follow each other once
words that say nothing are out, as the genre-aware model finds them, and the most frequent ones are taken. The paper is
silent on the rest, which is ours:

- a term is as frequent as the pages are that have it, however often they say it: a long page says much that is no
  mark of its genre (on the pages of courses, students and faculty in WebKB the terms of this order tell better than
  those of the other, with 10, 20 and 40 terms); of equal ones, what is said more often comes first, then longer ones,
  then the alphabet decides;
- of two pages and more, a term stands on at least two: what one page says alone is about that page;
- a term does not go on from one block to the next, and is not made of numbers alone;
- a term that occurs only inside a longer one of the list is left out, since it would count the same words twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.phrases import Phrase, phrases
from honeyguide.relevance.text import TokenForm, Tokenizer
from honeyguide.topic.examples import Example

LONGEST = 3
"""Words of a term."""

MOST = 40
"""Terms of a list, as in the paper's experiments."""

_Places = NDArray[np.intp]


class Term(NamedTuple):
    """A term that pages share."""

    text: str
    """As the pages write it most often, in lower case."""
    pages: int
    """On how many it stands."""
    times: int
    """How often they say it."""


@dataclass(frozen=True, slots=True)
class Generated:
    """The two lists, most frequent terms first."""

    genre: list[Term]
    content: list[Term]


def generate_terms(
    genre: Sequence[Example],
    relevant: Sequence[Example],
    language: str,
    *,
    most_genre: int = MOST,
    most_content: int = MOST,
    known: Iterable[str] = (),
) -> Generated:
    """Genre terms from pages of a genre, whatever they are about; content terms from pages of the genre and the topic.

    Content terms are without the genre terms and those that are `known` as such, and without what stands only inside
    these. No pages, no terms.
    """
    tokenizer = Tokenizer(language, TokenForm.BARE)
    genre_terms = TermTable(genre, tokenizer).most_frequent(most_genre)
    listed = phrases((*known, *(term.text for term in genre_terms)), tokenizer)
    return Generated(genre_terms, TermTable(relevant, tokenizer).most_frequent(most_content, listed))


class TermTable:
    """All terms of some pages, counted."""

    def __init__(self, examples: Sequence[Example], tokenizer: Tokenizer) -> None:
        self._examples = examples
        self._tokenizer = tokenizer
        kept = [example.text.tokens(tokenizer).nonzero()[0] for example in examples]
        # Of each word that counts, all pages one after the other: its position in its page, its page, and its block.
        self._position: _Places = _joined(kept)
        self._page = np.repeat(np.arange(len(kept)), [len(one) for one in kept])
        blocks = [np.searchsorted(e.breaks, one, side="right") for e, one in zip(examples, kept, strict=True)]
        block = _joined(blocks)
        begins = np.ones(len(block), np.bool_)
        begins[1:] = (np.diff(block) != 0) | (np.diff(self._page) != 0)
        self._block = begins.cumsum()
        self._tokens = np.concatenate(
            [np.zeros(0, np.uint32), *(e.text.tokens(tokenizer)[one] for e, one in zip(examples, kept, strict=True))]
        )
        self._lengths = list(self._counted())

    def _counted(self) -> Iterator[_OfLength]:
        """The terms of each length, made from those that are a word shorter."""
        words, word = np.unique(self._tokens, return_inverse=True)
        start = np.arange(len(word))
        term = word
        for length in range(1, LONGEST + 1):
            yield _OfLength.of(length, start, term, self._page[start], len(self._examples))
            goes_on = start + length < len(word)
            goes_on[goes_on] = self._block[start[goes_on]] == self._block[start[goes_on] + length]
            start = start[goes_on]
            term = np.unique(term[goes_on] * len(words) + word[start + length], return_inverse=True)[1]

    def most_frequent(self, most: int, listed: Collection[Phrase] = ()) -> list[Term]:
        """The most frequent terms, but for those that are `listed` already or stand only inside a listed one."""
        chosen: list[Term] = []
        known = frozenset(listed)
        covered: dict[Phrase, int] = {}  # how often a part of a listed term occurs inside one
        candidates = self._ranked()
        while len(chosen) < most and (candidate := next(candidates, None)) is not None:
            phrase, term = candidate
            if covered.get(phrase) == term.times:
                continue
            for part in _parts(phrase):
                covered[part] = max(term.times, covered.get(part, 0))
            if phrase not in known:
                chosen.append(term)
        return chosen

    def _ranked(self) -> Iterator[tuple[Phrase, Term]]:
        """All terms, most frequent first. Texts are made only of those that are asked for and their equals."""
        least = min(2, len(self._examples))
        eligible = [(one.pages >= least).nonzero()[0] for one in self._lengths]
        number = _joined(eligible)
        length = np.repeat(np.arange(len(eligible)), [len(one) for one in eligible])
        times = _joined([one.times[which] for one, which in zip(self._lengths, eligible, strict=True)])
        pages = _joined([one.pages[which] for one, which in zip(self._lengths, eligible, strict=True)])
        order = np.lexsort((-length, -times, -pages))
        keys = np.stack((times, pages, length))[:, order]
        edges = (np.diff(keys) != 0).any(axis=0).nonzero()[0] + 1
        for equals in np.split(order, edges):
            made = (self._made(self._lengths[length[one]], int(number[one])) for one in equals)
            yield from sorted((one for one in made if one is not None), key=lambda one: one[1].text)

    def _made(self, of_length: _OfLength, number: int) -> tuple[Phrase, Term] | None:
        """A term with its text; None for one of numbers alone."""
        starts = of_length.occurrences(number)
        ends = starts + of_length.length - 1
        counting = [self._word(place) for place in range(int(starts[0]), int(ends[0]) + 1)]
        if all(word.isnumeric() for word in counting):
            return None
        spellings = Counter(self._written(*places) for places in zip(starts.tolist(), ends.tolist(), strict=True))
        text = min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
        phrase = tuple(self._tokens[starts[0] : ends[0] + 1].tolist())
        return phrase, Term(text, int(of_length.pages[number]), len(starts))

    def _word(self, place: int) -> str:
        return self._examples[int(self._page[place])].text.words[int(self._position[place])]

    def _written(self, first: int, last: int) -> str:
        """From one word that counts to another, with what stands between."""
        words = self._examples[int(self._page[first])].text.words
        return " ".join(words[self._position[first] : self._position[last] + 1]).lower()


@dataclass(frozen=True, slots=True)
class _OfLength:
    """The terms of one length, by number from 0: how often, on how many pages, and where each occurs."""

    length: int
    times: _Places
    pages: _Places
    _starts: _Places
    """Of all occurrences, those of a term together."""
    _ends: _Places
    """Of each term, the end of its occurrences in `_starts`."""

    @classmethod
    def of(cls, length: int, start: _Places, term: _Places, page: _Places, pages: int) -> _OfLength:
        times = np.bincount(term)
        on_pages = np.bincount(np.unique(term * max(pages, 1) + page) // max(pages, 1))
        return cls(length, times, on_pages, start[np.argsort(term, kind="stable")], times.cumsum())

    def occurrences(self, number: int) -> _Places:
        end = self._ends[number]
        return self._starts[end - self.times[number] : end]


def _parts(phrase: Phrase) -> Iterator[Phrase]:
    """The shorter phrases inside a phrase."""
    for length in range(1, len(phrase)):
        for start in range(len(phrase) - length + 1):
            yield phrase[start : start + length]


def _joined(arrays: Sequence[_Places]) -> _Places:
    return np.concatenate([np.zeros(0, np.intp), *arrays])
