"""The other half of a strategy: a reading changes what waits in the frontier."""

from __future__ import annotations

from honeyguide.frontier import Frontier
from honeyguide.strategy.reading import Reading


def steer(frontier: Frontier, page: int, reading: Reading, max_depth: int = 0) -> None:
    """Offer the links of a page that was fetched as URL number `page`, unless they lie deeper than `max_depth`."""
    depth = frontier.record.depth[page] + 1
    if max_depth and depth > max_depth:
        return
    offer = frontier.offer
    for url, score in zip(reading.links, reading.scores, strict=True):
        offer(url, score, page, depth)
