"""The politeness limits that the frontier enforces."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `at_once` requests in progress, and `delay` seconds from the end (and the start) of one to the next."""

    at_once: int
    delay: float


@dataclass(frozen=True, slots=True)
class Politeness:
    """The limits for each host, each registered domain, each IP address, and all slow hosts together."""

    host: Limit = Limit(1, 1.0)
    domain: Limit = Limit(2, 0.5)
    ip: Limit = Limit(4, 0.1)
    pages_per_host: int = 0
    """Maximum number of URLs taken from one host; 0 for no limit."""
    slow: Limit = Limit(2, 0.0)
    """The limit that all slow hosts share, so that they do not occupy all connections."""
    probation: float = 0.05
    """URLs taken from hosts on probation, as a share of those taken from other hosts, while these have any waiting."""
