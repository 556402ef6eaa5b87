"""All relevance models by name: the built-in ones, and those that other packages provide.

A built-in model is one entry of `OWN`. The code of a model is imported on demand: scikit-learn takes a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from honeyguide.errors import InputError
from honeyguide.plugins import Registry, deferred
from honeyguide.relevance.spec import EXPECTED, ModelSpec, read_specs
from honeyguide.settings import Parameter, PartSpec

GROUP = "honeyguide.models"
"""Entry points of this group name a `ModelSpec`, several of them, or a class with a class method `fit`."""

AUTO = "auto"
"""The name for the model that best suits what a topic provides."""

_HERE = "honeyguide.relevance"


def _own(name: str, summary: str, threshold: float, path: str) -> ModelSpec:
    return ModelSpec(name, summary, threshold, deferred(f"{_HERE}.{path}"))


def _classifier(name: str, summary: str, fit: str, **parameters: Parameter) -> ModelSpec:
    """A model that learns to distinguish positive from negative examples."""
    make = deferred(f"{_HERE}.classifiers.make:labelled", fit)
    return ModelSpec(name, summary, 0.5, make, learns=True, parameters=parameters)


def _pu(name: str, summary: str, fit: str, *, tuned: bool = False) -> ModelSpec:
    """A model that learns from positive and unlabelled examples, with a vote that has its own threshold."""
    make = deferred(f"{_HERE}.classifiers.make:unlabelled", fit, tuned)
    return ModelSpec(name, summary, 0.5, make, tuned, positive_only=True, learns=True)


_TERMS = Parameter(500, "number of terms, those with the most information gain", minimum=1)
_NORMALISE = Parameter(True, "whether each term's weights are scaled to [-1, 1]")
_UNIT = Parameter(True, "whether the vector of a text has length 1; if not, its weights stay as they are")
_EMBEDDINGS = Parameter(False, "whether the meaning of the text counts, too, by embeddings (the extra semantics)")
_COST = Parameter(0.0, "cost of a training error; 0: chosen by cross-validation on the examples", minimum=0)
_GAMMA = Parameter(0.0, "gamma of the kernel; 0: chosen by cross-validation on the examples", minimum=0)


OWN = (
    _own("vsm", "cosine with keywords, description and examples", 0.15, "make:vsm"),
    _own("feedback", "vsm with the words that the crawl's own pages add", 0.15, "make:feedback"),
    _own("ssrm", "mean similarity of all pairs of words (SSRM)", 0.255, "semantic.make:ssrm"),
    _own("ssvsm", "cosine over pairs of words, by their meaning (SSVSM)", 0.25, "semantic.make:ssvsm"),
    _own("embedding", "cosine of embeddings", 0.165, "semantic.make:embedding"),
    _own("genre", "terms of the kind of page, the subject and the URL (genre-aware)", 0.45, "genre:genre"),
    ModelSpec(
        "fields",
        "logistic regressions on text, title and address, weighed by the examples",
        0.5,
        deferred(f"{_HERE}.classifiers.make:fields"),
        learns=True,
        parameters={"embeddings": _EMBEDDINGS},
    ),
    _classifier("svm", "linear SVM with a probability (OTIE)", "fit_svm", unit=_UNIT),
    _classifier("bayes", "naive Bayes with kernel densities (OTIE)", "fit_bayes", unit=_UNIT),
    _classifier(
        "mlp",
        "perceptron on the terms with the most information gain (BTW)",
        "fit_neural",
        terms=_TERMS,
        normalise=_NORMALISE,
    ),
    _classifier("vote", "majority of SVM, naive Bayes and perceptron (OTIE)", "fit_vote", unit=_UNIT),
    _classifier("rbf", "SVM with an RBF kernel (baseline)", "fit_rbf", cost=_COST, gamma=_GAMMA),
    _pu("votes", "weighted vote of SVMs on TFIDF (after CBP-SLC)", "fit_votes", tuned=True),
    _pu("wvc", "weighted vote of SVMs on TFIPNDF (CBP-SLC)", "fit_wvc"),
    _pu("pebl", "the last SVM of the same rounds (baseline)", "fit_pebl"),
    _pu("one-class", "one-class SVM (baseline)", "fit_one_class"),
)

REGISTRY = Registry("model", GROUP, OWN, read_specs, EXPECTED)


def models() -> Mapping[str, ModelSpec]:
    """Every named model, in the order in which they are listed."""
    return REGISTRY.every()


def model_named(name: str, place: str = "relevance.model") -> ModelSpec:
    """The model with a name, or at an import path.

    Args:
        name: The name of a model, or a path such as ``package.module:Model``; with parameters in parentheses where
            they are not as by default: ``mlp(terms=300)``.
        place: Where the name is written, for messages.

    Raises:
        InputError: There is no such model, its package cannot be imported, or a parameter is wrong.
    """
    return _named(name, place)


def _named(text: str, place: str, also: Sequence[str] = ()) -> ModelSpec:
    spec = PartSpec.parse(text, "model", place)
    return REGISTRY.named(spec.name, place, also).with_parameters(spec, text, place)


def model_module(name: str) -> str:
    """The module of another package that provides a model; "" for a built-in one."""
    return REGISTRY.module(PartSpec.parse(name, "model", "relevance.model").name)


def check_model_name(name: str, place: str = "relevance.model") -> None:
    """Refuse a name that is neither "auto" nor a model.

    Args:
        name: The name in the topic.
        place: Where it is written, for messages.

    Raises:
        InputError: As `model_named` does.
    """
    if name != AUTO:
        _named(name, place, also=(AUTO,))


def as_spec(model: str | ModelSpec | type, place: str = "model") -> ModelSpec:
    """The model specified by a caller of the Python API.

    Args:
        model: A name, a path, a `ModelSpec`, or a class with a class method ``fit(material, threshold)``.
        place: Where it is specified, for messages.

    Raises:
        InputError: It is none of these.
    """
    if isinstance(model, str):
        return model_named(model, place)
    found = read_specs(model, getattr(model, "__qualname__", ""))
    if len(found) != 1:
        raise InputError(place, f"{model!r} is not a model", f"give {EXPECTED}")
    return found[0]
