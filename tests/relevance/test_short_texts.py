"""Scores of the short texts of links: those of the model, however often a text comes up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.spans import Spans
from honeyguide.page.url_words import path_words
from honeyguide.relevance import short_texts
from honeyguide.relevance.base import Scores
from honeyguide.relevance.genre import Genre
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.short_texts import ScoreMemo, ShortTextScores
from honeyguide.relevance.text import Text, Tokenizer
from honeyguide.relevance.vsm import Vsm

TOKENIZER = Tokenizer("english")
URLS = [
    "http://bees.example/honey/queen-bee.html",
    "http://bees.example/",
    "http://bees.example/HoneyComb/%C3%A9lan?page=2",
    "http://honey.example/about",
]


def test_addresses_are_scored_by_their_words_without_the_host() -> None:
    model = Vsm.of(Text(["honey", "bee"]), "english", 0.5)
    scores = ShortTextScores(model, TOKENIZER).addresses(URLS)
    alone = [Text(path_words(url)) for url in URLS]
    expected = [float(model.score(text, np.array([(0, len(text))], np.int32))[0]) for text in alone]
    assert scores.tolist() == pytest.approx(expected, abs=1e-9)
    assert scores[0] > scores[2] > 0
    assert scores[1] == scores[3] == 0  # the host's name does not count


def test_a_model_with_other_tokens_sees_the_words_themselves() -> None:
    model = Genre.of(TermSettings(genre=("elan",), content=("queen bee",)), "english", 0.5)
    scores = ShortTextScores(model, TOKENIZER).addresses(URLS)
    assert [score > 0 for score in scores] == [True, False, True, False]


def test_images_are_scored_each_by_itself() -> None:
    model = Vsm.of(Text(["honey", "bee"]), "english", 0.5)
    scores = ShortTextScores(model, TOKENIZER).images(["honey", "a queen", "bee", "honey", ""])
    assert scores.tolist() == pytest.approx([0.5**0.5, 0.0, 0.5**0.5, 0.5**0.5, 0.0])


class Naming:
    """Knows addresses from other texts."""

    threshold = 0.5

    def score(self, text: Text, spans: Spans) -> Scores:
        return np.full(len(spans), 0.1)

    def titles(self, text: Text, spans: Spans) -> Scores:
        return np.full(len(spans), 0.2)

    def addresses(self, text: Text, spans: Spans) -> Scores:
        return np.full(len(spans), 0.3)


def test_a_model_that_knows_addresses_scores_them_as_such() -> None:
    found = ShortTextScores(Naming(), TOKENIZER)
    assert found.addresses(URLS).tolist() == [0.3] * 4
    assert found.images(["honey"]).tolist() == [0.1]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=12))
def test_a_memo_asks_once_and_forgets_in_time(calls: list[list[str]]) -> None:
    asked: list[str] = []

    def score(texts: list[str]) -> Scores:
        asked.extend(texts)
        return np.array([float(ord(text)) for text in texts])

    memo = ScoreMemo(score)  # type: ignore[arg-type]
    for texts in calls:
        assert memo(texts).tolist() == [float(ord(text)) for text in texts]
    assert sorted(asked) == sorted({text for texts in calls for text in texts})


def test_a_full_memo_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_texts, "_MEMO_SIZE", 3)
    asked: list[str] = []

    def score(texts: list[str]) -> Scores:
        asked.extend(texts)
        return np.ones(len(texts))

    memo = ScoreMemo(score)  # type: ignore[arg-type]
    memo(["a", "b", "c", "d"])
    memo(["a", "e"])  # full: what is asked for now is scored again
    memo(["a", "e"])
    assert asked == ["a", "b", "c", "d", "a", "e"]
