"""What the promise of a link is made from: one list of features, each with its name, its prior weight, its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.guide.rates import SmoothedRate
from honeyguide.strategy.guide.scaler import RunningScaler
from honeyguide.strategy.guide.texts import TEXT_FEATURES, TextFeature, text_column

Floats = NDArray[np.float64]

SECTIONS = 2
"""Sections that a URL is remembered to stand in."""

URL = np.dtype(
    [
        ("texts", np.float16, len(TEXT_FEATURES)),
        ("relevance", np.float16),
        ("best", np.float16),
        ("best_near", np.float16),
        ("cash", np.float16),
        ("pages", np.uint16),
        ("sections", np.uint32, SECTIONS),
        ("folder", np.uint32),
        ("page", np.uint32),  # the order in which it was fetched, from 1; 0 for a URL that was not
        ("gap", np.uint8),
        ("region", np.uint8),
        ("example", np.int8),
    ]
)
"""What is remembered of a URL: means over the pages that link to it, the best of them, where it was met first. Small:
there are as many rows as URLs wait."""

_UNIT = 0.3  # of a standard deviation, so that the weights of scores and of shares are of one size
_REGIONS = 8  # more than there are
_NEAR, _WIDE = text_column("near"), text_column("wide")
_SCALED = [*range(len(TEXT_FEATURES)), _NEAR]  # the texts, and the best of those near the link


class Rates:
    """How well URLs have turned out so far, by what they have in common."""

    def __init__(self) -> None:
        self.sections, self.regions = SmoothedRate("section", 2.0), SmoothedRate("region", 4.0)
        self.folders, self.hosts = SmoothedRate("folder", 3.0), SmoothedRate("host", 5.0)

    def all(self) -> tuple[SmoothedRate, ...]:
        """Each of them."""
        return self.sections, self.regions, self.folders, self.hosts

    def add(self, row: NDArray[Any], host: int, outcome: float) -> None:
        """A URL, remembered as `row`, turned out so."""
        hosts = np.array([host])
        self.folders.add(row["folder"].astype(np.intp), outcome)
        self.hosts.add(hosts, outcome)
        self.regions.add(region_keys(hosts, row["region"]), outcome)
        sections = row["sections"][0]
        self.sections.add(sections[sections > 0].astype(np.intp), outcome)

    def earned(self, rows: NDArray[Any], host: NDArray[np.intp]) -> Floats:
        """The most that the outcomes of their siblings, and of their region of the site, make likely of some URLs."""
        siblings = self.sections.earned(rows["sections"])
        return np.minimum(siblings, self.regions.earned(region_keys(host, rows["region"])[:, None]))


def region_keys(host: NDArray[np.intp], region: NDArray[Any]) -> NDArray[np.intp]:
    """Numbers for regions of the pages of a host."""
    keys: NDArray[np.intp] = host * _REGIONS + region
    return keys


@dataclass(frozen=True, slots=True)
class UrlFacts:
    """All that is known of some URLs; every array has one row per URL."""

    rows: NDArray[Any]
    """As remembered: see `URL`."""
    host: NDArray[np.intp]
    depth: NDArray[np.intp]
    scaled: Floats
    """By how many standard deviations the score of each text exceeds the crawl's mean; last, the best near one's."""
    rates: Rates
    usual: float
    """The mean outcome of a link so far."""


@dataclass(frozen=True, slots=True)
class StateFeature:
    """A feature that follows from what is remembered of a URL and from how others turned out."""

    label: str
    """As `honeyguide why` shows it."""
    prior: float
    """How much it is trusted before anything was learnt."""
    values: Callable[[UrlFacts], NDArray[Any]]
    """One value per URL."""


def _page_and_words(url: UrlFacts) -> Floats:
    both: Floats = np.sqrt(np.maximum(url.scaled[:, _WIDE] + 1, 0.0) * url.rows["relevance"].astype(np.float64))
    return both * _UNIT


STATE_FEATURES = (
    StateFeature("the best words near it", 0.05, lambda url: url.scaled[:, -1] * _UNIT),
    StateFeature("the pages that link to it", 0.2, lambda url: url.rows["relevance"]),
    StateFeature("the best page that links to it", 0.0, lambda url: url.rows["best"]),
    StateFeature("how many pages link to it", 0.02, lambda url: np.log1p(url.rows["pages"].astype(np.float64))),
    StateFeature("the cash that reached it", 0.0, lambda url: np.log1p(url.rows["cash"].astype(np.float64))),
    StateFeature("its siblings so far", 0.4, lambda url: url.rates.sections.rates(url.rows["sections"], url.usual)),
    StateFeature(
        "its region of the site so far",
        0.0,
        lambda url: url.rates.regions.rates(region_keys(url.host, url.rows["region"]), url.usual),
    ),
    StateFeature("its folder so far", 0.1, lambda url: url.rates.folders.rates(url.rows["folder"], url.usual)),
    StateFeature("its host so far", 0.0, lambda url: url.rates.hosts.rates(url.host, url.usual)),
    StateFeature("links since a relevant page", 0.0, lambda url: url.rows["gap"] / 5),
    StateFeature("page and words together", 0.0, _page_and_words),
    StateFeature("links from a seed", -0.4, lambda url: np.minimum(url.depth, 6) / 5),
)

FEATURES: tuple[TextFeature | StateFeature, ...] = (*TEXT_FEATURES, *STATE_FEATURES)
"""All of them, in the order of the model's weights."""

LABELS = tuple(feature.label for feature in FEATURES)
PRIORS = np.array([feature.prior for feature in FEATURES])


def scaled_texts(scaler: RunningScaler, rows: NDArray[Any]) -> Floats:
    """The texts' scores of some URLs, and the best near one's, in standard deviations from what is usual."""
    texts = np.concatenate([rows["texts"], rows["best_near"][:, None]], axis=1, dtype=np.float64)
    return scaler.scaled(texts, _SCALED)


def feature_matrix(facts: UrlFacts) -> Floats:
    """One row per URL, one column per feature, in the order of `FEATURES`."""
    texts = len(TEXT_FEATURES)
    features = np.empty((len(facts.rows), len(FEATURES)))
    features[:, :texts] = facts.scaled[:, :texts] * _UNIT
    for column, feature in enumerate(STATE_FEATURES, start=texts):
        features[:, column] = feature.values(facts)
    return features
