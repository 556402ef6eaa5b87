"""What every relevance model must do, whatever it is: one suite for all."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.page.spans import spans
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.models import MODELS, Material, make_model
from honeyguide.relevance.settings import MODEL_NAMES
from honeyguide.relevance.text import Text

from .corpus import BEES, SHARED, TRAINS, material, texts

TERMS = {"genre": BEES[:4], "content": ["honey", "queen drone"], "url": ["bee"]}
# The semantic models are in a suite of their own, as their source of similarity need not be there.
NAMES = [name for name in MODELS if name not in {"ssrm", "ssvsm", "embedding"}]

words = st.lists(st.sampled_from([*BEES, *TRAINS, *SHARED[:5], "the", "unknown"]), max_size=30)


@cache
def model(name: str) -> Relevance:
    return make_model(material(relevance={"model": name}, terms=TERMS))


def test_every_model_can_be_asked_for() -> None:
    assert set(MODEL_NAMES) == {"auto", *MODELS}


@pytest.mark.parametrize("name", NAMES)
def test_it_tells_the_topic_from_others(name: str) -> None:
    about, other = ([model(name).score(text, whole(text))[0] for text in texts(of, 20, 9)] for of in (BEES, TRAINS))
    assert np.mean(about) > np.mean(other)
    assert np.mean(np.greater.outer(about, other)) > 0.9  # the chance that one of the topic scores higher


@pytest.mark.parametrize("name", NAMES)
@given(text=words.map(Text), data=st.data())
@settings(max_examples=25, deadline=None)  # the first call makes the model
def test_scores_lie_in_range_and_spans_do_not_touch_each_other(name: str, text: Text, data: st.DataObject) -> None:
    place = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=6))
    chosen = spans((first, last) for first, last in pairs)
    together = model(name).score(text, chosen)
    assert together.shape == (len(chosen),)
    assert ((together >= 0) & (together <= 1)).all()
    alone = [float(model(name).score(text, one.reshape(1, 2))[0]) for one in chosen]
    assert together.tolist() == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_not_relevant(name: str) -> None:
    for nothing in (Text([]), Text(["the", "of", "and"]), Text(["zzz"])):
        assert model(name).score(nothing, whole(nothing)).tolist() == [0.0]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_same_when_kept_or_sent(name: str, tmp_path: Path) -> None:
    saved.save(model(name), tmp_path / "model")
    for other in (saved.load(tmp_path / "model"), pickle.loads(pickle.dumps(model(name)))):
        assert other.threshold == model(name).threshold
        for text in texts(BEES, 5, 7):
            every = spans((0, end) for end in range(len(text) + 1))
            assert other.score(text, every).tolist() == model(name).score(text, every).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_it_is_made_the_same_each_time(name: str) -> None:
    again = make_model(material(relevance={"model": name}, terms=TERMS))
    text = texts(BEES, 1, 5)[0]
    assert again.score(text, whole(text)).tolist() == model(name).score(text, whole(text)).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_the_topic_sets_the_threshold(name: str) -> None:
    own = material(relevance={"model": name, "threshold": 0.625}, terms=TERMS)
    assert make_model(own).threshold == 0.625
    assert make_model(Material(own.topic, own.positive, own.negative), 0.5).threshold == 0.625
