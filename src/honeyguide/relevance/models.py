"""From a topic to its model: which there are, which suits a topic, and how each is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.text import NOTHING, Text, Tokenizer
from honeyguide.relevance.vsm import Vsm
from honeyguide.topic import Topic


@dataclass(frozen=True, slots=True)
class Material:
    """What a model is made from: the topic, and the texts of its examples."""

    topic: Topic
    positive: Sequence[Text] = ()
    negative: Sequence[Text] = ()
    unlabelled: Sequence[Text] = ()

    @property
    def language(self) -> str:
        """The language of the topic's words."""
        return self.topic.relevance.language

    def words(self) -> Text:
        """The words of keywords and description."""
        return Text.of(*self.topic.keywords, self.topic.description)


@dataclass(frozen=True, slots=True)
class Model:
    """One way to make a model."""

    name: str
    source: str
    """Where it comes from, in a few words."""
    threshold: float
    """Where the topic sets none."""
    make: Callable[[Material, float], Relevance]
    """From what there is, and a threshold."""


def vsm(material: Material, threshold: float) -> Vsm:
    """The vector space model of keywords and description."""
    words = material.words()
    if not (words.tokens(Tokenizer(material.language)) != NOTHING).any():
        raise InputError("keywords", "only words that say nothing", "name the things that the topic is about")
    return Vsm.of(words, material.language, threshold)


MODELS: Mapping[str, Model] = MappingProxyType(
    {model.name: model for model in (Model("vsm", "cosine with keywords and description", 0.15, vsm),)}
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A model for a topic, and the reason."""

    model: Model
    reason: str


def choose(topic: Topic) -> Choice:
    """The model that the topic asks for; for "auto" the one that suits what it gives."""
    if topic.relevance.model != "auto":
        return Choice(MODELS[topic.relevance.model], "the topic asks for it")
    return Choice(MODELS["vsm"], "the topic gives keywords or a description")


def make_model(material: Material) -> Relevance:
    """The model of a topic."""
    model = choose(material.topic).model
    return model.make(material, material.topic.relevance.threshold or model.threshold)
