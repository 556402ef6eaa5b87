"""Pages seen before, to the letter or nearly: kept in memory, asked once a page."""

from __future__ import annotations

from collections import defaultdict

from honeyguide.relevance.fingerprint import NO_FINGERPRINT

_BANDS = 4
_BAND_BITS = 16
_MOST_DIFFERENT_BITS = _BANDS - 1


class Duplicates:
    """Finds the earlier page that a new one repeats.

    Two fingerprints that differ in at most three bits agree in at least one of four bands of sixteen, so only pages
    that share a band are compared: with a million pages about sixty comparisons of two integers.
    """

    def __init__(self) -> None:
        self._bands: list[defaultdict[int, list[tuple[int, int]]]] = [defaultdict(list) for _ in range(_BANDS)]

    def find(self, fingerprint: int) -> int | None:
        """The page added first whose text is nearly the same, or None."""
        if fingerprint == NO_FINGERPRINT:
            return None
        found: int | None = None
        for band, bits in zip(self._bands, _split(fingerprint), strict=True):
            for other, page in band.get(bits, ()):
                near = (other ^ fingerprint).bit_count() <= _MOST_DIFFERENT_BITS
                if near and (found is None or page < found):
                    found = page
        return found

    def add(self, fingerprint: int, page: int) -> None:
        """Remember a page that repeats none."""
        if fingerprint != NO_FINGERPRINT:
            for band, bits in zip(self._bands, _split(fingerprint), strict=True):
                band[bits].append((fingerprint, page))


def _split(fingerprint: int) -> list[int]:
    return [fingerprint >> _BAND_BITS * band & 0xFFFF for band in range(_BANDS)]
