"""Which page duplicates which, while pages change: a copy whose original has changed is no longer a copy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from honeyguide.relevance.fingerprint import similarity
from honeyguide.store.database import Database, PageRow
from honeyguide.store.duplicates import NEARLY_THE_SAME, Duplicates


class Replaced(NamedTuple):
    """A page that was replaced by another version of it."""

    row: PageRow
    """Its new row, with the page that it duplicates now."""
    relevant: int
    """The change of the number of relevant pages, without duplicates."""
    duplicates: int
    """The change of the number of duplicates."""


class Copies:
    """The copies of each page. An original is never a copy itself, and every copy refers to an original."""

    def __init__(self, stored: Callable[[], Iterable[tuple[int, int]]]) -> None:
        """`stored` returns the copies of earlier runs and the original of each; called only if a page changes."""
        self._stored = stored
        self._of: defaultdict[int, list[int]] = defaultdict(list)
        self._is_loaded = False

    def add(self, copy: int, original: int) -> None:
        """Add a copy."""
        self._of[original].append(copy)

    def _load(self) -> None:
        if not self._is_loaded:
            own, self._of = self._of, defaultdict(list)
            for copy, original in self._stored():
                self.add(copy, original)
            for original, copies in own.items():
                self._of[original] += [copy for copy in copies if copy not in self._of[original]]
            self._is_loaded = True

    def replace(self, before: PageRow, row: PageRow, duplicates: Duplicates, database: Database) -> Replaced:
        """Replace a page by a new version, and reassign its copies."""
        self._load()
        if before.duplicate_of is None:
            duplicates.forget(row.id)
        elif row.id in self._of[before.duplicate_of]:
            self._of[before.duplicate_of].remove(row.id)
        row = row._replace(duplicate_of=_original(row, duplicates, database))
        if row.duplicate_of is None:
            duplicates.add(row.signature, row.id)
        else:
            self.add(row.id, row.duplicate_of)
        relevant = _counts(row) - _counts(before)
        copies = (row.duplicate_of is not None) - (before.duplicate_of is not None)
        by_payload: dict[bytes, int] = {}
        for copy in self._of.pop(row.id, ()):
            found = database.stored_page(copy)
            if found is None:
                continue
            original = self._original_of_copy(found, row, duplicates, by_payload)
            database.duplicate(copy, original)
            if original is None:
                duplicates.add(found.signature, copy)
                by_payload[found.digest] = copy
                relevant += found.relevant
                copies -= 1
            else:
                self.add(copy, original)
        return Replaced(row, relevant, copies)

    def _original_of_copy(
        self, copy: PageRow, row: PageRow, duplicates: Duplicates, by_payload: dict[bytes, int]
    ) -> int | None:
        """The page that a copy of a page duplicates, now that the page is `row`."""
        if copy.signature and row.signature and similarity(copy.signature, row.signature) >= NEARLY_THE_SAME:
            return row.id if row.duplicate_of is None else row.duplicate_of
        return by_payload.get(copy.digest, duplicates.find(copy.signature))


def _original(row: PageRow, duplicates: Duplicates, database: Database) -> int | None:
    if row.same_as is not None and row.same_as != row.id:
        other = database.stored_page(row.same_as)
        if other is not None and other.digest == row.digest and other.duplicate_of != row.id:
            return other.id if other.duplicate_of is None else other.duplicate_of
    return duplicates.find(row.signature)


def _counts(row: PageRow) -> int:
    return int(row.relevant and row.duplicate_of is None)
