"""The row that is stored per URL, and the evidence that a page adds to the rows of its links."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.strategy.guide.texts import TEXT_FEATURES, text_column

SECTIONS = 2
"""Maximum number of sections stored per URL."""

WORD_SCORE_COUNT = 2
"""Number of scores by learnt words: of the anchor, and of the anchor with the words beside it."""

TEXTS = len(TEXT_FEATURES)
RELEVANCE, BEST, BEST_NEAR, CASH = range(TEXTS, TEXTS + 4)
"""Indices in the scores of a URL, after those of its texts."""

URL = np.dtype(
    [
        ("scores", np.float16, TEXTS + 4),
        ("pages", np.uint16),
        ("sections", np.uint32, SECTIONS),
        ("folder", np.uint32),
        ("page", np.uint32),  # its position in the order of visits, from 1; 0 if it was not fetched
        ("gap", np.uint8),
        ("region", np.uint8),
        ("example", np.int8),
        ("sources", np.uint8),  # kinds of pages that link to it: the bits of `BY_EXAMPLE` and `BY_OTHER`
        ("words", np.float16, WORD_SCORE_COUNT),  # scores by learnt words: means over the latest links to it
        ("word_links", np.uint8),  # number of these links
    ]
)
"""The row of a URL: means over the pages that link to it, the best of them, and where it was found first. It is small,
since there is one for every URL."""

Row = tuple[Any, ...]
"""The row of one URL as a flat tuple of the values of all fields, as `RowStore.one` returns it."""

PAGES = TEXTS + 4
SECTION = slice(PAGES + 1, PAGES + 1 + SECTIONS)
FOLDER, PAGE, GAP, REGION, EXAMPLE, SOURCES, WORD = range(SECTION.stop, SECTION.stop + 7)
"""Indices in a `Row`."""


def array_of(row: Row) -> NDArray[Any]:
    """Convert the row of one URL to an array."""
    return np.array([(row[:PAGES], row[PAGES], row[SECTION], *row[FOLDER:WORD], row[WORD:-1], row[-1])], URL)


_NEAR = text_column("near")
_FOLDERS = 1 << 18  # range of the hash of a folder
_ROUNDING = 1e-3  # error of half precision
_MAX_CASH = 1000.0  # upper bound of cash
_MAX_PAGES = 0xFFFF  # upper bound of the number of pages


def folder_number(url: str) -> int:
    """A number for the folder of a URL, from 1; different folders may share one."""
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
    """Add the evidence from a page to the rows of its links.

    Args:
        rows: The rows so far, one per link: `URL`, or its bytes without fields.
        texts: The scores of the texts of each link.
        outcome: The outcome of the page.
        links: The number of links of the page.
        gap: The number of links since a relevant page.
        regions: The region of each link.
        sections: The section of each link.
        examples: 1 for links to positive examples, -1 for links to negative ones, else 0.
        sources: The kind of the page, repeated for each link.
    """
    # Outcomes and cash are rounded in the same way as when they are stored.
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
    """Add the evidence from a page to the scores and the page counts of its links."""
    pages = rows["pages"].astype(np.float32)
    pages += 1
    np.minimum(pages, _MAX_PAGES, out=pages)
    rows["pages"] = pages
    # One row per score: numpy is fastest along rows. Converting halves via double precision is much faster.
    before = rows["scores"].T.astype(np.float64, order="C").astype(np.float32)
    after = np.empty_like(before)
    after[:TEXTS] = texts.T
    after[RELEVANCE : BEST + 1] = outcome
    after[BEST_NEAR] = after[_NEAR]
    np.add(before[CASH], np.float32(cash), out=after[CASH])
    np.maximum(after[BEST:], before[BEST:], out=after[BEST:])
    np.minimum(after[CASH], _MAX_CASH, out=after[CASH])
    means, means_before = after[: RELEVANCE + 1], before[: RELEVANCE + 1]
    means -= means_before
    after[RELEVANCE] = after[RELEVANCE].astype(np.float16)
    means /= pages
    means += means_before
    rows["scores"] = after.T


def correct_scores(rows: NDArray[Any], before: float, after: float, links: int) -> None:
    """Update the rows of the links of a page, which has `links` links, after its outcome has changed.

    The best outcome of all pages that link to a URL is stored, but not which page it belongs to. If it may be this
    page, the best becomes the mean over all pages, or the new outcome of this page, whichever is higher.
    """
    scores = rows["scores"].T.astype(np.float32)
    change = after - before
    means = scores[RELEVANCE] + change / np.maximum(rows["pages"], 1)
    np.clip(means, 0.0, 1.0, out=means)
    was_best = scores[BEST] <= _half(before) + _ROUNDING
    best = np.where(was_best, np.maximum(means, after), np.maximum(scores[BEST], after))
    scores[RELEVANCE], scores[BEST] = means, best
    scores[CASH] = np.clip(scores[CASH] + change / links, 0.0, _MAX_CASH)
    rows["scores"] = scores.T


def replace_texts(rows: NDArray[Any], texts: NDArray[np.float32]) -> None:
    """Update the rows of the links of a page after the scores of its texts have changed, one row of `texts` per link.

    Only the means over all pages that link to a URL are stored: the new scores replace the share of an average page.
    """
    scores = rows["scores"].T.astype(np.float32)
    pages = np.maximum(rows["pages"], 1).astype(np.float32)
    scores[:TEXTS] += (texts.T - scores[:TEXTS]) / pages
    scores[BEST_NEAR] = np.maximum(scores[_NEAR], texts.T[_NEAR])
    rows["scores"] = scores.T


def _add_place(rows: NDArray[Any], gap: int, regions: NDArray[np.uint8], sections: NDArray[np.uint32]) -> None:
    """Store the positions of links: the region of the first link to a URL, and its first sections."""
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
    """Number the sections from `first` on, in ascending order. Returns the number of each, and how many there are."""
    own = sections.tolist()
    numbers = {section: number for number, section in enumerate(sorted(set(own)), start=first)}
    return np.array([numbers[section] for section in own], np.uint32), len(numbers)


def _half(value: float) -> float:
    """Round a number to half precision."""
    return float(np.float16(value))
