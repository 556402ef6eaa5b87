"""Tables are read by their declarations alone: one that no room has is read like all others."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from honeyguide.errors import InputError
from honeyguide.settings import setting
from honeyguide.topic.source_location import dotted
from honeyguide.topic.values import read_table


@dataclass(frozen=True, slots=True)
class Invented:
    switch: bool = setting(False, "a switch")
    whole: int = setting(3, "a whole number", minimum=-2, maximum=5)
    real: float = setting(0.5, "a number", maximum=1)
    word: str = setting("one", "a word", choices=("one", "two"))
    words: tuple[str, ...] = setting((), "words", choices=("one", "two"), example='["one"]')


def test_nothing_given_is_the_default() -> None:
    assert read_table(Invented, "invented", {}, dotted) == Invented()


def test_every_kind_of_value() -> None:
    raw = {"switch": True, "whole": -2, "real": 1, "word": "two", "words": ["two", "one"]}
    read = read_table(Invented, "invented", raw, dotted)
    assert read == Invented(switch=True, whole=-2, real=1.0, word="two", words=("two", "one"))
    assert isinstance(read.real, float)
    assert read_table(Invented, "invented", read, dotted) == read


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"switch": 0}, "invented.switch: switch must be true or false, not 0; write switch = false"),
        ({"switch": "yes"}, 'invented.switch: switch must be true or false, not "yes"; write switch = false'),
        ({"whole": -3}, "invented.whole: whole must be at least -2, not -3; the default is 3"),
        ({"whole": 6}, "invented.whole: whole must be at most 5, not 6; the default is 3"),
        ({"whole": 2.5}, "invented.whole: whole must be a whole number, not 2.5; write whole = 3"),
        ({"whole": None}, "invented.whole: whole must be a whole number, not None; write whole = 3"),
        ({"real": False}, "invented.real: real must be a number, not false; write real = 0.5"),
        ({"real": "0.25"}, 'invented.real: real must be a number, not "0.25"; write real = 0.25'),
        (
            {"real": float("-inf")},
            "invented.real: real must be a finite number, not -inf; the default is 0.5",
        ),
        ({"word": "three"}, 'invented.word: word cannot be "three"; choose "one" or "two"'),
        ({"word": ["one"]}, 'invented.word: word must be a string, not a list; write word = "one"'),
        ({"words": ["one", "tow"]}, 'invented.words[1]: words cannot be "tow"; did you mean "two"?'),
        (
            {"words": {}},
            'invented.words: words must be a list of strings, not a table; write words = ["one"]',
        ),
        ("switch", 'invented: invented must be a table, not "switch"; write [invented] on a line of its own'),
    ],
)
def test_values_that_do_not_fit(raw: object, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_table(Invented, "invented", raw, dotted)
    assert str(error.value) == message


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(InputError) as error:
        read_table(Invented, "invented", {"word": "x" * 1000}, dotted)
    assert len(str(error.value)) < 200
