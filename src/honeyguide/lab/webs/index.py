"""The locations of all URLs of a web of WARC files, as arrays on disk (see `honeyguide.lab.webs.mapped`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from honeyguide.lab.webs.mapped import load_arrays, save_arrays
from honeyguide.lab.webs.url_table import ARRAYS as OF_TABLE
from honeyguide.lab.webs.url_table import UrlTable


class IndexEntry(NamedTuple):
    """The location of a record: the number of the part, and the bytes in its file."""

    part: int
    offset: int
    length: int


@dataclass(frozen=True)
class Index:
    """The URLs in the order of the archive, and the location of the response of each row."""

    urls: UrlTable
    status: NDArray[np.int16]
    places: NDArray[np.int64]
    """One row per URL: part, offset, length."""
    original: NDArray[np.int32]
    """The row of `originals` with the body that this response repeats; -1 if it has its own."""
    originals: NDArray[np.int64]
    """Locations, as in `places`."""
    digest: str
    """A digest of the content: URLs, statuses, and the checksums of records."""
    notes: tuple[str, ...]
    """Messages for the user."""

    def __len__(self) -> int:
        return len(self.status)

    def place(self, row: int) -> IndexEntry:
        """The location of the response."""
        return IndexEntry(*self.places[row].tolist())

    def original_place(self, row: int) -> IndexEntry | None:
        """The location of the body that the response repeats; None if it has its own."""
        number = self.original[row]
        return None if number < 0 else IndexEntry(*self.originals[number].tolist())

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Load what `save` wrote; None if it is missing or damaged."""
        found = load_arrays(folder, (*OF_TABLE, *_OWN))
        if found is None:
            return None
        arrays, about = found
        try:
            urls = UrlTable(**{name: arrays.pop(name) for name in OF_TABLE})
            index = cls(urls, **arrays, digest=about["digest"], notes=tuple(about["notes"]))
            return index if len(index) == about["urls"] == len(urls) == len(urls.starts) - 1 else None
        except (KeyError, TypeError):
            return None

    def save(self, folder: Path) -> None:
        """Write the index atomically."""
        arrays = {name: getattr(self.urls, name) for name in OF_TABLE} | {name: getattr(self, name) for name in _OWN}
        save_arrays(folder, arrays, {"urls": len(self), "digest": self.digest, "notes": list(self.notes)})


_OWN = ("status", "places", "original", "originals")


def content_digest(urls: UrlTable, rest: Iterable[NDArray[np.generic]]) -> str:
    """A digest of URLs and of arrays about their responses."""
    content = blake2b(urls.text.data, digest_size=16)
    for array in (urls.starts, *rest):
        content.update(array.data)
    return content.hexdigest()
