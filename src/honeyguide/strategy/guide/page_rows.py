"""What guide remembers of the pages that were fetched, in the order in which they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.guide.features import FEATURES
from honeyguide.strategy.queues.rows import RowStore

Floats = NDArray[np.float64]

_COUNT = len(FEATURES)
_FULL_HUB = 3.0  # relevant pages behind a page from which it counts fully as a hub

_PAGE = np.dtype(
    [
        ("features", np.float32, _COUNT),  # by which it was chosen
        ("parts", np.float32, _COUNT),  # what each of them added to its promise
        ("outcome", np.float32),
        ("shown", np.float32),  # fetched pages that it was the first to link to
        ("shown_relevance", np.float32),
    ]
)


class PageRows:
    """One row per page, numbered from 1; the row with the number 0 stands for no page, and is all zeros."""

    def __init__(self) -> None:
        self._rows = RowStore("page", _PAGE)
        self.count = 0
        """Number of pages."""

    def add(self, features: Floats, parts: Floats, outcome: float) -> int:
        """Remember a page. Returns its number."""
        self.count += 1
        self._rows.set_one(self.count, (*features.tolist(), *parts.tolist(), outcome, 0.0, 0.0))
        return self.count

    def outcome(self, number: int) -> float:
        """How a page turned out."""
        outcome: float = self._rows.one(number)[-3]
        return outcome

    def behind(self, number: int) -> tuple[float, float]:
        """The number of fetched pages that a page was the first to link to, and the sum of their outcomes."""
        _, shown, relevance = self._rows.one(number)[-3:]
        return shown, relevance

    def parts(self, number: int) -> list[float]:
        """What each feature added to the promise by which a page was chosen."""
        return list(self._rows.one(number)[_COUNT : 2 * _COUNT])

    def correct(
        self, number: int, *, outcome: float = 0.0, pages: int = 0, behind: float = 0.0
    ) -> tuple[Floats, float, float]:
        """Change what is known of a page.

        Args:
            number: The page.
            outcome: By how much its own outcome is larger.
            pages: How many more pages it was the first to link to.
            behind: By how much the sum of their outcomes is larger.

        Returns:
            The features it was chosen by, and what it was worth before and is worth now.
        """
        *others, own, shown, relevance = before = self._rows.one(number)
        self._rows.set_one(number, (*others, own + outcome, shown + pages, max(relevance + behind, 0.0)))
        after = self._rows.one(number)  # rounded
        return np.array(before[:_COUNT]), worth(*before[-3:]), worth(*after[-3:])

    # ---- state ----

    def dump(self, number: int) -> bytes:
        """A row as it is stored; nothing for no page."""
        return self._rows[np.array([number])].tobytes() if number else b""

    def load(self, row: bytes) -> int:
        """Add what `dump` returned of a page. Returns its number."""
        self.count += 1
        self._rows[np.array([self.count])] = np.frombuffer(row, _PAGE)
        return self.count

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        return self._rows.dirty_state()

    def restore(self, state: Mapping[str, bytes], count: int) -> None:
        """Take back the pieces that `dirty_state` gave, for so many pages."""
        self._rows.restore(state)
        self.count = count


def worth(outcome: float, shown: float, relevance: float) -> float:
    """A page's outcome, plus that of the pages it was first to link to: many relevant ones make it a hub."""
    behind = min(relevance / _FULL_HUB, 1.0) * relevance / shown if shown else 0.0
    return outcome + behind
