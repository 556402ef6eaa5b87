"""The cosine, against values worked out by hand and against the plainest way to compute it."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.relevance.base import whole
from honeyguide.relevance.models import relevance_for
from honeyguide.relevance.text import NOTHING, Tokenizer, Tokens
from honeyguide.relevance.vsm import Vsm
from honeyguide.topic import Topic

ENGLISH = Tokenizer("english")

# Few different tokens, so that texts share many; the highest there is, and the one that stands for nothing.
tokens = st.lists(st.sampled_from([NOTHING, 1, 2, 3, 4, 0xFFFFFFFF]), max_size=40).map(lambda list_: as_tokens(*list_))


def as_tokens(*values: int) -> Tokens:
    return np.array(values, np.uint32)


def score(topic: str, text: str) -> float:
    wanted = Vsm(ENGLISH(topic.split()), 0.5)
    found = ENGLISH(text.split())
    return float(wanted.score(found, whole(found))[0])


@pytest.mark.parametrize(
    ("topic", "text", "cosine"),
    [
        # (1, 1) and (2, 1) with a third word once: 3 / (√2 · √6) = √3 / 2
        ("honey bee", "honey honey bee tree", sqrt(3) / 2),
        # (2, 1) and (1, 0): 2 / √5
        ("honey honey bee", "honey", 2 / sqrt(5)),
        # (1, 1, 1) and (1, 0, 0) with two others: 1 / (√3 · √3)
        ("honey bee hive", "honey tree stone", 1 / 3),
        ("honey bee", "bee honey", 1.0),
        ("honey bee", "tree stone", 0.0),
        # Stems are what is compared, and case is nothing.
        ("bee", "Bees BEE bee's", 1.0),
        # Words that say nothing about a topic are as if they were not there: (1) and (1).
        ("the honey", "the the the honey of a", 1.0),
        ("honey", "the of a", 0.0),
        ("honey", "", 0.0),
    ],
)
def test_worked_out_by_hand(topic: str, text: str, cosine: float) -> None:
    assert score(topic, text) == pytest.approx(cosine, abs=1e-12)


def naive(topic: Tokens, text: Tokens) -> float:
    one, other = (Counter(token for token in each.tolist() if token != NOTHING) for each in (topic, text))
    norms = sqrt(sum(count * count for count in one.values()) * sum(count * count for count in other.values()))
    return sum(count * other[token] for token, count in one.items()) / norms if norms else 0.0


@given(tokens, tokens)
def test_the_same_as_the_plainest_way(topic: Tokens, text: Tokens) -> None:
    (found,) = Vsm(topic, 0.5).score(text, whole(text))
    assert found == pytest.approx(naive(topic, text), abs=1e-12)
    assert 0.0 <= found <= 1.0


@given(tokens, tokens, st.data())
def test_all_spans_at_once_are_each_span_alone(topic: Tokens, text: Tokens, data: st.DataObject) -> None:
    place = st.integers(0, len(text))
    chosen = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=12))
    spans = np.array(chosen, np.int32).reshape(-1, 2)
    model = Vsm(topic, 0.5)
    together = model.score(text, spans)
    alone = [float(model.score(text, span.reshape(1, 2))[0]) for span in spans]
    assert together.tolist() == pytest.approx(alone, abs=1e-12)
    assert alone == pytest.approx([naive(topic, text[first:last]) for first, last in spans.tolist()], abs=1e-12)


def test_a_topic_brings_its_keywords_and_its_description() -> None:
    topic = Topic.make(
        name="bees", seeds=["http://a.example/"], keywords="honey bees", description="Keeping a bee.",
        relevance={"threshold": 0.4},
    )  # fmt: skip
    model = relevance_for(topic, ENGLISH)
    text = ENGLISH(["honey", "bee", "bee", "keep"])
    # Keywords and description together are (honey 1, bee 2, keep 1), and so is the text.
    assert model.score(text, whole(text)).tolist() == pytest.approx([1.0])
    assert model.threshold == 0.4


def test_a_topic_of_nothing_but_stop_words_is_refused() -> None:
    topic = Topic.make(name="void", seeds=["http://a.example/"], keywords="the, of, and")
    with pytest.raises(InputError, match="only words that say nothing"):
        relevance_for(topic, ENGLISH)
