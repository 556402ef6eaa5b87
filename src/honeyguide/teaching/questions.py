"""Which page to ask a teacher about next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np
from typing_extensions import override

from honeyguide.errors import InputError

_MIN_CHANCE: Final = 1e-4  # relevance is clipped to this distance from 0 and 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fetched page that may be asked about."""

    number: int
    """Its position in the order of visits, from 0."""
    url: str
    host: str
    relevance: float
    """Its relevance according to the current model."""
    threshold: float
    """The threshold of the current model."""
    behind: int = 0
    """How many of the most promising waiting URLs were found on it."""

    @property
    def chance(self) -> float:
        """The probability that it is relevant: one half at the threshold, whatever that is."""
        return 1 / (1 + exp(_log_odds(self.threshold) - _log_odds(self.relevance)))


def _log_odds(chance: float) -> float:
    held = min(max(chance, _MIN_CHANCE), 1 - _MIN_CHANCE)
    return log(held / (1 - held))


class Chooser(Protocol):
    """A method of choosing the next question. The same calls, in the same order, give the same questions."""

    def choose(self, candidates: Sequence[Candidate], asked: Mapping[str, int]) -> Candidate:
        """Choose the candidate to ask about.

        Args:
            candidates: At least one, in the order in which they were fetched.
            asked: How many questions were about each host so far.
        """
        ...


class RandomChooser(Chooser):
    """Chooses at random, as a baseline."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    @override
    def choose(self, candidates: Sequence[Candidate], asked: Mapping[str, int]) -> Candidate:
        return candidates[int(self._random.integers(len(candidates)))]


class UncertainChooser(Chooser):
    """Chooses the page nearest to the threshold."""

    @override
    def choose(self, candidates: Sequence[Candidate], asked: Mapping[str, int]) -> Candidate:
        return min(candidates, key=lambda page: abs(page.chance - 0.5))


class OurChooser(Chooser):
    """Prefers pages near the threshold, pages that led to promising URLs, and hosts with few questions so far."""

    @override
    def choose(self, candidates: Sequence[Candidate], asked: Mapping[str, int]) -> Candidate:
        most = max(page.behind for page in candidates) or 1

        def worth(page: Candidate) -> float:
            doubt = page.chance * (1 - page.chance)
            return doubt * (1 + page.behind / most) / sqrt(1 + asked.get(page.host, 0))

        return max(candidates, key=worth)


RANDOM, UNCERTAIN, OURS = "random", "uncertain", "ours"

CHOOSERS: Mapping[str, Callable[[int], Chooser]] = MappingProxyType(
    {
        RANDOM: RandomChooser,
        UNCERTAIN: lambda _seed: UncertainChooser(),
        OURS: lambda _seed: OurChooser(),
    }
)
"""The methods of choosing questions, by name; each is created with a seed for random choices."""


def chooser_named(name: str, seed: int = 0, place: str = "--questions") -> Chooser:
    """The chooser with a name. Raises `InputError` when there is none."""
    if name not in CHOOSERS:
        raise InputError(place, f"there is no way to choose questions called {name!r}", f"use {', '.join(CHOOSERS)}")
    return CHOOSERS[name](seed)
