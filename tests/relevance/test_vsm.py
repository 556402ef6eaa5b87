"""The cosine, against values worked out by hand and against the plainest way to compute it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance, Rescaled, in_language, whole
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.taught import Taught
from honeyguide.relevance.text import Text, Tokenizer
from honeyguide.relevance.vsm import Vsm
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

# Few different words, so that texts share many, and one that says nothing.
texts = st.lists(st.sampled_from(["the", "bee", "honey", "hive", "tree"]), max_size=40).map(Text)


def score(topic: str, text: str) -> float:
    found = Text(text.split())
    return float(Vsm.of(Text(topic.split()), "english", 0.5).score(found, whole(found))[0])


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


def naive(topic: Text, text: Sequence[str]) -> float:
    one, other = (Counter(word for word in each if word != "the") for each in (topic.words, text))
    norms = sqrt(sum(count * count for count in one.values()) * sum(count * count for count in other.values()))
    return sum(count * other[word] for word, count in one.items()) / norms if norms else 0.0


@given(texts, texts)
def test_the_same_as_the_plainest_way(topic: Text, text: Text) -> None:
    (found,) = Vsm.of(topic, "english", 0.5).score(text, whole(text))
    assert found == pytest.approx(naive(topic, text.words), abs=1e-12)
    assert 0.0 <= found <= 1.0


@given(texts, texts, st.data())
def test_all_spans_at_once_are_each_span_alone(topic: Text, text: Text, data: st.DataObject) -> None:
    place = st.integers(0, len(text))
    chosen = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=12))
    spans = np.array(chosen, np.int32).reshape(-1, 2)
    model = Vsm.of(topic, "english", 0.5)
    together = model.score(text, spans)
    alone = [float(model.score(text, span.reshape(1, 2))[0]) for span in spans]
    assert together.tolist() == pytest.approx(alone, abs=1e-12)
    assert alone == pytest.approx([naive(topic, text.words[first:last]) for first, last in spans.tolist()], abs=1e-12)


def test_rare_words_weigh_more() -> None:
    # Of 7 documents (and one more, for smoothing) 3.5 have "bee" and 0.5 have "honey", each with half a document for
    # smoothing: idf(bee) = log(8 / 4) = log 2, idf(honey) = log(8 / 1) = 3 log 2. Topic (bee 1, honey 1) weighs
    # (1, 3), the text "bee" alone is (1, 0): cosine 1 / √10; the text "honey" alone: 3 / √10.
    bee, honey = (int(Tokenizer("english")([word])[0]) for word in ("bee", "honey"))
    order = sorted([(bee, 3.5), (honey, 0.5)])
    known = Frequencies(np.array([term for term, _ in order], np.uint32), np.array([n for _, n in order]), 7.0)
    model = Vsm.of(Text.of("bee honey"), "english", 0.5, known)
    text = Text.of("bee honey")
    assert model.score(text, np.array([[0, 1], [1, 2]], np.int32)).tolist() == pytest.approx(
        [1 / sqrt(10), 3 / sqrt(10)]
    )


def test_a_topic_brings_its_keywords_and_its_description() -> None:
    topic = Topic.make(
        name="bees", seeds=["http://a.example/"], keywords="honey bees", description="Keeping a bee.",
        relevance={"threshold": 0.4},
    )  # fmt: skip
    model = make_model(material_of(topic))
    text = Text(["honey", "bee", "bee", "keep"])
    # Keywords and description together are (honey 1, bee 2, keep 1), and so is the text.
    assert model.score(text, whole(text)).tolist() == pytest.approx([1.0])
    assert model.threshold == 0.4


def test_a_topic_of_nothing_but_stop_words_is_refused() -> None:
    topic = Topic.make(name="void", seeds=["http://a.example/"], keywords="the, of, and")
    with pytest.raises(InputError, match="only stop words"):
        make_model(material_of(topic))


def test_in_another_language_the_same_words_have_its_stems_and_stop_words() -> None:
    material = Material(keywords=("Bienenvolk", "die Imker"))
    model = make_model(material)
    text = Text.of("Die Bienenvölker der Imker")
    assert score_of(model, text) < score_of(in_language(model, "german"), text) == pytest.approx(1.0)
    assert in_language(model, "english") is model
    assert in_language(model, "") is model


@pytest.mark.parametrize("material", [{"positive": [Text.of("bee")]}, {"preferred_idf": "crawl"}])
def test_a_model_of_more_than_words_reads_all_texts_in_one_language(material: dict[str, Any]) -> None:
    model = make_model(Material(keywords=("bee",), **material))
    assert in_language(model, "german") is model


def test_a_language_in_which_the_topic_has_no_words_changes_nothing() -> None:
    model = make_model(Material(keywords=("die",)))  # as a machine tool does, and a stop word in German
    assert in_language(model, "german") is model


def test_models_of_models_have_the_languages_of_these() -> None:
    model = make_model(Material(keywords=("Bienenvolk",)))
    text = Text.of("Bienenvölker")
    for outer in (Rescaled(model, 0.2, 0.5), Taught(model, model, 0.5, 0.5)):
        assert score_of(in_language(outer, "german"), text) > score_of(outer, text)
        assert in_language(outer, "english") is outer


def score_of(model: Relevance, text: Text) -> float:
    return float(model.score(text, whole(text))[0])
