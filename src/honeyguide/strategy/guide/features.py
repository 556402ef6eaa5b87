"""What the promise of a link is made from: the list of features, and how they are computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.guide.rates import SmoothedRate, earned
from honeyguide.strategy.guide.scaler import RunningScaler
from honeyguide.strategy.guide.texts import TEXT_FEATURES, TextFeature, text_column
from honeyguide.strategy.guide.url_rows import (
    BEST,
    BEST_NEAR,
    CASH,
    FOLDER,
    GAP,
    PAGES,
    REGION,
    RELEVANCE,
    SECTION,
    TEXTS,
    Row,
    array_of,
)

Floats = NDArray[np.float64]

_UNIT = 0.3  # of a standard deviation, so that the weights of scores and of shares are of one size
_GAPS = np.arange(256) / 5  # what links since a relevant page count, for the same reason
_DEPTHS = np.arange(7) / 5  # what links from a seed count: as many as the last entry, if there are more
_REGIONS = 8  # more than there are
_NEAR, _WIDE = text_column("near"), text_column("wide")


class Rates:
    """How well URLs have turned out so far, by what they have in common."""

    def __init__(self) -> None:
        self.sections, self.regions = SmoothedRate("section", 2.0), SmoothedRate("region", 4.0)
        self.folders, self.hosts = SmoothedRate("folder", 3.0), SmoothedRate("host", 5.0)
        self._weights = np.array([[rate.weight + 0j] for rate in self.all()])

    def all(self) -> tuple[SmoothedRate, ...]:
        """Each of them, in the order of their features."""
        return self.sections, self.regions, self.folders, self.hosts

    def add(self, row: Row, host: int, outcome: float) -> None:
        """A URL, remembered as `row`, turned out so."""
        self.folders.add(row[FOLDER], outcome)
        self.hosts.add(host, outcome)
        self.regions.add(host * _REGIONS + row[REGION], outcome)
        for section in row[SECTION]:
            if section:
                self.sections.add(section, outcome)

    def correct(self, row: Row, host: int, change: float) -> None:
        """The outcome of a URL that was added is now larger by so much."""
        self.folders.correct(row[FOLDER], change)
        self.hosts.correct(host, change)
        self.regions.correct(host * _REGIONS + row[REGION], change)
        for section in row[SECTION]:
            if section:
                self.sections.correct(section, change)

    def compute(self, rows: NDArray[Any], host: NDArray[np.intp], usual: float, out: Floats) -> None:
        """Compute the rates of some URLs.

        Args:
            rows: What is remembered of them.
            host: The numbers of their hosts.
            usual: The mean outcome of a link, which rates are shrunk towards.
            out: Where the rates are written to: one row for each kind.
        """
        sums = np.empty((4, len(rows)), np.complex128)
        first, second = self.sections.sums(rows["sections"].T)
        np.add(first, second, out=sums[0])
        self.regions.sums(host * _REGIONS + rows["region"], out=sums[1])
        self.folders.sums(rows["folder"], out=sums[2])
        self.hosts.sums(host, out=sums[3])
        sums += self._weights + self._weights * (usual * 1j)  # as many usual outcomes as each rate's weight
        np.divide(sums.imag, sums.real, out=out)

    def of_one(self, row: Row, host: int, usual: float) -> list[float]:
        """The rates of one URL."""
        return [
            self.sections.rate(row[SECTION], usual),
            self.regions.rate((host * _REGIONS + row[REGION],), usual),
            self.folders.rate((row[FOLDER],), usual),
            self.hosts.rate((host,), usual),
        ]

    def earned(self, rows: NDArray[Any], host: NDArray[np.intp]) -> Floats:
        """The most that the outcomes of their siblings, and of their region of the site, make likely of some URLs."""
        first, second = self.sections.sums(rows["sections"].T)
        siblings = earned(first + second)
        return np.minimum(siblings, earned(self.regions.sums(host * _REGIONS + rows["region"])))


@dataclass(slots=True)
class Learnt:
    """What the crawl has learnt so far of what URLs are judged by."""

    scaler: RunningScaler
    """Of the scores of texts."""
    rates: Rates
    usual: float
    """The mean outcome of a link so far."""


@dataclass(slots=True)
class UrlFacts:
    """All that is known of some URLs; every array has one row per URL."""

    rows: NDArray[Any]
    """As remembered: see `URL`."""
    host: NDArray[np.intp]
    depth: NDArray[np.intp]
    learnt: Learnt


@dataclass(frozen=True, slots=True)
class StateFeature:
    """A feature that follows from what is remembered of a URL and from how others turned out."""

    label: str
    """As `honeyguide why` shows it."""
    prior: float
    """How much it is trusted before anything was learnt."""
    values: Callable[[UrlFacts], NDArray[Any]] | None = None
    """One value per URL; None for those below that are computed together, which is much quicker."""


STATE_FEATURES = (
    StateFeature("the best words near it", 0.05),
    StateFeature("the pages that link to it", 0.2),
    StateFeature("the best page that links to it", 0.0),
    StateFeature("how many pages link to it", 0.02),
    StateFeature("the cash that reached it", 0.0),
    StateFeature("its siblings so far", 0.4),
    StateFeature("its region of the site so far", 0.0),
    StateFeature("its folder so far", 0.1),
    StateFeature("its host so far", 0.0),
    StateFeature("links since a relevant page", 0.0),
    StateFeature("page and words together", 0.0),
    StateFeature("links from a seed", -0.4),
)
"""Those without a function come first, in the order in which `feature_matrix` and `feature_row` compute them."""

FEATURES: tuple[TextFeature | StateFeature, ...] = (*TEXT_FEATURES, *STATE_FEATURES)
"""All of them, in the order of the model's weights."""

