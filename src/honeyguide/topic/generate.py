"""Generates terms from examples: genre terms common to the pages of a genre, content terms common to those of a topic.

The paper's GenerateTerms (002, section 6, Algorithm 2). A term is one to three consecutive words after stop words are
removed, as the genre-aware model matches them, and the most frequent ones are chosen. The paper does not specify the
rest; these rules are ours:

- the frequency of a term is the number of pages that contain it, however often they do: a long page contains much that
  is not typical of its genre (on the pages of courses, students and faculty in WebKB the terms in this order
  discriminate better than those by number of occurrences, with 10, 20 and 40 terms); ties are broken by the number of
  occurrences, then longer terms come first, then alphabetically;
- with two or more pages, a term is on at least two of them: what only one page says is about that page;
- a term does not extend across blocks, and does not consist of numbers alone;
- a term that occurs only inside a longer one of the list is left out, since it would count the same words twice;
- if there are other pages to contrast with, only terms that tell the pages from these are chosen (`contrast`).

`TermRanking.PAPER` is Algorithm 2 as it is written, without any of these: the terms that occur most often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.phrases import Phrase, phrases
from honeyguide.relevance.text import TokenForm, Tokenizer
from honeyguide.topic.contrast import shares, telling
from honeyguide.topic.examples import Example

LONGEST = 3
"""The maximum number of words of a term."""

MOST = 40
"""The default maximum number of terms of a list, as in the paper's experiments."""

CANDIDATES = 400
"""Distinguishing terms are chosen from this many of the most frequent terms."""

_Places = NDArray[np.intp]


class TermRanking(StrEnum):
    """How terms are ranked."""

    SHARED = "shared"
    """By the number of pages that share them."""
    PAPER = "paper"
    """By the number of their occurrences, literally as in the paper's Algorithm 2."""


class Term(NamedTuple):
    """A term that pages share."""

    text: str
    """Its most frequent spelling, in lower case."""
    pages: int
    """The number of pages that contain it."""
    times: int
    """The number of its occurrences."""


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
    against: Sequence[Example] = (),
    method: TermRanking = TermRanking.SHARED,
) -> Generated:
    """Genre terms from pages of a genre about any subject; content terms from pages of both the genre and the topic.

    Content terms exclude the genre terms, the `known` genre terms, and terms that occur only inside these. A list is
    empty if there are no pages for it.

    With pages to contrast `against`, genre terms are those that tell the pages of the genre from them, and content
    terms those that tell the pages of the topic from others of the genre or, without any, from these pages.
    """
    tokenizer = Tokenizer(language, TokenForm.BARE)
    if method is TermRanking.PAPER:
        genre_terms = TermTable(genre, tokenizer, in_blocks=False).most_occurrences(most_genre)
        listed = phrases((*known, *(term.text for term in genre_terms)), tokenizer)
        table = TermTable(relevant, tokenizer, in_blocks=False)
        return Generated(genre_terms, table.most_occurrences(most_content, listed))
    outside = (against, genre or against) if against else ((), ())
    genre_terms = _chosen(genre, outside[0], most_genre, (), tokenizer)
    listed = phrases((*known, *(term.text for term in genre_terms)), tokenizer)
    return Generated(genre_terms, _chosen(relevant, outside[1], most_content, listed, tokenizer))


def _chosen(
    pages: Sequence[Example], others: Sequence[Example], most: int, listed: Collection[Phrase], tokenizer: Tokenizer
) -> list[Term]:
    """The most frequent terms of some pages or, if there are others, those that tell the pages from them."""
    table = TermTable(pages, tokenizer)
    if not others:
        return table.most_frequent(most, listed)
    found = {term.text: term for term in table.most_frequent(max(CANDIDATES, most), listed)}
    best = telling(shares(found, pages, tokenizer), shares(found, others, tokenizer))
    return [found[term] for term in best[:most]]


