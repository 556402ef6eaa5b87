"""From a topic to its model: which there are, which suits a topic, and how each is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.genre import genre
from honeyguide.relevance.learning import OnlineIdf, PUBootstrap
from honeyguide.relevance.text import Form, Text, Tokenizer, Tokens, counted
from honeyguide.relevance.vsm import Vsm
from honeyguide.topic import Topic

MODELLED = ("keywords", "description", "examples", "terms", "relevance")
"""The parts of a topic that decide its model."""

ENOUGH = 5
"""From so many examples on a classifier can be learnt."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a model is made from: the topic, and the texts of its examples."""

    topic: Topic
    positive: Sequence[Text] = ()
    negative: Sequence[Text] = ()
    unlabelled: Sequence[Text] = ()
    tokenizer: Tokenizer = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokenizer", Tokenizer(self.language))

    @property
    def language(self) -> str:
        """The language of the topic's words."""
        return self.topic.relevance.language

    def words(self) -> Text:
        """The words of keywords and description."""
        return Text.of(*self.topic.keywords, self.topic.description)

    def tokens(self, texts: Sequence[Text]) -> list[Tokens]:
        """The stems of each text."""
        return [text.tokens(self.tokenizer) for text in texts]

    def frequencies(self, form: Form = Form.STEM) -> Frequencies:
        """How common words are, as far as is known before the crawl."""
        if self.topic.relevance.idf == "one":
            return Frequencies.none()
        tokenizer = Tokenizer(self.language, form)
        examples = (*self.positive, *self.negative, *self.unlabelled)
        return Frequencies.prior(tokenizer).seeing(text.tokens(tokenizer) for text in examples)


@dataclass(frozen=True, slots=True)
class Model:
    """One way to make a model."""

    name: str
    source: str
    """What it does and where it comes from, in a few words."""
    threshold: float
    """Where neither the topic nor training sets one."""
    make: Callable[[Material, float], Relevance]
    """From what there is, and a threshold. Raises `InputError` when something is missing."""
    tuned: bool = True
    """Whether the threshold is for training to choose; else the method has its own."""


# ---- similarity ----


def _vsm(material: Material, threshold: float) -> Relevance:
    """The topic's vector: keywords and description as one text, and the mean of the examples (after Rocchio)."""
    frequencies = material.frequencies()
    texts = [material.words(), *material.positive]
    vectors = [counted(tokens) for tokens in material.tokens(texts)]
    if not sum(len(terms) for terms, _ in vectors):
        raise InputError("keywords", "only words that say nothing", "name the things that the topic is about")
    shares = [1.0, *(1 / len(material.positive) for _ in material.positive)]
    weights = np.concatenate(
        [
            share * counts / max(float(np.linalg.norm(counts)), 1.0)
            for share, (_, counts) in zip(shares, vectors, strict=True)
        ]
    )
    terms, place = np.unique(np.concatenate([found for found, _ in vectors]), return_inverse=True)
    model = Vsm(material.language, terms, np.bincount(place, weights).astype(float), frequencies, threshold)
    return OnlineIdf(model, threshold) if material.topic.relevance.idf == "crawl" else model


def _ssrm(material: Material, threshold: float) -> Relevance:
    from honeyguide.relevance.semantic import make  # noqa: PLC0415 (needs WordNet, or an extra)

    return make.ssrm(material.words(), material.language, threshold, **_semantics(material))


def _ssvsm(material: Material, threshold: float) -> Relevance:
    from honeyguide.relevance.semantic import make  # noqa: PLC0415 (needs WordNet, or an extra)

    pairs = material.topic.relevance.pairs
    return make.ssvsm(material.words(), material.language, threshold, pairs=pairs, **_semantics(material))


def _semantics(material: Material) -> dict[str, Any]:
    """How near two words are, as the topic asks for it."""
    asked = material.topic.relevance
    return {
        "similarity": asked.similarity,
        "cutoff": asked.cutoff,
        "wordnet": asked.wordnet,
        "frequencies": material.frequencies(),
    }


def _embedding(material: Material, threshold: float) -> Relevance:
    from honeyguide.relevance.semantic import make  # noqa: PLC0415 (needs an extra)

    return make.embedding(material.words(), material.language, threshold, frequencies=material.frequencies())


# ---- classifiers ----


def _labelled(fit: str, material: Material, threshold: float) -> Relevance:
    _demand_both(material)
    return _fitted(fit, material.tokens(material.positive), material.tokens(material.negative), material, threshold)


def _fields(material: Material, threshold: float) -> Relevance:
    from honeyguide.relevance.classifiers.fit import fit_fields  # noqa: PLC0415 (scikit-learn takes a second)

    _demand_both(material)
    return fit_fields(material.positive, material.negative, material.language, threshold)


def _demand_both(material: Material) -> None:
    """A classifier needs examples of both kinds."""
    for kind, texts in (("positive", material.positive), ("negative", material.negative)):
        if len(texts) < 2:
            problem = f"the model needs at least 2 {kind} examples, and there are {len(texts)}"
            raise InputError(f"examples.{kind}", problem, "name more pages, or choose another relevance.model")


