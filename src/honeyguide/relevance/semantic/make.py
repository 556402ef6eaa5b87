"""The models of meaning, from what there is for a topic."""

from __future__ import annotations

from honeyguide.errors import InputError
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.semantic.embedding import Embedding
from honeyguide.relevance.semantic.embeddings import EmbeddingSimilarity
from honeyguide.relevance.semantic.similarity import MEASURES, Similarity, WordNetSimilarity
from honeyguide.relevance.semantic.ssrm import Ssrm
from honeyguide.relevance.semantic.ssvsm import CROSS, UNION, Ssvsm
from honeyguide.relevance.text import NOTHING, Form, Text, Tokenizer

EMBEDDING = "embedding"
SIMILARITIES = (*MEASURES, EMBEDDING)
PAIRS = (UNION, CROSS)

_WORDNETS_LANGUAGES = ("english", "porter")


def ssrm(
    words: Text,
    language: str,
    threshold: float,
    *,
    similarity: str,
    cutoff: float,
    wordnet: str = "",
    frequencies: Frequencies | None = None,
) -> Ssrm:
    """SSRM of a topic's words. Settings as `word_similarity` takes them."""
    _check(words, language)
    return Ssrm.of(words, language, threshold, word_similarity(similarity, cutoff, language, wordnet), frequencies)


def ssvsm(
    words: Text,
    language: str,
    threshold: float,
    *,
    similarity: str,
    cutoff: float,
    pairs: str = UNION,
    wordnet: str = "",
    frequencies: Frequencies | None = None,
) -> Ssvsm:
    """SSVSM of a topic's words. Settings as `word_similarity` takes them."""
    _check(words, language)
    near = word_similarity(similarity, cutoff, language, wordnet)
    return Ssvsm.of(words, language, threshold, near, frequencies, pairs)


def embedding(words: Text, language: str, threshold: float, *, frequencies: Frequencies | None = None) -> Embedding:
    """The embedding model of a topic's words."""
    _check(words, language)
    return Embedding.of(words, language, threshold, frequencies)


def word_similarity(name: str, cutoff: float, language: str, wordnet: str = "") -> Similarity:
    """The similarity of words that a topic asks for: one of `SIMILARITIES`. `wordnet`: its folder; "": the usual."""
    if name == EMBEDDING:
        return EmbeddingSimilarity.of(cutoff)
    if language not in _WORDNETS_LANGUAGES:
        raise InputError("relevance.similarity", f"WordNet has no {language} words", f'use similarity = "{EMBEDDING}"')
    return WordNetSimilarity.of(name, cutoff, wordnet)


def _check(words: Text, language: str) -> None:
    if not (words.tokens(Tokenizer(language, Form.WORD)) != NOTHING).any():
        raise InputError("keywords", "only words that say nothing", "name the things that the topic is about")
