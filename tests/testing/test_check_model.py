"""A model that breaks a rule is told which."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from honeyguide.errors import InputError
from honeyguide.testing import check_model
from honeyguide.testing.texts import BEES, TRAINS, bees, texts


@pytest.fixture(autouse=True)
def some_models(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Models as another package would have them, so that other processes find them too."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "packages")
    yield
    sys.modules.pop("some_models", None)


@pytest.mark.parametrize("name", ["Share", "SPEC", "Learning"])
def test_a_model_that_keeps_the_rules(name: str) -> None:
    check_model(f"some_models:{name}")


def test_other_material() -> None:
    given = replace(bees(), relevance=replace(bees().relevance, threshold=0.2))
    check_model("some_models:Share", material=given, about=texts(BEES, 9, 1), others=texts(TRAINS, 9, 1))
    with pytest.raises(AssertionError, match="it tells texts about the topic from others"):
        check_model("some_models:Share", material=given, about=texts(TRAINS, 9, 1), others=texts(BEES, 9, 1))
    check_model("some_models:Ignorant", material=given)  # nothing to tell apart


def test_what_is_missing_is_no_broken_rule() -> None:
    with pytest.raises(InputError, match="at least 2 negative examples"):
        check_model("svm", material=replace(bees(), negative=()))
    with pytest.raises(InputError, match="no model 'nothing'"):
        check_model("nothing")


SCORES = "there is one score per span, from 0 to 1: "
SAYS = "a model says what it is, and where a text becomes relevant: "
KEPT = "it is the same after it was kept: "


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NAMELESS", f"{SAYS}it has no summary"),
        ("ALWAYS", f"{SAYS}its threshold is 0.0"),
        ("Deaf", "the threshold is the one that is asked for: the topic asks for 0.625, and it is 0.5"),
        ("OutOfRange", f"{SCORES}some are not in range"),
        ("Unsure", f"{SCORES}some are not in range"),
        ("TooMany", f"{SCORES}for 11 spans the scores have the shape (12,)"),
        ("Lazy", f"{SCORES}for 0 spans the scores have the shape (1,)"),
        ("Listed", f"{SCORES}a list is no array"),
        ("Whole", f"{SCORES}they are no floats, but int64"),
        ("Fragile", f"{SCORES}it raised ZeroDivisionError: "),
        ("Relative", "the score of a span does not depend on the other spans: "),
        ("Careless", "scoring leaves the text as it is: its words are others now"),
        ("Generous", "a text without a word that counts scores 0: '' scores 0.1"),
        ("Moody", "the same material gives the same model: "),
        ("Forgetful", KEPT),
        ("Unkept", f"{KEPT}it raised InputError: Unkept.seen: a value of type set cannot be kept"),
        ("Unsent", "it is the same after it was sent to another process: it raised TypeError: cannot pickle this"),
        ("Hashing", "it gives the same scores in another process: "),
        (
            "Ignorant",
            "it tells texts about the topic from others: one about the topic scores higher with a chance",
        ),
        ("Shifting", "what it learns has the same threshold: it is 0.9, and was 0.1"),
        ("Guessing", "from the same pages it learns the same: "),
        ("Unravelling", f"{SCORES}some are not in range"),
    ],
)
def test_a_broken_rule(name: str, message: str) -> None:
    with pytest.raises(AssertionError) as broken:
        check_model(f"some_models:{name}")
    assert str(broken.value).startswith(message)
