"""The vector space model of a topic's material, and the one that learns more words from the crawl."""

from __future__ import annotations

import numpy as np

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.feedback import Feedback
from honeyguide.relevance.learning import IdfModel, OnlineIdf
from honeyguide.relevance.material import Material
from honeyguide.relevance.text import counted
from honeyguide.relevance.vsm import Vsm


def vsm(material: Material, threshold: float) -> Relevance:
    """The topic's vector."""
    return counting(_topic_vector(material, threshold), material)


def _topic_vector(material: Material, threshold: float) -> Vsm:
    """Keywords and description as one text, and the mean of the examples (after Rocchio)."""
    frequencies = material.frequencies()
    texts = [material.words(), *material.positive]
    vectors = [counted(tokens) for tokens in material.tokens(texts)]
    if not sum(len(terms) for terms, _ in vectors):
        raise InputError("keywords", "only stop words", "name the things that the topic is about")
    shares = [1.0, *(1 / len(material.positive) for _ in material.positive)]
    weights = np.concatenate(
        [
            share * counts / max(float(np.linalg.norm(counts)), 1.0)
            for share, (_, counts) in zip(shares, vectors, strict=True)
        ]
    )
    terms, place = np.unique(np.concatenate([found for found, _ in vectors]), return_inverse=True)
    counts = np.bincount(place, weights).astype(float)
    is_words_alone = not material.positive and material.idf != "crawl"
    words = " ".join((*material.keywords, material.description)) if is_words_alone else ""
    return Vsm(material.language, terms, counts, frequencies, threshold, words)


def feedback(material: Material, threshold: float) -> Relevance:
    """The topic's vector, to which the crawl's pages add words."""
    return Feedback(_topic_vector(material, threshold), threshold)


def counting(model: IdfModel, material: Material) -> Relevance:
    """The model, or if the material requires it, one that updates its document frequencies from the crawl's pages."""
    return OnlineIdf(model, model.threshold) if material.idf == "crawl" else model
