"""Detection of near-duplicate pages: an index in memory, queried once per page."""

from __future__ import annotations

from honeyguide.relevance.fingerprint import BINS, similarity

NEARLY_THE_SAME = 0.75
"""Similarity from which a page is a near-duplicate. Pages that only share a site's boilerplate stay far below."""

_BANDS = 8
_BAND_BYTES = 2 * BINS // _BANDS


class Duplicates:
    """Finds the earlier page that a new page duplicates.

    Only pages that agree in at least one of eight bands of four values are compared. Two pages that share 75 % of
    their runs of words do so with a probability of 95 %, with 85 % shared it is 99.8 %; dissimilar pages hardly ever
    do. Each band stores only the first page per value, so a page costs eight look-ups, however many pages there are.
    """

    def __init__(self) -> None:
        self._bands: list[dict[bytes, int]] = [{} for _ in range(_BANDS)]
        self._signatures: dict[int, bytes] = {}

    def find(self, signature: bytes) -> int | None:
        """An earlier page whose text is nearly the same, or None."""
        for band, part in zip(self._bands, _parts(signature), strict=False):
            page = band.get(part)
            if page is not None and similarity(self._signatures[page], signature) >= NEARLY_THE_SAME:
                return page
        return None

    def add(self, signature: bytes, page: int) -> None:
        """Add a page that duplicates no other."""
        if signature:
            self._signatures[page] = signature
        for band, part in zip(self._bands, _parts(signature), strict=False):
            band.setdefault(part, page)


def _parts(signature: bytes) -> list[bytes]:
    return [signature[start : start + _BAND_BYTES] for start in range(0, len(signature), _BAND_BYTES)]
