"""Means with standard errors, and paired significance tests over topics.

Topics are the units: the repeats of a topic share its pages, so they are averaged first and a topic counts once. Two
strategies are compared on the cells (topic and repeat) that both have, since a repeat means the same seeds, examples
and targets for both. Tests are one-tailed as in 001 ("is the first better than the second?"), so the question has to be
fixed before the figures are seen; all questions asked together are one family for Holm's correction.

A figure that does not exist (the error of one topic, the p of differences that are all zero) is None, never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

Cell = tuple[str, int]
"""Topic and repeat."""

Values = Mapping[Cell, float | None]
"""One figure of one strategy, by cell; None, or a value that is not finite, where the cell has no such figure."""

LOWER_IS_BETTER = frozenset(
    "average_error bytes bytes_per_relevant pages_per_relevant target_length virtual_minutes "
    "virtual_minutes_per_relevant visited_for_90_percent".split()
)
"""The figures of a crawl for which less is better."""

ALPHA = 0.05
_DRAWS = 10_000
_SAME = 1e-9  # relative differences up to here are rounding


@dataclass(frozen=True)
class Summary:
    """A mean and its standard error."""

    mean: float | None
    standard_error: float | None
    over: str
    """What the error was taken over: "topics", or "repeats" when there is only one topic."""
    count: int
    """The number of topics, or of repeats."""


@dataclass(frozen=True)
class Question:
    """Is the first strategy better than the second by a figure, after `pages` pages (None: over the whole crawl)?"""

    first: str
    second: str
    metric: str
    pages: int | None
    first_values: Values
    second_values: Values


@dataclass(frozen=True)
class PairedTest:
    """The answer to one question. Its p values are one-tailed, for "the first is better"."""

    first: str
    second: str
    metric: str
    pages: int | None
    topics: int
    """The number of topics that both have."""
    missing: int
    """The number of cells that only one of them has; they are left out."""
    first_mean: float | None
    second_mean: float | None
    change: float | None
    """(first - second) / |second|, of the means; None when the second is 0, or negligible beside the difference."""
    difference: float | None
    interval: tuple[float, float] | None
    """95 % bootstrap interval of the difference, over topics."""
    wins: int
    losses: int
    t: float | None
    p: float | None
    """The p value of the paired t-test."""
    p_holm: float | None
    """The p value after Holm's correction."""
    p_wilcoxon: float | None
    p_wilcoxon_holm: float | None
    significant: bool
    """Whether the decisive p is below the level."""

    @property
    def decisive_p(self) -> float | None:
        """The corrected p of the t-test; that of Wilcoxon's test when the difference is the same on every topic."""
        return self.p_holm if self.p_holm is not None else self.p_wilcoxon_holm

    @property
    def first_is_ahead(self) -> bool:
        """Whether the first has the better mean."""
        difference = self.difference or 0.0
        return difference < 0 if self.metric in LOWER_IS_BETTER else difference > 0


def values_of(cells: Iterable[Mapping[str, object]], strategy: str, metric: str) -> dict[Cell, float | None]:
    """The values of one figure of one strategy, from cells with "topic", "repeat", "strategy" and figures by name."""
    values: dict[Cell, float | None] = {}
    for cell in cells:
        if cell["strategy"] == strategy:
            value = cell.get(metric)
            cell_id = (str(cell["topic"]), int(str(cell["repeat"])))
            values[cell_id] = float(value) if isinstance(value, int | float) else None
    return values


def summary(values: Values) -> Summary:
    """The mean over topics of the means over repeats, and the standard error over topics.

    With one topic, the error is over its repeats. It is None for a single topic with a single repeat.
    """
    topics = _by_topic(_known(values))
    over, units = "topics", [float(np.mean(repeats)) for repeats in topics.values()]
    if len(topics) == 1:
        over, units = "repeats", next(iter(topics.values()))
    return Summary(float(np.mean(units)) if units else None, _standard_error(units), over, len(units))


def paired_tests(questions: Sequence[Question], seed: int = 0, alpha: float = ALPHA) -> list[PairedTest]:
    """Answer all questions as one family: Holm's correction covers those that have a p value."""
    tests = [_test(question, seed) for question in questions]
    corrected = holm([test.p for test in tests])
    corrected_wilcoxon = holm([test.p_wilcoxon for test in tests])
    result = []
    for test, p_holm, p_wilcoxon_holm in zip(tests, corrected, corrected_wilcoxon, strict=True):
        full = replace(test, p_holm=p_holm, p_wilcoxon_holm=p_wilcoxon_holm)
        p = full.decisive_p
        result.append(replace(full, significant=full.topics > 1 and p is not None and p < alpha))
    return result


