"""How pages are requested: identity, limits, timeouts, politeness."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from honeyguide.errors import InputError
from honeyguide.settings import setting, show

LARGEST_BODY = 100_000_000
"""Upper bound of the maximum size of a body in the settings, which readers of archives must be prepared for."""

_READ = frozenset(("application/xhtml+xml", "application/xml", "application/pdf"))


def check_contact(value: str) -> None:
    """Reject a contact that is neither an address nor a page. An empty one is allowed."""
    if value and not _reaches_somebody(value):
        problem = f"contact must be an e-mail address or the URL of a page, not {show(value)}"
        raise InputError("fetch.contact", problem, 'write contact = "mailto:you@example.org"')


def _reaches_somebody(contact: str) -> bool:
    """Whether a text looks like an e-mail address, with or without ``mailto:``, or like the URL of a page."""
    scheme, mark, rest = contact.partition("://")
    name, _, host = contact.removeprefix("mailto:").partition("@")
    if mark:
        name, host = scheme if scheme.lower() in {"http", "https"} else "", rest.partition("/")[0]
    return name != "" and "." in host.strip(".") and "@" not in host and not any(map(str.isspace, contact))


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """The ``[fetch]`` table of a topic file."""

    agent: str = setting("honeyguide", "name in the User-Agent header and in robots.txt rules")
    contact: str = setting(
        "",
        "contact address for site owners, sent with every request",
        example="mailto:you@example.org",
    )
    fetcher: str = setting(
        "http", "what fetches pages: http, or a fetcher of another package", example="package.module:SPEC"
    )
    robots: bool = setting(True, "obey robots.txt, meta robots and rel=nofollow")
    max_crawl_delay: float = setting(30.0, "longest Crawl-delay that is obeyed, in seconds", minimum=0)
    delay: float = setting(1.0, "seconds between requests to the same host", minimum=0)
    per_host: int = setting(1, "concurrent requests per host", minimum=1)
    domain_delay: float = setting(0.5, "seconds between requests to the same registered domain", minimum=0)
    per_domain: int = setting(2, "concurrent requests per registered domain", minimum=1)
    ip_delay: float = setting(0.1, "seconds between requests to the same IP address", minimum=0)
    per_ip: int = setting(4, "concurrent requests per IP address", minimum=1)
    connections: int = setting(
        8,
        "concurrent requests in total; with many more than there are good hosts, the best pages come later",
        minimum=1,
    )
    connect_timeout: float = setting(10.0, "seconds to wait for a connection", minimum=0.01)
    read_timeout: float = setting(20.0, "seconds to wait for the next bytes of a response", minimum=0.01)
    total_timeout: float = setting(
        60.0,
        "seconds a whole request may take; where most take less than a tenth of it, the first attempt gets less, too",
        minimum=0.01,
    )
    min_rate: float = setting(
        1000.0, "bytes per second that a body must have on average, after its first seconds; 0 = any", minimum=0
    )
    max_body: int = setting(
        4_000_000,
        "largest body that is read, in bytes after decompression; the rest is cut off",
        minimum=1,
        maximum=LARGEST_BODY,
    )
    max_pdf: int = setting(
        20_000_000,
        "the same for a PDF, of which often nothing can be read if it is cut off",
        minimum=1,
        maximum=LARGEST_BODY,
    )
    types: tuple[str, ...] = setting(
        ("text/html", "application/xhtml+xml", "text/plain", "application/pdf"),
        "content types that are read: HTML, XHTML, XML or other text, and PDF with the extra honeyguide[pdf]; the "
        "bodies of others are not downloaded",
    )
    retries: int = setting(2, "retries after a network error or a status of 429, 500, 502, 503 or 504", minimum=0)
    backoff: float = setting(
        5.0, "seconds before the first retry; doubled for each further one, with jitter", minimum=0
    )
    patience: float = setting(
        300.0,
        "longest time, in seconds, that the crawl waits for suspended hosts when nothing else is left to do",
        minimum=0,
    )
    browser: str = setting(
        "",
        "whether pages are rendered in a browser: auto (those that need it), never, always; "
        "empty = auto where Chromium and Playwright are installed",
        choices=("", "auto", "never", "always"),
    )
    redirects: int = setting(5, "redirects that are followed in a row", minimum=0)
    cookies: bool = setting(False, "keep cookies, per host, during a run")
    proxy: str = setting("", "HTTP proxy for all requests", example="http://127.0.0.1:3128")
    allow_networks: tuple[str, ...] = setting(
        (), "networks that may be accessed although they are not public", example='["10.1.0.0/16"]'
    )
    dns_cache: float = setting(
        300.0, "seconds for which the address of a host is cached; a crawl keeps it for a minute at least", minimum=0
    )


def user_agent(settings: FetchSettings, version: str) -> str:
    """What is sent in the User-Agent header."""
    contact = f" (+{settings.contact})" if settings.contact else ""
    return f"{settings.agent}/{version}{contact}"


def check_types(types: Iterable[str]) -> None:
    """Raise `InputError` for a content type whose bodies cannot be read: their bytes would be taken for text."""
    for kind in types:
        if not kind.lower().startswith("text/") and kind.lower() not in _READ:
            readable = "text/html, application/xhtml+xml, application/xml, application/pdf, text/plain and other text"
            raise InputError("fetch.types", f"{show(kind)} cannot be read", f"choose among {readable}")
