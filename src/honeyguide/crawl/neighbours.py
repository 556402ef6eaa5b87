"""The other shards of a crawl, as its loop sees them. A crawl on one machine has none."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.crawl.arrivals import Arrivals
from honeyguide.frontier import Frontier
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.reading import Reading

HERE: Final = -1
"""Stands for the number of the shard itself."""


class LinksElsewhere(NamedTuple):
    """Links of a page that belong to other shards."""

    links: LinkTable
    """All links of the page."""
    owners: NDArray[np.intp]
    """For each link, the number of the shard that it belongs to; `HERE` for this one."""


class Neighbours(Protocol):
    """Passes URLs on to the other shards, and delivers what they have found for this one.

    Whatever is passed on is sent only after the next commit, so that no shard learns of a page that a crash could still
    undo.
    """

    commit_every: float
    """Seconds between two commits, unless commits take too long for that."""

    def owns(self, url: str) -> bool:
        """Whether a URL belongs to this shard. All URLs of a registered domain belong to the same one."""
        ...

    def split(self, reading: Reading) -> LinksElsewhere | None:
        """Remove the links of a page that belong to other shards, and return them; None if there are none."""
        ...

    def pass_links(
        self, number: int, reading: Reading, found: LinksElsewhere, *, is_copy: bool, again: bool = False
    ) -> None:
        """Pass on links of a page to the shards that they belong to. `is_copy`: the page duplicates an earlier one.

        `again`: the page was revisited, so that only links to unknown URLs count.
        """
        ...

    def pass_redirect(self, number: int, target: str, hops: int, *, is_seed: bool, level: int | None) -> None:
        """Pass on the target of a redirect, the `hops`-th in a row.

        `level` is how many sitemaps led to it; None if it cannot be a sitemap.
        """
        ...

    def pass_listed(self, number: int, urls: Sequence[str], form: str, level: int) -> None:
        """Pass on URLs that a sitemap or feed lists; `level` is how many sitemaps led to it."""
        ...

    def step(self, arrivals: Arrivals) -> None:
        """Apply items received from other shards. Called in every iteration of the loop."""
        ...

    def locate(self, frontier: Frontier, host: int, address: str) -> None:
        """Assign a host to its IP address, whose limit it shares with hosts of all shards."""
        ...

    def committed(self) -> None:
        """Called when everything that was passed on or applied is on disk."""
        ...


class Alone(Neighbours):
    """No other shards: every URL belongs here."""

    commit_every = inf

    @override
    def owns(self, url: str) -> bool:
        return True

    @override
    def split(self, reading: Reading) -> LinksElsewhere | None:
        return None

    @override
    def pass_links(
        self, number: int, reading: Reading, found: LinksElsewhere, *, is_copy: bool, again: bool = False
    ) -> None:
        pass

    @override
    def pass_redirect(self, number: int, target: str, hops: int, *, is_seed: bool, level: int | None) -> None:
        pass

    @override
    def pass_listed(self, number: int, urls: Sequence[str], form: str, level: int) -> None:
        pass

    @override
    def step(self, arrivals: Arrivals) -> None:
        pass

    @override
    def locate(self, frontier: Frontier, host: int, address: str) -> None:
        frontier.set_address(host, address)

    @override
    def committed(self) -> None:
        pass
