"""The order of waiting URLs, as integer keys: the lowest is next."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from struct import Struct
from typing import Final

from honeyguide.kernel import twin

Rank = Callable[[str, int], int]
"""Maps a URL and its number to a rank of 32 bits, always the same: among equal priorities the lowest rank is first."""

NUMBER_BITS: Final = 32
NUMBER_MASK: Final = (1 << NUMBER_BITS) - 1
"""The bits of a key that are the number of its URL."""

_LOWEST: Final = -(1 << 63)
_TO_BYTES = Struct("<d").pack
_TO_INTEGER = Struct("<q").unpack


@twin("keys")
def sort_key(priority: float, number: int) -> int:
    """One integer that sorts by highest priority, then by lowest number, for any float except NaN.

    The bits of a double, read as an integer, sort like the double itself; those of negative doubles sort in reverse.
    One integer takes half the memory of a tuple, and heaps compare it faster.
    """
    bits: int = _TO_INTEGER(_TO_BYTES(priority))[0]
    if bits < 0:
        bits = _LOWEST - bits
    return (-bits << NUMBER_BITS) | number


@twin("keys")
def sort_keys(priorities: Sequence[float], numbers: Iterable[int]) -> list[int]:
    """The `sort_key` of each priority and number."""
    bits = array("q", array("d", priorities).tobytes())
    return [
        (-one << NUMBER_BITS if one >= 0 else one - _LOWEST << NUMBER_BITS) | number
        for one, number in zip(bits, numbers, strict=True)
    ]


def ranked_key(rank: Rank, urls: Sequence[str]) -> Callable[[float, int], int]:
    """Return a function like `sort_key` that sorts by highest priority, then lowest rank, then lowest number."""
    return lambda priority, number: sort_key(priority, rank(urls[number], number)) << NUMBER_BITS | number
