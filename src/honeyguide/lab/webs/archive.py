"""A web of WARC files, with an index of their records."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from hashlib import blake2b
from time import perf_counter

from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.lab.webs.build import build
from honeyguide.lab.webs.index import Index, IndexEntry
from honeyguide.lab.webs.mapped import drop_unused
from honeyguide.lab.webs.parts import webs_folder, without_packing
from honeyguide.page.url import UrlRules
from honeyguide.warc.part import Part
from honeyguide.warc.read import is_packed_together, read_record
from honeyguide.warc.record import Record, response_of

_log = logging.getLogger("honeyguide.lab")

_FORMAT = 2  # version of the index format
_CACHE_SIZE = 65_536
"""Number of cached lookups of URLs: most links of a page are also on the previous page."""

MAX_BODY = FetchSettings().max_body


class ArchiveWeb:
    """The pages and redirects of WARC files, read on demand."""

    def __init__(self, name: str, parts: Sequence[Part], index: Index) -> None:
        self.name = name
        self.digest = index.digest
        self.notes = index.notes
        self._parts = tuple(parts)
        self._index = index
        self._row: Callable[[str], int] = lru_cache(maxsize=_CACHE_SIZE)(index.urls.row)

    @classmethod
    def open(
        cls, name: str, parts: Sequence[Part], rules: UrlRules, progress: Callable[[int, int], None]
    ) -> ArchiveWeb:
        """Open files with the index in the user's cache; if there is none, it is made, and stored there if possible."""
        parts = [without_packing(part) if is_packed_together(part) else part for part in parts]
        folder = webs_folder() / _key(parts, rules)
        index = Index.load(folder)
        if index is None:
            size, began = sum(part.end - part.start for part in parts), perf_counter()
            _log.info("indexing %s (%d bytes)", name, size, extra={"web": name, "bytes": size})
            index = build(parts, rules, _counting(progress, size))
            took = {"web": name, "urls": len(index), "seconds": round(perf_counter() - began, 3)}
            _log.info("indexed %(web)s: %(urls)d URLs in %(seconds).1f s", took, extra=took)
            with suppress(OSError):
                drop_unused(folder.parent)
                index.save(folder)
                index = Index.load(folder) or index  # memory-mapped, which frees the memory
        return cls(name, parts, index)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, url: str) -> bool:
        return self._row(url) >= 0

    def urls(self) -> Iterator[str]:
        """In the order of the archive."""
        return iter(self._index.urls)

    def response(self, url: str) -> Response | None:
        """The recorded response; None if there is none. Bodies are truncated at the default limit of a crawl.

        Raises `HoneyguideError` when a file has changed since the web was opened.
        """
        row = self._row(url)
        if row < 0:
            return None
        place, original = self._index.place(row), self._index.original_place(row)
        try:
            return response_of(url, self._read(place), self._read(original) if original else None, MAX_BODY)
        except ValueError:
            path = self._parts[place.part].path
            raise HoneyguideError(f"{path}: no record at byte {place.offset:,}: the file has changed") from None

    def _read(self, place: IndexEntry) -> Record:
        path = self._parts[place.part].path
        try:
            return read_record(path, place.offset, place.length, MAX_BODY)
        except OSError as error:
            raise HoneyguideError(f"{path}: cannot be read: {error.strerror or error}") from None


def _key(parts: Sequence[Part], rules: UrlRules) -> str:
    about = json.dumps([_FORMAT, asdict(rules.settings), [part.stamp for part in parts]])
    return blake2b(about.encode(), digest_size=16).hexdigest()


def _counting(progress: Callable[[int, int], None], whole: int) -> Callable[[int], None]:
    done = 0

    def count(read: int) -> None:
        nonlocal done
        done += read
        progress(done, whole)

    return count
