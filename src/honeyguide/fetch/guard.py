"""Which addresses may be accessed: the public internet, and networks that the user allows.

A crawler follows links that strangers wrote, so a link must never lead it into the network it runs in. A name is
checked by the addresses it resolves to, and the address is checked again when a socket is made for it. The address
cannot be swapped after that check, because the socket is made for the very address that was checked.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING

from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.errors import InputError
from honeyguide.fetch.ip import embedded_address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp import AddrInfoType


Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Listed here instead of using `is_global`, whose results differ between Python versions. From the IANA
# special-purpose registries; ranges that they call globally reachable, but that contain no web servers, are refused
# too.
_NOT_PUBLIC_4 = tuple(
    (ipaddress.IPv4Network(network), name)
    for network, name in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT (CGNAT)"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a cloud's metadata service"),  # Azure's has a public-looking address
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_NOT_PUBLIC_6 = tuple(
    (ipaddress.IPv6Network(network), name)
    for network, name in (
        ("2001::/23", "reserved"),  # protocol assignments; Teredo, benchmarks and ORCHID among them
        ("2001:db8::/32", "for documentation"),
        ("3fff::/20", "for documentation"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("fc00::/7", "private"),  # includes fd00:ec2::254 and other metadata services
        ("fe80::/10", "link-local"),
        ("ff00::/8", "multicast"),
    )
)
_UNICAST_6 = ipaddress.IPv6Network("2000::/3")


class AddressRefusedError(Exception):
    """The guard refused an address.

    Not an OSError: aiohttp treats those as one bad address among several, and tries the next one.
    """


class Guard:
    """Decides whether an address may be accessed: if it is public, or in a network that the user allows."""

    def __init__(self, allow_networks: Iterable[str] = ()) -> None:
        self._allowed = tuple(_network(text) for text in allow_networks)

    def why_not(self, address: str) -> str:
        """Why an address may not be accessed; empty when it may. Text that is not an IP address is refused."""
        try:
            return self._why_not(ipaddress.ip_address(address))
        except ValueError:
            return f"{address!r} is not an IP address"

    def check(self, address: str) -> None:
        """Raise `AddressRefusedError` for an address that may not be accessed."""
        reason = self.why_not(address)
        if reason:
            raise AddressRefusedError(reason)

    def check_host(self, host: str) -> None:
        """Check the host of a URL without DNS; a name that has to be resolved to be checked passes.

        Canonical URLs spell an address in one way only. Other spellings (``2130706433``, ``0x7f.1``, ``0177.0.0.1``)
        are refused whatever they mean, because another parser may read them differently. ``localhost`` and names
        under it are loopback by definition (RFC 6761).
        """
        name = host.strip("[]").rstrip(".").lower()
        if name == "localhost" or name.endswith(".localhost"):
            reason = self.why_not("127.0.0.1")
            if reason and self.why_not("::1"):
                raise AddressRefusedError(f"{host}: {reason}")
            return
        if is_number(name):
            self.check(name)

    def socket(self, addr_info: AddrInfoType) -> socket.socket:
        """A socket for an address that is about to be connected to. Raises `AddressRefusedError` if it is refused."""
        self.check(str(addr_info[4][0]))
        return plain_socket(addr_info)

    def _why_not(self, address: Address) -> str:
        if any(address in network for network in self._allowed):
            return ""
        if isinstance(address, ipaddress.IPv4Address):
            return _name_range(address, _NOT_PUBLIC_4)
        inner = embedded_address(address)
        if inner is not None:
            reason = self._why_not(inner)
            return f"{address} stands for {reason}" if reason else ""
        reason = _name_range(address, _NOT_PUBLIC_6)
        if not reason and address not in _UNICAST_6:
            reason = f"{address} is not public: reserved"
        return reason


class GuardedResolver(AbstractResolver):
    """A resolver that returns only addresses that may be accessed.

    Raises `AddressRefusedError` when a name has addresses, but none that may be accessed.
    """

    def __init__(self, guard: Guard, resolver: AbstractResolver) -> None:
        self._guard = guard
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Resolve a name, without the addresses that are refused."""
        answers = await self._resolver.resolve(host, port, family)
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
        reasons = [self._guard.why_not(answer["host"]) for answer in answers]
        good = [answer for answer, reason in zip(answers, reasons, strict=True) if not reason]
        if not good:
            raise AddressRefusedError(f"{host}: {reasons[0]}")
        return good

    async def close(self) -> None:
        """Close the wrapped resolver."""
        await self._resolver.close()


def plain_socket(addr_info: AddrInfoType) -> socket.socket:
    """A socket for any address: only for that of a proxy, which the user chose."""
    family, kind, protocol, *_ = addr_info
    return socket.socket(family=family, type=kind, proto=protocol)


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise InputError(
            "fetch.allow_networks", f"{text!r} is not a network", 'write it like "10.1.0.0/16" or "fd12::/48"'
        ) from error


def _name_range(address: Address, ranges: tuple[tuple[Network, str], ...]) -> str:
    for network, name in ranges:
        if address in network:
            return f"{address} is not public: {name}"
    return ""


def is_number(host: str) -> bool:
    """Whether a host is an IP address rather than a name, by the rule of the URL standard."""
    last = host.rpartition(".")[2]
    return ":" in host or last.isdigit() or last.startswith("0x")
