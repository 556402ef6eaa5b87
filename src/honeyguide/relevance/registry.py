"""All relevance models by name: the ones here, and those that other packages bring.

A model of ours is one entry of `OWN`. What makes it is imported when it is asked for: scikit-learn takes a second.
"""

from __future__ import annotations

from collections.abc import Mapping

from honeyguide.errors import InputError
from honeyguide.plugins import Registry, deferred
from honeyguide.relevance.spec import EXPECTED, ModelSpec, read_specs

GROUP = "honeyguide.models"
"""Entry points of this group name a `ModelSpec`, several of them, or a class with a class method `fit`."""

AUTO = "auto"
"""Stands for the model that suits what a topic gives."""

_HERE = "honeyguide.relevance"


def _own(name: str, summary: str, threshold: float, path: str) -> ModelSpec:
    return ModelSpec(name, summary, threshold, deferred(f"{_HERE}.{path}"))


def _classifier(name: str, summary: str, fit: str) -> ModelSpec:
    """A model that learns to tell positive from negative examples."""
    return ModelSpec(name, summary, 0.5, deferred(f"{_HERE}.classifiers.make:labelled", fit))


def _pu(name: str, summary: str, fit: str, *, tuned: bool = False) -> ModelSpec:
    """A model that learns from positive and unlabelled examples, by a vote that has its own threshold."""
    return ModelSpec(name, summary, 0.5, deferred(f"{_HERE}.classifiers.make:unlabelled", fit, tuned), tuned)


OWN = (
    _own("vsm", "cosine with keywords, description and examples", 0.15, "make:vsm"),
    _own("ssrm", "mean similarity of all pairs of words (SSRM)", 0.255, "semantic.make:ssrm"),
    _own("ssvsm", "cosine over pairs of words, by their meaning (SSVSM)", 0.295, "semantic.make:ssvsm"),
    _own("embedding", "cosine of embeddings", 0.165, "semantic.make:embedding"),
    _own("genre", "terms of a kind of page, of a subject and of addresses (genre-aware)", 0.45, "genre:genre"),
    _own("fields", "logistic regression on text, title and address", 0.5, "classifiers.make:fields"),
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

REGISTRY = Registry("model", GROUP, OWN, read_specs, EXPECTED)


def models() -> Mapping[str, ModelSpec]:
    """Every model that has a name, in the order they are listed."""
    return REGISTRY.every()


def model_named(name: str, place: str = "relevance.model") -> ModelSpec:
    """The model of a name, or at a path.

    Args:
        name: The name of a model, or a path such as ``package.module:Model``.
        place: Where the name stands, for messages.

    Raises:
        InputError: There is no such model, or its package cannot be imported.
    """
    return REGISTRY.named(name, place)


def model_module(name: str) -> str:
    """The module of another package that brings a model; "" for one of ours."""
    return REGISTRY.module(name)


def check_model_name(name: str, place: str = "relevance.model") -> None:
    """Refuse what a topic cannot ask for: neither "auto" nor a model.

    Args:
        name: As the topic has it.
        place: Where it stands, for messages.

    Raises:
        InputError: As `model_named` does.
    """
    if name != AUTO:
        REGISTRY.named(name, place, also=(AUTO,))


def as_spec(model: str | ModelSpec | type, place: str = "model") -> ModelSpec:
    """The model that is asked for from Python.

    Args:
        model: A name, a path, a `ModelSpec`, or a class with a class method ``fit(material, threshold)``.
        place: Where it was asked for, for messages.

    Raises:
        InputError: It is none of these.
    """
    if isinstance(model, str):
        return model_named(model, place)
    found = read_specs(model, getattr(model, "__qualname__", ""))
    if len(found) != 1:
        raise InputError(place, f"{model!r} is no model", f"give {EXPECTED}")
    return found[0]
