"""Near-duplicates: short signatures whose similarity estimates that of the texts' word n-grams (MinHash)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.relevance.text import NOTHING, Tokens

BINS = 32
"""Values in a signature, of two bytes each."""

FEWEST_TOKENS = 16
"""Shorter texts cannot be distinguished, and have no signature."""

NO_SIGNATURE = b""

_RUN = 3
_BIN_SHIFT = np.uint64(64 - 5)  # the bits above it are the number of the range
_MOST = np.uint64(0xFFFFFFFFFFFFFFFF)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_MIXING = ((np.uint64(31), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_LAST_SHIFT = np.uint64(31)


def signature(tokens: Tokens, which: NDArray[np.bool_] | None = None) -> bytes:
    """The smallest hash in each of 32 ranges over all runs of three tokens (one permutation hashing).

    If `which` is given, it selects the tokens to use.

    The share of values that two signatures have in common estimates the Jaccard similarity of their texts' runs. An
    empty range takes the value of the next range that is not empty, so that short texts can be compared too.
    """
    least = _least_hashes(tokens, which, FEWEST_TOKENS, BINS, _FACTORS)
    if not len(least):
        return NO_SIGNATURE
    if least.max() == _MOST:  # some are empty
        filled = (least != _MOST).nonzero()[0]
        least = least[filled[np.searchsorted(filled, np.arange(BINS)) % len(filled)]]
    return bytes(least.astype("<u2"))  # the lower bits


@twin("words")
def _least_hashes(
    tokens: Tokens, which: NDArray[np.bool_] | None, fewest: int, bins: int, factors: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """The smallest hash in each range; the largest possible number for an empty range. Empty for too few tokens."""
    if which is not None:
        tokens = tokens.compress(which)
    tokens = tokens.compress(tokens != NOTHING)  # takes a third of the time of a boolean index
    if len(tokens) < fewest:
        return np.zeros(0, np.uint64)
    wide = tokens.astype(np.uint64)
    runs = len(wide) - _RUN + 1
    hashes = wide[:runs] * factors[0]
    for place in range(1, _RUN):
        hashes ^= wide[place : place + runs] * factors[place]
    for shift, multiplier in _MIXING:
        hashes ^= hashes >> shift
        hashes *= multiplier
    hashes ^= hashes >> _LAST_SHIFT
    least: NDArray[np.uint64] = np.full(bins, _MOST)
    np.minimum.at(least, (hashes >> _BIN_SHIFT).view(np.int64), hashes)
    return least


def similarity(one: bytes, other: bytes) -> float:
    """The share of values that two signatures have in common; 0 if either is empty."""
    if not one or not other:
        return 0.0
    return float(np.mean(np.frombuffer(one, "<u2") == np.frombuffer(other, "<u2")))
