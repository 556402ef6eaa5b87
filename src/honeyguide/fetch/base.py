"""The interface between a crawl and what it fetches from: the live web, an archive, a generated web."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

Headers = tuple[tuple[str, str], ...]

_XML = ("text/xml", "application/xml")
_LISTINGS = frozenset((*_XML, "text/plain", "application/gzip", "application/x-gzip"))
_FEEDS = frozenset((*_XML, "application/rss+xml", "application/atom+xml", "application/rdf+xml"))
_ANY_BYTES = frozenset(("application/octet-stream", "binary/octet-stream"))  # sent by servers that do not know the type


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Request:
    """One GET of one canonical URL."""

    url: str
    any_type: bool = False
    """Read the body whatever its content type is (robots.txt)."""
    listing: bool = False
    """Read the body also if its content type is one of sitemaps or feeds. Such a response is still `skipped`, since it
    is not a page."""
    feed: bool = False
    """Read the body also if its content type is that of a feed, or of any XML."""
    patient: bool = False
    """Wait as long as the settings allow, rather than as long as usual, since the host is known to be slow."""
    sent: Callable[[], None] = field(default=_nothing, repr=False, compare=False)
    """Called when the request is sent, by fetchers that know it: delays between requests count from then on."""
    etag: str = ""
    """The ETag of the known copy. If it is unchanged, the response has the status 304 and no body; a fetcher without
    conditional requests fetches the page as usual."""
    modified: str = ""
    """The Last-Modified of the known copy, likewise."""

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request."""
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in asked.items() if value}

    def reads(self, kind: str) -> bool:
        """Whether to read a body that is not a page.

        Args:
            kind: Its content type, in lower case and without parameters.

        Returns:
            Whether its type is that of a sitemap or a feed, and these are asked for.
        """
        if kind in _ANY_BYTES:
            return self.listing and self.url.endswith((".xml", ".gz", ".txt"))
        if self.listing and (kind in _LISTINGS or kind.endswith("+xml")):
            return True
        return self.feed and kind in _FEEDS


@dataclass(slots=True)
class Response:
    """The response of a server, with any status. Redirects are not followed, but returned like other responses."""

    url: str
    status: int
    reason: str
    headers: Headers
    """As received, in order, names as the server spelled them."""
    body: bytes
    """Decompressed, and cut at the size limit. Empty when `skipped`, unless `Request.reads` says otherwise."""
    raw: bytes
    """The body as received, after transfer decoding (still compressed if it was sent compressed)."""
    request_headers: Headers
    ip: str = ""
    """The IP address that was connected to; empty when a proxy or an archive responded."""
    started: float = 0.0
    """Unix time at which the request began."""
    elapsed: float = 0.0
    """Seconds until the whole body was received."""
    truncated: str = ""
    """Why the body is incomplete; "" when it is complete. `raw` is cut where reading stopped.

    "length": it is longer than the limit. "encoding": its content encoding is broken or incomplete; `body` is what
    could be decoded. "disconnect": the connection was lost; `body` is what was received until then.
    """
    skipped: str = ""
    """Why the body should not be read as a page, whatever the status: "type", or ""."""
    _lower: dict[str, str] = field(default_factory=dict, repr=False)

    def header(self, name: str) -> str:
        """Look up a header.

        Args:
            name: The name of the header, in lower case.

        Returns:
            Its first value; "" if there is no such header.
        """
        if not self._lower:
            for key, value in self.headers:
                self._lower.setdefault(key.lower(), value)
        return self._lower.get(name, "")


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that got no response."""

    url: str
    kind: str
    """One of `KINDS`."""
    detail: str
    """What went wrong, as one human-readable line."""
    transient: bool
    """Whether the same request may succeed later."""
    started: float = 0.0
    """Unix time at which the request began."""
    elapsed: float = 0.0
    """Seconds until it failed."""


KINDS = (
    "dns",  # the name does not resolve
    "address",  # the guard refused the address; never transient
    "connect",  # no connection: refused, unreachable, lost before a response (or before any of its body)
    "tls",  # certificate or handshake; never transient
    "timeout",  # connect, read or total time ran out
    "protocol",  # the response is not HTTP, or its encoding is broken
)


class Fetcher(Protocol):
    """Fetches one URL per call; calls may overlap.

    Whatever the network or a server does is returned as a `Response` or a `Failure`, and never raised.
    """

    async def fetch(self, request: Request) -> Response | Failure:
        """Send one request, without retries, redirects or delays: the crawl handles those.

        Args:
            request: The request to send.

        Returns:
            The response, with any status; or a failure that says why there is none.
        """
        ...

    async def close(self) -> None:
        """Close all connections. The fetcher is not used afterwards."""
        ...


@runtime_checkable
class Locator(Protocol):
    """A fetcher that knows the IP address that a request will go to before it is sent.

    With such a fetcher, a crawl counts requests by address from the first one on. With any other, it learns a host's
    address from `Response.ip`.
    """

    def known_address(self, url: str) -> str | None:
        """The address that a request would be sent to.

        Args:
            url: A canonical URL.

        Returns:
            An IP address; "" if the address is not known and need not be (a proxy resolves the name); None if
            `find_address` has to be called first.
        """
        ...

    async def find_address(self, url: str) -> str | Failure:
        """Look up the address that the next requests for a URL, and others of its host, will be sent to.

        Args:
            url: A canonical URL.

        Returns:
            As `known_address`, but never None; or a failure that says why there is no address.
        """
        ...
