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
    """Takes what belongs to other shards, and brings what they have found for this one.

    What is passed on is written to disk by the next commit, and sent only then: nobody hears of a page that a crash
    could still undo.
    """

    commit_every: float
    """Seconds after which a commit is due, unless commits would then take too much of the time."""

    def owns(self, url: str) -> bool:
        """Whether a URL belongs to this shard. All URLs of a registered domain belong to the same one."""
        ...

    def split(self, reading: Reading) -> LinksElsewhere | None:
        """Remove the links of a page that belong to other shards, and return them; None if there are none."""
        ...

    def pass_links(
        self, number: int, reading: Reading, found: LinksElsewhere, *, is_copy: bool, again: bool = False
    ) -> None:
        """Pass on links of a page to the shards that they belong to. `is_copy`: the page repeats an earlier one.

        `again`: the page was visited again, so that only links count that are not known there.
        """
        ...

    def pass_redirect(self, number: int, target: str, hops: int, *, is_seed: bool, level: int | None) -> None:
        """Pass on what a URL redirects to, as the `hops`-th redirect in a row.

        `level` is how many sitemaps led to it, if it may be one.
        """
        ...

    def pass_listed(self, number: int, urls: Sequence[str], form: str, level: int) -> None:
        """Pass on URLs that a sitemap or feed lists, which so many sitemaps led to."""
        ...

    def step(self, arrivals: Arrivals) -> None:
        """Hand over what has come in. Called in every turn of the loop."""
        ...

    def locate(self, frontier: Frontier, host: int, address: str) -> None:
        """A host is at an IP address: let it share the limit of that address, with hosts of all shards."""
        ...

    def committed(self) -> None:
        """What was passed on, and what was handed over, is on disk."""
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
