"""What is remembered of a URL, and what a page that links to it adds to that."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.strategy.guide.texts import TEXT_FEATURES, text_column

SECTIONS = 2
"""Sections that a URL is remembered to stand in."""

TEXTS = len(TEXT_FEATURES)
RELEVANCE, BEST, BEST_NEAR, CASH = range(TEXTS, TEXTS + 4)
"""Which of the scores of a URL is what; before them come those of its texts."""

URL = np.dtype(
    [
        ("scores", np.float16, TEXTS + 4),
        ("pages", np.uint16),
        ("sections", np.uint32, SECTIONS),
        ("folder", np.uint32),
        ("page", np.uint32),  # the order in which it was fetched, from 1; 0 for a URL that was not
        ("gap", np.uint8),
        ("region", np.uint8),
        ("example", np.int8),
        ("sources", np.uint8),  # kinds of pages that link to it: the bits of `BY_EXAMPLE` and `BY_OTHER`
    ]
)
"""What is remembered of a URL: means over the pages that link to it, the best of them, where it was met first. Small:
there are as many rows as URLs wait."""

Row = tuple[Any, ...]
"""The row of one URL: the values of all fields, one after the other, as `RowStore.one` returns them."""

PAGES = TEXTS + 4
SECTION = slice(PAGES + 1, PAGES + 1 + SECTIONS)
FOLDER, PAGE, GAP, REGION, EXAMPLE, SOURCES = range(SECTION.stop, SECTION.stop + 6)
"""Which of the values of a `Row` is what."""


def array_of(row: Row) -> NDArray[Any]:
    """The row of one URL as an array."""
    return np.array([(row[:PAGES], row[PAGES], row[SECTION], *row[FOLDER:])], URL)


_NEAR = text_column("near")
_FOLDERS = 1 << 18  # numbers that folders are hashed to
_ROUNDING = 1e-3  # of half precision
_RICH = 1000.0  # cash beyond which more makes no difference
_MANY = 0xFFFF  # pages beyond which more are not counted


def folder_number(url: str) -> int:
    """A number for the folder that a URL is in, from 1; two may share one."""
    return crc32(url.rpartition("/")[0].encode()) % _FOLDERS + 1


def add_evidence(
    rows: NDArray[Any],
    texts: NDArray[np.float32],
    outcome: float,
    links: int,
    gap: int,
    regions: NDArray[np.uint8],
    sections: NDArray[np.uint32],
    examples: NDArray[np.int8],
    sources: NDArray[np.uint8],
) -> None:
    """Add what a page says about its links to what is remembered of them, one row each.

    Args:
        rows: What is remembered so far: `URL`, or its bytes without fields.
        texts: The scores of the texts of each link.
        outcome: That of the page.
        links: How many links the page has.
        gap: Links since a relevant page.
        regions: Where each link stands.
        sections: The sections of the page that the links stand in.
        examples: What is known of links to examples.
        sources: The kind of the page, for each link.
    """
    # Outcomes, and sums of them, are rounded as they are stored.
    _add_evidence(
        rows.view(np.uint8), texts, _half(outcome), _half(outcome / links), gap, regions, sections, examples, sources
    )


@twin("promises")
def _add_evidence(
    row_bytes: NDArray[np.uint8],
    texts: NDArray[np.float32],
    outcome: float,
    cash: float,
    gap: int,
    regions: NDArray[np.uint8],
    sections: NDArray[np.uint32],
    examples: NDArray[np.int8],
    sources: NDArray[np.uint8],
) -> None:
    rows = row_bytes.view(URL)
    _add_scores(rows, texts, outcome, cash)
    _add_place(rows, gap, regions, sections)
    rows["example"] = examples
    rows["sources"] |= sources


def _add_scores(rows: NDArray[Any], texts: NDArray[np.float32], outcome: float, cash: float) -> None:
    """Add what a page says about its links, one row each, to the scores and the count of pages that they have."""
    pages = rows["pages"].astype(np.float32)
    pages += 1
    np.minimum(pages, _MANY, out=pages)
    rows["pages"] = pages
    # A row for each score: numpy is quickest along rows. By way of double precision it converts halves much faster.
    before = rows["scores"].T.astype(np.float64, order="C").astype(np.float32)
    after = np.empty_like(before)
    after[:TEXTS] = texts.T
    after[RELEVANCE : BEST + 1] = outcome
    after[BEST_NEAR] = after[_NEAR]
    np.add(before[CASH], np.float32(cash), out=after[CASH])
    np.maximum(after[BEST:], before[BEST:], out=after[BEST:])
    np.minimum(after[CASH], _RICH, out=after[CASH])
    means, means_before = after[: RELEVANCE + 1], before[: RELEVANCE + 1]
    means -= means_before
    after[RELEVANCE] = after[RELEVANCE].astype(np.float16)
    means /= pages
    means += means_before
    rows["scores"] = after.T


def correct_scores(rows: NDArray[Any], before: float, after: float, links: int) -> None:
    """The outcome of a page that links to these URLs, and has so many links, has changed.

    Of several pages that link to a URL the best outcome is remembered, but not which page it was of: if it may have
    been this one, the best is now the mean of all of them, or what this page has now.
    """
    scores = rows["scores"].T.astype(np.float32)
    change = after - before
    means = scores[RELEVANCE] + change / np.maximum(rows["pages"], 1)
    np.clip(means, 0.0, 1.0, out=means)
    was_best = scores[BEST] <= _half(before) + _ROUNDING
    best = np.where(was_best, np.maximum(means, after), np.maximum(scores[BEST], after))
    scores[RELEVANCE], scores[BEST] = means, best
    scores[CASH] = np.clip(scores[CASH] + change / links, 0.0, _RICH)
    rows["scores"] = scores.T


def replace_texts(rows: NDArray[Any], texts: NDArray[np.float32]) -> None:
    """The texts by which a page links to these URLs have other scores, one row each.

    Of a URL that several pages link to, the means of all pages are remembered, and not what each of them has added: the
    new scores take the place of the mean share of one.
    """
    scores = rows["scores"].T.astype(np.float32)
    pages = np.maximum(rows["pages"], 1).astype(np.float32)
    scores[:TEXTS] += (texts.T - scores[:TEXTS]) / pages
    scores[BEST_NEAR] = np.maximum(scores[_NEAR], texts.T[_NEAR])
    rows["scores"] = scores.T


def _add_place(rows: NDArray[Any], gap: int, regions: NDArray[np.uint8], sections: NDArray[np.uint32]) -> None:
    """Remember where links stand: the region that a URL was met in first, and the sections, while there is room."""
    is_first = rows["pages"] == 1
    gaps = rows["gap"]
    np.minimum(gaps, gap, out=gaps)
    gaps[is_first] = gap
    np.copyto(rows["region"], regions, where=is_first)
    first, second = rows["sections"][:, 0], rows["sections"][:, 1]
    is_free = first == 0
    np.copyto(second, sections, where=(second == 0) > is_free)
    np.copyto(first, sections, where=is_free)


@twin("promises")
def section_numbers(sections: NDArray[np.integer], first: int) -> tuple[NDArray[np.uint32], int]:
    """A number from `first` on for each section, in ascending order, and how many different ones there are."""
    own = sections.tolist()
    numbers = {section: number for number, section in enumerate(sorted(set(own)), start=first)}
    return np.array([numbers[section] for section in own], np.uint32), len(numbers)


def _half(value: float) -> float:
    """A number as it is stored with half precision."""
    return float(np.float16(value))
