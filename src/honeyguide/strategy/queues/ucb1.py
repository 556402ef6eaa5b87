"""UCB1: which of a few arms to play next (Auer, Cesa-Bianchi and Fischer 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, sqrt


class Ucb1:
    """Plays the arm with the highest upper confidence bound of its mean reward, which is between 0 and 1.

    The bound is the mean + `exploration` · √(2 ln n / n_arm), over n plays of all arms; 1 is UCB1 as published.
    """

    def __init__(self, arms: int, exploration: float) -> None:
        self._exploration = exploration
        self.plays = [0] * arms
        """The number of plays of each arm."""
        self.rewards = [0.0] * arms
        """The sum of the rewards of each arm."""

    def add(self, arm: int, reward: float) -> None:
        """Record the reward of a play."""
        self.plays[arm] += 1
        self.rewards[arm] += reward

    def best(self, pending: Sequence[int]) -> int:
        """The arm to play next; of equal ones, the first.

        Args:
            pending: The number of plays of each arm whose reward is still unknown. They count as plays with the mean
                reward of the arm.
        """
        plays = [done + open_ for done, open_ in zip(self.plays, pending, strict=True)]
        every = sum(plays)
        bounds = [
            (self.rewards[arm] / max(self.plays[arm], 1)) + self._exploration * sqrt(2 * log(every) / plays[arm])
            if plays[arm]
            else inf
            for arm in range(len(plays))
        ]
        return bounds.index(max(bounds))
