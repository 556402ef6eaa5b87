"""Models that learn from the crawl's first pages: the frequencies of words, or a sample of unlabelled pages.

A learner is the model that a crawl begins with, and is saved in that state. At fixed numbers of pages the crawl passes
it the pages so far and continues with the model it returns. So the model that reads a page depends only on the pages
before it, and a crawl that was stopped gets the same models again from its stored pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Rescaled, Scores
from honeyguide.relevance.text import Text, Tokenizer, Tokens

MILESTONES = (100, 300, 1000)
"""Numbers of pages after which a crawl learns, unless a learner has `milestones` of its own. After the last one the
model no longer changes."""

_EDGE = 1e-6


@runtime_checkable
class Learner(Protocol):
    """An initial model of a crawl that learns from the crawl's pages."""

    threshold: float

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """One score per span, as for any relevance model."""
        ...

    def learned(self, documents: Sequence[Tokens], /) -> Relevance:
        """The model to continue with, from the tokens (stems) of the pages so far. Pure."""
        ...


class IdfModel(Protocol):
    """A dataclass that weights words by how rare they are."""

    threshold: float

    def score(self, text: Text, spans: Spans, /) -> Scores:
        """One score per span, as for any relevance model."""
        ...

    def seeing(self, documents: Sequence[Tokens], /) -> Relevance:
        """The same model with document frequencies updated with the tokens (stems) of more documents."""
        ...


@dataclass(eq=False)
class OnlineIdf:
    """A model whose document frequencies are updated during the crawl."""

    model: IdfModel
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """The scores of the model."""
        return self.model.score(text, spans)

    def learned(self, documents: Sequence[Tokens]) -> Relevance:
        """The same model with frequencies updated from the pages."""
        learned: Relevance = replace(self.model.seeing(documents), threshold=self.threshold)  # type: ignore[type-var]
        return learned


@dataclass(eq=False)
class PUBootstrap:
    """Positive examples, and an interim model for use until there are unlabelled pages to train against.

    All models have the same threshold: scores are rescaled if a model's own threshold differs.
    """

    interim: Relevance
    fit: str
    """A function of `honeyguide.relevance.classifiers.fit` that learns from positive and unlabelled pages."""
    language: str
    positive: Tokens
    """The tokens of all examples, one after the other."""
    ends: NDArray[np.int64]
    """Where each example ends."""
    tuned: bool
    """Whether the threshold is chosen from the scores of held-out examples and pages."""
    threshold: float

    def score(self, text: Text, spans: Spans) -> Scores:
        """The scores of the interim model, rescaled to the threshold."""
        return Rescaled(self.interim, self.interim.threshold, self.threshold).score(text, spans)

    def learned(self, documents: Sequence[Tokens]) -> Relevance:
        """The model trained on the examples against the pages."""
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
