"""Which pages are worth rendering: few words and much script, on sites where it has paid."""

from __future__ import annotations

import re
from typing import NamedTuple

_SCRIPT = re.compile(rb"<script\b([^>]*)>(.*?)</script", re.IGNORECASE | re.DOTALL)
_DATA = re.compile(rb"type\s*=\s*[\"']?[^\"'> ]*json", re.IGNORECASE)
_LINKED = 5000  # characters that a script in a file of its own counts as
_MOST_WORDS = 300  # a page with more has its text without scripts
_PER_WORD = 100  # characters of script for each word

_LEAST_WORDS, _LEAST_LINKS = 20, 3  # that are a gain, with half as many words again
_PAYS = 0.25  # of the pages of a site, roughly, must gain
_TRY_AGAIN = 25  # candidates of a site that has not paid: the next one is rendered, for sites change


class Extent(NamedTuple):
    """How much there is on a page."""

    words: int
    links: int


def script_weight(body: bytes) -> int:
    """How much script a document has, in characters."""
    weight = 0
    for attributes, inside in _SCRIPT.findall(body):
        if b"src" in attributes.lower():
            weight += _LINKED
        elif not _DATA.search(attributes):
            weight += len(inside)
    return weight


def needs_scripts(body: bytes, words: int) -> bool:
    """Whether a document looks as if scripts had yet to write its text."""
    return words <= _MOST_WORDS and script_weight(body) > _PER_WORD * words


def is_gain(before: Extent, after: Extent) -> bool:
    """Whether a rendered page has more to read, or leads further."""
    more_words = after.words - before.words >= max(_LEAST_WORDS, before.words // 2)
    return more_words or after.links - before.links >= _LEAST_LINKS


class SiteGains:
    """For which sites rendering pays, by the pages that were rendered."""

    def __init__(self) -> None:
        self._tried: dict[str, int] = {}
        self._gained: dict[str, int] = {}
        self._passed_over: dict[str, int] = {}

    def add(self, site: str, *, gained: bool) -> None:
        """A page of a site was rendered."""
        self._tried[site] = self._tried.get(site, 0) + 1
        self._gained[site] = self._gained.get(site, 0) + gained
        self._passed_over.pop(site, None)

    def pays(self, site: str) -> bool:
        """Whether to render the next page of a site that needs scripts. Every so often, one is tried nevertheless."""
        tried = self._tried.get(site, 0)
        if (self._gained.get(site, 0) + 1) / (tried + 1) >= _PAYS:
            return True
        passed = self._passed_over[site] = self._passed_over.get(site, 0) + 1
        return passed >= _TRY_AGAIN
