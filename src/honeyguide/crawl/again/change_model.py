"""How often pages change, estimated from visits to the page, to its site, and to pages of its kind."""

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
_WORDS_PER_LINK = 12  # a page with fewer words per link is essentially a list of links
_GROWTH = 1.1  # growth of the number of observations of a site or kind after which its rate is recomputed


class PageKind(Enum):
    """The purpose of a page, from which the rate of changes is estimated as long as nothing else is known."""

    FRONT = "front"
    """The first page of a site."""
    HUB = "hub"
    """A page that is a list of links rather than a text."""
    ARTICLE = "article"
    """Any other page."""


def kind_of(url: str, words: int, links: int) -> PageKind:
    """The kind of a page, from its canonical URL and its numbers of words and links."""
    if _FRONT(url):
        return PageKind.FRONT
    return PageKind.HUB if links >= _FEWEST_LINKS and words < _WORDS_PER_LINK * links else PageKind.ARTICLE


PRIORS: Mapping[PageKind, ChangeRate] = MappingProxyType(
    {
        PageKind.FRONT: ChangeRate(0.5, 1.0),
        PageKind.HUB: ChangeRate(0.5, 2.0),
        PageKind.ARTICLE: ChangeRate(0.5, 25.0),
    }
)
"""Every second, fourth and fiftieth day; but pages of a kind differ by orders of magnitude."""

_SITE, _PAGE = 1.0, 0.5  # weights of the priors, in changes: of a kind for a site, and of a site for a page


@dataclass(slots=True)
class _Group:
    """The observations of a group of pages."""

    seen: Observations = field(default_factory=Observations)
    rate: ChangeRate | None = None
    size: float = 0.0
    """The number of observations when the rate was computed."""

    def rate_after(self, prior: ChangeRate) -> ChangeRate:
        size = self.seen.count + self.seen.quiet
        if self.rate is None or size > _GROWTH * self.size:
            self.rate, self.size = posterior(prior, self.seen), size
        return self.rate


class ChangeModel:
    """Estimates rates in three steps: of a kind of pages, of the pages of a site, of a page.

    Each is the prior of the next, with little weight: a few observations of a page dominate.
    """

    def __init__(self) -> None:
        self._kinds: defaultdict[PageKind, _Group] = defaultdict(_Group)
        self._sites: defaultdict[tuple[str, PageKind], _Group] = defaultdict(_Group)
        self._pages: defaultdict[int, Observations] = defaultdict(Observations)

    def same(self, page: int, site: str, kind: PageKind, days: float) -> None:
        """Record that a page had not changed after `days`."""
        for seen in self._all(page, site, kind):
            seen.same(days)

    def changed(self, page: int, site: str, kind: PageKind, days: float, days_ago: float | None = None) -> None:
        """Record that a page had changed after `days`; if the time of the last change is known, it is `days_ago`."""
        for seen in self._all(page, site, kind):
            if days_ago is None:
                seen.change(days)
            else:
                seen.change_at(days_ago)

    def _all(self, page: int, site: str, kind: PageKind) -> tuple[Observations, Observations, Observations]:
        return self._kinds[kind].seen, self._sites[site, kind].seen, self._pages[page]

    def rate(self, page: int, site: str, kind: PageKind) -> ChangeRate:
        """The estimated rate of changes of a page."""
        prior = _weakened(self._kinds[kind].rate_after(PRIORS[kind]), _SITE)
        group = self._sites.get((site, kind))
        if group is not None:
            prior = group.rate_after(prior)
        prior = _weakened(prior, _PAGE)
        seen = self._pages.get(page)
        return prior if seen is None else posterior(prior, seen)


def _weakened(rate: ChangeRate, shape: float) -> ChangeRate:
    """A distribution with the same mean, but based on fewer observations."""
    return ChangeRate(shape, shape / rate.mean)
