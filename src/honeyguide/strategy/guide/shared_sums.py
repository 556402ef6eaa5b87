"""What guide learns on one machine, and what it is told that others have learnt: sums that can be added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.guide.example_trust import ExampleTrust
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.scaler import RunningScaler

Floats = NDArray[np.float64]


class SharedSums:
    """Keeps apart, in sums that include both, what was learnt here and what others have learnt."""

    def __init__(self, model: BayesianRidge, scaler: RunningScaler, trust: ExampleTrust) -> None:
        """The sums are those of these three, which go on using and changing them."""
        self._model = model
        self._scaler = scaler
        self._trust = trust
        self._others = np.zeros(len(self._totals()))

    def _totals(self) -> Floats:
        return np.concatenate([self._model.totals(), self._scaler.totals(), self._trust.totals()])

    def own(self) -> Floats:
        """What was learnt here."""
        own: Floats = self._totals() - self._others
        return own

    def set_others(self, sums: Floats) -> None:
        """What others have learnt so far."""
        self.add(sums - self._others)
        self._others = sums

    def add(self, sums: Floats) -> None:
        """Count something as learnt here."""
        model, scaler, trust = np.split(sums, np.cumsum([self._model.size, self._scaler.size]))
        self._model.add_totals(model)
        self._scaler.add_totals(scaler)
        self._trust.add_totals(trust)

    def dump(self) -> bytes:
        """What others have learnt; empty if there is nothing of it."""
        return self._others.tobytes() if self._others.any() else b""

    def restore(self, state: bytes) -> None:
        """Take back what `dump` returned. The sums themselves are restored by those who use them."""
        self._others = np.frombuffer(state).copy()
