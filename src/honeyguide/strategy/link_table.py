"""The links of a page as a table: one row per URL, with a score and named columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.base import Scores

Column = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class LinkTable:
    """The links of a page with all evidence about them. Rows are filtered and copied as a unit.

    A rule creates the table and adds the columns that its queue reads by name; the reader drops the links that are not
    followed. Keep it small: it is sent between processes.
    """

    urls: Sequence[str]
    """Distinct, in the order of first appearance on the page."""
    scores: Scores
    """The score of each link. NaN for a link that should not be followed: its row is dropped."""
    columns: Mapping[str, Column] = field(default_factory=dict)
    """Further evidence by name: arrays with one row per link."""

    def __post_init__(self) -> None:
        for name, column in {"scores": self.scores, **self.columns}.items():
            if len(column) != len(self.urls):
                raise ValueError(f"the column {name!r} has {len(column)} rows for {len(self.urls)} links")

    def __len__(self) -> int:
        return len(self.urls)

    def __getitem__(self, name: str) -> Column:
        """Look up a column.

        Args:
            name: The name of the column.

        Returns:
            The column: an array with one row per link.

        Raises:
            KeyError: There is no such column: the queue and the rule of the strategy do not match.
        """
        try:
            return self.columns[name]
        except KeyError:
            known = ", ".join(self.columns) or "none"
            raise KeyError(f"the link table has no column {name!r} (columns: {known})") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinkTable):
            return NotImplemented
        return (
            list(self.urls) == list(other.urls)
            and np.array_equal(self.scores, other.scores, equal_nan=True)
            and self.columns.keys() == other.columns.keys()
            and all(np.array_equal(column, other.columns[name]) for name, column in self.columns.items())
        )

    __hash__ = None  # type: ignore[assignment]  # it holds arrays

    def with_columns(self, **columns: Column) -> LinkTable:
        """This table with additional columns, which replace existing ones of the same name.

        Args:
            **columns: Arrays with one row per link.

        Returns:
            A new table.
        """
        return LinkTable(self.urls, self.scores, {**self.columns, **columns})

    def where(self, is_kept: NDArray[np.bool_]) -> LinkTable:
        """Select rows by a mask.

        Args:
            is_kept: For each row, whether to keep it.

        Returns:
            A table of the rows that are kept.
        """
        kept = is_kept.nonzero()[0]
        return self if len(kept) == len(self) else self.take(kept)

    def take(self, places: Sequence[int] | NDArray[np.intp]) -> LinkTable:
        """Select rows by index, in the given order.

        Args:
            places: The indices of the rows.

        Returns:
            A table of these rows.
        """
        indices = np.asarray(places, np.intp)
        columns = {name: column.take(indices, 0) for name, column in self.columns.items()}
        return LinkTable([self.urls[place] for place in indices.tolist()], self.scores.take(indices), columns)

    def rows(self) -> zip[tuple[str, float]]:
        """The URL and the score of each link.

        Returns:
            An iterator over the rows.
        """
        return zip(self.urls, self.scores.tolist(), strict=True)


def link_table(scores: Mapping[str, float], **columns: Column) -> LinkTable:
    """Build a table from scores by URL."""
    return LinkTable(list(scores), np.array(list(scores.values()), np.float64), columns)


NO_LINKS = LinkTable((), np.zeros(0))
"""The table of a page without links."""
