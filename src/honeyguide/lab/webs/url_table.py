"""URLs and their numbers as arrays, for webs of millions of URLs, which would take too much memory as strings.

All URLs are in one text. To find one, the upper bits of its CRC-32 select a bucket with one or two rows, whose texts
are compared.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class UrlTable:
    """Different URLs, numbered; that of row i is ``text[starts[i] : starts[i + 1]]``."""

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    first: NDArray[np.uint32]
    """Bucket → the first of its entries; one more at the end."""
    marks: NDArray[np.uint32]
    """Entry → the CRC-32 of its URL."""
    rows: NDArray[np.uint32]
    """Entry → row."""

    @classmethod
    def of(cls, urls: Iterable[str]) -> Self:
        """Make the table of distinct URLs, in the given order."""
        text, starts, marks = bytearray(), array("q", [0]), array("I")
        for url in urls:
            key = encoded(url)
            text += key
            starts.append(len(text))
            marks.append(crc32(key))
        return cls.made(text, np.array(starts, np.int64), np.array(marks, np.uint32))

    @classmethod
    def made(cls, text: bytearray, starts: NDArray[np.int64], marks: NDArray[np.uint32]) -> Self:
        """From the text, where each URL begins in it (and the end), and the CRC-32 of each."""
        bits = _bits(2 * max(len(marks), 1))
        buckets = marks >> np.uint32(32 - bits)
        order = np.argsort(buckets, kind="stable").astype(np.uint32)
        first = np.zeros((1 << bits) + 1, np.uint32)
        np.cumsum(np.bincount(buckets, minlength=1 << bits), out=first[1:])
        return cls(np.frombuffer(text, np.uint8), starts, first, marks[order], order)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview, memoryview, memoryview, memoryview, int]:
        # A memoryview returns a plain number in a third of the time that an array takes.
        shift = 32 - _bits(len(self.first) - 1)
        return self.text.data, self.starts.data, self.first.data, self.marks.data, self.rows.data, shift

    def row(self, url: str) -> int:
        """The row of a URL; -1 if it is not in the table."""
        text, starts, first, marks, rows, shift = self._views
        key = encoded(url)
        mark = crc32(key)
        bucket = mark >> shift
        for entry in range(first[bucket], first[bucket + 1]):
            if marks[entry] == mark:
                row = rows[entry]
                if text[starts[row] : starts[row + 1]] == key:
                    return int(row)
        return -1

    def url(self, row: int) -> str:
        """The URL of a row."""
        text, starts = self._views[:2]
        return bytes(text[starts[row] : starts[row + 1]]).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return map(self.url, range(len(self)))


ARRAYS = tuple(field.name for field in fields(UrlTable))
"""The names of its arrays."""


def encoded(url: str) -> bytes:
    """A URL as encoded in the text of a table."""
    return url.encode("utf-8", "surrogatepass")


def _bits(size: int) -> int:
    """The least number of bits, 1 to 32, that count so far."""
    return min(max((size - 1).bit_length(), 1), 32)
