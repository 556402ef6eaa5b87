"""Numbers from outside are finite and within bounds, whatever digits a stranger wrote."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.fetch.numbers import LONGEST_WAIT, ratio, seconds

digits = st.text("0123456789", min_size=1, max_size=5000)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("120", 120.0),
        (" +1.5 ", 1.5),
        ("7.", 7.0),
        ("-5", 0.0),
        ("1000000000000000000", LONGEST_WAIT),
        ("9" * 400, LONGEST_WAIT),
        ("-" + "9" * 400, 0.0),
        ("9" * 100_000, LONGEST_WAIT),
        ("0." + "0" * 5000 + "1", 0.0),
    ],
)
def test_numbers_are_clamped(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(
    "text", ["", "soon", "inf", "-inf", "nan", "1e3", "0x10", "1_000", "٣", "1 2", "--1", ".", "1,5"]
)
def test_what_is_not_a_number_is_none(text: str) -> None:
    assert seconds(text) is None


@given(st.sampled_from(["", "-", "+"]), digits, st.sampled_from(["", "."]), st.text("0123456789", max_size=400))
def test_any_digits_give_a_number_within_bounds(sign: str, whole: str, point: str, rest: str) -> None:
    value = seconds(sign + whole + point + (rest if point else ""))
    assert value is not None
    assert 0.0 <= value <= LONGEST_WAIT


@given(st.text())
def test_any_text_is_a_number_within_bounds_or_none(text: str) -> None:
    value = seconds(text)
    assert value is None or 0.0 <= value <= LONGEST_WAIT


@given(st.integers(1), st.integers(1))
def test_a_ratio_is_within_bounds(above: int, below: int) -> None:
    value = ratio(above, below)
    assert math.isfinite(value)
    assert 0.0 <= value <= LONGEST_WAIT
    assert ratio(10**400 * above, below) == LONGEST_WAIT or below > 10**300
    assert ratio(30 * below, below) == 30.0
