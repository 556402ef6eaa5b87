"""The entries of a sitemap or feed as links: which of them are read, and in which order they are offered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from honeyguide.page.listing import INDEX, Entry, Listing
from honeyguide.page.scope import DOMAIN, LENGTH, PORT
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Scores
from honeyguide.strategy.link_table import LinkTable

MOST_READ: Final = 2000
"""Entries of a listing whose texts are scored as those of links; of more, those with the best addresses."""
MOST_OFFERED: Final = 1000
"""Links that a listing has at most: the best ones."""
BEYOND: Final = "listed"
"""Why the others are left out."""

OF_LISTINGS: Final = frozenset((LENGTH, PORT, DOMAIN))
"""The rules of the scope that hold for sitemaps and feeds, too; the others are about pages."""


def read_entries(
    listing: Listing,
    url: str,
    rules: UrlRules,
    refusal: Callable[[str], str],
    score: Callable[[Sequence[str]], Scores],
) -> tuple[list[Entry], Counter[str]]:
    """The entries of a listing that may be followed, with canonical URLs, and how many may not, by reason.

    Args:
        listing: What was read.
        url: Its own URL.
        rules: What makes URLs canonical.
        refusal: Why a URL must not be followed; "" if it may be.
        score: What the addresses say, one score per URL.
    """
    join = rules.joiner(url)
    left_out: Counter[str] = Counter()
    found: dict[str, Entry] = {}
    for entry in listing.entries:
        target = join(entry.address)
        if target is None or target == url or target in found:
            continue
        reason = refusal(target)
        if reason and (listing.form != INDEX or reason in OF_LISTINGS):
            left_out[reason] += 1
        else:
            found[target] = entry._replace(address=target)
    entries = list(found.values())
    if len(entries) > MOST_READ:
        order = _best_first(score([entry.address for entry in entries]), entries)[:MOST_READ]
        left_out[BEYOND] = len(entries) - MOST_READ
        entries = [entries[place] for place in sorted(order)]
    return entries, left_out


def best_first(table: LinkTable, entries: Sequence[Entry], left_out: Counter[str]) -> LinkTable:
    """The links of a listing, the best first; of those worth the same, what the site calls important, then newer ones.

    Args:
        table: One row per entry; those that are not worth following have no score (NaN).
        entries: What the listing says about each of them.
        left_out: Where links are counted that are dropped, by reason.
    """
    order = [place for place in _best_first(table.scores, entries) if not np.isnan(table.scores[place])]
    if dropped := len(table) - len(order):
        left_out["strategy"] += dropped
    if len(order) > MOST_OFFERED:
        left_out[BEYOND] += len(order) - MOST_OFFERED
    return table.take(order[:MOST_OFFERED])


def _best_first(scores: Scores, entries: Sequence[Entry]) -> list[int]:
    """The places of the entries: by score, by what the site says of their importance, and by their age."""
    by_age = sorted(range(len(entries)), key=lambda place: entries[place].day, reverse=True)
    worth = np.nan_to_num(scores, nan=-np.inf).tolist()
    return sorted(by_age, key=lambda place: (-worth[place], -entries[place].priority))
