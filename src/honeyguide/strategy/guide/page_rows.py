"""What guide stores about fetched pages, in the order of their visits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.guide.features import FEATURES
from honeyguide.strategy.queues.rows import RowStore

Floats = NDArray[np.float64]

_COUNT = len(FEATURES)
_FULL_HUB = 3.0  # relevant pages behind a page that make it a full hub

_PAGE = np.dtype(
    [
        ("features", np.float32, _COUNT),  # when it was chosen
        ("parts", np.float32, _COUNT),  # the contribution of each feature to its promise
        ("outcome", np.float32),
        ("shown", np.float32),  # fetched pages that it was the first to link to
        ("shown_relevance", np.float32),
    ]
)


class PageRows:
    """One row per page, numbered from 1; row 0 stands for no page, and is all zeros."""

    def __init__(self) -> None:
        self._rows = RowStore("page", _PAGE)
        self.count = 0
        """Number of pages."""

    def add(self, features: Floats, parts: Floats, outcome: float) -> int:
        """Add a page. Returns its number."""
        self.count += 1
        self._rows.set_one(self.count, (*features.tolist(), *parts.tolist(), outcome, 0.0, 0.0))
        return self.count

    def outcome(self, number: int) -> float:
        """The outcome of a page."""
        outcome: float = self._rows.one(number)[-3]
        return outcome

    def outcomes(self, numbers: Sequence[int]) -> Floats:
        """The outcomes of some pages."""
        found: Floats = self._rows[np.array(numbers, np.intp)]["outcome"].astype(np.float64)
        return found

    def behind(self, number: int) -> tuple[float, float]:
        """The number of fetched pages that a page was the first to link to, and the sum of their outcomes."""
        _, shown, relevance = self._rows.one(number)[-3:]
        return shown, relevance

    def parts(self, number: int) -> list[float]:
        """The contribution of each feature to the promise for which a page was chosen."""
        return list(self._rows.one(number)[_COUNT : 2 * _COUNT])

    def correct(
        self, number: int, *, outcome: float = 0.0, pages: int = 0, behind: float = 0.0
    ) -> tuple[Floats, float, float]:
        """Correct the row of a page.

        Args:
            number: The page.
            outcome: The change of its own outcome.
            pages: How many more fetched pages it was the first to link to.
            behind: The change of the sum of their outcomes.

        Returns:
            The features for which it was chosen, and its worth before and after.
        """
        *others, own, shown, relevance = before = self._rows.one(number)
        self._rows.set_one(number, (*others, own + outcome, shown + pages, max(relevance + behind, 0.0)))
        after = self._rows.one(number)  # rounded
        return np.array(before[:_COUNT]), worth(*before[-3:]), worth(*after[-3:])

    # ---- state ----

    def dump(self, number: int) -> bytes:
        """A row as bytes; empty for page 0."""
        return self._rows[np.array([number])].tobytes() if number else b""

    def load(self, row: bytes) -> int:
        """Add a row that `dump` returned. Returns its number."""
        self.count += 1
        self._rows[np.array([self.count])] = np.frombuffer(row, _PAGE)
        return self.count

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        return self._rows.dirty_state()

    def restore(self, state: Mapping[str, bytes], count: int) -> None:
        """Restore the pieces that `dirty_state` returned, for `count` pages."""
        self._rows.restore(state)
        self.count = count


def worth(outcome: float, shown: float, relevance: float) -> float:
    """A page's outcome, plus that of the pages that it was the first to link to: many relevant ones make it a hub."""
    behind = min(relevance / _FULL_HUB, 1.0) * relevance / shown if shown else 0.0
    return outcome + behind
