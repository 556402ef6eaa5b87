"""Scores from arrays against scikit-learn's own, and formulas against cases worked by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC

from honeyguide.page.spans import spans
from honeyguide.page.url_words import url_words
from honeyguide.relevance.base import Relevance, keyword_scores, whole
from honeyguide.relevance.checked import checked_model
from honeyguide.relevance.classifiers import backprop, fit, weighing
from honeyguide.relevance.classifiers.backprop import fit_layers
from honeyguide.relevance.classifiers.bayes import KernelBayes
from honeyguide.relevance.classifiers.features import Features, count_matrix, learn_features
from honeyguide.relevance.classifiers.fields import Fields
from honeyguide.relevance.classifiers.linear import Linear, LinearVote
from honeyguide.relevance.classifiers.neural import Neural
from honeyguide.relevance.classifiers.vote import Vote
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.pu.oneclass import OneClassSVM
from honeyguide.relevance.pu.wvc import PEBL, WVC
from honeyguide.relevance.registry import model_named
from honeyguide.relevance.selection import chi_squared, information_gain
from honeyguide.relevance.taught import Taught
from honeyguide.relevance.text import Text, Tokenizer, Tokens

from .corpus import BEES, TRAINS, material, texts

ENGLISH = Tokenizer("english")


def tokens(of: list[Text]) -> list[Tokens]:
    return [text.tokens(ENGLISH) for text in of]


POSITIVE, NEGATIVE = tokens(texts(BEES, 30, 1)), tokens(texts(TRAINS, 60, 2))
LABELS = np.arange(90) < 30
NEW = [*texts(BEES, 10, 5), *texts(TRAINS, 10, 6)]


def features(*words: str, idf: list[float]) -> Features:
    order = np.argsort(ENGLISH(words))
    return Features("english", ENGLISH(words)[order], np.array(idf)[order])


def in_order(values: list[float], *words: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Values of words, as the features of the same words have them."""
    return np.array(values)[np.argsort(ENGLISH(words))]


def score(model: Relevance, text: str) -> float:
    return float(model.score(Text.of(text), whole(Text.of(text)))[0])


# ---- against scikit-learn ----


@pytest.mark.parametrize(
    ("make", "svm", "unit"),
    [
        (fit.fit_svm, LinearSVC(random_state=0), True),
        (partial(fit.fit_rbf, cost=2.0, gamma=0.5), SVC(C=2.0, gamma=0.5), True),
        (partial(fit.fit_svm, unit=False), LinearSVC(random_state=0, max_iter=20_000), False),
    ],
    ids=["linear", "rbf", "of any length"],
)
def test_svm_probabilities_are_those_of_scikit_learn(make: Any, svm: Any, unit: bool) -> None:
    known, vectors = learn_features([*POSITIVE, *NEGATIVE], LABELS, "english", chi_squared, 2000, unit=unit)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    theirs = CalibratedClassifierCV(svm, cv=folds, ensemble=False).fit(vectors, LABELS)
    ours = make(POSITIVE, NEGATIVE, "english", 0.5)
    new = _vectors(known, NEW)
    expected = theirs.predict_proba(new)[:, 1]
    assert [ours.score(text, whole(text))[0] for text in NEW] == pytest.approx(expected.tolist(), abs=1e-9)
    assert expected.min() < 0.2
    assert expected.max() > 0.8


