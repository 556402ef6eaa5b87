"""The interface of relevance models: spans of a text in, scores in [0, 1] out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans, spans
from honeyguide.relevance.text import Text

Scores = NDArray[np.float64]


class Relevance(Protocol):
    """A fitted model for one topic. Pure: the same text gets the same scores, in any process and any order.

    A model that is saved with a crawl is a dataclass of arrays, plain values and other dataclasses, as described in
    `honeyguide.relevance.saved`; values derived from these are recomputed.
    """

    threshold: float
    """The lowest score of a relevant text."""

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """Score spans of a text.

        Args:
            text: The words of a page, or of another text to be scored.
            spans: Word positions in the text, two for each span: the first word, and one past the last.

        Returns:
            One score in [0, 1] per span. A span without significant words has the score 0.
        """
        ...


@runtime_checkable
class TitleAddressModel(Protocol):
    """A model that scores the names of a page (its title, the words of its URL) differently from its text."""

    def titles(self, text: Text, spans: Spans, /) -> Scores:
        """Score spans that are titles of pages about which nothing else is known.

        Args:
            text: The text that contains the titles.
            spans: One span per title.

        Returns:
            One score in [0, 1] per span.
        """
        ...

    def addresses(self, text: Text, spans: Spans, /) -> Scores:
        """Score spans that are the words of URLs of pages about which nothing else is known.

        Args:
            text: The text that contains the words of the URLs.
            spans: One span per URL.

        Returns:
            One score in [0, 1] per span.
        """
        ...


@cache
def _has_names(kind: type) -> bool:
    return issubclass(kind, TitleAddressModel)


def naming_model(model: Relevance) -> TitleAddressModel | None:
    """The model, if it is a `TitleAddressModel`; cached, because `isinstance` is slow for protocols."""
    return cast("TitleAddressModel", model) if _has_names(type(model)) else None


@runtime_checkable
class LanguageModel(Protocol):
    """A model that reads texts in different languages differently."""

    def in_language(self, language: str, /) -> Relevance:
        """The model for texts in a language.

        Args:
            language: One of `honeyguide.relevance.text.languages`.

        Returns:
            A model, with the same threshold; this one if the language makes no difference.
        """
        ...


def in_language(model: Relevance, language: str) -> Relevance:
    """A model for texts in a language.

    Args:
        model: The model.
        language: One of `honeyguide.relevance.text.languages`; "" if it is unknown.

    Returns:
        The model for this language, if it has one; otherwise the model itself.
    """
    return model.in_language(language) if language and isinstance(model, LanguageModel) else model


def is_likeness(model: Relevance) -> bool:
    """Whether the scores of a model are similarities to the topic, such as cosines, rather than probabilities.

    Args:
        model: The model.

    Returns:
        The value of its attribute `likeness`; False if it has none.
    """
    return bool(getattr(model, "likeness", False))


def keyword_scores(model: Relevance, text: Text, spans: Spans) -> Scores:
    """Score spans by the topic's own words alone, for models that keep these separate from the examples.

    Args:
        model: The model.
        text: The text that contains the spans.
        spans: One span per short text, such as an anchor.

    Returns:
        The result of its method `keyword_scores`, one score in [0, 1] per span; 0 for all if it has none.
    """
    ask = getattr(model, "keyword_scores", None)
    return np.zeros(len(spans)) if ask is None else ask(text, spans)


def whole(text: Text) -> Spans:
    """The whole text as one span."""
    return spans([(0, len(text))])


@dataclass(eq=False)
class Rescaled:
    """A model whose scores are rescaled so that a given score becomes the threshold. Their order is preserved."""

    model: Relevance
    at: float
    """The score that becomes the threshold: greater than 0, less than 1."""
    threshold: float

    def in_language(self, language: str) -> Relevance:
        """The same for texts in a language."""
        own = in_language(self.model, language)
        return self if own is self.model else replace(self, model=own)

    def score(self, text: Text, spans: Spans) -> Scores:
        """One rescaled score per span."""
        return np.interp(self.model.score(text, spans), [0.0, self.at, 1.0], [0.0, self.threshold, 1.0])


@dataclass(eq=False)
class AcceptAll:
    """Accepts every page, for pages that were requested individually."""

    threshold: float = 0.0

    def score(self, text: Text, spans: Spans) -> Scores:  # noqa: ARG002 (the text does not matter)
        """1 for every span."""
        return np.ones(len(spans))
