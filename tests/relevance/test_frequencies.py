"""Document frequencies: what is known before a page was seen, and what pages add."""

from __future__ import annotations

import sys
from math import log
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.relevance.frequencies import PRIOR_DOCUMENTS, Frequencies
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text, Tokenizer, Tokens
from honeyguide.topic.material import material_of

from .corpus import topic

ENGLISH = Tokenizer("english")
documents = st.lists(
    st.lists(st.sampled_from(["bee", "hive", "tree", "the"]), max_size=6).map(ENGLISH), min_size=1, max_size=8
)


def test_without_documents_all_words_weigh_one() -> None:
    assert Frequencies.none().idf(ENGLISH(["bee", "tree"])).tolist() == [1.0, 1.0]


def test_documents_are_counted_once_a_word() -> None:
    # Of three documents two have "bee" and one has "hive". With one document more and half an occurrence for
    # smoothing: log(4 / 2.5), log(4 / 1.5), and log(4 / 0.5) for a word that was never seen.
    seen = Frequencies.none().seeing([ENGLISH(text.split()) for text in ("bee bee hive", "the bee", "tree")])
    assert seen.documents == 3
    expected = [log(4 / 2.5), log(4 / 1.5), log(4 / 0.5)]
    assert seen.idf(ENGLISH(["bee", "hive", "stone"])).tolist() == pytest.approx(expected)


@given(documents, documents)
def test_the_order_of_pages_changes_nothing(one: list[Tokens], other: list[Tokens]) -> None:
    together = Frequencies.none().seeing([*one, *other])
    in_turn = Frequencies.none().seeing(other).seeing(one)
    assert together.terms.tolist() == in_turn.terms.tolist()
    assert together.counts.tolist() == in_turn.counts.tolist()
    assert together.documents == in_turn.documents
    words = ENGLISH(["bee", "hive", "tree", "stone"])
    assert (together.idf(words) > 0).all()


def test_a_word_list_tells_how_common_words_are(monkeypatch: pytest.MonkeyPatch) -> None:
    wordfreq = ModuleType("wordfreq")
    shares = {"the": 0.05, "bee": 0.00001, "bees": 0.00003, "time": 0.002}
    monkeypatch.setattr(wordfreq, "available_languages", lambda: {"en": "path"}, raising=False)
    monkeypatch.setattr(wordfreq, "top_n_list", lambda code, number: list(shares)[:number], raising=False)
    monkeypatch.setattr(wordfreq, "word_frequency", lambda word, code: shares[word], raising=False)
    monkeypatch.setitem(sys.modules, "wordfreq", wordfreq)
    known = Frequencies.prior(ENGLISH)
    # bee and bees are one stem with a share of 0.00004: in a document of 300 words it stands with the chance
    # 1 - (1 - 0.00004)^300 = 0.0119. Stop words are not counted.
    assert len(known.terms) == 2
    place = known.terms.tolist().index(int(ENGLISH(["bee"])[0]))
    assert known.counts[place] == pytest.approx(PRIOR_DOCUMENTS * (1 - (1 - 0.00004) ** 300))
    bee, time = known.idf(ENGLISH(["bee", "time"]))
    assert bee > time


def test_without_a_word_list_all_words_are_equally_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    known = Frequencies.prior(ENGLISH)
    assert known.documents == PRIOR_DOCUMENTS
    assert np.ptp(known.idf(ENGLISH(["bee", "time"]))) == 0


def test_examples_teach_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    # All examples say "bee", one says "honey": under "known" honey weighs more, under "one" both the same.
    examples = [Text.of("bee tree"), Text.of("bee stone"), Text.of("bee honey")]
    spans = np.array([[0, 1], [1, 2]], np.int32)
    for idf, honey_is_more in (("one", False), ("known", True), ("crawl", True)):
        model = make_model(material_of(topic(relevance={"idf": idf}), unlabelled=examples))
        bee, honey = model.score(Text.of("bee honey"), spans)
        assert bool(honey > bee + 0.01) is honey_is_more
