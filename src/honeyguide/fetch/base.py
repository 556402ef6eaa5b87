"""The one interface between the crawl and whatever answers for the web."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One GET of one canonical URL."""

    url: str
    any_type: bool = False
    """Read the body whatever its content type is (robots.txt)."""


@dataclass(slots=True)
class Response:
    """What a server answered: any status; redirects are answers like others and are never followed here."""

    url: str
    status: int
    reason: str
    headers: Headers
    """As received, in order, names as the server spelled them."""
    body: bytes
    """Decompressed, at most the limit's length. Empty when `skipped`."""
    raw: bytes
    """The body as it came over the wire after transfer decoding (still compressed if it was sent so)."""
    request_headers: Headers
    ip: str = ""
    """The address really connected to; empty when a proxy or an archive answered."""
    started: float = 0.0
    """Unix time at which the request began."""
    elapsed: float = 0.0
    truncated: str = ""
    """Why the body is not whole; "" when it is. `raw` is cut where reading stopped.

    "length": it is longer than the limit. "encoding": its content encoding breaks off or breaks; what could
    be decoded is there. "disconnect": the connection was lost on the way; what came is there.
    """
    skipped: str = ""
    """Why the body was not read: "type", or ""."""
    _lower: dict[str, str] = field(default_factory=dict, repr=False)

    def header(self, name: str) -> str:
        """The first value of a header, by lower-case name; empty when absent."""
        if not self._lower:
            for key, value in self.headers:
                self._lower.setdefault(key.lower(), value)
        return self._lower.get(name, "")


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer. `kind` is one of KINDS; `transient` says whether asking again later can help."""

    url: str
    kind: str
    detail: str
    transient: bool
    started: float = 0.0
    elapsed: float = 0.0


KINDS = (
    "dns",  # the name does not resolve
    "address",  # the guard refused the address; never transient
    "connect",  # no connection: refused, unreachable, lost before an answer (or before any of its body)
    "tls",  # certificate or handshake; never transient
    "timeout",  # connect, read or total time ran out
    "protocol",  # what came is not HTTP, or its encoding is broken
)


class Fetcher(Protocol):
    """URL in, answer out. Never raises for anything the network or a server does."""

    async def fetch(self, request: Request) -> Response | Failure:
        """Ask once: no retry, no redirect, no politeness; those are the crawl's."""
        ...

    async def close(self) -> None:
        """Release connections. The fetcher is not used afterwards."""
        ...
