"""How well an extracted text agrees with a marked one.

As in scrapinghub's article extraction benchmark: runs of four words (shingles) with their counts; precision and recall
of each page, averaged over pages, and F1 of the two averages. Letters of scripts without spaces count as words. For
pages of which only passages are marked, as in trafilatura's evaluation: found passages are true positives, missing ones
false negatives, unwanted ones false positives.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import mean

from benchmarks.extraction_pages import MarkedPage

_LONG = 4
# Burmese, Thai and Lao; kana and Han
WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]|[^\\W\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]+"
)

Score = tuple[float, float]
"""Precision and recall."""


def scores(page: MarkedPage, text: str) -> Score:
    """Precision and recall of one page."""
    if page.present or page.absent:
        plain = " ".join(text.split())
        found = sum(" ".join(passage.split()) in plain for passage in page.present)
        wrong = sum(" ".join(passage.split()) in plain for passage in page.absent)
        return _share(found, found + wrong), _share(found, len(page.present))
    wanted, given = _shingles(page.text), _shingles(text)
    common = (wanted & given).total()
    return _share(common, given.total()), _share(common, wanted.total())


def summary(every: Sequence[Score]) -> tuple[float, float, float]:
    """F1, precision and recall over pages."""
    if not every:
        return 0.0, 0.0, 0.0
    precision, recall = (mean(values) for values in zip(*every, strict=True))
    return (2 * precision * recall / (precision + recall) if precision + recall else 0.0), precision, recall


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = WORD.findall(text)
    return (
        Counter(tuple(words[at : at + _LONG]) for at in range(max(1, len(words) - _LONG + 1))) if words else Counter()
    )
