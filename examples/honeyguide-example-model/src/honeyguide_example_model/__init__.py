r"""A relevance model whose keywords are regular expressions.

For topics that are recognised by patterns rather than vocabulary: part numbers, standards, vulnerabilities. In a topic
file:

    keywords = ['CVE-\d{4}-\d{4,}', 'security advisor(y|ies)']

    [relevance]
    model = "patterns"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np

from honeyguide.errors import InputError
from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.material import Material
from honeyguide.relevance.text import Text

_HALF = 3  # matches that score 0.5


@dataclass(eq=False)
class Patterns:
    """Matches of regular expressions: three of them score 0.5, nine score 0.75."""

    patterns: tuple[str, ...]
    threshold: float = 0.5

    @classmethod
    def fit(cls, material: Material, threshold: float) -> Patterns:
        """Use the keywords of the topic as patterns."""
        if not material.keywords:
            raise InputError("keywords", "the model patterns needs at least one", "write regular expressions")
        for pattern in material.keywords:
            try:
                re.compile(pattern)
            except re.error as error:
                raise InputError("keywords", f"{pattern!r} is not a valid pattern: {error}", "correct it") from None
        return cls(tuple(material.keywords), threshold)

    def score(self, text: Text, spans: Spans) -> Scores:
        """Score spans by the number of matches that lie entirely inside them."""
        starts = np.array([0, *accumulate(len(word) + 1 for word in text.words)])  # of each word in the joined text
        joined = " ".join(text.words)
        found = np.zeros(len(spans))
        for pattern in self.patterns:
            matches = [match.span() for match in _compiled(pattern).finditer(joined) if match[0]]
            if matches:
                first, last = np.array(matches).T
                # Matches do not overlap, so their ends are in the same order as their starts.
                ended = np.searchsorted(last, starts[spans[:, 1]] - 1, "right")
                begun = np.searchsorted(first, starts[spans[:, 0]], "left")
                found += np.maximum(ended - begun, 0)
        return found / (found + _HALF)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
