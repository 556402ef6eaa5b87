"""What a site allows crawlers to do: robots.txt (RFC 9309), X-Robots-Tag and the meta element."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from protego import Protego

from honeyguide.fetch import numbers

_MOST_BYTES = 500 * 1024  # the minimum that RFC 9309 requires every crawler to read
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WORDS = re.compile(r"[\s,;]+")
_AGENT = re.compile(r"[\w*-]+")
# Directives that have a value after a colon; any other word before a colon is the name of an agent.
_VALUED = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one host's robots.txt for one agent."""

    crawl_delay: float | None = None
    """Seconds that the site requires between two requests, by Crawl-delay or Request-rate; None if not specified.

    At most `honeyguide.fetch.numbers.LONGEST_WAIT`.
    """
    sitemaps: tuple[str, ...] = ()
    """Addresses of sitemaps as written, without duplicates."""
    retry: bool = False
    """There is no reliable response: nothing is allowed now, and robots.txt has to be requested again later."""
    _agent: str = ""
    _parsed: Protego | None = None
    """None when there are no rules."""

    def allowed(self, url: str) -> bool:
        """Whether this URL, canonical and of this host, may be fetched."""
        if self.retry:
            return False
        return self._parsed is None or bool(self._parsed.can_fetch(url, self._agent))


def read_robots(status: int, body: bytes, agent: str) -> Rules:
    """The rules in a host's response for /robots.txt. Never raises, whatever the body is.

    `status` is that of the last response after redirects, or 0 when there was none. 2xx is parsed (the first 500 KiB);
    4xx, and 3xx that could not be followed, allow everything; 5xx and no response disallow everything until the next
    request (RFC 9309 2.3.1). 429 is treated like 5xx, as other crawlers do: a server that gets too many requests has
    not given permission.
    """
    if 200 <= status < 300:
        return _parse(_text(body), agent)
    if 300 <= status < 500 and status != 429:
        return Rules()
    return Rules(retry=True)


def page_robots(headers_value: str, meta_value: str, agent: str) -> tuple[bool, bool]:
    """Whether a page specifies (noindex, nofollow), in its X-Robots-Tag headers or its meta element.

    Several header lines are joined by newlines. Within a line, the name of an agent and a colon restrict what follows
    to that agent, up to the next name. The strictest directive wins.
    """
    words = set(_WORDS.split(meta_value.lower()))
    for line in headers_value.lower().splitlines():
        words.update(_addressed(line, agent.lower()))
    none = "none" in words
    return none or "noindex" in words, none or "nofollow" in words


def _addressed(line: str, agent: str) -> list[str]:
    """The words of one X-Robots-Tag line that apply to this agent."""
    words: list[str] = []
    applies = True
    for part in line.split(","):
        name, colon, rest = part.partition(":")
        name = name.strip()
        said = part
        if colon and name in _VALUED:
            continue
        if colon and _AGENT.fullmatch(name):
            applies = name in (agent, "*")
            said = rest
        if applies:
            words += _WORDS.split(said)
    return words


def _text(body: bytes) -> str:
    """The text of robots.txt: UTF-8 by the RFC, UTF-16 with a byte order mark. Invalid bytes become U+FFFD."""
    if len(body) > _MOST_BYTES:
        # A truncated line could disallow more than the site does ("Disallow: /x" becomes "Disallow: /").
        body = body[:_MOST_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, "replace")
    return body.decode("utf-8", "replace")


def _parse(text: str, agent: str) -> Rules:
    parsed = Protego.parse(text)
    delay = parsed.crawl_delay(agent)
    rate = parsed.request_rate(agent)
    if rate is not None:
        delay = max(delay or 0.0, numbers.ratio(rate.seconds, rate.requests))
    if delay is not None:
        delay = numbers.within(delay)
    return Rules(delay, tuple(dict.fromkeys(parsed.sitemaps)), _agent=agent, _parsed=parsed)
