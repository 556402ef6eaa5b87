"""A strategy that breaks a rule is told which."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from honeyguide.errors import InputError
from honeyguide.testing import check_strategy


@pytest.fixture(autouse=True)
def some_strategies(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Strategies as another package would have them; workers find them where Python looks by its environment."""
    folder = Path(__file__).parent / "packages"
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    yield
    sys.modules.pop("some_strategies", None)


@pytest.mark.parametrize("strategy", ["some_strategies:KEEN", "some_strategies:SEEDED(seed=3)"])
def test_a_strategy_that_keeps_the_rules(strategy: str) -> None:
    check_strategy(strategy)


def test_what_is_no_strategy_breaks_no_rule() -> None:
    with pytest.raises(InputError, match="strategy: no strategy 'nothing'"):
        check_strategy("nothing")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CHOOSY", "it reads any document, and the priority of a link is a number: "),
        ("LOST", "it reads any document, and the priority of a link is a number: "),
        ("RANDOM", "the same web gives the same order: page "),
        ("HASHING", "the same web gives the same order: page "),
        ("FORGETFUL", "a crawl that is stopped and resumed fetches in the same order as an uninterrupted one: page "),
        ("COUNTING", "a crawl that is stopped and resumed fetches in the same order as an uninterrupted one: page "),
        ("AT_HOME", "a crawl whose pages are read by a worker process fetches in the same order: page "),
    ],
)
def test_a_broken_rule(name: str, message: str) -> None:
    with pytest.raises(AssertionError) as broken:
        check_strategy(f"some_strategies:{name}")
    assert str(broken.value).startswith(message)


def test_of_several_the_one_that_breaks_a_rule_is_named() -> None:
    with pytest.raises(AssertionError, match=r"^some_strategies:HASHING: the same web gives the same order: page "):
        check_strategy("best-first", "some_strategies:HASHING")
    with pytest.raises(AssertionError, match=r"^some_strategies:LOST: it reads any document"):
        check_strategy("some_strategies:LOST", "best-first")