def paired_means(first: Values, second: Values) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means of each topic over the cells that both have, in the order of the topics."""
    known, other = _known(first), _known(second)
    both = known.keys() & other.keys()
    return _topic_means({cell: known[cell] for cell in both}), _topic_means({cell: other[cell] for cell in both})


# --- The tests -------------------------------------------------------------------------------------------------------


def t_test(differences: Sequence[float]) -> tuple[float, float] | None:
    """The t and the one-tailed p of "the mean is above 0"; None for fewer than two values, and if all are the same."""
    error = _standard_error(differences)
    if error is None or error <= _SAME * np.abs(differences).max():
        return None
    t = float(np.mean(differences)) / error
    return t, float(stdtr(len(differences) - 1, -t))


def wilcoxon(differences: Sequence[float]) -> float | None:
    """The exact one-tailed p of the signed-rank test of "above 0"; None when no difference is left after the zeros.

    Equal sizes share their mean rank, and the distribution is enumerated over all signs, so it is exact with ties, too
    (tables and normal approximations are not).
    """
    kept = np.array([difference for difference in differences if difference])
    if not len(kept):
        return None
    # Sizes that differ only by rounding must share a rank; twice the mean rank is a whole number.
    sizes = np.round(np.abs(kept) / np.abs(kept).max(), 9)
    _, value, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    ranks = (2 * np.cumsum(counts) - counts + 1)[value]  # equal sizes share the mean of their ranks
    chance = np.zeros(int(ranks.sum()) + 1)
    chance[0] = 1.0
    for rank in ranks:
        with_it = np.concatenate([np.zeros(rank), chance[:-rank]])
        chance = (chance + with_it) / 2
    return float(min(1.0, chance[int(ranks[kept > 0].sum()) :].sum()))


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction: the smallest p times m, the next times m - 1, …, never falling, at most 1.

    None stands for a test that was not made: it stays None and is not counted.
    """
    made = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    largest = 0.0
    for rank, (p, place) in enumerate(made):
        largest = max(largest, min(1.0, p * (len(made) - rank)))
        corrected[place] = largest
    return corrected


def bootstrap(values: Sequence[float], seed: int = 0, confidence: float = 0.95) -> tuple[float, float] | None:
    """The percentile interval of the mean over bootstrap samples with this seed; None for fewer than two values."""
    if len(values) < 2:
        return None
    rng = np.random.default_rng(seed)
    sample = np.asarray(values, dtype=np.float64)
    means = sample[rng.integers(0, len(sample), (_DRAWS, len(sample)))].mean(axis=1)
    outside = (1 - confidence) / 2
    low, high = np.quantile(means, [outside, 1 - outside])
    return float(low), float(high)


def _test(question: Question, seed: int) -> PairedTest:
    first, second = _known(question.first_values), _known(question.second_values)
    firsts, seconds = paired_means(first, second)
    differences = np.where(np.isclose(firsts, seconds, rtol=_SAME, atol=0), 0.0, firsts - seconds)
    first_mean, second_mean = _mean(firsts), _mean(seconds)
    difference = _mean(differences)
    gains = -differences if question.metric in LOWER_IS_BETTER else differences
    test = t_test(gains.tolist())
    return PairedTest(
        first=question.first,
        second=question.second,
        metric=question.metric,
        pages=question.pages,
        topics=len(differences),
        missing=len(first.keys() ^ second.keys()),
        first_mean=first_mean,
        second_mean=second_mean,
        change=_change(difference, second_mean),
        difference=difference,
        interval=bootstrap(differences.tolist(), seed),
        wins=int((gains > 0).sum()),
        losses=int((gains < 0).sum()),
        t=test[0] if test else None,
        p=test[1] if test else None,
        p_holm=None,
        p_wilcoxon=wilcoxon(gains.tolist()) if len(gains) > 1 else None,
        p_wilcoxon_holm=None,
        significant=False,
    )


def _change(difference: float | None, base: float | None) -> float | None:
    if difference is None or base is None or abs(base) <= _SAME * abs(difference):
        return None
    return difference / abs(base)


# --- Small parts -----------------------------------------------------------------------------------------------------


def _known(values: Values) -> dict[Cell, float]:
    return {cell: value for cell, value in values.items() if value is not None and math.isfinite(value)}


def _by_topic(values: Mapping[Cell, float]) -> dict[str, list[float]]:
    """The values of each topic. Sorted, so that sums do not depend on the order in which cells were finished."""
    topics: dict[str, list[float]] = {}
    for (topic, _), value in sorted(values.items()):
        topics.setdefault(topic, []).append(value)
    return topics


def _topic_means(values: Mapping[Cell, float]) -> NDArray[np.float64]:
    return np.array([np.mean(repeats) for repeats in _by_topic(values).values()], dtype=np.float64)


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None


def _standard_error(values: Sequence[float]) -> float | None:
    """The sample's standard deviation (n - 1) over √n; None for fewer than two values."""
    if len(values) < 2:
        return None
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))
