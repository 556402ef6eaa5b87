"""The strongest terms of a model for and against a topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from honeyguide.relevance.base import Relevance, Rescaled
from honeyguide.relevance.classifiers.features import count_matrix
from honeyguide.relevance.classifiers.linear import Linear, LinearVote
from honeyguide.relevance.learning import OnlineIdf, PUBootstrap
from honeyguide.relevance.material import Material
from honeyguide.relevance.text import Tokens
from honeyguide.relevance.vsm import Vsm
from honeyguide.relevance.weighting import Floats, document_frequencies

Weighed = list[tuple[str, float]]
"""Terms, as the examples mostly write them, with their weights."""


def top_terms(model: Relevance, material: Material, most: int = 15) -> tuple[Weighed, Weighed]:
    """The strongest terms for the topic, and against it, strongest first.

    The weights are the model's own if it has one per term; otherwise the share of the positive examples that have a
    term minus the share of the others.
    """
    terms, weights = _weights(model, material)
    words = _words(material)
    order = np.argsort(weights, kind="stable")
    known = [(words[int(terms[place])], float(weights[place])) for place in order if int(terms[place]) in words]
    return (
        [(word, weight) for word, weight in known[::-1] if weight > 0][:most],
        [(word, weight) for word, weight in known if weight < 0][:most],
    )


def _weights(model: Relevance, material: Material) -> tuple[Tokens, Floats]:
    match model:
        case Linear():
            return model.features.terms, model.coef
        case LinearVote():
            return model.features.terms, model.votes @ model.coef
        case Vsm():
            return model.terms, model.weights
        case OnlineIdf() | Rescaled():
            return _weights(model.model, material)
        case PUBootstrap():
            return _weights(model.interim, material)
        case _:
            return _shares(material)


def _shares(material: Material) -> tuple[Tokens, Floats]:
    others = material.tokens([*material.negative, *material.unlabelled])
    positive = material.tokens(material.positive)
    counts, terms = count_matrix([*positive, *others])
    first = len(positive)
    shares = document_frequencies(counts[:first]) / max(first, 1)
    return terms, shares - document_frequencies(counts[first:]) / max(len(others), 1)


def _words(material: Material) -> dict[int, str]:
    """For each token, its most frequent word in the examples and the topic."""
    texts: Sequence[tuple[Sequence[str], Tokens]] = [
        (text.words, text.tokens(material.tokenizer))
        for text in (*material.positive, *material.negative, *material.unlabelled, material.words())
    ]
    counts = Counter(
        (token, word.lower()) for words, tokens in texts for word, token in zip(words, tokens.tolist(), strict=True)
    )
    return {token: word for (token, word), _ in sorted(counts.items(), key=lambda item: (item[1], item[0]))}
