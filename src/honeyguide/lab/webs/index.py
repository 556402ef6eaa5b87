"""Where each URL of a web lies, as arrays on disk: opened in milliseconds, and only what is looked at is read.

URLs stand in one text. To find one, its CRC-32 says in which bucket it is (the upper bits), buckets hold one or two
rows, and the text decides. The arrays are mapped into memory, so that a web of millions of URLs costs a process
little more than the pages of the table it has touched, which the system takes back when it needs them.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from honeyguide.atomic_write import atomic_folder

_ABOUT = "about.json"
_KEPT_FOR = 30 * 86_400.0  # seconds since the last use


class IndexEntry(NamedTuple):
    """Where a record lies: the number of the part, and the bytes of its file."""

    part: int
    offset: int
    length: int


@dataclass(frozen=True)
class Index:
    """Rows in the order of the archive; URL number i is ``text[starts[i] : starts[i + 1]]``."""

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    status: NDArray[np.int16]
    places: NDArray[np.int64]
    """A row a URL: part, offset, length."""
    original: NDArray[np.int32]
    """Row of `originals` with the body that this answer repeats; -1 when it has its own."""
    originals: NDArray[np.int64]
    """As `places`."""
    first: NDArray[np.uint32]
    """Bucket → the first of its entries; one more at the end."""
    marks: NDArray[np.uint32]
    """Entry → the CRC-32 of its URL."""
    rows: NDArray[np.uint32]
    """Entry → row."""
    digest: str
    """Of the content: URLs, statuses, and the records' checksums."""
    notes: tuple[str, ...]
    """What the user should know of it."""

    def __len__(self) -> int:
        return len(self.status)

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview, memoryview, memoryview, memoryview, int]:
        # A memoryview gives a plain number in a third of the time that an array takes.
        shift = 32 - _bits(len(self.first) - 1)
        return self.text.data, self.starts.data, self.first.data, self.marks.data, self.rows.data, shift

    def row(self, url: str) -> int:
        """The row of a URL; -1 when it is not there."""
        text, starts, first, marks, rows, shift = self._views
        key = url.encode("utf-8", "surrogatepass")
        mark = crc32(key)
        bucket = mark >> shift
        for entry in range(first[bucket], first[bucket + 1]):
            if marks[entry] == mark:
                row = rows[entry]
                if text[starts[row] : starts[row + 1]] == key:
                    return int(row)
        return -1

    def urls(self) -> Iterator[str]:
        """In the order of the archive."""
        text, starts = self._views[:2]
        for row in range(len(self)):
            yield bytes(text[starts[row] : starts[row + 1]]).decode()

    def place(self, row: int) -> IndexEntry:
        """Where the answer lies."""
        return IndexEntry(*self.places[row].tolist())

    def original_place(self, row: int) -> IndexEntry | None:
        """Where the body lies that the answer repeats; None when it has its own."""
        number = self.original[row]
        return None if number < 0 else IndexEntry(*self.originals[number].tolist())

    # ---- on disk ----

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What `save` has written; None when it is not there, or damaged."""
        try:
            about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
            arrays: dict[str, NDArray[Any]] = {
                name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS
            }
            index = cls(**arrays, digest=about["digest"], notes=tuple(about["notes"]))
            if len(index) != about["urls"] or len(index.starts) != len(index) + 1:
                return None
        except (OSError, ValueError, KeyError, TypeError, EOFError):
            return None
        with suppress(OSError):
            (folder / _ABOUT).touch()  # in use
        return index

    def save(self, folder: Path) -> None:
        """Whole or not at all: several processes may do so at the same time."""
        with atomic_folder(folder) as draft:
            for name in _ARRAYS:
                np.save(draft / f"{name}.npy", getattr(self, name), allow_pickle=False)
            about = {"urls": len(self), "digest": self.digest, "notes": list(self.notes)}
            (draft / _ABOUT).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


_ARRAYS = tuple(field.name for field in fields(Index) if field.name not in {"digest", "notes"})


def make_index(
    text: bytearray,
    starts: NDArray[np.int64],
    status: NDArray[np.int16],
    places: NDArray[np.int64],
    original: NDArray[np.int32],
    originals: NDArray[np.int64],
    marks: NDArray[np.uint32],
    checks: NDArray[np.uint32],
    notes: tuple[str, ...],
) -> Index:
    """An index of rows whose URLs are all different. `marks` are the CRC-32 of the URLs, `checks` of the records."""
    bits = _bits(2 * max(len(status), 1))
    buckets = marks >> np.uint32(32 - bits)
    order = np.argsort(buckets, kind="stable").astype(np.uint32)
    first = np.zeros((1 << bits) + 1, np.uint32)
    np.cumsum(np.bincount(buckets, minlength=1 << bits), out=first[1:])
    content = blake2b(text, digest_size=16)
    for array in (starts, status, checks):
        content.update(array.data)
    return Index(
        text=np.frombuffer(text, np.uint8),
        starts=starts,
        status=status,
        places=places,
        original=original,
        originals=originals,
        first=first,
        marks=marks[order],
        rows=order,
        digest=content.hexdigest(),
        notes=notes,
    )


def _bits(size: int) -> int:
    """The least number of bits, 1 to 32, that count so far."""
    return min(max((size - 1).bit_length(), 1), 32)


def drop_unused(folder: Path, now: float | None = None) -> None:
    """Delete what has lain in a cache of webs for 30 days without being opened."""
    oldest = (time.time() if now is None else now) - _KEPT_FOR
    with suppress(OSError):
        for entry in folder.iterdir():
            with suppress(OSError):
                used = (entry / _ABOUT if (entry / _ABOUT).exists() else entry).stat()
                if max(used.st_atime, used.st_mtime) < oldest:
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
