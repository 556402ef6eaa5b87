"""The URLs that a crawl starts from, and the sitemaps and feeds among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from honeyguide.crawl.event_log import log_seed
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.frontier import Admission, Frontier
from honeyguide.page.listing import INDEX, Listing
from honeyguide.page.scope import PORT, Scope
from honeyguide.page.url import UrlRules
from honeyguide.settings import AUTO, NEVER
from honeyguide.strategy.listed import OF_LISTINGS
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic import Topic

SEED_PRIORITY: Final = 1.0
MOST_LISTINGS: Final = 1000
"""Maximum number of sitemaps that are read because other sitemaps list them, so that no host can trap a crawl."""
MOST_LEVELS: Final = 2
"""Maximum number of sitemaps that lead from a seed to a sitemap. The sitemap protocol allows one."""


def starting_examples(topic: Topic) -> list[str]:
    """The positive examples that a crawl starts at, besides its seeds: URLs in its scope that are not seeds."""
    choice = topic.strategy.start_at_examples
    if choice == NEVER or (choice == AUTO and not strategy_named(topic.strategy.name).recipe.starts_at_examples):
        return []
    refusal, seeds = Scope(topic.scope).refusal, frozenset(topic.seeds)
    positive = [url for url, is_positive in topic.example_urls().items() if is_positive]
    return [url for url in positive if url not in seeds and not refusal(url)]


class Seeds:
    """Knows which URLs are seeds, and which URLs may be sitemaps or feeds among the seeds.

    The latter are the seeds, the targets of their redirects, and the URLs that a sitemap index among them lists. URLs
    listed there are followed like seeds, if they are in scope. Other sitemaps and feeds are handled by `Listings`.
    """

    def __init__(
        self,
        frontier: Frontier,
        scope: Scope,
        rules: UrlRules,
        admission: Admission,
        *,
        follows: bool,
        owns: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`follows` is False for a crawl that only fetches its seeds: it reads no listings.

        `owns` tells whether a URL belongs to this shard of the crawl.
        """
        self._owns = owns
        self._frontier = frontier
        self._scope = scope
        self._rules = rules
        self._admission = admission
        self.follows = follows
        """Whether the crawl follows links at all."""
        self._seeds: set[int] = set()
        self._given = 0
        self._levels: dict[int, int] = {}  # by URL that may be a sitemap or feed, how many sitemaps led to it

    def begin(self, seeds: Iterable[int], journal: RecorderProtocol) -> None:
        """Register the offered seeds, and restore what earlier runs found."""
        self._seeds = set(seeds)
        self._given = len(self._seeds)
        self._seeds |= journal.redirected_from(self._seeds)
        if not self.follows:
            return
        self._levels = dict.fromkeys(self._seeds, 0)
        for number, first, count in journal.indexes():
            level = self._levels.get(number, MOST_LEVELS) + 1
            listed = set(range(first, first + count))
            self._levels |= dict.fromkeys(listed | journal.redirected_from(listed), level)

    def add(self, numbers: Iterable[int]) -> None:
        """Register more offered seeds."""
        new = set(numbers)
        self._given += len(new - self._seeds)
        self._seeds |= new
        if self.follows:
            self._levels |= dict.fromkeys(new, 0)

    def __contains__(self, number: int) -> bool:
        """Whether a URL is a seed, or the target of a seed's redirect."""
        return number in self._seeds

    def may_list(self, number: int) -> bool:
        """Whether a URL may be a sitemap or a feed."""
        return number in self._levels

    def refusal(self, source: int, target: str) -> str:
        """Why the target of a redirect must not be followed: a reason of the scope, or "" if it may be.

        A seed may redirect anywhere except to a port of another service.
        """
        reason = self._scope.refusal(target)
        if source in self._seeds:
            return reason if reason == PORT else ""
        return reason if source not in self._levels or reason in OF_LISTINGS else ""

    def redirected(self, source: int, target: int) -> None:
        """Record a redirect."""
        if source in self._seeds:
            self._seeds.add(target)
        if source in self._levels:
            self._levels.setdefault(target, self._levels[source])

    def level(self, number: int) -> int | None:
        """How many sitemaps led to a URL that may be a sitemap or feed; None if it may not."""
        return self._levels.get(number)

    def redirected_here(self, target: int, *, is_seed: bool, level: int | None) -> None:
        """Record a redirect from a URL of another shard."""
        if is_seed:
            self._seeds.add(target)
        if level is not None and self.follows:
            self._levels.setdefault(target, level)

    def listed_here(self, new: Iterable[int], form: str, level: int) -> None:
        """Record new URLs listed by a sitemap or feed of another shard; `level` is how many sitemaps led to it."""
        if form == INDEX:
            self._levels |= dict.fromkeys(new, level + 1)

    def warn(self, number: int, reason: str) -> None:
        """Log immediately that a seed gave no page, unless it is the only one, since then the crawl ends anyway."""
        if number in self._seeds and self.follows and self._given > 1:
            log_seed(self._frontier.urls.url(number), reason)

    def offer_listed(self, number: int, listing: Listing) -> tuple[list[int], list[str], Counter[str]]:
        """Offer the new URLs that a sitemap or feed lists.

        Returns their numbers, the URLs that belong to other shards, and the counts of URLs that are not followed, by
        reason. The URLs of an index may be listings, too.
        """
        urls, left_out = self._followed(number, listing)
        new = [self._frontier.offer(url, SEED_PRIORITY) for url in urls if self._owns(url)]
        if listing.form == INDEX:
            self._levels |= dict.fromkeys(new, self._levels[number] + 1)
        return new, [url for url in urls if not self._owns(url)], left_out

    def _followed(self, number: int, listing: Listing) -> tuple[list[str], Counter[str]]:
        find, join = self._frontier.urls.find, self._rules.joiner(self._frontier.urls.url(number))
        targets = dict.fromkeys(url for address in listing.addresses if (url := join(address)) and find(url) is None)
        is_index = listing.form == INDEX
        room = MOST_LISTINGS - len(self._levels) if self._levels[number] < MOST_LEVELS else 0
        followed: list[str] = []
        left_out: Counter[str] = Counter()
        for url in targets:
            reason = self._scope.refusal(url)
            if is_index:
                reason = reason if reason in OF_LISTINGS else "" if len(followed) < room else "listings"
            if reason:
                left_out[reason] += 1
            else:
                followed.append(url)
        is_accepted = self._admission.accepted(followed, np.ones(len(followed)))
        if is_accepted is not None and not is_accepted.all():
            left_out["full"] = int(np.count_nonzero(~is_accepted))
            followed = [url for url, accepted in zip(followed, is_accepted.tolist(), strict=True) if accepted]
        return followed, left_out
