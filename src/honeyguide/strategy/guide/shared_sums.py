"""The sums that guide learns from, shared between machines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.guide.example_trust import ExampleTrust
from honeyguide.strategy.guide.outcomes import OutcomeScale
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.scaler import RunningScaler

Floats = NDArray[np.float64]


class SharedSums:
    """Separates what was learnt here from what others have learnt, in sums that include both."""

    def __init__(self, model: BayesianRidge, scaler: RunningScaler, trust: ExampleTrust, scale: OutcomeScale) -> None:
        """The sums belong to these objects, which go on using and changing them."""
        self._model = model
        self._scaler = scaler
        self._trust = trust
        self._scale = scale
        self._others = np.zeros(len(self._totals()))

    def _totals(self) -> Floats:
        return np.concatenate([part.totals() for part in (self._model, self._scaler, self._trust, self._scale)])

    def own(self) -> Floats:
        """The sums learnt here."""
        own: Floats = self._totals() - self._others
        return own

    def set_others(self, sums: Floats) -> None:
        """Replace the sums that others have learnt so far."""
        self.add(sums - self._others)
        self._others = sums

    def add(self, sums: Floats) -> None:
        """Add sums as if they had been learnt here."""
        ends = np.cumsum([self._model.size, self._scaler.size, self._trust.size])
        model, scaler, trust, scale = np.split(sums, ends)
        self._model.add_totals(model)
        self._scaler.add_totals(scaler)
        self._trust.add_totals(trust)
        self._scale.add_totals(scale)

    def dump(self) -> bytes:
        """The sums that others have learnt; empty if there are none."""
        return self._others.tobytes() if self._others.any() else b""

    def restore(self, state: bytes) -> None:
        """Restore what `dump` returned. The total sums are restored by their owners."""
        others = np.frombuffer(state)
        self._others[: len(others)] = others  # crawls of earlier versions have fewer
