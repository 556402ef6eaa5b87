"""The features of a link, from which its promise is predicted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import is_not
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import compiled
from honeyguide.strategy.guide.rates import SmoothedRate, earned
from honeyguide.strategy.guide.scaler import RunningScaler
from honeyguide.strategy.guide.texts import TEXT_FEATURES, TextFeature, text_column
from honeyguide.strategy.guide.url_rows import (
    BEST,
    BEST_NEAR,
    CASH,
    FOLDER,
    REGION,
    RELEVANCE,
    SECTION,
    TEXTS,
    URL,
    WORD_SCORE_COUNT,
    Row,
)

Floats = NDArray[np.float64]

_UNIT = 0.3  # value of one standard deviation, so that the weights of scores and of rates have the same magnitude
_GAPS = np.arange(256) / 5  # values of the number of links since a relevant page, with the same magnitude
_DEPTHS = np.arange(7) / 5  # values of the number of links from a seed; larger numbers get the last one
_REGIONS = 8  # more than the number of regions
_NEAR, _WIDE = text_column("near"), text_column("wide")


class Rates:
    """The mean outcomes of URLs so far, by section, region, folder and host."""

    def __init__(self) -> None:
        self.sections, self.regions = SmoothedRate("section", 2.0), SmoothedRate("region", 4.0)
        self.folders, self.hosts = SmoothedRate("folder", 3.0), SmoothedRate("host", 5.0)
        self._weights = np.array([[rate.weight + 0j] for rate in self.all()])

    def all(self) -> tuple[SmoothedRate, ...]:
        """All rates, in the order of their features."""
        return self.sections, self.regions, self.folders, self.hosts

    def add(self, row: Row, host: int, outcome: float) -> None:
        """Add the outcome of the URL with this row."""
        self.folders.add(row[FOLDER], outcome)
        self.hosts.add(host, outcome)
        self.regions.add(host * _REGIONS + row[REGION], outcome)
        for section in row[SECTION]:
            if section:
                self.sections.add(section, outcome)

    def correct(self, row: Row, host: int, change: float) -> None:
        """Add `change` to the outcome of a URL that was added before."""
        self.folders.correct(row[FOLDER], change)
        self.hosts.correct(host, change)
        self.regions.correct(host * _REGIONS + row[REGION], change)
        for section in row[SECTION]:
            if section:
                self.sections.correct(section, change)

    def compute(self, rows: NDArray[Any], host: NDArray[np.intp], usual: float, out: Floats) -> None:
        """Compute the rates that apply to some URLs.

        Args:
            rows: The rows of the URLs.
            host: The numbers of their hosts.
            usual: The mean outcome of a link, which rates are shrunk towards.
            out: Array for the results: one row per kind of rate.
        """
        sums = np.empty((4, len(rows)), np.complex128)
        first, second = self.sections.sums(rows["sections"].T)
        np.add(first, second, out=sums[0])
        self.regions.sums(host * _REGIONS + rows["region"], out=sums[1])
        self.folders.sums(rows["folder"], out=sums[2])
        self.hosts.sums(host, out=sums[3])
        sums += self._weights + self._weights * (usual * 1j)  # the prior: `weight` usual outcomes
        np.divide(sums.imag, sums.real, out=out)

    def earned(self, rows: NDArray[Any], host: NDArray[np.intp]) -> Floats:
        """Optimistic estimates for some URLs, from the outcomes of their siblings and of their region of the site."""
        first, second = self.sections.sums(rows["sections"].T)
        siblings = earned(first + second)
        return np.minimum(siblings, earned(self.regions.sums(host * _REGIONS + rows["region"])))


class Learnt:
    """What the crawl has learnt so far, as far as the features of URLs depend on it."""

    def __init__(self, scaler: RunningScaler, rates: Rates, usual: float) -> None:
        self.scaler = scaler
        """Scales the scores of texts."""
        self.rates = rates
        self.usual = usual
        """The mean outcome of a link so far."""
        self._tables: list[Any] = []  # the arrays that the twin refers to
        self._twin: Any = None

    def compiled(self) -> Any:
        """The compiled twin, which shares the same arrays; None if there is none."""
        if _kernel is None:
            return None
        tables = [rate.table for rate in self.rates.all()]
        if len(self._tables) < len(tables) or any(map(is_not, tables, self._tables)):  # replaced as they grow
            self._tables = tables
            sums = [table.view(np.float64).reshape(-1, 2) for table in tables]
            weights = [rate.weight for rate in self.rates.all()]
            self._twin = _kernel.Learnt(self.scaler.means, self.scaler.scales, *sums, weights, _UNIT, _tables())
        self._twin.usual = self.usual
        return self._twin


@dataclass(slots=True)
class UrlFacts:
    """All that is known about some URLs; every array has one row per URL."""

    raw: NDArray[Any]
    """The stored rows of `URL`, or their bytes without fields, which numpy handles much faster."""
    host: NDArray[np.intp]
    depth: NDArray[np.intp]
    learnt: Learnt

    @property
    def rows(self) -> NDArray[Any]:
        """The stored rows, with the fields of `URL`."""
        return self.raw.view(URL)


@dataclass(frozen=True, slots=True)
class StateFeature:
    """A feature computed from the stored row of a URL and from the outcomes of others."""

    label: str
    """Shown by `honeyguide why`."""
    prior: float
    """Its weight before anything is learnt."""
    values: Callable[[UrlFacts], NDArray[Any]] | None = None
    """Computes one value per URL; None for the built-in features, which are computed together for speed."""


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
    StateFeature("words of relevant pages in its anchor text", 0.2),
    StateFeature("words of relevant pages around it", 0.2),
)
"""Those without a function come first, in the order in which `plain_features` and its twin compute them."""

FEATURES: tuple[TextFeature | StateFeature, ...] = (*TEXT_FEATURES, *STATE_FEATURES)
"""All features, in the order of the model's weights."""

