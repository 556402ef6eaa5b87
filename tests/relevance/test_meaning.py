"""What the text means as a part of `fields`: by hand, and with the embeddings of wordllama where they are installed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.page.spans import spans
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.classifiers import meaning
from honeyguide.relevance.classifiers.fields import Fields
from honeyguide.relevance.classifiers.meaning import MeaningPart, Meanings
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import model_named
from honeyguide.relevance.text import Text
from honeyguide.testing import check_model
from honeyguide.testing.texts import BEES, TRAINS, bees, texts

EMBEDDINGS = "fields(embeddings=true)"


class _Flat:
    """Words as vectors in a plane: honey to the right, rail upwards, everything else nowhere."""

    digest = "flat"

    def of(self, words: Sequence[str]) -> NDArray[np.float32]:
        known = {"honey": (1.0, 0.0), "rail": (0.0, 1.0)}
        return np.array([known.get(word, (0.0, 0.0)) for word in words], np.float32).reshape(-1, 2)


@pytest.fixture
def flat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "load_vectors", lambda _digest="": _Flat())


@pytest.fixture
def wordllama() -> None:
    pytest.importorskip("wordllama", reason='pip install "honeyguide[semantics]"')


@pytest.mark.usefixtures("flat")
def test_a_margin_by_hand() -> None:
    # Honey twice and rail once: (log 3, log 2), less the middle, of length 1, times the coefficients.
    part = MeaningPart("english", np.array([0.5, 0.5]), np.array([2.0, -1.0]), "flat")
    text = Text("Honey the honey rail of unheard".split())
    length = sqrt(log(3) ** 2 + log(2) ** 2)
    right, up = log(3) / length - 0.5, log(2) / length - 0.5
    expected = (2 * right - up) / sqrt(right**2 + up**2)
    # Honey alone: (1, 0) less (.5, .5) is (.5, -.5), of length √.5.
    margins, known = part.margins(text, spans([(0, 6), (0, 1), (0, 3), (1, 2), (5, 6), (2, 2)]))
    assert margins.tolist() == pytest.approx([expected, 3 * sqrt(0.5), 3 * sqrt(0.5), 0.0, 0.0, 0.0])
    assert known.tolist() == [True, True, True, False, False, False]
    assert part.margins(text, whole(text))[0].tolist() == pytest.approx([expected])


@pytest.mark.usefixtures("flat")
def test_directions_have_length_one() -> None:
    found = Meanings("english").of_whole([Text(["honey"] * 5), Text(["rail", "honey"]), Text(["unheard"]), Text([])])
    assert found.tolist() == [[1.0, 0.0], pytest.approx([sqrt(0.5), sqrt(0.5)]), [0.0, 0.0], [0.0, 0.0]]


def _about(model: Relevance, words: str) -> float:
    text = Text(words.split())
    return float(model.score(text, whole(text))[0])


@pytest.mark.usefixtures("flat")
def test_meaning_counts_beside_the_words_for_pages_and_for_their_parts() -> None:
    plain, model = (make_model(bees(), model_named(name)) for name in ("fields", EMBEDDINGS))
    assert isinstance(model, Fields)
    assert isinstance(plain, Fields)
    assert model.meaning is not None
    assert plain.meaning is None
    text = Text("rail honey hive".split())
    parts = spans([(0, 1), (1, 2), (2, 3), (0, 0)])
    rail, honey, hive, nothing = model.score(text, parts).tolist()
    assert rail < hive < honey
    assert nothing == 0.0
    assert all(mixture.name.endswith(", embeddings") for mixture in model.mixtures)


@pytest.mark.usefixtures("wordllama")
def test_it_keeps_the_rules() -> None:
    check_model(EMBEDDINGS, material=bees(), about=texts(BEES, 20, 9), others=texts(TRAINS, 20, 9))


@pytest.mark.usefixtures("wordllama")
def test_words_that_no_example_has_are_judged_by_their_meaning() -> None:
    plain, model = (make_model(bees(), model_named(name)) for name in ("fields", EMBEDDINGS))
    assert _about(plain, "hornets pollinate") == _about(plain, "trams timetable") == 0.0
    assert _about(model, "hornets pollinate") > 1.5 * _about(model, "trams timetable") > 0


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(InputError, match=r'pip install "honeyguide\[semantics\]"'):
        make_model(bees(), model_named(EMBEDDINGS))
    make_model(bees(), model_named("fields"))
