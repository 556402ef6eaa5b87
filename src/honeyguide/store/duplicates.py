"""Detection of duplicate pages: indexes in memory, queried once per page."""

from __future__ import annotations

from array import array

from honeyguide.relevance.fingerprint import BINS, similarity
from honeyguide.store.key_index import KeyIndex

NEARLY_THE_SAME = 0.75
"""Similarity from which a page is a near-duplicate. Pages that only share a site's boilerplate stay far below."""

_BANDS = 8
_SIGNATURE = 2 * BINS  # bytes
_DIGEST = 20  # bytes of SHA-1


class Duplicates:
    """Finds the earlier page that a new page nearly duplicates.

    Only pages that agree in at least one of eight bands of four values are compared. Two pages that share 75 % of
    their runs of words do so with a probability of 95 %, with 85 % shared it is 99.8 %; dissimilar pages hardly ever
    do. Each band finds only the first page per value, so a page costs eight look-ups, however many pages there are.
    """

    def __init__(self) -> None:
        self._pages = array("q")
        self._signatures = bytearray()
        self._bands = KeyIndex(self._signatures, _SIGNATURE // _BANDS, _BANDS)
        # Places in `_pages` that were forgotten, and those of later pages that a band would find there.
        self._forgotten: dict[int, list[int]] = {}
        self._places: dict[int, int] | None = None  # of pages, once it is needed

    def find(self, signature: bytes) -> int | None:
        """An earlier page whose text is nearly the same, or None. Without a signature, a page is like no other."""
        if len(signature) == _SIGNATURE:
            for first in self._bands.find(signature):
                for number in self._forgotten.get(first, (first,)):
                    other = bytes(self._signatures[number * _SIGNATURE : (number + 1) * _SIGNATURE])
                    if number not in self._forgotten and similarity(other, signature) >= NEARLY_THE_SAME:
                        return self._pages[number]
        return None

    def add(self, signature: bytes, page: int) -> None:
        """Add a page that duplicates no other."""
        if len(signature) == _SIGNATURE:
            number = len(self._pages)
            if self._forgotten:
                for first in self._bands.find(signature):
                    if first in self._forgotten:
                        self._forgotten[first].append(number)
            self._signatures += signature
            self._pages.append(page)
            self._bands.add(number)
            if self._places is not None:
                self._places[page] = number

    def forget(self, page: int) -> None:
        """Forget a page that has another text now."""
        if self._places is None:
            self._places = {page: place for place, page in enumerate(self._pages)}
        place = self._places.pop(page, None)
        if place is not None:
            self._forgotten[place] = []


class Payloads:
    """Finds the earlier page that was stored with the same bytes."""

    def __init__(self) -> None:
        self._pages = array("q")
        self._times = array("d")
        self._digests = bytearray()
        self._index = KeyIndex(self._digests, _DIGEST)

    def find(self, digest: bytes) -> tuple[int, float] | None:
        """The first page that was added with a digest, and when it was fetched; None if there is none."""
        found = self._index.find(digest)
        return (self._pages[found[0]], self._times[found[0]]) if found else None

    def add(self, digest: bytes, page: int, fetched: float) -> None:
        """Add a page. If another one has the same digest, that one is found further on."""
        if len(digest) == _DIGEST:  # a database may have been edited
            self._digests += digest
            self._pages.append(page)
            self._times.append(fetched)
            self._index.add(len(self._pages) - 1)