LABELS = tuple(feature.label for feature in FEATURES)
PRIORS = np.array([feature.prior for feature in FEATURES])

_PLAIN_COUNT = 14  # features without a function, which follow those of the texts
_NEAREST, _RELEVANCE, _BEST, _PAGES, _CASH, _SECTION, _REGION, _FOLDER, _HOST, _GAP, _TOGETHER, _DEPTH, *_ = range(
    TEXTS, TEXTS + _PLAIN_COUNT
)
_WORDS = slice(_DEPTH + 1, _DEPTH + 1 + WORD_SCORE_COUNT)
_kernel = compiled("promises") if len(STATE_FEATURES) == _PLAIN_COUNT else None


def text_scaler() -> RunningScaler:
    """Make a scaler for the scores of the texts of URLs, and for the best score of the words near them."""
    return RunningScaler(TEXTS, [*range(TEXTS), _NEAR])


@cache
def _tables() -> tuple[Floats, ...]:
    """Lookup tables for the features of gaps, depths, page counts, and cash (by its half-precision bits)."""
    with np.errstate(all="ignore"):  # not all bit patterns are valid amounts of cash
        cash = np.log1p(np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64))
    return _GAPS, _DEPTHS, np.log1p(np.arange(1 << 16)), cash


def feature_matrix(facts: UrlFacts) -> Floats:
    """One row per URL, one column per feature, in the order of `FEATURES`."""
    twin = facts.learnt.compiled()
    if twin is None:
        return plain_features(facts)
    features: Floats = twin.features(facts.raw.view(np.uint8), facts.host, facts.depth)
    return features


def plain_features(facts: UrlFacts) -> Floats:
    """The features without the compiled kernel."""
    rows, learnt = facts.rows, facts.learnt
    features = np.empty((len(FEATURES), len(rows)))  # transposed at the end: numpy is fastest along rows
    scores = rows["scores"].T
    features[:TEXTS] = scores[:TEXTS]
    features[_NEAREST] = scores[BEST_NEAR]
    features[_RELEVANCE : _BEST + 1] = scores[RELEVANCE : BEST + 1]
    texts = features[: _NEAREST + 1]
    learnt.scaler.scale(texts)
    np.sqrt(np.maximum(texts[_WIDE] + 1, 0.0) * features[_RELEVANCE], out=features[_TOGETHER])
    features[_TOGETHER] *= _UNIT
    texts *= _UNIT
    gaps, depths, pages, cash = _tables()
    pages.take(rows["pages"], out=features[_PAGES], mode="clip")
    cash.take(scores[CASH].copy().view(np.uint16), out=features[_CASH], mode="clip")
    learnt.rates.compute(rows, facts.host, learnt.usual, out=features[_SECTION : _HOST + 1])
    gaps.take(rows["gap"], out=features[_GAP], mode="clip")
    depths.take(facts.depth, out=features[_DEPTH], mode="clip")
    features[_WORDS] = rows["words"].T
    for column, feature in enumerate(STATE_FEATURES[_PLAIN_COUNT:], start=TEXTS + _PLAIN_COUNT):
        features[column] = feature.values(facts) if feature.values else 0.0
    return features.T.copy()
