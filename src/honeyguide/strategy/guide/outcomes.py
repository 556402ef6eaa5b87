"""How good a page turned out to be: whether it is relevant, and how clearly so for this crawl."""

from __future__ import annotations

import json
from math import exp, log, sqrt
from typing import Final

import numpy as np

_TENTH: Final = 0.1  # of the pages are at least as like the topic as those that count fully
_QUARTER: Final = 0.25  # of the relevant pages are at least as clearly relevant as those that count fully
_LEAST_STEP: Final = 0.04  # by which the estimate of that moves, in the end
_LEAST: Final = 1e-4  # no relevance is surer than this
_LEAST_LIKE: Final = 0.1  # of the threshold: what a tenth of the pages is taken to reach at least


class OutcomeScale:
    """Turns the relevance of a page into an outcome between 0 and 1.

    One part says whether the page is relevant: 1/2 at the threshold, and soon 0 or 1 away from it (the odds, squared).
    The other says how clearly: the log odds beyond the threshold, by those that a quarter of the relevant pages of the
    crawl reach. Without it a crawl that has found a site full of pages that are just relevant would never leave it:
    these are the pages that the model errs on most.

    A likeness, such as the cosine with a few keywords, says little by itself: on one web hardly any page about the
    topic reaches the threshold, on another most pages do. It counts by what a tenth of the crawl's pages reach; by the
    root of it, for none of the words and some are further apart than some and many.
    """

    def __init__(self, clarity: float) -> None:
        """`clarity` is the weight of the second part, from 0 to 1."""
        self._clarity = clarity
        self._clear = 0.0  # log odds beyond the threshold that a quarter of the relevant pages reach
        self._count = 0  # relevant pages so far
        self._like = 0.0  # likeness that a tenth of the pages reach
        self._likened = 0  # pages so far whose relevance is a likeness

    def of(self, relevance: float, threshold: float, *, likeness: bool = False, learns: bool = True) -> float:
        """The outcome of a page, rounded to single precision. If it `learns`, this tells it what is usual here."""
        if likeness:
            return float(np.float32(self._by_likeness(relevance, max(_LEAST_LIKE * threshold, _LEAST), learns)))
        threshold = min(max(threshold, 1e-3), 1 - 1e-3)
        ours, even = (relevance * (1 - threshold)) ** 2, (threshold * (1 - relevance)) ** 2
        outcome = ours / (ours + even)
        if self._clarity:
            outcome += self._clarity * (self._clearness(_log_odds(relevance) - _log_odds(threshold), learns) - outcome)
        return float(np.float32(outcome))

    def _clearness(self, beyond: float, learns: bool) -> float:
        if beyond <= 0.0:
            return 0.0
        if not learns:
            return min(beyond / self._clear, 1.0) if self._count else 1.0
        self._count += 1
        if self._count == 1:
            self._clear = beyond
        clearness = min(beyond / self._clear, 1.0)
        # A quantile by stochastic approximation: it rests where a quarter of the relevant pages are beyond it.
        step = max(1 / self._count, _LEAST_STEP)
        self._clear *= exp(2 * step * ((beyond > self._clear) - _QUARTER))
        return clearness

    def _by_likeness(self, relevance: float, least: float, learns: bool) -> float:
        """`least` is what a tenth of the pages is taken to reach at least: few words in common are no success."""
        if learns:
            self._likened += 1
            if self._likened == 1:
                self._like = relevance
            step = max(1 / self._likened, _LEAST_STEP)
            self._like = max(self._like, least) * exp(2 * step * ((relevance > self._like) - _TENTH))
        return sqrt(min(relevance / max(self._like, least), 1.0))

    def dump(self) -> bytes:
        """What was learnt."""
        return json.dumps([self._clear, self._count, self._like, self._likened]).encode()

    def restore(self, state: bytes) -> None:
        """Take back what `dump` returned."""
        self._clear, self._count, *likeness = json.loads(state)
        if likeness:  # crawls of earlier versions have none
            self._like, self._likened = likeness


def _log_odds(chance: float) -> float:
    held = min(max(chance, _LEAST), 1 - _LEAST)
    return log(held / (1 - held))
