"""What callers decide about the hosts of a frontier: how often and how soon they may be contacted."""

from __future__ import annotations

from collections.abc import Iterable

from honeyguide.frontier.hosts import AddressUse, Hosts, HostSlot
from honeyguide.frontier.reservation import Reservation


class HostControls:
    """The methods of a `Frontier` that concern hosts and addresses rather than URLs."""

    _hosts: Hosts
    _reservation: Reservation

    def host_number(self, name: str) -> int:
        """The number of a host, by its name as `page.url.host_of` returns it. An unknown host is added."""
        return self._hosts.named(name).number

    def hosts_of(self, urls: Iterable[str]) -> list[int]:
        """The numbers of the hosts of some canonical URLs. Unknown hosts are added."""
        return [host.number for host in self._hosts.of(urls)]

    def rest(self, host: int, until: float) -> None:
        """Do not contact a host before a time. A longer rest that is already set stays in effect."""
        self._hosts.rest(self._hosts.all[host], until)

    def set_delay(self, host: int, seconds: float) -> None:
        """Set a host's delay. It takes effect with the next start or end of a request."""
        self._hosts.all[host].delay = seconds

    def set_probation(self, host: int, on_probation: bool) -> None:
        """Put a host on probation, or end its probation.

        URLs of hosts on probation are limited to a share of those of other hosts (`Politeness.probation`), unless no
        other host may be contacted within a minute.
        """
        self._hosts.set_probation(self._hosts.all[host], on_probation)

    def set_address(self, host: int, address: str) -> None:
        """Let a host share the limit of an IP address from now on, instead of that of its previous address.

        Addresses are compared as text; "" has no limit.
        """
        self._hosts.set_address(self._hosts.all[host], address)

    def limit_address(self, address: str, at_once: int) -> None:
        """Set the limit of concurrent requests to an IP address; 0 for no requests until this is called again."""
        self._hosts.limit_address(address, at_once)

    def missed_addresses(self) -> set[str]:
        """The IP addresses with a limit of 0 that hosts have begun to wait for since the last call."""
        return self._hosts.missed_addresses()

    def rest_address(self, address: str, until: float) -> None:
        """Do not contact an IP address before a time."""
        self._hosts.rest_address(address, until)

    def address_use(self, address: str) -> AddressUse:
        """The current use of an IP address."""
        return self._hosts.address_use(address)

    def set_slow(self, host: int, slow: bool) -> None:
        """Set whether a host shares the limit of all slow hosts (`Politeness.slow`)."""
        self._hosts.set_slow(self._hosts.all[host], slow)

    def weigh(self, host: int, factor: float) -> None:
        """Let the URLs of a host compete with those of others as if their priorities were `factor` times as high.

        The factor is finite and greater than 0; it is initially 1 for all hosts, and is not stored. Priorities, and
        the order on the host itself, do not change. From then on, the frontier no longer waits for better URLs, since
        priorities alone no longer determine which URL is better.
        """
        self._reservation.stop()
        self._hosts.weigh(self._hosts.all[host], factor)

    def borrow(self, host: int, now: float) -> HostSlot | None:
        """Reserve a slot on a host for a request outside its queue (a robots.txt that another host redirects to).

        None if the host may not be contacted now. Return the slot with `give_back`.
        """
        self._hosts.tick(now)
        return self._hosts.borrow(self._hosts.all[host])

    def give_back(self, slot: HostSlot, now: float) -> None:
        """Return a borrowed slot when the request has ended."""
        self._hosts.tick(now)
        self._hosts.release(slot)
