"""From a topic to its model."""

from __future__ import annotations

from collections.abc import Callable

from honeyguide.errors import InputError
from honeyguide.page.words import split_words
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.text import NOTHING, Tokenizer, Tokens
from honeyguide.relevance.vsm import Vsm
from honeyguide.topic import Topic

MODELS: dict[str, Callable[[Tokens, float], Relevance]] = {"vsm": Vsm}


def relevance_for(topic: Topic, tokenizer: Tokenizer) -> Relevance:
    """The model that the topic asks for, made from its keywords and its description."""
    words, _ = split_words(" ".join([*topic.keywords, topic.description]))
    tokens = tokenizer(words)
    if not (tokens != NOTHING).any():
        raise InputError("keywords", "only words that say nothing", "name the things that the topic is about")
    return MODELS[topic.relevance.model](tokens, topic.relevance.threshold)
