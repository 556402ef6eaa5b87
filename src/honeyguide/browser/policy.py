"""Which requests of a page are let through: scripts, style sheets, data and frames of its own site, not too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from honeyguide.browser.settings import BrowserSettings
from honeyguide.page.domains import registered_domain
from honeyguide.page.url import has_bad_port, host_of, without_port

KINDS = frozenset({"script", "stylesheet", "xhr", "fetch", "document"})
"""Kinds of resources that contribute to the text of a page; documents are those of frames. Images, media, fonts,
beacons, sockets and the like do not."""

ENDLESS = 100
"""Number of blocked requests after which a page is recorded as it is, since it would never stop."""


class PagePolicy:
    """Counts the requests of one page, and decides whether the next one may be sent."""

    def __init__(self, url: str, settings: BrowserSettings) -> None:
        self._site = registered_domain(host_of(url))
        self._hosts: Collection[str] = settings.hosts
        self._most = settings.requests
        self._most_bytes = settings.max_bytes
        self.blocked: Counter[str] = Counter()
        """Requests that were not sent, by reason."""
        self._allowed = 0
        self._size = 0

    def refusal(self, url: str, method: str, kind: str) -> str:
        """Why a request is not sent; "" if it may be, in which case it is counted."""
        if not url.startswith(("http://", "https://")):
            return "scheme"
        if method != "GET":
            return "method"
        if kind not in KINDS:
            return "kind"
        if not self.is_known(url) or has_bad_port(url):
            return "site"
        if self._allowed >= self._most or self._size >= self._most_bytes:
            return "limit"
        self._allowed += 1
        return ""

    def is_known(self, url: str) -> bool:
        """Whether a URL is on the page's own site, or on a host that is listed."""
        host = host_of(url)
        return registered_domain(host) == self._site or without_port(host) in self._hosts

    def received(self, size: int) -> None:
        """Count the bytes of an answer."""
        self._size += size

    def block(self, reason: str) -> None:
        """Count a request that is not sent."""
        self.blocked[reason] += 1

    @property
    def is_endless(self) -> bool:
        """Whether the page has made more requests than any page needs."""
        return self.blocked.total() >= ENDLESS
