"""Random bits by purpose and number, from which everything in a generated web is determined."""

from __future__ import annotations

from hashlib import blake2b


class Keys:
    """The random bits of one seed."""

    def __init__(self, seed: int) -> None:
        self._secret = blake2b(str(seed).encode(), digest_size=16).digest()

    def key(self, purpose: str, number: int) -> int:
        """64 bits for one purpose and number, the same in every process and Python version."""
        text = f"{purpose} {number}".encode()
        return int.from_bytes(blake2b(text, digest_size=8, key=self._secret).digest(), "big")
