"""The compact index of keys, against a dictionary for each column."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.store.key_index import KeyIndex

# Few different keys, some of which differ only beyond the part that is hashed.
KEYS = [bytes([first]) * 8 + bytes([last]) * 4 for first in (0, 1, 255) for last in (0, 7)]


def check(rows: Sequence[Sequence[bytes]], others: Sequence[Sequence[bytes]] = ()) -> None:
    """What is found at every step is the first row with the key in that column."""
    columns = len(rows[0])
    content = bytearray()
    index = KeyIndex(content, len(rows[0][0]), columns)
    first: list[dict[bytes, int]] = [{} for _ in range(columns)]
    for number, row in enumerate(rows):
        expected = [seen[key] for seen, key in zip(first, row, strict=True) if key in seen]
        assert index.find(b"".join(row)) == expected
        content += b"".join(row)
        index.add(number)
        for seen, key in zip(first, row, strict=True):
            seen.setdefault(key, number)
    for row in [*rows, *others]:
        expected = [seen[key] for seen, key in zip(first, row, strict=True) if key in seen]
        assert index.find(b"".join(row)) == expected


@given(st.integers(1, 3).flatmap(lambda columns: st.lists(st.tuples(*[st.sampled_from(KEYS)] * columns), min_size=1)))
def test_the_first_row_with_a_key_in_its_column_is_found(rows: list[tuple[bytes, ...]]) -> None:
    check(rows)


@pytest.mark.parametrize("columns", [1, 8])
def test_it_grows(columns: int) -> None:
    draw = random.Random(columns)
    rows = [[draw.randbytes(8) for _ in range(columns)] for _ in range(500)]
    # The same keys in other columns, and keys that are alike only at their beginnings.
    check(rows, [[*row[1:], row[0]] for row in rows])
