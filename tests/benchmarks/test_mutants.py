"""The mutants that the tests are measured with."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mutmut", reason="make mutants installs it")

from benchmarks.mutants.mutate import Mutant, difference, mutants, mutated
from benchmarks.mutants.report import interval

SOURCE = '''\
"""What it is for: 1 + 1."""

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy

T = TypeVar("T")
Pair = tuple[int, int]
MOST = 5


@cached(size=3)
def grown(value: int = 2) -> int | None:
    """Not 1."""
    if value > MOST:
        raise ValueError("too much: 1")
    return value + len("abc")
'''


@pytest.fixture
def found(tmp_path: Path) -> list[tuple[Mutant, str, str]]:
    (tmp_path / "grown.py").write_text(SOURCE)
    return [(one, *difference(SOURCE, mutated(tmp_path, one))[1:]) for one in mutants(tmp_path, "grown.py")]


def test_code_is_changed_and_types_texts_and_decorators_are_not(found: list[tuple[Mutant, str, str]]) -> None:
    assert [(before, after) for _, before, after in found] == [
        ("MOST = 5", "MOST = None"),
        ("MOST = 5", "MOST = 6"),
        ("def grown(value: int = 2) -> int | None:", "def grown(value: int = 3) -> int | None:"),
        ("if value > MOST:", "if value >= MOST:"),
        ('raise ValueError("too much: 1")', "raise ValueError(None)"),
        ('return value + len("abc")', 'return value - len("abc")'),
    ]


def test_the_lines_that_a_test_must_execute(found: list[tuple[Mutant, str, str]]) -> None:
    lines = [(one.first_line, one.last_line, one.on_import) for one, _, _ in found]
    function = (14, 18, False)  # a default is noticed by whoever calls the function
    assert lines == [(10, 10, True), (10, 10, True), function, (16, 16, False), (17, 17, False), (18, 18, False)]


def test_difference_over_several_lines() -> None:
    assert difference("a\nb\nb\nc\n", "a\nb\nx\ny\nc\n") == (3, "b", "x y")
    assert difference("a\nb\n", "a\n") == (2, "b", "")


def test_interval_by_hand() -> None:
    # Wilson with z = 1.96 and 8 of 10: (0.8 + 0.19208 ± 1.96 √(0.016 + 0.009604)) / 1.38416.
    assert interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert interval(0, 10)[0] == 0.0
    assert interval(0, 0) == (0.0, 1.0)