class TermTable:
    """All terms of some pages with their counts; no term extends across blocks, unless `in_blocks` is False."""

    def __init__(self, examples: Sequence[Example], tokenizer: Tokenizer, *, in_blocks: bool = True) -> None:
        self._examples = examples
        self._tokenizer = tokenizer
        kept = [example.text.tokens(tokenizer).nonzero()[0] for example in examples]
        # For each word that is not a stop word, on all pages one after the other: its position in its page, its page,
        # and its block.
        self._position: _Places = _joined(kept)
        self._page = np.repeat(np.arange(len(kept)), [len(one) for one in kept])
        blocks = [np.searchsorted(e.breaks, one, side="right") for e, one in zip(examples, kept, strict=True)]
        block = _joined(blocks)
        begins = np.ones(len(block), np.bool_)
        begins[1:] = (in_blocks & (np.diff(block) != 0)) | (np.diff(self._page) != 0)
        self._block = begins.cumsum()
        self._tokens = np.concatenate(
            [np.zeros(0, np.uint32), *(e.text.tokens(tokenizer)[one] for e, one in zip(examples, kept, strict=True))]
        )
        self._lengths = list(self._counted())

    def _counted(self) -> Iterator[_OfLength]:
        """The terms of each length, built from those that are one word shorter."""
        words, word = np.unique(self._tokens, return_inverse=True)
        start = np.arange(len(word))
        term = word
        for length in range(1, LONGEST + 1):
            yield _OfLength.of(length, start, term, self._page[start], len(self._examples))
            extends = start + length < len(word)
            extends[extends] = self._block[start[extends]] == self._block[start[extends] + length]
            start = start[extends]
            term = np.unique(term[extends] * len(words) + word[start + length], return_inverse=True)[1]

    def most_frequent(self, most: int, listed: Collection[Phrase] = ()) -> list[Term]:
        """The most frequent terms, except those that are `listed` already or occur only inside a listed one."""
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

    def most_occurrences(self, most: int, listed: Collection[Phrase] = ()) -> list[Term]:
        """The terms that occur most often (FilterTerms of Algorithm 2), except the `listed` ones."""
        known = frozenset(listed)
        ranked = self._ranked(by_times=True)
        return list(islice((term for phrase, term in ranked if phrase not in known), most))

    def _ranked(self, *, by_times: bool = False) -> Iterator[tuple[Phrase, Term]]:
        """All terms, most frequent first. Texts are built only for the terms consumed and their ties.

        With `by_times`, those that occur most often first, however few pages they are on, and numbers are terms, too.
        """
        least = 1 if by_times else min(2, len(self._examples))
        eligible = [(one.pages >= least).nonzero()[0] for one in self._lengths]
        number = _joined(eligible)
        length = np.repeat(np.arange(len(eligible)), [len(one) for one in eligible])
        times = _joined([one.times[which] for one, which in zip(self._lengths, eligible, strict=True)])
        pages = _joined([one.pages[which] for one, which in zip(self._lengths, eligible, strict=True)])
        order = np.lexsort((-length, -pages, -times) if by_times else (-length, -times, -pages))
        keys = np.stack((times, pages, length))[:, order]
        edges = (np.diff(keys) != 0).any(axis=0).nonzero()[0] + 1
        for equals in np.split(order, edges):
            made = (self._made(self._lengths[length[one]], int(number[one]), numbers=by_times) for one in equals)
            yield from sorted((one for one in made if one is not None), key=lambda one: one[1].text)

    def _made(self, of_length: _OfLength, number: int, *, numbers: bool) -> tuple[Phrase, Term] | None:
        """A term with its text; None if it consists of numbers alone, unless `numbers` are terms."""
        starts = of_length.occurrences(number)
        ends = starts + of_length.length - 1
        counting = [self._word(place) for place in range(int(starts[0]), int(ends[0]) + 1)]
        if not numbers and all(word.isnumeric() for word in counting):
            return None
        spellings = Counter(self._written(*places) for places in zip(starts.tolist(), ends.tolist(), strict=True))
        text = min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
        phrase = tuple(self._tokens[starts[0] : ends[0] + 1].tolist())
        return phrase, Term(text, int(of_length.pages[number]), len(starts))

    def _word(self, place: int) -> str:
        return self._examples[int(self._page[place])].text.words[int(self._position[place])]

    def _written(self, first: int, last: int) -> str:
        """The text from one word to another, with the stop words between them."""
        words = self._examples[int(self._page[first])].text.words
        return " ".join(words[self._position[first] : self._position[last] + 1]).lower()


@dataclass(frozen=True, slots=True)
class _OfLength:
    """The terms of one length, numbered from 0: how often, on how many pages, and where each occurs."""

    length: int
    times: _Places
    pages: _Places
    _starts: _Places
    """The starts of all occurrences, grouped by term."""
    _ends: _Places
    """For each term, the end of its group in `_starts`."""

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
