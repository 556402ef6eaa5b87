"""The rate at which a page changes, estimated from visits that only show whether it has changed since the previous one.

Changes are a Poisson process, so a page with rate r is unchanged after a time t with probability exp(-r t). A visit
that finds a change does not show how many there were: dividing changes by time would underestimate the rate of pages
that change more often than they are visited (Cho and Garcia-Molina, Estimating Frequency of Change, 2003). Here, the
likelihood of the actual observations is combined with a gamma distribution of rates, which also keeps the estimate
finite for a page that had changed at every visit.

Times are in days.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import exp, expm1, frexp, inf, log, log1p

_STEPS = 60  # maximum number of steps of Newton's method; usually, a handful is enough
_MAX_STEP = 1.5  # maximum step of the logarithm of the rate
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """A gamma distribution of the rate at which a page changes."""

    shape: float
    """The amount of evidence, as a number of observed changes ..."""
    days: float
    """... in this many days."""

    @property
    def mean(self) -> float:
        """Changes per day."""
        return self.shape / self.days

    def chance(self, days: float) -> float:
        """The probability that a page has changed after some days."""
        return -expm1(-self.shape * log1p(max(days, 0.0) / self.days))

    def days_until(self, chance: float) -> float:
        """After how many days a page has changed with a given probability; inf for 1."""
        if chance >= 1.0:
            return inf
        exponent = -log1p(-max(chance, 0.0)) / self.shape
        return self.days * expm1(exponent) if exponent < 500 else inf

    def gain(self, days: float) -> float:
        """The marginal gain of a visit after `days`: the additional time for which its copy is current.

        A copy that is renewed every t days is current for (1 - exp(-r t)) / r per interval, if the rate is r. For a
        given number of visits, the total is maximal if all pages are visited when the marginal gain of a visit is the
        same: (1 - exp(-r t)) / r - t exp(-r t). This method returns its mean over the rates. A page that changes all
        the time gains little however long one waits; one that changes rarely gains much, but late.
        """
        days = max(days, 0.0)
        grown = 1.0 + days / self.days
        if abs(self.shape - 1.0) < 1e-6:
            current = self.days * log(grown)
        else:
            current = self.days * expm1((1.0 - self.shape) * log(grown)) / (1.0 - self.shape)
        return max(current - days * exp(-self.shape * log(grown)), 0.0)


@dataclass(slots=True)
class Observations:
    """The observations from visits. Intervals that ended with a change are grouped by order of magnitude."""

    quiet: float = 0.0
    """Days in which certainly nothing changed."""
    exact: int = 0
    """The number of changes with known times."""
    changed: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Intervals with at least one change: for each power of two of days, their number and their total length."""

    def same(self, days: float) -> None:
        """Record an interval without changes."""
        self.quiet += days

    def change(self, days: float) -> None:
        """Record an interval with at least one change."""
        power = frexp(days)[1]
        count, total = self.changed.get(power, (0, 0.0))
        self.changed[power] = count + 1, total + days

    def change_at(self, days_ago: float) -> None:
        """Record the time of the last change."""
        self.exact += 1
        self.quiet += days_ago

    @property
    def count(self) -> int:
        """The amount of observations, to detect growth."""
        return self.exact + sum(count for count, _ in self.changed.values())

    def intervals(self) -> Iterable[tuple[int, float]]:
        """The intervals with changes: number of intervals, and their mean length in days."""
        return ((count, total / count) for count, total in self.changed.values() if total > 0)


def posterior(prior: ChangeRate, seen: Observations) -> ChangeRate:
    """The posterior of a rate, approximated by a gamma distribution with the same mode and curvature.

    Both refer to the logarithm of the rate. In it, the logarithm of a gamma density is concave, and so are the terms of
    the observations: -r t for an interval t without a change, log(1 - exp(-r t)) for one with changes, log r - r t for
    a change t ago. So there is a single mode, which Newton's method finds.
    """
    intervals = list(seen.intervals())
    if not intervals:
        return ChangeRate(prior.shape + seen.exact, prior.days + seen.quiet)
    known = prior.shape + seen.exact
    days = prior.days + seen.quiet
    at = log((known + sum(count for count, _ in intervals)) / (days + sum(n * length for n, length in intervals)))
    width = known
    for _ in range(_STEPS):
        rate = exp(at)
        slope, width = known - rate * days, rate * days
        for count, length in intervals:
            first, second = _changed(rate * length)
            slope += count * first
            width += count * second
        step = max(-_MAX_STEP, min(slope / width, _MAX_STEP))
        at += step
        if abs(step) < _CLOSE:
            break
    shape = max(width, prior.shape)
    return ChangeRate(shape, shape / exp(at))


def _changed(expected: float) -> tuple[float, float]:
    """The first derivative of log(1 - exp(-x)) with respect to log x, and the negative second derivative."""
    if expected < 1e-4:
        return 1.0 - expected / 2, expected / 2
    if expected > 500:
        return 0.0, 0.0
    below = expm1(expected)
    first = expected / below
    return first, first * (first * exp(expected) - 1.0)
