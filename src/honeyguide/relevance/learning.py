"""Models that the crawl's first pages teach: how common words are, and what pages that nobody labelled are like.

A learner is what a crawl begins with, and is kept as it was then. At fixed numbers of pages the crawl hands it the
pages so far and goes on with what it returns. So which model reads a page depends on the pages before it alone, and a
crawl that was stopped comes to the same models again from the pages it has kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Rescaled, Scores
from honeyguide.relevance.text import Text, Tokenizer, Tokens
from honeyguide.relevance.vsm import Vsm

MILESTONES = (100, 300, 1000)
"""Pages after which a crawl learns. With the last it has learnt."""

_EDGE = 1e-6


@runtime_checkable
class Learner(Protocol):
    """A model to begin with."""

    threshold: float

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """One score per span, as of any relevance model."""
        ...

    def learned(self, documents: Sequence[Tokens], /) -> Relevance:
        """The model to go on with, from the tokens (stems) of the pages so far. Pure."""
        ...


@dataclass(eq=False)
class OnlineIdf:
    """The vector space model, whose document frequencies go on counting."""

    model: Vsm
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """Score as the model does."""
        return self.model.score(text, spans)

    def learned(self, documents: Sequence[Tokens]) -> Relevance:
        """The same model with the frequencies that the pages add to."""
        old = self.model
        return Vsm(old.language, old.terms, old.counts, old.frequencies.seeing(documents), self.threshold)


@dataclass(eq=False)
class PUBootstrap:
    """Positive examples, and a model to go by until there are unlabelled pages to set against them.

    All models have the same threshold: scores are stretched where theirs is another.
    """

    interim: Relevance
    fit: str
    """The name of a function of `honeyguide.relevance.classifiers.fit` that learns from such pages."""
    language: str
    positive: Tokens
    """The tokens of all examples, one after the other."""
    ends: NDArray[np.int64]
    """Where each example ends."""
    tuned: bool
    """Whether the threshold is chosen by what the examples and the pages score when they are held back."""
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """Score as the interim model does, rescaled to the threshold."""
        return Rescaled(self.interim, self.interim.threshold, self.threshold).score(text, spans)

    def learned(self, documents: Sequence[Tokens]) -> Relevance:
        """The model of the examples against the pages."""
        from honeyguide.relevance.classifiers import fit  # noqa: PLC0415 (scikit-learn takes a second)
        from honeyguide.relevance.validation import best_threshold, columns, cross_validate  # noqa: PLC0415

        tokenizer = Tokenizer(self.language)
        fitting: Callable[..., Relevance] = getattr(fit, self.fit)

        def make(positive: Sequence[Text], others: Sequence[Text]) -> Relevance:
            sides = ([text.tokens(tokenizer) for text in texts] for texts in (positive, others))
            return fitting(*sides, self.language, self.threshold)

        positive = [Text.tokenized(tokens, tokenizer) for tokens in np.split(self.positive, self.ends[:-1])]
        others = [Text.tokenized(tokens, tokenizer) for tokens in documents]
        model = make(positive, others)
        if not self.tuned or len(positive) < 2:
            return model
        at = best_threshold(*columns(cross_validate(positive, others, make)), labelled=False)
        return Rescaled(model, min(max(at, _EDGE), 1 - _EDGE), self.threshold)