def _vectors(known: Features, of: list[Text]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Vectors in the plainest way."""
    rows = []
    for text in of:
        found = text.tokens(ENGLISH).tolist()
        row = np.array([found.count(int(term)) for term in known.terms]) * known.idf
        rows.append(row / (np.linalg.norm(row) or 1.0) if known.unit else row)
    return np.array(rows)


def test_weights_as_they_are() -> None:
    # "bee bee hive" with idf 1 and 2 is (2, 2): margin 3 · 2 - 1 · 2 + 0.5. Of length 1 it would be √2 + 0.5.
    known = replace(features("bee", "hive", idf=[1.0, 2.0]), unit=False)
    model = Linear(known, in_order([3.0, -1.0], "bee", "hive"), 0.5, -2.0, 0.25, 0.5)
    assert score(model, "bee bee hive") == pytest.approx(1 / (1 + exp(-2.0 * 4.5 + 0.25)))
    assert score(model, "stone") == 0.0


@pytest.mark.parametrize("name", ["svm", "bayes", "vote"])
def test_a_topic_can_ask_for_weights_as_they_are(name: str) -> None:
    given = Material(positive=texts(BEES, 6, 1), negative=texts(TRAINS, 12, 2))
    usual, other = (model_named(spec).fit(given, 0.5) for spec in (name, f"{name}(unit=false)"))
    assert [usual.score(text, whole(text))[0] for text in NEW] != [other.score(text, whole(text))[0] for text in NEW]


def test_the_kernel_is_chosen_on_texts_that_were_held_out() -> None:
    _, vectors = learn_features([*POSITIVE, *NEGATIVE], LABELS, "english", chi_squared, 2000)
    chosen = fit.fit_rbf(POSITIVE, NEGATIVE, "english", 0.5)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    precision = {
        (cost, gamma): average_precision_score(
            LABELS, cross_val_predict(SVC(C=cost, gamma=gamma), vectors, LABELS, cv=folds, method="decision_function")
        )
        for cost in (1.0, 10.0, 100.0)
        for gamma in (0.1, 0.3, 1.0, 3.0)
    }
    best = max(precision, key=lambda pair: precision[pair])
    same = fit.fit_rbf(POSITIVE, NEGATIVE, "english", 0.5, *best)
    assert chosen.gamma == best[1]
    assert chosen.dual.tolist() == same.dual.tolist()


def test_the_judges_perceptron_is_that_of_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Watched(MLPClassifier):  # type: ignore[misc] # scikit-learn has no types
        def fit(self, *arguments: Any) -> Any:
            made.append(self)
            return super().fit(*arguments)

    monkeypatch.setattr(fit, "MLPClassifier", Watched)
    ours = fit.fit_vote(POSITIVE, NEGATIVE, "english", 0.5).models[2]
    assert isinstance(ours, Neural)
    expected = made[0].predict_proba(_vectors(ours.features, NEW))[:, 1]
    assert [ours.score(text, whole(text))[0] for text in NEW] == pytest.approx(expected.tolist(), abs=1e-9)
    assert expected.min() < 0.3
    assert expected.max() > 0.5


def test_inputs_of_the_perceptron_are_scaled_as_on_the_examples() -> None:
    known, vectors = learn_features([*POSITIVE, *NEGATIVE], LABELS, "english", information_gain, 30)
    ours = fit.fit_neural(POSITIVE, NEGATIVE, "english", 0.5, terms=30)
    assert ours.hidden.shape == (30, 6)  # a fifth as many nodes
    dense = vectors.toarray()
    low, high = dense.min(axis=0), dense.max(axis=0)
    layers = fit_layers(2 * (dense - low) / (high - low) - 1, LABELS, 6)
    new = 2 * (_vectors(known, NEW) - low) / (high - low) - 1
    expected = expit(expit(new @ layers.hidden + layers.hidden_bias) @ layers.out + layers.out_bias)
    assert [ours.score(text, whole(text))[0] for text in NEW] == pytest.approx(expected.tolist(), abs=1e-9)
    assert expected[:10].min() > 0.5 > expected[10:].max()


def test_a_step_of_back_propagation_goes_down_the_squared_error(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, wanted = np.array([[1.0, -1.0], [0.5, 0.2], [-1.0, 0.3]]), np.array([True, False, True])

    def error(*layers: Any) -> float:
        hidden, hidden_bias, out, out_bias = layers
        return float(np.mean((expit(expit(inputs @ hidden + hidden_bias) @ out + out_bias) - wanted) ** 2) / 2)

    monkeypatch.setattr(backprop, "EPOCHS", 0)
    before = fit_layers(inputs, wanted, 2)
    monkeypatch.setattr(backprop, "EPOCHS", 1)  # three texts are one batch
    after = fit_layers(inputs, wanted, 2)
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        for index in np.ndindex(old.shape):
            nudged = [layer.copy() for layer in before]
            nudged[place][index] += 1e-6
            slope = (error(*nudged) - error(*before)) / 1e-6
            assert new[index] - old[index] == pytest.approx(-0.3 * slope, abs=1e-6)


@pytest.mark.parametrize(
    ("make", "estimator"),
    [(fit.fit_wvc, WVC(min_count=2)), (fit.fit_pebl, PEBL(min_count=2)), (fit.fit_one_class, OneClassSVM(min_count=2))],
    ids=["wvc", "pebl", "one-class"],
)
def test_votes_are_those_of_the_estimators(make: Any, estimator: Any) -> None:
    counts, terms = count_matrix([*POSITIVE, *NEGATIVE])
    estimator.fit(counts, LABELS.astype(int))
    ours = make(POSITIVE, NEGATIVE, "english", 0.5)
    rows = np.array([[text.tokens(ENGLISH).tolist().count(int(term)) for term in terms] for text in NEW])
    scores = np.array([ours.score(text, whole(text))[0] for text in NEW])
    assert (scores > 0.5).tolist() == (estimator.predict(rows) == 1).tolist()
    # The score is half the priority, and a half more for what is relevant.
    assert (scores * 2 - (scores > 0.5)).tolist() == pytest.approx(estimator.priority(rows).tolist(), abs=1e-12)


# ---- by hand ----


def test_a_linear_score() -> None:
    # "bee bee hive" with idf 1 and 2 is (2, 2), of length 1: (1, 1)/√2. Margin 3/√2 - 1/√2 + 0.5 = √2 + 0.5.
    model = Linear(features("bee", "hive", idf=[1.0, 2.0]), in_order([3.0, -1.0], "bee", "hive"), 0.5, -2.0, 0.25, 0.5)
    assert score(model, "bee bee hive tree") == pytest.approx(1 / (1 + exp(-2 * (sqrt(2) + 0.5) + 0.25)))
    assert score(model, "tree") == 0.0


def test_a_weighted_vote() -> None:
    # x of "bee" is 1. Margins: 1 - 0.5 = 0.5 (yes) and -1 + 0 = -1 (no); votes 0.6 - 0.4 > 0: relevant.
    # Priority 0.6/(1+e^-0.5) + 0.4/(1+e) = 0.48; the score is half of that and a half.
    weights = np.array([[1.0], [-1.0]])
    model = LinearVote(features("bee", idf=[1.0]), weights, np.array([-0.5, 0.0]), np.array([0.6, 0.4]), 0.5)
    priority = 0.6 / (1 + exp(-0.5)) + 0.4 / (1 + exp(1))
    assert score(model, "bee") == pytest.approx(0.5 + priority / 2)
    # With the votes turned round it is not: 0.4 - 0.6 < 0.
    other = LinearVote(features("bee", idf=[1.0]), weights, np.array([-0.5, 0.0]), np.array([0.4, 0.6]), 0.5)
    assert score(other, "bee") == pytest.approx((0.4 / (1 + exp(-0.5)) + 0.6 / (1 + exp(1))) / 2)


def test_a_perceptron() -> None:
    # x = 1; hidden: s(2 - 1) and s(0 + 0); out: s(s(1) - 2·s(0) + 0.5).
    def s(z: float) -> float:
        return 1 / (1 + exp(-z))

    hidden = np.array([[2.0, 0.0]])
    model = Neural(features("bee", idf=[1.0]), hidden, np.array([-1.0, 0.0]), np.array([1.0, -2.0]), 0.5, 0.5)
    assert score(model, "bee bee") == pytest.approx(s(s(1) - 2 * s(0) + 0.5))


def test_kernel_densities() -> None:
    # One term. Positive values 0.8 and 1, negative 0 and 0 and 0.2. Values 0, 0.2, 0.8, 1: three gaps, step 1/3.
    # Width of the positive class (1 - 0.8)/√2 = 0.1414, of the negative 0.2/√3 = 0.1155; a sixth of the step is less.
    # A text with the term alone has x = 1. Mass within 1/6 of it, of each curve:
    positive, negative = np.array([[0.8], [1.0]]), np.array([[0.0], [0.0], [0.2]])

    def mass(values: list[float], width: float) -> float:
        return float(np.mean([ndtr((1 + 1 / 6 - v) / width) - ndtr((1 - 1 / 6 - v) / width) for v in values]))

    odds = 2 / 3 * mass([0.8, 1.0], 0.2 / sqrt(2)) / mass([0.0, 0.0, 0.2], 0.2 / sqrt(3))
    model = KernelBayes(features("bee", idf=[1.0]), positive, negative, 0.5)
    assert score(model, "bee") == pytest.approx(odds / (1 + odds))


def test_kernel_densities_of_absent_terms_count() -> None:
    # The second term stands in every positive text and in no negative one: a text without it is rather negative.
    positive = np.array([[0.6, 0.8], [0.8, 0.6], [0.7, 0.7]])
    negative = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    order = np.argsort(ENGLISH(["bee", "hive"]))
    model = KernelBayes(features("bee", "hive", idf=[1.0, 1.0]), positive[:, order], negative[:, order], 0.5)
    assert score(model, "bee") < 0.1
    assert score(model, "bee hive") > 0.9


def test_two_of_three_decide() -> None:
    class Says:
        threshold = 0.5

        def __init__(self, value: float) -> None:
            self.value = value

        def score(self, _text: Text, of: Any) -> Any:
            return np.full(len(of), self.value)

    assert score(Vote([Says(0.9), Says(0.2), Says(0.6)], 0.5), "bee") == 0.6
    assert score(Vote([Says(0.9), Says(0.2), Says(0.4)], 0.5), "bee") == 0.4


def test_features_are_the_terms_that_tell_classes_apart() -> None:
    # "bee" is in all positive texts and no other; "hive" in half of each; "tree" in all.
    documents = [ENGLISH(text.split()) for text in ("bee hive tree", "bee tree", "hive tree", "tree")]
    known, vectors = learn_features(documents, np.array([True, True, False, False]), "english", chi_squared, 1)
    assert known.terms.tolist() == ENGLISH(["bee"]).tolist()
    assert known.idf.tolist() == pytest.approx([log(2)])
    assert vectors.toarray().ravel().tolist() == [1.0, 1.0, 0.0, 0.0]


def test_products_with_a_matrix_have_a_row_a_span() -> None:
    known = features("bee", "hive", idf=[1.0, 1.0])
    text = Text.of("tree bee hive tree")
    found = known.vectors(text, spans([(0, 1), (0, 2), (3, 4), (1, 3)]))
    matrix = in_order([1.0, 3.0], "bee", "hive").reshape(2, 1) * [[1.0, 10.0]]
    half = 4 / sqrt(2)
    expected = [0, 0, 1, 10, 0, 0, half, 10 * half]
    assert found.times(matrix).ravel().tolist() == pytest.approx(expected)


def test_examples_are_told_apart_by_all() -> None:
    # A perceptron that stops at once, or a Bayes that knows one class only, would not.
    for name in ("svm", "bayes", "mlp", "vote", "rbf"):
        model = make_model(material(relevance={"model": name}))
        said = [model.score(text, whole(text))[0] >= model.threshold for text in NEW]
        assert sum(said[:10]) >= 9, name
        assert sum(said[10:]) <= 1, name


# ---- text, title and address ----


def _named(of: list[str], number: int, seed: int) -> list[Text]:
    """Texts that have titles and addresses; those of one seed differ only in their text."""
    kind = "Hive" if of is BEES else "Rail"
    made = texts(of, number, seed)
    return [Text(text.words, f"http://a.example/{kind}-notes/{i}", f"{kind} report {i}") for i, text in enumerate(made)]


@pytest.mark.parametrize("shares", [(0.0, 1.0, 0.5, 0.5), (1.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.5, 0.5)])
def test_a_mixture_is_a_logistic_regression_on_vectors_of_length_one(shares: tuple[float, ...]) -> None:
    # Each kind by itself: f · ln(N / n) or log(1 + f) · ln(N / n), of length 1, times its share; one regression on all.
    # In titles and addresses a word that no example has is as rare as the rarest, ln N, and adds to the length alone.
    positive, negative = _named(BEES, 12, 1), _named(TRAINS, 24, 2)
    documents, is_positive = [*positive, *negative], np.arange(36) < 12
    ways: tuple[Callable[[Text], Tokens], ...] = (
        lambda text: text.tokens(ENGLISH),
        lambda text: text.tokens(ENGLISH),
        lambda text: Text.of(text.title).tokens(ENGLISH),
        lambda text: Text(url_words("://" + text.url.split("/", 3)[3])).tokens(ENGLISH),
    )

    def vectors(of: list[Text]) -> Any:
        blocks = []
        for kind, (way, share) in enumerate(zip(ways, shares, strict=True)):
            learnt = [way(text).tolist() for text in documents]
            terms = sorted({term for found in [*learnt, *(way(text).tolist() for text in of)] for term in found} - {0})
            frequencies = np.array([sum(term in found for found in learnt) for term in terms])
            rare = np.where(frequencies == 0, 0.0 if kind < 2 else log(36), 0.0)
            idf = np.where(frequencies == 0, rare, np.log(36 / np.maximum(frequencies, 1)))
            counts = np.array([[way(text).tolist().count(term) for term in terms] for text in of])
            rows = (counts if kind == 0 else np.log1p(counts)) * idf
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
            blocks.append((share * rows / np.where(lengths, lengths, 1.0))[:, frequencies > 0])
        return np.hstack(blocks)

    theirs = LogisticRegression(C=10.0, class_weight="balanced", max_iter=10_000, tol=1e-10)
    theirs.fit(vectors(documents), is_positive)
    ours = fit.fit_fields(positive, negative, "english", 0.5, {"only": (*shares, 0.0, 0.0)})
    new = [*_named(BEES, 4, 5), *_named(TRAINS, 4, 6)]
    new.append(Text(new[0].words, "http://a.example/Hive-notes/unheard/of", "A Hive that nobody reported"))
    assert ours.mixtures[0].weight == 1.0
    expected = theirs.decision_function(vectors(new))
    found = logit([ours.score(text, whole(text))[0] for text in new])
    slope, offset = np.polyfit(expected, found, 1)  # the margins are calibrated: another scale, the same ranking
    assert slope > 0
    assert found.tolist() == pytest.approx((slope * expected + offset).tolist(), abs=1e-4)
    assert found[:4].min() > 1
    assert found[4:8].max() < -1


def _margin(model: Fields, text: Text) -> float:
    """The score of a whole text before calibration."""
    return float(-(logit(model.score(text, whole(text))[0]) + model.offset) / model.slope)


def test_a_model_is_the_weighted_mean_of_its_mixtures() -> None:
    # Each in units of the standard deviation of its margins, which is what a mixture by itself is calibrated from.
    positive, negative = _named(BEES, 6, 1), _named(TRAINS, 12, 2)
    mixtures = {"short": (0.0, 0.2, 0.0, 0.0, 0.0, 0.0), "long": (3.0, 0.0, 2.0, 0.0, 1.0, 0.0)}
    model = fit.fit_fields(positive, negative, "english", 0.5, mixtures)
    alone = [fit.fit_fields(positive, negative, "english", 0.5, {name: mixtures[name]}) for name in mixtures]
    weights = [mixture.weight for mixture in model.mixtures]
    assert min(weights) > 0.05

    new = [*_named(BEES, 3, 5), *_named(TRAINS, 3, 6)]
    for one in alone:
        assert np.std([_margin(one, text) for text in new]) == pytest.approx(1.5, abs=0.6)  # with blank ones: 1
    for text in new:
        mean = sum(weight * _margin(one, text) for weight, one in zip(weights, alone, strict=True))
        assert _margin(model, text) == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("is_keywords", [False, True])
def test_likeness_is_the_cosine_with_the_mean_of_the_positive_examples_or_with_the_keywords(is_keywords: bool) -> None:
    # Of two regressions on the same vectors, one goes with the likeness. What is left of it without the regression is
    # the cosine of all words of a text, each as often as it occurs, with the mean of the examples' vectors of length 1,
    # or the root of that with the keywords, one of which is in no example.
    positive, negative = _named(BEES, 8, 1), _named(TRAINS, 16, 2)
    keywords = Text.of("Honey, honey, bees and mead")
    shares = (0.0, 1.0, 0.0, 0.0)
    without, like = (
        fit.fit_fields(positive, negative, "english", 0.5, {"": (*shares, *ends)}, keywords)
        for ends in ((0.0, 0.0), (0.0, 1.0) if is_keywords else (1.0, 0.0))
    )
    new = [*_named(BEES, 4, 5), *_named(TRAINS, 4, 6)]
    new.append(Text([*new[0].words, "unheard", "unheard", "of"], "", ""))
    new.append(Text([*new[0].words, "mead", "mead"], "", ""))
    examples = [keywords] if is_keywords else positive

    def cosine(text: Text) -> float:
        bags = [Counter(one.tokens(ENGLISH)[one.tokens(ENGLISH) != 0].tolist()) for one in (text, *examples)]
        own, *others = [
            {term: count / sqrt(sum(n * n for n in bag.values())) for term, count in bag.items()} for bag in bags
        ]
        found = sum(value * other.get(term, 0.0) for term, value in own.items() for other in others) / len(others)
        return sqrt(found) if is_keywords else found

    sides = np.array([[1.0, _margin(without, text), cosine(text)] for text in new])
    found = np.array([_margin(like, text) for text in new])
    (_, of_regression, of_cosine), *_ = np.linalg.lstsq(sides, found)
    assert of_regression > 0
    assert of_cosine > 0
    fitted = sides @ np.linalg.lstsq(sides, found)[0]
    assert found.tolist() == pytest.approx(fitted.tolist(), abs=1e-6)


@pytest.mark.parametrize("keywords", ["", "zither", "the and of"])
def test_keywords_that_no_example_has_change_nothing(keywords: str) -> None:
    positive, negative = _named(BEES, 6, 1), _named(TRAINS, 12, 2)
    without = fit.fit_fields(positive, negative, "english", 0.5)
    model = fit.fit_fields(positive, negative, "english", 0.5, keywords=Text.of(keywords))
    assert not any(mixture.has_keywords for mixture in model.mixtures)
    text = Text([*_named(BEES, 1, 5)[0].words, "zither", "zither"])
    assert model.score(text, whole(text)) == without.score(text, whole(text))
    anchors = spans([(0, 1), (len(text) - 1, len(text))])
    assert model.keyword_scores(text, anchors).tolist() == [0.0, float(keywords == "zither")]


def test_keywords_count_on_a_page_and_by_themselves_but_not_in_its_parts() -> None:
    positive, negative = _named(BEES, 6, 1), _named(TRAINS, 12, 2)
    shares = (0.0, 1.0, 0.0, 0.0, 0.0)
    without, model = (
        fit.fit_fields(positive, negative, "english", 0.5, {"": (*shares, of_topic)}, Text.of("honey hive"))
        for of_topic in (0.0, 1.0)
    )
    text = Text("honey hive station honey station".split())
    parts = spans([(0, 2), (2, 3), (3, 5), (0, 0)])
    assert _margin(model, text) > _margin(without, text) + 1
    # The same words before calibration: their probabilities differ by the scale alone.
    ours, theirs = (logit(one.score(text, parts)[:3]) for one in (model, without))
    assert np.corrcoef(ours, theirs)[0, 1] == pytest.approx(1.0, abs=1e-9)
    assert model.keyword_scores(text, parts).tolist() == pytest.approx([1.0, 0.0, 0.5, 0.0])
    assert model.keyword_scores(text, whole(text)) == pytest.approx([3 / sqrt(18)])
    # In an anchor they say as much where they tell no page from another.
    assert without.trust == 0
    assert without.keyword_scores(text, parts).tolist() == pytest.approx([1.0, 0.0, 0.5, 0.0])
    for outer in (Taught(model, model, 0.5, 0.5), checked_model(model, "fields")):
        assert keyword_scores(outer, text, parts).tolist() == model.keyword_scores(text, parts).tolist()


def test_keywords_count_if_they_predict_held_out_examples() -> None:
    positive, negative = _named(BEES, 6, 1), _named(TRAINS, 12, 2)

    def share(keywords: str) -> float:
        model = fit.fit_fields(positive, negative, "english", 0.5, keywords=Text.of(keywords))
        return sum(mixture.weight for mixture in model.mixtures if mixture.has_keywords)

    assert share(" ".join(BEES)) > share(f"{BEES[0]} {TRAINS[0]}")


def test_a_mixture_that_puts_a_blank_page_between_both_kinds_has_less_weight() -> None:
    # All mixtures tell these examples apart. A regression by itself puts a page without any of their words in the
    # middle of both kinds; with the likeness, of which a blank page has none, it is nearer to the negative ones.
    model = fit.fit_fields(_named(BEES, 6, 1), _named(TRAINS, 6, 2), "english", 0.5)
    losses = {mixture.name: mixture.loss for mixture in model.mixtures}
    assert losses["damped, likeness"] < losses["damped"] - 0.01
    assert sum(mixture.weight for mixture in model.mixtures if mixture.is_like) > 0.6


def test_the_words_of_unknown_terms_add_to_the_length_alone() -> None:
    # Honey weighs 2, two unknown words 3 each: 2 / √(4 + 9 + 9). A text of unknown words only has no weight at all.
    features = Features("english", np.unique(ENGLISH(["honey"])), np.array([2.0]), unknown=3.0)
    vectors = features.vectors(Text(["honey", "wax", "comb"]), spans([(0, 3), (1, 3), (0, 1)]))
    assert vectors.count.tolist() == pytest.approx([2 / sqrt(22), 1.0])
    assert vectors.known.tolist() == [True, False, True]


def test_a_sigmoid_by_hand() -> None:
    # Two of each kind, told apart at ±1: Platt's targets are 3/4 and 1/4, log odds ±log 3. If the same four examples
    # have two margins each, they are still two of each kind.
    margins, truth = np.array([1.0, 1.0, -1.0, -1.0]), np.array([True, True, False, False])
    assert weighing.fit_sigmoid(margins, truth) == pytest.approx((log(3), 0.0), abs=1e-5)
    assert weighing.fit_sigmoid(np.tile(margins, 2), np.tile(truth, 2), 2) == pytest.approx((log(3), 0.0), abs=1e-5)
    # Margins that tell nothing: the log odds of the mean target.
    slope, offset = weighing.fit_sigmoid(np.zeros(4), truth)
    assert (slope, offset) == pytest.approx((0.0, 0.0))


def _telling(number: int, seed: int, of: list[str], *, in_title: bool) -> list[Text]:
    """Texts of both kinds of words, in which either the title or one frequent word says what they are about."""
    random = np.random.default_rng(seed)
    kind, other = ("hive", "rail") if of is BEES else ("rail", "hive")
    made = []
    for _ in range(number):
        words = random.choice([*BEES, *TRAINS], 40).tolist()
        title = kind if in_title else str(random.choice([kind, other]))
        if not in_title:
            words += [of[0]] * 15
        made.append(Text(words, "", f"About {title}"))
    return made


@pytest.mark.parametrize("in_title", [True, False])
def test_the_examples_decide_what_counts(in_title: bool) -> None:
    positive, negative = (_telling(15, seed, of, in_title=in_title) for seed, of in ((1, BEES), (2, TRAINS)))
    model = fit.fit_fields(positive, negative, "english", 0.5)
    named = sum(mixture.weight for mixture in model.mixtures if mixture.is_named)
    assert named > 0.95 if in_title else named < 0.5
    counted = sum(mixture.weight for mixture in model.mixtures if mixture.name.startswith("counted"))
    assert in_title or counted > 0.7  # that a word is frequent is seen best undamped
    assert sum(mixture.weight for mixture in model.mixtures) == pytest.approx(1)
    # Weights are as exp(-n · loss), n texts and n blank pages; those below a hundredth are left out.
    shown = [mixture for mixture in model.mixtures if mixture.weight]
    ratios = [log(mixture.weight / shown[0].weight) + 60 * (mixture.loss - shown[0].loss) for mixture in shown]
    assert ratios == pytest.approx([0.0] * len(shown), abs=1e-6)
    new = [text for seed, of in ((5, BEES), (6, TRAINS)) for text in _telling(10, seed, of, in_title=in_title)]
    said = [model.score(text, whole(text))[0] >= 0.5 for text in new]
    assert sum(said[:10]) >= 9
    assert sum(said[10:]) <= 1


def test_title_and_address_count_for_whole_pages_only() -> None:
    model = fit.fit_fields(_named(BEES, 12, 1), _named(TRAINS, 24, 2), "english", 0.5)
    words = [*texts(BEES, 1, 7)[0].words[:6], *texts(TRAINS, 1, 7)[0].words[:6]]
    plain, hive, rail = (
        Text(words, *named) for named in ((), ("http://b.example/Hive", "Hive"), ("http://b.example/Rail", "Rail"))
    )
    scores = [model.score(text, whole(text))[0] for text in (rail, plain, hive)]
    assert scores == sorted(scores)
    assert scores[2] > scores[0] + 0.1
    part = spans([(0, 4)])
    assert len({model.score(text, part)[0] for text in (rail, plain, hive)}) == 1
    names = Text.of("Hive Rail nothing")
    for judge in (model.titles, model.addresses):
        one, other, neither = judge(names, spans([(0, 1), (1, 2), (2, 3)])).tolist()
        assert one > other > neither == 0
