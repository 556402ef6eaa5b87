"""Which URLs of a crawl came from sitemaps and feeds."""

from __future__ import annotations

from bisect import bisect_right


class ListedNumbers:
    """The numbers of URLs that were new when a sitemap or feed listed them: a range for each of these."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._ends: list[int] = []

    def add(self, first: int, count: int) -> None:
        """A listing had new URLs, which have the next numbers: so each range is beyond all earlier ones."""
        if count and (not self._ends or first >= self._ends[-1]):
            self._firsts.append(first)
            self._ends.append(first + count)

    def __contains__(self, number: int) -> bool:
        place = bisect_right(self._firsts, number) - 1
        return place >= 0 and number < self._ends[place]
