"""The running counts of a crawl."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TALLIED = ("pages", "relevant", "duplicates", "size", "answers", "seconds", "best", "again", "changed", "gone")
COUNTED = ("errors", "refused", "accepted", "listed")
"""The counts that are stored with every commit: single numbers, and those by kind or reason."""


class Find(NamedTuple):
    """A relevant page."""

    relevance: float
    title: str
    url: str


@dataclass(slots=True)
class Tally:
    """Running counts, over all runs of a crawl. Near-duplicates count as fetched, never as relevant."""

    pages: int = 0
    """Pages fetched and read."""
    relevant: int = 0
    duplicates: int = 0
    """Pages that duplicate an earlier one, exactly or nearly."""
    size: int = 0
    """Bytes of bodies received, for all requests."""
    answers: int = 0
    """Requests that got a response, with any status."""
    seconds: float = 0.0
    """Time spent crawling, over all runs."""
    run_seconds: float = field(default=0.0, compare=False)
    """Time spent crawling in this run."""
    best: float = 0.0
    """Highest relevance of a page so far."""
    again: int = 0
    """Visits of pages that had been fetched before, with any answer."""
    changed: int = 0
    """Those that found the page changed."""
    gone: int = 0
    """Those that found that the page is no longer there."""
    errors: Counter[str] = field(default_factory=Counter)
    """Failed fetches by kind: a kind of network failure, or the status."""
    refused: Counter[str] = field(default_factory=Counter)
    """URLs and links not followed, by reason."""
    accepted: Counter[str] = field(default_factory=Counter)
    """Links followed, by the part of the page that was the evidence for them, if the strategy has several."""
    listed: Counter[str] = field(default_factory=Counter)
    """What came from sitemaps and feeds: "urls" that were new, "pages" fetched of them, and "relevant" ones."""
    recent: deque[bool] = field(default_factory=lambda: deque(maxlen=100))
    """Whether each of the last pages was relevant."""
    finds: deque[Find] = field(default_factory=lambda: deque(maxlen=8), compare=False)
    """The relevant pages found last in this run."""

    @classmethod
    def of(cls, meta: Mapping[str, Any], recent: int = 100) -> Tally:
        """The counts of the last commit of a crawl, whose values `meta` has; `recent` is how many pages are recent."""
        kept: dict[str, Any] = {name: meta[name] for name in TALLIED if name in meta}
        counts: dict[str, Any] = {name: Counter(json.loads(meta[name])) for name in COUNTED if name in meta}
        return cls(**kept, **counts, recent=deque(maxlen=recent))

    def meta(self) -> dict[str, Any]:
        """The values that a commit stores."""
        counts = {name: json.dumps(getattr(self, name)) for name in COUNTED}
        return {**{name: getattr(self, name) for name in TALLIED}, **counts}

    @property
    def visits(self) -> int:
        """Visits that count towards a budget of pages: those of new pages, and those of known ones."""
        return self.pages + self.again

    @property
    def harvest(self) -> float:
        """Share of the pages that are relevant."""
        return self.relevant / self.pages if self.pages else 0.0

    @property
    def harvest_now(self) -> float:
        """Share of the last pages (`recent`) that are relevant."""
        return sum(self.recent) / len(self.recent) if self.recent else 0.0

    def add_page(self, relevance: float, *, relevant: bool, duplicate: bool, listed: bool = False) -> None:
        """Count a page; `listed` if its URL came from a sitemap or a feed."""
        self.pages += 1
        self.duplicates += duplicate
        counts = relevant and not duplicate
        self.relevant += counts
        self.best = max(self.best, relevance)
        self.recent.append(counts)
        if listed:
            self.listed["pages"] += 1
            self.listed["relevant"] += counts
