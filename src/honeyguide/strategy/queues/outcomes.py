"""A log of which pages were relevant, in the order of their visits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.queues.rows import RowStore


class OutcomeLog:
    """The numbers of pages, each with whether it was relevant."""

    def __init__(self, name: str) -> None:
        """`name` is the name of its state."""
        self._name = name
        self._rows = RowStore(name, np.dtype(np.int64))  # twice the URL's number, plus 1 if it is relevant
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, number: int, relevant: bool) -> None:
        """Add a page."""
        self._rows.set_one(self._count, 2 * number + relevant)
        self._count += 1

    def is_refit_due(self, fitted: int, least: int) -> bool:
        """Whether to refit a model that was fitted to `fitted` pages: after a fifth more, and at least `least` more."""
        return self._count - fitted >= max(least, fitted // 5)

    def latest(self, most: int, until: int | None = None) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """The numbers of the latest `most` pages, of the first `until` or of all, and which of them are relevant."""
        last = self._count if until is None else until
        found = self._rows[np.arange(max(0, last - most), last)]
        return found >> 1, (found & 1).astype(np.bool_)

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        yield from self._rows.dirty_state()
        yield f"{self._name} count", self._count.to_bytes(8, "little")

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore what `dirty_state` returned."""
        self._rows.restore(state)
        self._count = int.from_bytes(state[f"{self._name} count"], "little")
