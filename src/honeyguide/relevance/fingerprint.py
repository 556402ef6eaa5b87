"""Sixty-four bits that stay nearly the same while a text stays nearly the same (Charikar's simhash)."""

from __future__ import annotations

import numpy as np

from honeyguide.relevance.text import NOTHING, Tokens

FEWEST_TOKENS = 16
"""Shorter texts say too little to be told apart; they have no fingerprint."""

NO_FINGERPRINT = 0


def fingerprint(tokens: Tokens) -> int:
    """Each token votes on every bit; the majority decides. Order does not matter, frequency does.

    The share of bits in which two texts differ is the angle between their frequency vectors over pi: three bits of
    sixty-four are a cosine of about 0.99, a dozen changed words on a page of a thousand.
    """
    tokens = tokens[tokens != NOTHING]
    if len(tokens) < FEWEST_TOKENS:
        return NO_FINGERPRINT
    hashes = tokens.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    hashes ^= hashes >> np.uint64(31)
    hashes *= np.uint64(0xBF58476D1CE4E5B9)
    hashes ^= hashes >> np.uint64(27)
    bits = np.unpackbits(hashes.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    votes = bits.sum(axis=0, dtype=np.uint32)
    return int.from_bytes(np.packbits(votes * 2 > len(tokens), bitorder="little").tobytes(), "little") or 1
