"""Figures of a crawl: every measure of the five papers, computed from the pages in the order of fetching.

Conventions are those of the evaluation section of the methods: H(t) = (1/t) Σ r_i, R(t) = |C(t) ∩ T| / |T|, both over
the pages that the crawl chose: seeds and examples, which it was given, are not counted, and neither are revisits. A
site is a registered domain; if all targets are on one site, there are no figures about sites. Where a figure would need
a division by zero it is None, never NaN, so that everything here can be written as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.domains import registered_domain
from honeyguide.page.url import host_of

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Figure = float | int | None

POINTS = 200
"""Approximate number of points of a curve in a report."""

EARLY = (25, 50, 100)
"""Numbers of pages at which every curve has a point, so that differences show before a small topic is exhausted."""

_TOP = 20  # P@20 is the precision that 002 reports
_MOST_RELEVANT = 0.9  # "90 % of the relevant pages after 65 % of the visits" (002)
_DIGITS = 6  # of the values of a curve: finer than any plot, and the file stays small


@dataclass(frozen=True, eq=False)
class Order:
    """One crawl: one row per page that it chose, in the order of fetching, without seeds and examples.

    Raises `ValueError` when a URL occurs twice (revisits are not counted) or when columns differ in length.
    """

    urls: Sequence[str]
    relevant: Bools
    """Whether the judge considers it relevant; of near-duplicates, one counts (see `count_once`)."""
    target: Bools
    """Whether it is one of the targets."""
    bytes: Ints
    """As sent over the wire."""
    seconds: Floats
    """Virtual time at which the page had arrived."""
    hops: Ints
    """The number of links from a seed to the page, on the path that the crawl took."""
    similarity: Floats
    """The judge's score; NaN where there is none."""
    predicted: Floats
    """The priority with which the page was taken from the frontier; NaN where it is unknown."""

    def __post_init__(self) -> None:
        for column in fields(self):
            if len(getattr(self, column.name)) != len(self.urls):
                raise ValueError(f"the column {column.name} is not as long as the crawl")
        if len(set(self.urls)) != len(self.urls):
            raise ValueError("a URL occurs twice in the crawl; revisits are not counted")

    def __len__(self) -> int:
        return len(self.urls)

    def first(self, pages: int) -> Order:
        """The first pages of the crawl; all of it when it has fewer."""
        return Order(**{column.name: getattr(self, column.name)[:pages] for column in fields(self)})


def count_once(found: Bools, copies: Sequence[int]) -> Bools:
    """Remove duplicates from `found`: pages with the same number in `copies` are near-duplicates.

    The first of them that is found counts. An earlier copy that is not found does not replace a later one.
    """
    seen: set[int] = set()
    once = np.zeros(len(found), dtype=np.bool_)
    for place, group in enumerate(copies):
        if found[place] and group not in seen:
            once[place] = True
            seen.add(group)
    return once


# --- Along the crawl -------------------------------------------------------------------------------------------------


def harvest(order: Order) -> Floats:
    """H(t) for t = 1 … pages fetched."""
    return np.cumsum(order.relevant) / np.arange(1, len(order) + 1)


def recall(order: Order, targets: int) -> Floats:
    """R(t) for t = 1 … pages fetched, of `targets` targets; there must be one, or it is a ValueError."""
    if targets < 1:
        raise ValueError("recall needs targets")
    found = np.cumsum(order.target)
    if len(found) and found[-1] > targets:
        raise ValueError(f"{found[-1]} targets were found, but there are only {targets}")
    return found / targets


def sites_of(urls: Iterable[str]) -> list[str]:
    """The site of each URL: its registered domain."""
    return [registered_domain(host_of(url)) for url in urls]


def site_recall(order: Order, sites: int) -> Floats:
    """The share of the `sites` sites with targets on which a target has been found, for t = 1 … pages fetched."""
    seen: set[str] = set()
    found = np.zeros(len(order))
    for place, site in zip(np.flatnonzero(order.target), sites_of(_picked(order.urls, order.target)), strict=True):
        found[place] = site not in seen
        seen.add(site)
    if len(seen) > sites:
        raise ValueError(f"targets were found on {len(seen)} sites, but there are only {sites}")
    return np.cumsum(found) / sites


def target_lengths(order: Order) -> Ints:
    """Σ hops over the first 1, 2, … relevant pages found (000, equation 10)."""
    return np.cumsum(order.hops[order.relevant])


def relevant_by_visited(order: Order) -> tuple[Floats, Floats]:
    """The share of the pages visited, and the share of the relevant ones among them found by then (002).

    Both are shares of what this crawl visited and found, so the last point is (1, 1). Empty when nothing was found.
    """
    found = np.cumsum(order.relevant)
    if not len(found) or not found[-1]:
        return np.empty(0), np.empty(0)
    return np.arange(1, len(order) + 1) / len(order), found / found[-1]


def held(values: Floats, budget: int) -> Floats:
    """The values for t = 1 … budget: a crawl that ended early keeps its last value, a crawl without pages has zeros.

    This is exact for recall. For harvest it means that pages that were never fetched cost nothing; ending early shows
    in the recall.
    """
    values = values[:budget]
    last = values[-1] if len(values) else 0.0
    return np.concatenate([values, np.full(budget - len(values), last)])


def area(values: Floats, budget: int) -> float:
    """The area under a curve over the budget: its mean over t = 1 … budget, `held` after its end."""
    if budget < 1:
        raise ValueError("an area needs a budget")
    return float(held(values, budget).mean())


