"""The entries of a sitemap or feed as links: which are scored, and in which order they are offered."""

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
"""Maximum number of entries of a listing that are scored like links: those with the best addresses."""
MOST_OFFERED: Final = 1000
"""Maximum number of links of a listing: the best ones."""
BEYOND: Final = "listed"
"""The reason for leaving out the others."""

OF_LISTINGS: Final = frozenset((LENGTH, PORT, DOMAIN))
"""The rules of the scope that also apply to sitemaps and feeds; the others concern pages only."""


def read_entries(
    listing: Listing,
    url: str,
    rules: UrlRules,
    refusal: Callable[[str], str],
    score: Callable[[Sequence[str]], Scores],
) -> tuple[list[Entry], Counter[str]]:
    """Return the entries of a listing to follow, with canonical URLs, and how many are left out, by reason.

    Args:
        listing: The listing.
        url: Its own URL.
        rules: The rules that make URLs canonical.
        refusal: Why a URL must not be followed; "" if it may be.
        score: Scores addresses, one score per URL.
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
    """Sort the links of a listing, best first: by score, then by the priority that the site declares, then by date.

    Args:
        table: One row per entry; the score is NaN for entries that should not be followed.
        entries: The entries, in the order of the rows.
        left_out: The counts of dropped links by reason, which are updated.
    """
    order = [place for place in _best_first(table.scores, entries) if not np.isnan(table.scores[place])]
    if dropped := len(table) - len(order):
        left_out["strategy"] += dropped
    if len(order) > MOST_OFFERED:
        left_out[BEYOND] += len(order) - MOST_OFFERED
    return table.take(order[:MOST_OFFERED])


def _best_first(scores: Scores, entries: Sequence[Entry]) -> list[int]:
    """The indices of the entries, sorted by score, then by declared priority, then by date."""
    by_age = sorted(range(len(entries)), key=lambda place: entries[place].day, reverse=True)
    worth = np.nan_to_num(scores, nan=-np.inf).tolist()
    return sorted(by_age, key=lambda place: (-worth[place], -entries[place].priority))
