"""How often pages change: each by what was seen of itself, of its site, and of pages of its kind."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from honeyguide.crawl.again.change_rate import ChangeRate, Observations, posterior

_FRONT = re.compile(r"[^:]*://[^/]*/(?:(?:index|home|default)\.\w{1,5})?").fullmatch
_FEWEST_LINKS = 10
_WORDS_A_LINK = 12  # a page with fewer is a list of links, more or less
_GROWN = 1.1  # how much more must have been seen of a site, or of a kind of pages, for its rate to be computed anew


class PageKind(Enum):
    """What a page is for, which says how often it changes as long as nothing else is known."""

    FRONT = "front"
    """The first page of a site."""
    HUB = "hub"
    """A page that is a list of links more than a text."""
    ARTICLE = "article"
    """Any other page."""


def kind_of(url: str, words: int, links: int) -> PageKind:
    """The kind of a page, from its canonical URL and how many words and links it has."""
    if _FRONT(url):
        return PageKind.FRONT
    return PageKind.HUB if links >= _FEWEST_LINKS and words < _WORDS_A_LINK * links else PageKind.ARTICLE


PRIORS: Mapping[PageKind, ChangeRate] = MappingProxyType(
    {
        PageKind.FRONT: ChangeRate(0.5, 1.0),
        PageKind.HUB: ChangeRate(0.5, 2.0),
        PageKind.ARTICLE: ChangeRate(0.5, 25.0),
    }
)
"""Every second day, every fourth, every fiftieth; but pages of a kind differ by orders of magnitude."""

_SITE, _PAGE = 1.0, 0.5  # how much the rate of a kind counts for a site, and that of a site for a page, in changes


@dataclass(slots=True)
class _Group:
    """Pages that have something in common."""

    seen: Observations = field(default_factory=Observations)
    rate: ChangeRate | None = None
    size: float = 0.0
    """How much had been seen when the rate was computed."""

    def rate_after(self, prior: ChangeRate) -> ChangeRate:
        size = self.seen.count + self.seen.quiet
        if self.rate is None or size > _GROWN * self.size:
            self.rate, self.size = posterior(prior, self.seen), size
        return self.rate


class ChangeModel:
    """Estimates rates in three steps: of a kind of pages, of those of one site, of a page.

    Each is the prior of the next, but counts for little: a few observations of a page decide about it.
    """

    def __init__(self) -> None:
        self._kinds: defaultdict[PageKind, _Group] = defaultdict(_Group)
        self._sites: defaultdict[tuple[str, PageKind], _Group] = defaultdict(_Group)
        self._pages: defaultdict[int, Observations] = defaultdict(Observations)

    def same(self, page: int, site: str, kind: PageKind, days: float) -> None:
        """A page had not changed after so many days."""
        for seen in self._all(page, site, kind):
            seen.same(days)

    def changed(self, page: int, site: str, kind: PageKind, days: float, days_ago: float | None = None) -> None:
        """A page had changed after so many days: if it says so itself, for the last time so many `days_ago`."""
        for seen in self._all(page, site, kind):
            if days_ago is None:
                seen.change(days)
            else:
                seen.change_at(days_ago)

    def _all(self, page: int, site: str, kind: PageKind) -> tuple[Observations, Observations, Observations]:
        return self._kinds[kind].seen, self._sites[site, kind].seen, self._pages[page]

    def rate(self, page: int, site: str, kind: PageKind) -> ChangeRate:
        """How often a page changes."""
        prior = _weakened(self._kinds[kind].rate_after(PRIORS[kind]), _SITE)
        group = self._sites.get((site, kind))
        if group is not None:
            prior = group.rate_after(prior)
        prior = _weakened(prior, _PAGE)
        seen = self._pages.get(page)
        return prior if seen is None else posterior(prior, seen)


def _weakened(rate: ChangeRate, shape: float) -> ChangeRate:
    """The same mean, as if it had been seen only a little."""
    return ChangeRate(shape, shape / rate.mean)
