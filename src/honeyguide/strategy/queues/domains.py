"""The share of relevant pages of each registered domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import Frontier
from honeyguide.strategy.queues.outcomes import OutcomeLog

_UNKNOWN = 0.5  # the assumed share of relevant pages of a domain without fetched pages


class DomainRecord:
    """Counts the relevant pages and all pages of each registered domain. Hosts are looked up once."""

    def __init__(self, name: str) -> None:
        """`name` is the name of its state."""
        self._log = OutcomeLog(name)
        self._numbers: dict[str, int] = {}  # by domain
        self._of_host: dict[int, int] = {}
        self._relevant: list[int] = []
        self._pages: list[int] = []

    def add(self, frontier: Frontier, number: int, relevant: bool) -> None:
        """Count a fetched page."""
        self._log.add(number, relevant)
        self._count(frontier, number, relevant)

    def _count(self, frontier: Frontier, number: int, relevant: bool) -> None:
        domain = self._domain(frontier, frontier.urls.host(number))
        self._pages[domain] += 1
        self._relevant[domain] += relevant

    def shares(self, frontier: Frontier, hosts: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """For the domains of some hosts, the share of relevant pages, and whether no page was fetched."""
        domains = [self._domain(frontier, host) for host in hosts]
        pages = np.array([self._pages[domain] for domain in domains], np.float64)
        relevant = np.array([self._relevant[domain] for domain in domains], np.float64)
        return np.where(pages > 0, relevant / np.maximum(pages, 1), _UNKNOWN), pages == 0

    def _domain(self, frontier: Frontier, host: int) -> int:
        domain = self._of_host.get(host)
        if domain is None:
            domain = self._of_host[host] = self._numbers.setdefault(frontier.hosts.domain(host), len(self._numbers))
            if domain == len(self._pages):
                self._pages.append(0)
                self._relevant.append(0)
        return domain

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name: the outcome of each page."""
        yield from self._log.dirty_state()

    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        """Restore what `dirty_state` returned."""
        self._log.restore(state)
        numbers, relevant = self._log.latest(len(self._log))
        for number, is_relevant in zip(numbers.tolist(), relevant.tolist(), strict=True):
            self._count(frontier, number, is_relevant)
