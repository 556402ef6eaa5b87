"""How pages are asked for: identity, limits, patience, politeness."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """The ``[fetch]`` table of a topic file."""

    agent: str = setting("honeyguide", "name in the User-Agent header and in robots.txt rules")
    contact: str = setting(
        "",
        "address that site owners can write to; it is sent with every request",
        example="mailto:you@example.org",
    )
    robots: bool = setting(True, "obey robots.txt, meta robots and rel=nofollow")
    max_crawl_delay: float = setting(30.0, "longest Crawl-delay that is honoured, in seconds", minimum=0)
    delay: float = setting(1.0, "seconds between two requests to one host", minimum=0)
    per_host: int = setting(1, "requests under way at once on one host", minimum=1)
    domain_delay: float = setting(0.5, "seconds between two requests to one registered domain", minimum=0)
    per_domain: int = setting(2, "requests under way at once on one registered domain", minimum=1)
    ip_delay: float = setting(0.1, "seconds between two requests to one IP address", minimum=0)
    per_ip: int = setting(4, "requests under way at once on one IP address", minimum=1)
    connections: int = setting(
        8,
        "requests under way at once in the whole crawl; many more than good hosts dilute the best-first order",
        minimum=1,
    )
    connect_timeout: float = setting(10.0, "seconds to wait for a connection", minimum=0.01)
    read_timeout: float = setting(20.0, "seconds to wait for the next bytes", minimum=0.01)
    total_timeout: float = setting(60.0, "seconds a whole request may take", minimum=0.01)
    max_body: int = setting(4_000_000, "bytes of a body that are read, counted after decompression", minimum=1)
    types: tuple[str, ...] = setting(
        ("text/html", "application/xhtml+xml"),
        "content types that are read; others are closed before their body",
    )
    retries: int = setting(2, "how often a network error, 429 or 5xx is tried again", minimum=0)
    backoff: float = setting(5.0, "seconds before the first retry; doubles each time, with jitter", minimum=0)
    patience: float = setting(
        300.0, "seconds the crawl waits when nothing else is left to do before it stops", minimum=0
    )
    redirects: int = setting(5, "redirects followed in a row", minimum=0)
    cookies: bool = setting(False, "keep cookies, per host, for the length of one run")
    proxy: str = setting("", "HTTP proxy for all requests", example="http://127.0.0.1:3128")
    allow_networks: tuple[str, ...] = setting(
        (), "networks that may be reached although they are not public", example='["10.1.0.0/16"]'
    )
    dns_cache: float = setting(300.0, "seconds a resolved name is kept", minimum=0)
