"""What pages turn out to be worth, and promises that are lowered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FULL_HUB = 3.0  # relevant pages behind a page from which it counts fully as a hub


def lower(promises: Floats, which: NDArray[np.bool_], factor: float) -> None:
    """Multiply some promises by a factor below 1; those below 0 are lowered by as much."""
    if np.count_nonzero(which):
        promises[which] -= (1.0 - factor) * np.abs(promises[which])


def worth(outcome: float, shown: float, relevance: float) -> float:
    """A page's outcome, plus that of the pages it was first to link to: many relevant ones make it a hub."""
    behind = min(relevance / _FULL_HUB, 1.0) * relevance / shown if shown else 0.0
    return outcome + behind
