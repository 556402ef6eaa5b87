"""The terms that distinguish the relevant pages of a crawl from the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from honeyguide.errors import HoneyguideError
from honeyguide.relevance.text import NOTHING, Tokenizer
from honeyguide.store.crawl import Crawl

MOST = 10
"""How many terms of relevant pages are shown."""
MOST_AGAINST = 5
"""How many terms of the other pages are shown."""

_PRIOR = 10.0  # pages that the prior is worth: with few pages, no term is taken for a rule
_FEWEST = 3  # pages that have a term: fewer are chance
_LONGEST = 40  # characters of a term
_CERTAIN = 1.96  # standard errors
_IDEOGRAPHS = "\u2e80"  # the first character of scripts in which a single one is a word


class DistinctiveTerm(NamedTuple):
    """A term, and how much more frequent it is in relevant pages than in others."""

    word: str
    """In the form in which it mostly occurs."""
    relevant: float
    """The share of the relevant pages that have it."""
    others: float
    """The share of the other pages that have it."""
    log_odds: float
    """The logarithm of the ratio of its odds in relevant pages to those in others; negative if others have it more."""


@dataclass(slots=True)
class TermCounts:
    """In how many pages each term occurs."""

    pages: int = 0
    counts: Counter[int] = field(default_factory=Counter)

    def add(self, terms: Iterable[int]) -> None:
        """Count a page by its distinct terms."""
        self.pages += 1
        self.counts.update(terms)


class TermSample:
    """Counts terms in pages of both kinds. Pages whose text is lost are left out."""

    def __init__(self, crawl: Crawl, tokenizer: Tokenizer) -> None:
        self._crawl = crawl
        self._tokenizer = tokenizer
        self._words: dict[int, Counter[str]] = {}
        self.relevant = TermCounts()
        self.others = TermCounts()

    def read(self, relevant: Sequence[int], others: Sequence[int], progress: Callable[[int, int], None]) -> None:
        """Read pages, by their numbers, from the archive."""
        total = len(relevant) + len(others)
        for done, number in enumerate((*relevant, *others)):
            progress(done, total)
            counts = self.relevant if done < len(relevant) else self.others
            page = self._crawl.numbered(number)
            if page is not None:
                try:
                    counts.add(self._terms(page.page.words, self._tokenizer.in_language(page.language)))
                except HoneyguideError:
                    continue

    def _terms(self, words: Sequence[str], tokenizer: Tokenizer) -> set[int]:
        """The distinct terms of a text."""
        kept = [word for word in dict.fromkeys(words) if _is_term(word)]
        found = set()
        for word, token in zip(kept, tokenizer(kept).tolist(), strict=True):
            if token != NOTHING:
                found.add(token)
                self._words.setdefault(token, Counter())[word.lower()] += 1
        return found

    def strongest(self) -> list[DistinctiveTerm]:
        """Terms of relevant pages, then those of the others, the most certain first; none if a kind has no pages."""
        if not self.relevant.pages or not self.others.pages:
            return []
        tokens = (self.relevant.counts.keys() | self.others.counts.keys()) - {NOTHING}
        scored = []
        for token in tokens:
            here, there = self.relevant.counts[token], self.others.counts[token]
            if here + there >= _FEWEST:
                log_odds, error = log_odds_ratio(here, self.relevant.pages, there, self.others.pages)
                if abs(log_odds) >= _CERTAIN * error:
                    shares = here / self.relevant.pages, there / self.others.pages
                    scored.append((log_odds / error, DistinctiveTerm(self._word(token), *shares, log_odds)))
        scored.sort(key=lambda one: (-abs(one[0]), one[1].word))
        return [
            *[term for certainty, term in scored if certainty > 0][:MOST],
            *[term for certainty, term in scored if certainty < 0][:MOST_AGAINST],
        ]

    def _word(self, token: int) -> str:
        return min(self._words[token].items(), key=lambda item: (-item[1], item[0]))[0]


def _is_term(word: str) -> bool:
    """Whether a word may be a term: no number, no single letter of an alphabet, nothing overlong."""
    return len(word) <= _LONGEST and not word.isnumeric() and (len(word) > 1 or word >= _IDEOGRAPHS)


def log_odds_ratio(here: int, pages_here: int, there: int, pages_there: int) -> tuple[float, float]:
    """The log odds ratio of a term that `here` of some pages have and `there` of others, and its standard error.

    Both shares are drawn towards their common one by a prior, worth a few pages, as in Monroe, Colaresi and Quinn,
    "Fightin' Words" (2008), section 3.5; here with counts of pages instead of occurrences, so that no single page,
    however often it repeats a word, decides.
    """
    share = (here + there + 1) / (pages_here + pages_there + 2)
    with_, without = _PRIOR * share, _PRIOR * (1 - share)
    cells = (here + with_, pages_here - here + without, there + with_, pages_there - there + without)
    a, b, c, d = cells
    return math.log(a / b) - math.log(c / d), math.sqrt(sum(1 / cell for cell in cells))