LABELS = tuple(feature.label for feature in FEATURES)
PRIORS = np.array([feature.prior for feature in FEATURES])

_OWN = 12  # features without a function, after those of the texts
_NEAREST, _RELEVANCE, _BEST, _PAGES, _CASH, _SECTION, _REGION, _FOLDER, _HOST, _GAP, _TOGETHER, _DEPTH = range(
    TEXTS, TEXTS + _OWN
)


def text_scaler() -> RunningScaler:
    """A scaler for the scores of the texts of URLs, and for the best score of the words near them."""
    return RunningScaler(TEXTS, [*range(TEXTS), _NEAR])


def feature_matrix(facts: UrlFacts) -> Floats:
    """One row per URL, one column per feature, in the order of `FEATURES`."""
    rows, learnt = facts.rows, facts.learnt
    features = np.empty((len(FEATURES), len(rows)))  # turned round in the end: numpy is quickest along rows
    scores = rows["scores"].T
    features[:TEXTS] = scores[:TEXTS]
    features[_NEAREST] = scores[BEST_NEAR]
    features[_RELEVANCE : _BEST + 1] = scores[RELEVANCE : BEST + 1]
    texts = features[: _NEAREST + 1]
    learnt.scaler.scale(texts)
    np.sqrt(np.maximum(texts[_WIDE] + 1, 0.0) * features[_RELEVANCE], out=features[_TOGETHER])
    features[_TOGETHER] *= _UNIT
    texts *= _UNIT
    features[_PAGES], features[_CASH] = rows["pages"], scores[CASH]
    np.log1p(features[_PAGES : _CASH + 1], out=features[_PAGES : _CASH + 1])
    learnt.rates.compute(rows, facts.host, learnt.usual, out=features[_SECTION : _HOST + 1])
    _GAPS.take(rows["gap"], out=features[_GAP], mode="clip")
    _DEPTHS.take(facts.depth, out=features[_DEPTH], mode="clip")
    for column, feature in enumerate(STATE_FEATURES[_OWN:], start=TEXTS + _OWN):
        features[column] = feature.values(facts) if feature.values else 0.0
    return features.T.copy()


@lru_cache(maxsize=4096)
def _log1p(value: float) -> float:
    """That of numpy: Python's differs in the last bit."""
    return float(np.log1p(value))


def feature_row(row: Row, host: int, depth: int, learnt: Learnt) -> list[float]:
    """The features of one URL: what `feature_matrix` computes, to the last bit, without its costs for so little."""
    if len(STATE_FEATURES) > _OWN:
        facts = UrlFacts(array_of(row), np.array([host]), np.array([depth]), learnt)
        return [float(value) for value in feature_matrix(facts)[0]]
    scaled = learnt.scaler.scaled([*row[:TEXTS], row[BEST_NEAR]])
    relevance = row[RELEVANCE]
    return [
        *[text * _UNIT for text in scaled],
        relevance,
        row[BEST],
        _log1p(row[PAGES]),
        _log1p(row[CASH]),
        *learnt.rates.of_one(row, host, learnt.usual),
        _GAPS.item(row[GAP]),
        sqrt(max(scaled[_WIDE] + 1, 0.0) * relevance) * _UNIT,
        _DEPTHS.item(min(depth, len(_DEPTHS) - 1)),
    ]
