"""How well the steering model of a crawl distinguishes relevant pages from others.

A strategy can only be as good as its model, so a comparison reports the quality of the model for each topic and repeat.
Pages that the model has learnt from are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honeyguide.lab.cases import Case, shuffled
from honeyguide.lab.web_fixture import WebFixture
from honeyguide.relevance.checked import CheckedModel
from honeyguide.relevance.text import Text

SAMPLE = {True: 100, False: 400}
"""Maximum numbers of relevant and other pages in the sample. The average precision is reweighted to the whole web."""

LEAST = 0.1
"""A model is degenerate if its rates of true and false positives differ by less: its answers hardly depend on the
page."""


@dataclass(frozen=True, slots=True)
class ModelQuality:
    """How well a model distinguishes the pages of a topic from others."""

    true_positive_rate: float
    """The share of relevant pages that it considers relevant."""
    false_positive_rate: float
    """The share of other pages that it considers relevant."""
    average_precision: float
    """The average precision of its ranking of the pages of the web: the mean precision at each relevant page."""
    f1: float
    """The F1 of its decisions on all pages of the web."""

    @property
    def is_degenerate(self) -> bool:
        """Whether it cannot distinguish relevant pages from others."""
        return is_degenerate(self.true_positive_rate, self.false_positive_rate)


def is_degenerate(true_positive_rate: float, false_positive_rate: float) -> bool:
    """Whether a model with these rates cannot tell relevant pages from others."""
    return true_positive_rate - false_positive_rate < LEAST


class ModelTest:
    """A sample of a web's pages, on which the models of one case are tested."""

    def __init__(self, case: Case, fixture: WebFixture) -> None:
        unseen = shuffled(list(fixture.graph.urls), case.topic, case.repeat, "model")
        used = {*case.given, *case.others, *case.unlabelled}
        pages = {side: [url for url in unseen if url not in used and (url in case.relevant) is side] for side in SAMPLE}
        self._texts: dict[str, tuple[Text, bool]] = {
            url: (fixture.text(url), side) for side, urls in pages.items() for url in urls[: SAMPLE[side]]
        }
        self._sizes: Mapping[bool, int] = {side: len(urls) for side, urls in pages.items()}

    def quality(self, model: CheckedModel, seen: Collection[str] = ()) -> ModelQuality | None:
        """The quality of a model on the sample without `seen` pages; None if no pages of one kind are left."""
        left = [pair for url, pair in self._texts.items() if url not in seen]
        relevant = np.array([side for _, side in left], np.bool_)
        if not relevant.any() or relevant.all():
            return None
        scores = np.array([model.relevance(text) for text, _ in left])
        weights = np.where(relevant, self._sizes[True] / relevant.sum(), self._sizes[False] / (~relevant).sum())
        positive = scores >= model.threshold
        return ModelQuality(
            float(positive[relevant].mean()),
            float(positive[~relevant].mean()),
            average_precision(relevant, scores, weights),
            _f1(relevant, positive, weights),
        )


def _f1(relevant: NDArray[np.bool_], positive: NDArray[np.bool_], weights: NDArray[np.float64]) -> float:
    """2 · hits / (called relevant + relevant); each row counts `weights` times."""
    hits = weights[relevant & positive].sum()
    return float(2 * hits / (weights[positive].sum() + weights[relevant].sum()))


def average_precision(relevant: NDArray[np.bool_], scores: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Σ (R_n - R_n-1) · P_n over the distinct scores from the highest down; each row counts `weights` times."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))  # equal scores are one step
    found = np.cumsum(np.where(relevant[order], weights[order], 0.0))[ends]
    precision = found / np.cumsum(weights[order])[ends]
    gains = np.diff(found, prepend=0.0) / found[-1]
    return float((gains * precision).sum())


def figures(quality: ModelQuality | None) -> dict[str, float | None]:
    """The figures for a cell."""
    if quality is None:
        return dict.fromkeys(NAMES)
    rates = (quality.true_positive_rate, quality.false_positive_rate, quality.average_precision, quality.f1)
    return {name: round(rate, 6) for name, rate in zip(NAMES, rates, strict=True)}


NAMES: Sequence[str] = (
    *("model_true_positive_rate", "model_false_positive_rate", "model_average_precision", "model_f1"),
)
