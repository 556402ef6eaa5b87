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

_SUREST: Final = 1e-4  # no relevance is surer than this


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fetched page that nobody has been asked about."""

    number: int
    """Its place in the crawl, from 0: which of them was fetched first."""
    url: str
    host: str
    relevance: float
    """By the current model."""
    threshold: float
    """From which the current model calls a page relevant."""
    behind: int = 0
    """How many of the most promising URLs that wait were found on it."""

    @property
    def chance(self) -> float:
        """The probability that it is relevant: one half at the threshold, whatever that is."""
        return 1 / (1 + exp(_log_odds(self.threshold) - _log_odds(self.relevance)))


def _log_odds(chance: float) -> float:
    held = min(max(chance, _SUREST), 1 - _SUREST)
    return log(held / (1 - held))


class Chooser(Protocol):
    """A way to choose the next question. The same candidates, in the same order of calls, give the same questions."""

    def choose(self, candidates: Sequence[Candidate], asked: Mapping[str, int]) -> Candidate:
        """The candidate to ask about.

        Args:
            candidates: At least one, in the order in which they were fetched.
            asked: How many questions were about each host so far.
        """
        ...


class RandomChooser(Chooser):
    """Any of them: what the other ways are compared with."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)

    @override
    def choose(self, candidates: Sequence[Candidate], asked: Mapping[str, int]) -> Candidate:
        return candidates[int(self._random.integers(len(candidates)))]


class UncertainChooser(Chooser):
    """The page that is nearest to the threshold."""

    @override
    def choose(self, candidates: Sequence[Candidate], asked: Mapping[str, int]) -> Candidate:
        return min(candidates, key=lambda page: abs(page.chance - 0.5))


class OurChooser(Chooser):
    """Near the threshold, where much of what is promising was found, and not always on the same host."""

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
"""Every way to choose questions, by its name: made with a seed for what is left to chance."""


def chooser_named(name: str, seed: int = 0, place: str = "--questions") -> Chooser:
    """The chooser with a name. Raises `InputError` when there is none."""
    if name not in CHOOSERS:
        raise InputError(place, f"there is no way to choose questions called {name!r}", f"use {', '.join(CHOOSERS)}")
    return CHOOSERS[name](seed)