def _unlabelled(fit: str, tuned: bool, material: Material, threshold: float) -> Relevance:
    """Negative examples, where there are some, join the unlabelled: the method asks no more of those."""
    if not material.positive:
        problem = "the model learns from pages about the topic, and none is named"
        raise InputError("examples.positive", problem, "name some pages, or choose another relevance.model")
    positive, others = material.tokens(material.positive), material.tokens([*material.negative, *material.unlabelled])
    if others:
        return _fitted(fit, positive, others, material, threshold)
    interim = _vsm(material, _interim_threshold(material))
    ends = np.cumsum([len(tokens) for tokens in positive])
    return PUBootstrap(interim, fit, material.language, np.concatenate(positive), ends, tuned, threshold)


def _interim_threshold(material: Material) -> float:
    """For the examples alone, by what they score when they are held back."""
    from honeyguide.relevance.validation import best_threshold, columns, cross_validate  # noqa: PLC0415 (scipy)

    own = MODELS["vsm"].threshold
    if len(material.positive) < 2:
        return own
    verdicts = cross_validate(material.positive, (), lambda texts, _: _vsm(replace(material, positive=texts), own))
    return min(max(best_threshold(*columns(verdicts), labelled=False), 0.01), 0.99)


def _fitted(fit: str, positive: list[Tokens], others: list[Tokens], material: Material, threshold: float) -> Relevance:
    from honeyguide.relevance.classifiers import fit as fitting  # noqa: PLC0415 (scikit-learn takes a second)

    fitted: Relevance = getattr(fitting, fit)(positive, others, material.language, threshold)
    return fitted


def _classifier(name: str, source: str, fit: str) -> Model:
    """A model that learns to tell positive from negative examples."""
    return Model(name, source, 0.5, partial(_labelled, fit))


def _pu(name: str, source: str, fit: str, *, tuned: bool = False) -> Model:
    """A model that learns from positive and unlabelled examples, by a vote that has its own threshold."""
    return Model(name, source, 0.5, partial(_unlabelled, fit, tuned), tuned)


MODELS: Mapping[str, Model] = MappingProxyType(
    {
        model.name: model
        for model in (
            Model("vsm", "cosine with keywords, description and examples", 0.15, _vsm),
            Model("ssrm", "mean similarity of all pairs of words (SSRM)", 0.255, _ssrm),
            Model("ssvsm", "cosine over pairs of words, by their meaning (SSVSM)", 0.295, _ssvsm),
            Model("embedding", "cosine of embeddings", 0.165, _embedding),
            Model("genre", "terms of a kind of page, of a subject and of addresses (genre-aware)", 0.45, genre),
            Model("fields", "logistic regression on text, title and address", 0.5, _fields),
            _classifier("svm", "linear SVM with a probability (OTIE)", "fit_svm"),
            _classifier("bayes", "naive Bayes with kernel densities (OTIE)", "fit_bayes"),
            _classifier("mlp", "perceptron on the terms of most gain (BTW)", "fit_neural"),
            _classifier("vote", "two of three of SVM, Bayes and perceptron (OTIE)", "fit_vote"),
            _classifier("rbf", "SVM with an RBF kernel (baseline)", "fit_rbf"),
            _pu("votes", "weighted votes of SVMs on TFIDF (after CBP-SLC)", "fit_votes", tuned=True),
            _pu("wvc", "weighted votes of SVMs on TFIPNDF (CBP-SLC)", "fit_wvc"),
            _pu("pebl", "the last SVM of the same rounds (baseline)", "fit_pebl"),
            _pu("one-class", "one-class SVM (baseline)", "fit_one_class"),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A model for a topic, and the reason."""

    model: Model
    reason: str


def choose(material: Material) -> Choice:
    """The model that the topic asks for; for "auto" the one that suits what there is."""
    topic = material.topic
    if topic.relevance.model != "auto":
        return Choice(MODELS[topic.relevance.model], "the topic asks for it")
    if own := _model_of_strategy(topic):
        return Choice(MODELS[own], "the strategy is defined with it")
    if topic.terms.genre or topic.terms.content:
        return Choice(MODELS["genre"], "the topic gives terms")
    positive, negative = len(material.positive), len(material.negative)
    if positive >= ENOUGH and negative >= ENOUGH:
        return Choice(MODELS["fields"], f"there are {positive} positive and {negative} negative examples")
    if positive >= ENOUGH:
        against = "the unlabelled ones" if material.unlabelled else "the crawl's first pages"
        return Choice(MODELS["votes"], f"there are {positive} positive examples, to set against {against}")
    if positive:
        return Choice(MODELS["vsm"], f"there are too few examples to learn from ({positive} of {ENOUGH})")
    return Choice(MODELS["vsm"], "there are words and no examples")


def _model_of_strategy(topic: Topic) -> str:
    """The model that a strategy is defined with; "" for one that goes with any."""
    from honeyguide.strategy.registry import strategy_named  # noqa: PLC0415 (strategies are made of models' scores)

    return strategy_named(topic.strategy.name).recipe.model


def make_model(material: Material, threshold: float = 0.0) -> Relevance:
    """The model of a topic. The threshold is the topic's, else the one given, else the model's own."""
    model = choose(material).model
    return model.make(material, material.topic.relevance.threshold or threshold or model.threshold)
