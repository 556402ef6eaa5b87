"""Which pages are worth rendering: those with few words and much script, on sites where rendering has paid off."""

from __future__ import annotations

import re
from typing import NamedTuple

_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)</script", re.IGNORECASE | re.DOTALL)
_DATA = re.compile(rb"type\s*=\s*[\"']?[^\"'> ]*json", re.IGNORECASE)
_EXTERNAL_SCRIPT = 5000  # an external script counts as this many characters
_MAX_WORDS = 300  # a page with more words has its text without scripts
_SCRIPT_PER_WORD = 100  # minimum number of characters of script per word

_MIN_WORDS, _MIN_LINKS = 20, 3  # minimum gain; words must also grow by half
_MIN_GAIN_SHARE = 0.25  # rough minimum share of rendered pages of a site that gain
_TRY_AGAIN = 25  # candidates of a site without gains after which one is rendered again, since sites change


class Extent(NamedTuple):
    """The amount of content of a page."""

    words: int
    links: int


def script_weight(body: bytes) -> int:
    """The amount of script in a document, in characters."""
    weight = 0
    for attributes, inside in _SCRIPT.findall(body):
        if b"src" in attributes.lower():
            weight += _EXTERNAL_SCRIPT
        elif not _DATA.search(attributes):
            weight += len(inside)
    return weight


def needs_scripts(body: bytes, words: int) -> bool:
    """Whether the text of a document is probably written by its scripts."""
    return words <= _MAX_WORDS and script_weight(body) > _SCRIPT_PER_WORD * words


def is_gain(before: Extent, after: Extent) -> bool:
    """Whether a rendered page has clearly more words or links."""
    more_words = after.words - before.words >= max(_MIN_WORDS, before.words // 2)
    return more_words or after.links - before.links >= _MIN_LINKS


class SiteGains:
    """Learns from rendered pages for which sites rendering pays off."""

    def __init__(self) -> None:
        self._tried: dict[str, int] = {}
        self._gained: dict[str, int] = {}
        self._passed_over: dict[str, int] = {}

    def add(self, site: str, *, gained: bool) -> None:
        """Record a rendered page of a site."""
        self._tried[site] = self._tried.get(site, 0) + 1
        self._gained[site] = self._gained.get(site, 0) + gained
        self._passed_over.pop(site, None)

    def pays(self, site: str) -> bool:
        """Whether to render the next candidate of a site. Now and then, one is rendered in any case."""
        tried = self._tried.get(site, 0)
        if (self._gained.get(site, 0) + 1) / (tried + 1) >= _MIN_GAIN_SHARE:
            return True
        passed = self._passed_over[site] = self._passed_over.get(site, 0) + 1
        return passed >= _TRY_AGAIN
