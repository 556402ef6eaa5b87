"""Sums over spans by prefix sums, against the plainest way: a bag of words for each span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from math import log1p, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import whole
from honeyguide.relevance.classifiers.features import Features
from honeyguide.relevance.classifiers.fields import FieldPart
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.span_sums import TermPositions, damped, damped_squared, squared
from honeyguide.relevance.text import NOTHING, Text, Tokenizer, Tokens
from honeyguide.relevance.vsm import Vsm

tokens = st.lists(st.integers(0, 6), max_size=60).map(lambda values: np.array(values, np.uint32))
WEIGHT = {token: 0.37 * token - 1.1 for token in range(1, 7)}
LARGEST = max(map(abs, WEIGHT.values()))


@st.composite
def texts_and_spans(draw: st.DrawFn) -> tuple[Tokens, Spans]:
    text = draw(tokens)
    place = st.integers(0, len(text))
    chosen = draw(st.lists(st.tuples(place, place), max_size=20))
    return text, np.array(chosen, np.int32).reshape(-1, 2)


def by_bags(text: Tokens, spans: Spans, worth: Callable[[int], float]) -> list[float]:
    bags = (Counter(token for token in text[first:last].tolist() if token != NOTHING) for first, last in spans)
    return [sum(WEIGHT[token] * worth(count) for token, count in bag.items()) for bag in bags]


@given(texts_and_spans())
def test_sums_are_those_of_bags(case: tuple[Tokens, Spans]) -> None:
    text, spans = case
    found = TermPositions(text)
    weights = np.array([WEIGHT[token] for token in found.terms.tolist()])
    sums = found.within(spans)
    assert sums.sums(weights, LARGEST).tolist() == pytest.approx(by_bags(text, spans, float), abs=1e-9)
    worths = {squared: lambda n: float(n * n), damped: lambda n: log1p(n) / log1p(1)}
    worths[damped_squared] = lambda n: (log1p(n) / log1p(1)) ** 2
    for worth, plain in worths.items():
        expected = by_bags(text, spans, plain)
        assert sums.sums_of_counts(weights, LARGEST, worth).tolist() == pytest.approx(expected, abs=1e-9)


@given(tokens, tokens, tokens, st.permutations(range(60)))
def test_the_same_words_have_the_same_sum_wherever_they_stand(
    before: Tokens,
    text: Tokens,
    between: Tokens,
    shuffle: list[int],
) -> None:
    again = text[[place for place in shuffle if place < len(text)]]
    found = TermPositions(np.concatenate([before, text, between, again]))
    first, second = len(before), len(before) + len(text) + len(between)
    spans = np.array([(first, first + len(text)), (second, second + len(text))], np.int32)
    weights = np.array([WEIGHT[token] for token in found.terms.tolist()])
    for worth in (squared, damped, damped_squared):
        one, other = found.within(spans).sums_of_counts(weights, LARGEST, worth).tolist()
        assert one == other  # to the last bit: links that say the same must not differ in their order


def test_terms_and_counts() -> None:
    found = TermPositions(np.array([5, NOTHING, 3, 5, 9, 3, 5], np.uint32))
    assert found.terms.tolist() == [3, 5, 9]
    assert found.counts.tolist() == [2, 3, 1]
    assert found.position.tolist() == [0, 2, 3, 4, 5, 6]
    assert found.earlier.tolist() == [-1, -1, 0, -1, 1, 2]


WORDS = "honey bee comb queen wax swarm the of hive".split()


@given(st.lists(st.sampled_from(WORDS), max_size=80), st.data())
def test_models_score_spans_as_bags_are_scored(words: list[str], data: st.DataObject) -> None:
    """By prefix sums, and by the counts of a whole text, as by bags, which were worked out by hand for other tests."""
    place = st.integers(0, len(words))
    chosen = data.draw(st.lists(st.tuples(place, place).map(sorted), min_size=2, max_size=12))
    spans = np.array(chosen, np.int32)
    tokenizer = Tokenizer("english")
    terms = np.unique(tokenizer(WORDS[:6]))
    frequencies = Frequencies(terms, np.array([3.0, 1.0, 2.0, 5.0, 4.0, 2.0]), 9.0)
    idf, coef = np.linspace(0.2, 3.0, len(terms)), np.array([1.5, -2.0, 0.3, 0.0, -0.7, 2.2])
    vsm = Vsm.of(Text(["honey", "bee", "bee", "wax"]), "english", 0.5, frequencies)
    assert vsm.score(Text(words), spans).tolist() == pytest.approx(
        [float(vsm.score(Text(words), span.reshape(1, 2))[0]) for span in spans], abs=1e-9
    )
    idf[2] = 0.0  # a term of all examples
    for is_damped, unit, unknown in product((False, True), (False, True), (0.0, 2.5, 4.0)):
        features = Features("english", terms, idf, damped=is_damped, unit=unit, unknown=unknown)
        text, part = Text(words), FieldPart(features, coef)
        bags = [features.vectors(Text(words), span.reshape(1, 2)) for span in (*spans, *whole(text))]
        found, of_whole = part.margins(text, spans), part.margins(text, whole(text))
        margins, known = (np.concatenate(pair) for pair in zip(found, of_whole, strict=True))
        assert margins.tolist() == pytest.approx([float(bag.dot(coef)[0]) for bag in bags], abs=1e-9)
        assert known.tolist() == [bool(bag.known[0]) for bag in bags]


def test_a_cosine_by_hand() -> None:
    """Honey twice, bee once, a third word once: the topic is honey and bee, so 3 / (√(4 + 1 + 1) · √2)."""
    model = Vsm.of(Text(["honey", "bee"]), "english", 0.5)
    text = Text("wax honey bee comb honey swarm".split())
    spans = np.array([(1, 5), (0, 1), (3, 3)], np.int32)
    assert model.score(text, spans).tolist() == pytest.approx([3 / (sqrt(6) * sqrt(2)), 0.0, 0.0])
