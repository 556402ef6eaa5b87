"""Finds distinguishing terms: those on a much larger share of some pages than of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from honeyguide.relevance.phrases import Finder, phrases
from honeyguide.relevance.text import Tokenizer
from honeyguide.topic.examples import Example

CLEARLY = 2.0
"""Minimum ratio of the two shares."""


def shares(terms: Iterable[str], pages: Sequence[Example], tokenizer: Tokenizer) -> dict[str, float]:
    """The share of pages with each term, as matched by the genre-aware model; 0 for terms of stop words alone."""
    sought = {term: next(iter(phrases([term], tokenizer)), None) for term in terms}
    finder = Finder(filter(None, sought.values()))
    counts = np.zeros(finder.size)
    for page in pages:
        found = [numbers for numbers, _, _ in finder.find(page.text.tokens(tokenizer))]
        counts[np.unique(np.concatenate([np.zeros(0, np.uint32), *found]))] += 1
    return {
        term: float(counts[finder.numbers[one]]) / max(len(pages), 1) if one else 0.0 for term, one in sought.items()
    }


def telling(
    inside: Mapping[str, float], outside: Mapping[str, float], present: Collection[str] = frozenset()
) -> list[str]:
    """The terms on at least twice the share of the pages inside, the largest difference first.

    Of equal ones, those already `present` come first, then the order is alphabetical.
    """
    kept = [term for term, share in inside.items() if share > 0 and share >= CLEARLY * outside.get(term, 0.0)]
    return sorted(kept, key=lambda term: (outside.get(term, 0.0) - inside[term], term not in present, term))
