"""How often a page changes, from visits that only tell whether it has changed since the one before.

Changes come as a Poisson process, so a page that changes at a rate r is the same after a time t with a chance of
exp(-r t). A visit that finds a change does not tell how many there were: to divide changes by time would underestimate
the rate of pages that change more often than they are visited (Cho and Garcia-Molina, Estimating Frequency of Change,
2003). Here the likelihood of just what was seen is combined with a gamma distribution of rates, which also keeps the
estimate finite for a page that had changed at every visit.

Times are in days.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import exp, expm1, frexp, inf, log, log1p

_STEPS = 60  # of Newton's method; a handful are enough
_LONGEST_STEP = 1.5  # of the logarithm of the rate
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """A gamma distribution of the rate at which a page changes."""

    shape: float
    """How much is known: as if so many changes had been seen."""
    days: float
    """In so many days."""

    @property
    def mean(self) -> float:
        """Changes per day."""
        return self.shape / self.days

    def chance(self, days: float) -> float:
        """The chance that a page has changed after some days."""
        return -expm1(-self.shape * log1p(max(days, 0.0) / self.days))

    def days_until(self, chance: float) -> float:
        """After how many days a page has changed with some chance; inf for a chance of 1."""
        if chance >= 1.0:
            return inf
        exponent = -log1p(-max(chance, 0.0)) / self.shape
        return self.days * expm1(exponent) if exponent < 500 else inf

    def gain(self, days: float) -> float:
        """What a visit after so many days brings: how much longer its copy is current, by the price of a visit.

        A copy that is renewed every t days is current for a time of (1 - exp(-r t)) / r in each of them, if the rate
        is r. The most time for a number of visits is had if all pages are visited when what one more visit to them
        would bring is the same: (1 - exp(-r t)) / r - t exp(-r t). This is the mean of it over the rates. A page that
        changes all the time brings little however long one waits; one that changes rarely brings much, but late.
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
    """What visits have told about changes. Intervals that ended with a change are kept by their order of magnitude."""

    quiet: float = 0.0
    """Days in which nothing has changed for sure."""
    exact: int = 0
    """Changes of which it is known when they were."""
    changed: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Intervals with a change at least: for each power of two of days how many, and how long together."""

    def same(self, days: float) -> None:
        """A page has not changed for so long."""
        self.quiet += days

    def change(self, days: float) -> None:
        """A page has changed within so long, once at least."""
        power = frexp(days)[1]
        count, total = self.changed.get(power, (0, 0.0))
        self.changed[power] = count + 1, total + days

    def change_at(self, days_ago: float) -> None:
        """A page has changed, for the last time so long ago."""
        self.exact += 1
        self.quiet += days_ago

    @property
    def count(self) -> int:
        """How much was seen; for knowing whether it has become much more."""
        return self.exact + sum(count for count, _ in self.changed.values())

    def intervals(self) -> Iterable[tuple[int, float]]:
        """The intervals with changes: how many of the same length, and their length in days."""
        return ((count, total / count) for count, total in self.changed.values() if total > 0)


def posterior(prior: ChangeRate, seen: Observations) -> ChangeRate:
    """The distribution of a rate after observations: a gamma distribution at the same mode, and as wide there.

    Both by the logarithm of the rate, in which the logarithm of a gamma density is concave, and so is what is added to
    it: by -r t for an interval t without a change, log(1 - exp(-r t)) for one with changes, log r - r t for a change t
    ago. So there is one mode, and Newton's method finds it.
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
        step = max(-_LONGEST_STEP, min(slope / width, _LONGEST_STEP))
        at += step
        if abs(step) < _CLOSE:
            break
    shape = max(width, prior.shape)
    return ChangeRate(shape, shape / exp(at))


def _changed(expected: float) -> tuple[float, float]:
    """The first derivative of log(1 - exp(-x)) by log x, and the second with its sign changed."""
    if expected < 1e-4:
        return 1.0 - expected / 2, expected / 2
    if expected > 500:
        return 0.0, 0.0
    below = expm1(expected)
    first = expected / below
    return first, first * (first * exp(expected) - 1.0)
