"""The outcome of a page: whether it is relevant, and how clearly relevant by the standards of the crawl."""

from __future__ import annotations

import json
from math import exp, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TENTH: Final = 0.1  # share of the pages whose likeness gets the full outcome
_QUARTER: Final = 0.25  # share of the relevant pages whose clarity gets the full outcome
_MIN_STEP: Final = 0.04  # smallest step of the estimates of these quantiles
_MIN_CHANCE: Final = 1e-4  # relevance is clipped to this distance from 0 and 1
_MIN_LIKENESS: Final = 0.1  # lower bound of the estimate for likeness, as a fraction of the threshold


class OutcomeScale:
    """Turns the relevance of a page into an outcome between 0 and 1.

    One part is whether the page is relevant: 1/2 at the threshold, and quickly 0 or 1 away from it (squared odds). The
    other is how clearly it is: its log odds above the threshold, relative to those that a quarter of the crawl's
    relevant pages reach. Without it, a crawl that has found a site full of borderline pages would never leave it,
    although the model errs most on such pages.

    A likeness, such as the cosine with a few keywords, means little in absolute terms: on one web hardly any page about
    the topic reaches the threshold, on another most pages do. So it is relative to what a tenth of the crawl's pages
    reach. The outcome is its square root, since the step from no keywords to some matters more than from some to many.

    On several machines, each estimates these quantiles from its own pages. All use the geometric mean of the estimates,
    weighted by the number of pages, so that the same page has the same outcome everywhere.
    """

    def __init__(self, clarity: float) -> None:
        """`clarity` is the weight of how clearly a page is relevant, from 0 to 1."""
        self._clarity = clarity
        self._typical_excess = 0.0  # log odds above the threshold that a quarter of the relevant pages reach
        self._relevant_count = 0  # relevant pages so far
        self._usual_likeness = 0.0  # likeness that a tenth of the pages reach
        self._likeness_count = 0  # pages so far whose relevance is a likeness
        self._elsewhere = np.zeros(4)  # the `totals` of others

    def of(self, relevance: float, threshold: float, *, likeness: bool = False, learns: bool = True) -> float:
        """The outcome of a page, rounded to single precision. If it `learns`, the page updates the quantiles."""
        if likeness:
            return float(np.float32(self._by_likeness(relevance, max(_MIN_LIKENESS * threshold, _MIN_CHANCE), learns)))
        threshold = min(max(threshold, 1e-3), 1 - 1e-3)
        ours, even = (relevance * (1 - threshold)) ** 2, (threshold * (1 - relevance)) ** 2
        outcome = ours / (ours + even)
        if self._clarity:
            outcome += self._clarity * (self._clarity_of(_log_odds(relevance) - _log_odds(threshold), learns) - outcome)
        return float(np.float32(outcome))

    def _clarity_of(self, excess: float, learns: bool) -> float:
        if excess <= 0.0:
            return 0.0
        if learns:
            self._relevant_count += 1
            if self._relevant_count == 1:
                self._typical_excess = excess
        typical = _together(self._typical_excess, self._relevant_count, self._elsewhere[:2])
        clarity = min(excess / typical, 1.0) if typical else 1.0
        if not learns:
            return clarity
        # Stochastic approximation of a quantile: in equilibrium, a quarter of the relevant pages exceed it.
        step = max(1 / self._relevant_count, _MIN_STEP)
        self._typical_excess *= exp(2 * step * ((excess > self._typical_excess) - _QUARTER))
        return clarity

    def _by_likeness(self, relevance: float, least: float, learns: bool) -> float:
        """`least` is a lower bound of the estimated quantile: few words in common are no success."""
        if learns:
            self._likeness_count += 1
            if self._likeness_count == 1:
                self._usual_likeness = relevance
            step = max(1 / self._likeness_count, _MIN_STEP)
            usual = self._usual_likeness
            self._usual_likeness = max(usual, least) * exp(2 * step * ((relevance > usual) - _TENTH))
        usual = _together(self._usual_likeness, self._likeness_count, self._elsewhere[2:])
        return sqrt(min(relevance / max(usual, least), 1.0))

    @property
    def size(self) -> int:
        """The length of `totals`."""
        return len(self._elsewhere)

    def totals(self) -> Floats:
        """For each quantile, the number of pages and the sum over them of the logarithm of the estimate.

        Can be added up over several instances.
        """
        own = (self._relevant_count, self._typical_excess), (self._likeness_count, self._usual_likeness)
        sums = [(count, count * log(estimate)) if count else (0, 0.0) for count, estimate in own]
        return self._elsewhere + np.ravel(sums)

    def add_totals(self, more: Floats) -> None:
        """Add the sums of others."""
        self._elsewhere = self._elsewhere + more

    def dump(self) -> bytes:
        """The estimates, serialised."""
        own = [self._typical_excess, self._relevant_count, self._usual_likeness, self._likeness_count]
        return json.dumps([*own, *self._elsewhere.tolist()]).encode()

    def restore(self, state: bytes) -> None:
        """Restore what `dump` returned."""
        self._typical_excess, self._relevant_count, *more = json.loads(state)
        if more:  # crawls of earlier versions have less
            self._usual_likeness, self._likeness_count, *elsewhere = more
            self._elsewhere[: len(elsewhere)] = elsewhere


def _together(own: float, count: int, elsewhere: Floats) -> float:
    """The mean of an estimate from `count` own pages and of those of others; 0 if there are no pages."""
    others, logarithms = elsewhere.tolist()
    if others <= 0:
        return own
    return exp(((count * log(own) if count else 0.0) + logarithms) / (count + others))


def _log_odds(chance: float) -> float:
    clipped = min(max(chance, _MIN_CHANCE), 1 - _MIN_CHANCE)
    return log(clipped / (1 - clipped))
