"""A read-only view of the hosts in a frontier."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from honeyguide.frontier.gates import HostState

if TYPE_CHECKING:
    from honeyguide.frontier.hosts import Hosts


class HostView:
    """Every host that a frontier knows, read-only, by the numbers that `Frontier.host_number` returns."""

    __slots__ = ("_all",)

    def __init__(self, hosts: Hosts) -> None:
        self._all = hosts.all  # never replaced by another list

    def numbers(self) -> range:
        """The numbers of all hosts."""
        return range(len(self._all))

    def states(self) -> Counter[HostState]:
        """How many hosts are in each state. Takes time proportional to the number of hosts."""
        return Counter(host.state for host in self._all)

    def name(self, host: int) -> str:
        """The name of a host, with the port if that is not the default."""
        return self._all[host].name

    def domain(self, host: int) -> str:
        """Its registered domain."""
        return self._all[host].domain

    def address(self, host: int) -> str:
        """The IP address whose limit it shares; "" while none is known."""
        return self._all[host].address

    def delay(self, host: int) -> float:
        """Seconds from the end (and the start) of a request to it to the start of the next one."""
        return self._all[host].delay

    def next_time(self, host: int) -> float:
        """The earliest time at which its own delay and rests allow a request, ignoring shared limits."""
        return self._all[host].next_time

    def on_probation(self, host: int) -> bool:
        """Whether it is on probation."""
        return self._all[host].on_probation

    def is_slow(self, host: int) -> bool:
        """Whether it shares the limit of all slow hosts."""
        return self._all[host].is_slow
