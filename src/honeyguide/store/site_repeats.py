"""Finds the blocks shared by the pages of a site: menus, banners, footers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from honeyguide.page.content.features import blocks_of
from honeyguide.page.content.repeats import LEAST_PAGES, SAMPLE, block_keys, repeated_keys

if TYPE_CHECKING:
    from honeyguide.store.stored_page import StoredPage

_SITES_KEPT = 1000  # each takes a few kilobytes


class SiteRepeats:
    """The blocks that the pages of each site share, computed on demand.

    A fixed number of the first pages of a site, without duplicates, is compared
    (`honeyguide.page.content.repeats.SAMPLE`), so that the result is final once there are enough. It is cached for the
    latest sites.
    """

    def __init__(self, select: Callable[..., Iterator[StoredPage]]) -> None:
        """`select` is that of a `Crawl`."""
        self._select = select
        self._kept: OrderedDict[str, AbstractSet[int]] = OrderedDict()

    def of(self, url: str) -> AbstractSet[int]:
        """The keys of the blocks that are shared on the site of a URL."""
        origin = url[: url.index("/", url.index("://") + 3) + 1]
        found = self._kept.pop(origin, None)
        if found is None:
            found = repeated_keys(block_keys(blocks_of(page.page)) for page in self._first_pages(origin))
        self._kept[origin] = found
        if len(self._kept) > _SITES_KEPT:
            self._kept.popitem(last=False)
        return found

    def _first_pages(self, origin: str) -> list[StoredPage]:
        """The first pages of a site; none if they are too few to be compared."""
        after = f"{origin[:-1]}0"  # "0" comes after "/": the first text that does not begin with the origin
        rest = (
            "WHERE urls.url >= ? AND urls.url < ? AND urls.state = 2 AND pages.duplicate_of IS NULL "
            "ORDER BY pages.seq LIMIT ?"
        )
        pages = list(self._select(rest, origin, after, SAMPLE))
        return pages if len(pages) >= LEAST_PAGES else []
