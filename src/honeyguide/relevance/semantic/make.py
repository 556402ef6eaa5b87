"""The semantic models of a topic's material."""

from __future__ import annotations

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.make import counting
from honeyguide.relevance.material import Material
from honeyguide.relevance.semantic.embedding import Embedding
from honeyguide.relevance.semantic.embeddings import EmbeddingSimilarity
from honeyguide.relevance.semantic.similarity import MEASURES, Similarity, WordNetSimilarity
from honeyguide.relevance.semantic.ssrm import Ssrm
from honeyguide.relevance.semantic.ssvsm import CROSS, SYMMETRIC, UNION, Ssvsm
from honeyguide.relevance.text import NOTHING, Text, TokenForm, Tokenizer

EMBEDDING = "embedding"
SIMILARITIES = (*MEASURES, EMBEDDING)
PAIRS = (SYMMETRIC, UNION, CROSS)

_WORDNETS_LANGUAGES = ("english", "porter")


def ssrm(material: Material, threshold: float) -> Relevance:
    """SSRM of a topic's words."""
    words, similarity = _words(material), _similarity(material)
    return counting(Ssrm.of(words, material.language, threshold, similarity, material.frequencies()), material)


def ssvsm(material: Material, threshold: float) -> Relevance:
    """SSVSM of a topic's words."""
    words, similarity, pairs = _words(material), _similarity(material), material.relevance.pairs
    model = Ssvsm.of(words, material.language, threshold, similarity, material.frequencies(), pairs)
    return counting(model, material)


def embedding(material: Material, threshold: float) -> Relevance:
    """The embedding model of a topic's words."""
    return counting(Embedding.of(_words(material), material.language, threshold, material.frequencies()), material)


def word_similarity(name: str, cutoff: float, language: str, wordnet: str = "") -> Similarity:
    """The similarity that a topic specifies, one of `SIMILARITIES`. `wordnet` is its folder; "" is the default."""
    if name == EMBEDDING:
        return EmbeddingSimilarity.of(cutoff)
    if language not in _WORDNETS_LANGUAGES:
        raise InputError("relevance.similarity", f"WordNet has no {language} words", f'use similarity = "{EMBEDDING}"')
    return WordNetSimilarity.of(name, cutoff, wordnet)


def _similarity(material: Material) -> Similarity:
    settings = material.relevance
    return word_similarity(settings.similarity, settings.cutoff, material.language, settings.wordnet)


def _words(material: Material) -> Text:
    words = material.words()
    if not (words.tokens(Tokenizer(material.language, TokenForm.WORD)) != NOTHING).any():
        raise InputError("keywords", "only stop words", "name the things that the topic is about")
    return words
