"""Logistic regression on words with a prior guess: predicts the outcome of a link from outcomes so far."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint16]

_MAX_GUESS = 0.98  # guesses are clipped to this, and to 1 minus this
_TOLERANCE: Final = {"maxiter": 30, "ftol": 1e-4}  # more precision would not change the order


class Logistic:
    """Predicts a probability from words and a guess.

    probability = sigmoid(a · logit(guess) + b + Σ w / √n) over the n distinct words, each a number; 0 is no word.
    Minimises the log loss of all outcomes + `stiffness` / 2 · (|w|² + (a - 1)² + b²): without outcomes, the probability
    is the guess, with few it is close to it, and how far to trust the guess is learnt as well.
    """

    def __init__(self, numbers: int, stiffness: float) -> None:
        """Words have the numbers from 1 to `numbers` - 1."""
        self._stiffness = stiffness
        self._weights = np.zeros(numbers)
        self._trust, self._offset = 1.0, 0.0  # a and b

    def chances(self, words: Words, guesses: Floats) -> Floats:
        """One probability per row of words, more than 0 and less than 1."""
        said = self._weights[words].sum(axis=1) / _lengths(words)
        return _sigmoid(self._trust * _log_odds(guesses) + self._offset + said)

    def fit(self, words: Words, guesses: Floats, outcomes: Floats) -> None:
        """Fit to these outcomes, each 0 or 1, from scratch: the same outcomes give the same probabilities."""
        is_met = np.zeros(len(self._weights), np.bool_)
        is_met[words] = True
        is_met[0] = False
        met = np.flatnonzero(is_met)
        place = np.zeros(len(self._weights), np.intp)  # index of each word among those that occur; 0 for none
        place[met] = np.arange(1, len(met) + 1)
        places, shares = place[words], (words > 0) / _lengths(words)[:, None]
        odds = _log_odds(guesses)

        def loss(found: Floats) -> tuple[float, Floats]:
            """The loss and its gradient. `found` is a, b, and the weights of the words that occur."""
            weights = np.append(0.0, found[2:])
            margins = found[0] * odds + found[1] + (weights[places] * shares).sum(axis=1)
            errors = _sigmoid(margins) - outcomes
            slopes = np.bincount(places.ravel(), (errors[:, None] * shares).ravel(), len(met) + 1)
            slopes = np.concatenate(([errors @ odds, errors.sum()], slopes[1:]))
            away = found.copy()
            away[0] -= 1.0
            total = np.logaddexp(0.0, margins).sum() - outcomes @ margins + self._stiffness / 2 * (away @ away)
            return float(total), slopes + self._stiffness * away

        from scipy.optimize import minimize  # noqa: PLC0415 (half a second, which other strategies need not wait)

        start = np.zeros(len(met) + 2)
        start[0] = 1.0
        found: Floats = minimize(loss, start, jac=True, method="L-BFGS-B", options=_TOLERANCE).x
        self._trust, self._offset = float(found[0]), float(found[1])
        self._weights[:] = 0.0
        self._weights[met] = found[2:]


def _lengths(words: Words) -> Floats:
    """√n of each row; 1 for a row without words."""
    lengths: Floats = np.sqrt(np.maximum((words > 0).sum(axis=1), 1))
    return lengths


def _log_odds(guesses: Floats) -> Floats:
    held = np.minimum(np.maximum(guesses, 1 - _MAX_GUESS), _MAX_GUESS)
    odds: Floats = np.log(held / (1 - held))
    return odds


def _sigmoid(margins: Floats) -> Floats:
    """The sigmoid function, without overflow."""
    squashed: Floats = 1 / (1 + np.exp(np.minimum(-margins, 30.0)))
    return squashed
