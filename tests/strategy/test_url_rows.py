"""What guide remembers of a URL, and what a page that links to it adds to that: cases worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from honeyguide.strategy.guide import url_rows
from honeyguide.strategy.guide.texts import TEXT_FEATURES, text_column
from honeyguide.strategy.guide.url_rows import URL, add_evidence, array_of, folder_number
from honeyguide.strategy.queues.rows import RowStore

NEAR = text_column("near")


def texts(*scores: float) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Links whose texts all score the same."""
    return np.repeat(np.array(scores, np.float32)[:, None], len(TEXT_FEATURES), axis=1)


def add(
    rows: Any, scores: Any, outcome: float, links: int, gap: int = 0, region: Any = (0,), section: Any = (1,)
) -> None:
    """Add what a page says."""

    def column(values: Any, kind: Any) -> Any:
        return np.resize(np.array(values, kind), len(rows))

    places = column(region, np.uint8), column(section, np.uint32), column(0, np.int8), column(2, np.uint8)
    add_evidence(rows, scores, outcome, links, gap, *places)


def test_scores_are_means_over_pages_or_the_best_of_them() -> None:
    rows = np.zeros(2, URL)
    add(rows, texts(0.25, 0.5), 0.5, 2)
    add(rows[:1], texts(0.75), 0.25, 1)
    assert rows["pages"].tolist() == [2, 1]
    assert rows["scores"][:, NEAR].tolist() == [0.5, 0.5]
    assert rows["scores"][:, url_rows.RELEVANCE].tolist() == [0.375, 0.5]
    assert rows["scores"][:, url_rows.BEST].tolist() == [0.5, 0.5]
    assert rows["scores"][:, url_rows.BEST_NEAR].tolist() == [0.75, 0.5]
    assert rows["scores"][:, url_rows.CASH].tolist() == [0.5, 0.25]  # half of 0.5 each, and then all of 0.25


def test_what_is_counted_has_its_end() -> None:
    rows = np.zeros(1, URL)
    rows["pages"] = 0xFFFF
    rows["scores"][:, url_rows.CASH] = 999.5
    add(rows, texts(0.5), 1.0, 1)
    assert rows["pages"].tolist() == [0xFFFF]
    assert rows["scores"][:, url_rows.CASH].tolist() == [1000.0]


def test_where_it_was_met_first_is_remembered_and_the_first_two_sections() -> None:
    rows = np.zeros(2, URL)
    for page, (gap, region) in enumerate(((3, 2), (5, 4), (1, 1)), start=1):
        add(rows, texts(0.5, 0.5), 0.5, 2, gap, (region, 0), (10 * page, 10 * page + 1))
    assert rows["gap"].tolist() == [1, 1]
    assert rows["region"].tolist() == [2, 0]
    assert rows["sections"].tolist() == [[10, 20], [11, 21]]


def test_a_gap_of_none_is_not_better_than_the_first_one() -> None:
    rows = np.zeros(1, URL)
    add(rows, texts(0.5), 0.5, 2, gap=4)
    assert rows["gap"].tolist() == [4]


def test_one_row_is_the_same_as_an_array() -> None:
    store = RowStore("url", URL)
    row = (*np.arange(url_rows.TEXTS + 4.0).tolist(), 700, 70_000, 80_000, 5, 9, 1, 2, -1, 3, 0.5, -1.0, 4)
    store.set_one(7, row)
    assert array_of(store.one(7)).tobytes() == store[np.array([7])].tobytes()
    assert (row[url_rows.PAGES], row[url_rows.SECTION]) == (700, (70_000, 80_000))
    assert [row[place] for place in (url_rows.FOLDER, url_rows.PAGE, url_rows.GAP)] == [5, 9, 1]
    assert [row[place] for place in (url_rows.REGION, url_rows.EXAMPLE, url_rows.SOURCES)] == [2, -1, 3]


@pytest.mark.parametrize(("other", "is_same"), [("https://a.org/x/2", True), ("https://a.org/y/1", False)])
def test_folders_are_all_but_the_last_part_of_a_url(other: str, is_same: bool) -> None:
    assert (folder_number("https://a.org/x/1") == folder_number(other)) == is_same
    assert folder_number(other) > 0
