"""Which pages of a crawl were rendered in a browser, and what that gained."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from honeyguide.store.crawl import Crawl
from honeyguide.store.url_events import RENDERING, parse_detail

_DETAIL = "SELECT detail FROM events WHERE kind = ?"

BLOCKED = {
    "kind": "images, frames and the like",
    "site": "of other sites",
    "limit": "more than one page may send (browser.requests, browser.max_bytes)",
    "method": "not GET",
    "robots": "disallowed by robots.txt",
    "navigation": "to leave the page",
    "address": "to addresses that are not public",
    "busy": "to hosts in their politeness delay",
    "blocked": "to blocked hosts",
}
"""Requests of pages that were not sent, by reason, in words."""


@dataclass(slots=True)
class RenderingTotals:
    """What came of all pages that were rendered."""

    tried: int = 0
    used: int = 0
    words: int = 0
    """Words gained, on the pages that were used."""
    links: int = 0
    """Links gained, likewise."""
    seconds: float = 0.0
    requests: int = 0
    blocked: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)


def rendering_of(crawl: Crawl, number: int) -> str:
    """What came of rendering a page, in words; "" if that was not tried."""
    texts = [text for (text,) in crawl.query(f"{_DETAIL} AND url = ?", RENDERING, number)]
    return _in_words(parse_detail(texts[-1])) if texts else ""


def rendering_totals(crawl: Crawl) -> RenderingTotals:
    """What came of rendering pages, all together."""
    totals = RenderingTotals()
    for (text,) in crawl.query(_DETAIL, RENDERING):
        detail = parse_detail(text)
        (words, words_after), (links, links_after) = _pair(detail, "words"), _pair(detail, "links")
        totals.tried += bool(detail.get("seconds"))
        totals.seconds += _number(detail, "seconds")
        totals.requests += int(_number(detail, "requests"))
        if detail.get("used"):
            totals.used += 1
            totals.words += words_after - words
            totals.links += links_after - links
        if isinstance(blocked := detail.get("blocked"), dict):
            totals.blocked.update({str(why): int(count) for why, count in blocked.items() if type(count) is int})
        if problem := detail.get("problem"):
            totals.problems[str(problem)] += 1
    return totals


def _in_words(detail: dict[str, Any]) -> str:
    problem = f"; it {detail['problem']}" if detail.get("problem") else ""
    if not detail.get("seconds") and not detail.get("used"):
        return f"not rendered in a browser: {detail.get('problem') or 'for an unknown reason'}"
    (words, words_after), (links, links_after) = _pair(detail, "words"), _pair(detail, "links")
    took = f"{_number(detail, 'seconds'):.1f} s, {int(_number(detail, 'requests')):,} requests"
    if not detail.get("used"):
        gained = "" if problem else f" (words {words:,}, then {words_after:,}; links {links:,}, then {links_after:,})"
        return f"rendered in a browser ({took}), but read as sent: nothing was gained{gained}{problem}"
    return (
        f"rendered in a browser ({took}), and read so: {words_after:,} words instead of {words:,}, "
        f"{links_after:,} links instead of {links:,}{problem}"
    )


def _pair(detail: dict[str, Any], name: str) -> tuple[int, int]:
    match detail.get(name):
        case [int() as before, int() as after]:
            return before, after
        case _:
            return 0, 0


def _number(detail: dict[str, Any], name: str) -> float:
    value = detail.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