def curve(order: Order, targets: int, budget: int, points: int = POINTS, sites: int = 1) -> list[list[float]]:
    """[[pages, harvest, recall, site recall], …] at page 1, at `EARLY`, at all multiples of a step, at the last.

    The step is ⌈budget / points⌉, so crawls with the same budget have the same places and round numbers of pages are
    among them. A crawl that ended early has no points after its end. Without several sites there is no site recall.
    """
    end = min(len(order), budget)
    step = -(-budget // points)
    places = sorted({*range(step, end + 1, step), *([1, end] if end else []), *(t for t in EARLY if t <= end)})
    columns = [harvest(order), recall(order, targets), *([site_recall(order, sites)] if sites > 1 else [])]
    return [[t, *(round(float(column[t - 1]), _DIGITS) for column in columns)] for t in places]


def at(points: Sequence[Sequence[float]], pages: int) -> tuple[float, float]:
    """Harvest and recall of a `curve` after `pages` pages: at the last point up to there; zeros before the first."""
    before = [point for point in points if point[0] <= pages]
    return (before[-1][1], before[-1][2]) if before else (0.0, 0.0)


# --- Single figures ----------------------------------------------------------------------------------------------


def f1(precision: float, recall: float) -> float:
    """2PR / (P + R); 0 when both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def precision_at(order: Order, k: int, scores: Floats | None = None) -> float | None:
    """The share of relevant pages among the k with the highest scores; by default the priorities they were taken with.

    Equal scores rank in the order of fetching. A page without a score (NaN) has no rank; None when no page has one.
    With fewer than k ranked pages the missing ones count as misses.
    """
    scores = order.predicted if scores is None else scores
    ranked = np.flatnonzero(~np.isnan(scores))
    if not len(ranked):
        return None
    best = ranked[np.argsort(-scores[ranked], kind="stable")][:k]
    return float(order.relevant[best].sum() / k)


def average_similarity(order: Order) -> float | None:
    """(1/t) Σ Sim(page, topic), over the pages with a score (004); None when no page has one."""
    return _mean(order.similarity)


def average_error(order: Order) -> float | None:
    """(1/t) Σ |predicted priority - Sim(page, topic)|, over the pages that have both (004); None when none has."""
    return _mean(np.abs(order.predicted - order.similarity))


def target_length(order: Order, relevant: int) -> int | None:
    """Σ hops over the first `relevant` relevant pages; None when fewer were found, as that cannot be compared."""
    if relevant == 0:
        return 0
    lengths = target_lengths(order)
    return int(lengths[relevant - 1]) if relevant <= len(lengths) else None


def visited_for(order: Order, share: float) -> float | None:
    """The share of the visits after which a share of the relevant pages was found; None when none was found."""
    visited, found = relevant_by_visited(order)
    return float(visited[np.searchsorted(found, share)]) if len(found) else None


def share_of_oracle(area: float, oracle_area: float) -> float | None:
    """An area as a share of the oracle's; None when the oracle found nothing either."""
    return area / oracle_area if oracle_area else None


def minutes(order: Order) -> float:
    """Virtual minutes until the last page arrived; 0 for a crawl without pages."""
    return float(order.seconds.max() / 60) if len(order) else 0.0


def figures(
    order: Order, targets: int, budget: int, oracle_auc_recall: float | None = None, sites: int = 1
) -> dict[str, Figure]:
    """Every single figure of a crawl, by the names that results carry; pages past the budget are left out.

    F1 takes the harvest rate as precision and the target recall as recall. `target_length` is over all relevant pages
    found: crawls that found more or fewer are compared with `target_length` at the number that each of them found.
    `sites` is the number of sites with a target; with a single site, there are no figures about sites.
    """
    order = order.first(budget)
    pages, relevant, sent, spent = len(order), int(order.relevant.sum()), int(order.bytes.sum()), minutes(order)
    rates, shares = harvest(order), recall(order, targets)
    rate, share = (float(rates[-1]), float(shares[-1])) if pages else (0.0, 0.0)
    auc_recall = area(shares, budget)
    sites_found = len(set(sites_of(_picked(order.urls, order.target)))) if sites > 1 else None
    return {
        "pages": pages,
        "relevant": relevant,
        "targets": targets,
        "targets_found": int(order.target.sum()),
        "harvest_rate": rate,
        "target_recall": share,
        "f1": f1(rate, share),
        "sites": sites,
        "sites_found": sites_found,
        "site_recall": None if sites_found is None else sites_found / sites,
        "precision_at_20": precision_at(order, _TOP),
        "average_similarity": average_similarity(order),
        "average_error": average_error(order),
        "auc_recall": auc_recall,
        "auc_harvest": area(rates, budget),
        "oracle_auc_recall": oracle_auc_recall,
        "share_of_oracle": None if oracle_auc_recall is None else share_of_oracle(auc_recall, oracle_auc_recall),
        "pages_per_relevant": _per(pages, relevant),
        "visited_for_90_percent": visited_for(order, _MOST_RELEVANT),
        "bytes": sent,
        "bytes_per_relevant": _per(sent, relevant),
        "virtual_minutes": spent,
        "virtual_minutes_per_relevant": _per(spent, relevant),
        "target_length": target_length(order, relevant),
    }


def _picked(urls: Sequence[str], is_picked: Bools) -> list[str]:
    return [urls[place] for place in np.flatnonzero(is_picked).tolist()]


def _per(amount: float, count: int) -> float | None:
    return amount / count if count else None


def _mean(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else None
