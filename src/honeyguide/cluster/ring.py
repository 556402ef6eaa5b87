"""Which shard a URL belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.domains import registered_domain
from honeyguide.page.url import host_of


class Ring:
    """Assigns names to shards by rendezvous hashing: a name goes to the shard with the highest hash of name and shard.

    Every process computes the same owners. When a shard is added or removed, only the names of that shard move.
    """

    def __init__(self, shards: Sequence[str]) -> None:
        """`shards` are the names of all shards, at least one."""
        self.shards = tuple(shards)
        self._keys = [(shard.encode(), shard) for shard in self.shards]
        self._number_of_host = lru_cache(maxsize=65_536)(
            lambda host: self.shards.index(self.owner_of_name(registered_domain(host)))
        )
        self.owner_of_name = lru_cache(maxsize=65_536)(self._owner)
        """The shard that a name belongs to: a registered domain, or an IP address."""

    def owner(self, url: str) -> str:
        """The shard that a canonical URL belongs to: the same for all URLs of a registered domain."""
        return self.shards[self._number_of_host(host_of(url))]

    def numbers(self, urls: Iterable[str]) -> NDArray[np.intp]:
        """The shards that some canonical URLs belong to, by their numbers in the order of `shards`."""
        number = self._number_of_host
        return np.array([number(url.split("/", 3)[2]) for url in urls], np.intp)  # `host_of`, inlined: it runs per link

    def _owner(self, name: str) -> str:
        if len(self._keys) == 1:
            return self.shards[0]
        text = name.encode("utf-8", "surrogatepass")
        return max((blake2b(text, digest_size=8, key=key).digest(), shard) for key, shard in self._keys)[1]
