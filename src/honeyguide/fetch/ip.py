"""IP addresses: which of them are equivalent."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def embedded_address(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that packets for an IPv6 address end up at, for the forms that embed one; otherwise None."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return None


@lru_cache(maxsize=65_536)
def counted_as(address: str) -> str:
    """The name under which requests to an IP address are counted; "" for "".

    One server has one: an IPv4 address that is embedded in IPv6 counts as itself, and an IPv6 address as its /64
    network, which is the least that anybody is given, and has room for any number of addresses of one machine.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    inner = embedded_address(found)
    return str(inner) if inner is not None else str(ipaddress.IPv6Network((int(found) >> 64 << 64, 64)))
