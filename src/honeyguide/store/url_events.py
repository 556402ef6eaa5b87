"""The events of URLs in words: fetched, redirected, failed, refused, or to be retried, and why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.store.reasons import error_text, refusal_text

Query = Callable[..., Iterator[tuple[Any, ...]]]
"""`Crawl.query`, or `Database.query`: a SELECT statement and the values for its placeholders."""

PAGE: Final = "page"
REDIRECT: Final = "redirect"
LISTING: Final = "listing"
FOUND_LISTING: Final = "found listing"
RETRY: Final = "retry"
FAILED: Final = "failed"
REFUSED: Final = "refused"
RENDERING: Final = "rendering"
"""The result of rendering a page, after its `PAGE`."""

_EVENTS = f"({', '.join(map(repr, (PAGE, REDIRECT, LISTING, RETRY, FAILED, REFUSED)))})"
_MAX_HOPS = 100  # of redirects: more than any crawl follows


@dataclass(frozen=True, slots=True)
class UrlEvent:
    """Something that happened to a URL."""

    time: float
    kind: str
    """The kind of the event: `PAGE`, `REDIRECT`, `LISTING`, `RETRY`, `FAILED` or `REFUSED`."""
    detail: Mapping[str, Any]
    """The rest of the event."""

    @property
    def reason(self) -> str:
        """The reason by which such URLs are counted: "404", "dns", "robots", "domain"; else the kind."""
        name = {FAILED: "kind", RETRY: "kind", REFUSED: "reason"}.get(self.kind, "")
        return self.get(name) or self.kind

    @property
    def text(self) -> str:
        """What happened, in words."""
        target = self.get("target")
        match self.kind:
            case "failed":
                return failure_text(self.reason, self.get("detail"))
            case "retry":
                return f"attempt {self.get('attempt')} failed: {failure_text(self.reason, self.get('detail'))}"
            case "refused" if target:
                return f"it redirects to {target}, which is not followed: {refusal_text(self.reason)}"
            case "refused" if self.reason == "type":
                return f"its content type, {self.get('type')}, is not one of those that are read (fetch.types)"
            case "refused":
                return refusal_text(self.reason)
            case "redirect":
                return f"it redirects to {target} (status {self.get('status')})"
            case "listing":
                listed = f"{self.get('urls')} URL{'' if self.get('urls') == '1' else 's'}"
                how = "new and followed" if self.get("links") else "followed like seeds"
                return f"it is a {self.get('form')} of {listed} ({how}: {self.get('new')})"
            case _:
                return "fetched"

    def get(self, name: str) -> str:
        """A part of the detail as text; "" if there is none."""
        value = self.detail.get(name)
        return "" if value is None else str(value)


def failure_text(kind: str, detail: str) -> str:
    """Why a fetch failed: by its kind, and by what the network or the server said."""
    text = error_text(kind)
    return text if not detail or detail in text or kind.isdecimal() else f"{text} ({detail})"


def last_events_of(query: Query, numbers: Iterable[int]) -> dict[int, UrlEvent]:
    """The last event of each URL; URLs without events are missing from the result.

    Scans all events once, which takes a few tenths of a second per million.
    """
    sql = (
        f"SELECT url, time, kind, detail FROM events WHERE kind IN {_EVENTS} "  # noqa: S608 (own text)
        "AND url IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    return {
        url: UrlEvent(time, kind, parse_detail(detail))
        for url, time, kind, detail in query(sql, json.dumps([*numbers]))
    }


def last_redirect(query: Query, number: int) -> tuple[int, bool]:
    """Where the redirects from a URL end, and whether they form a cycle."""
    seen = {number}
    for _ in range(_MAX_HOPS):
        found = next(query("SELECT target FROM redirects WHERE source = ?", number), None)
        if found is None:
            return number, False
        (number,) = found
        if number in seen:
            break
        seen.add(number)
    return number, True


def parse_detail(text: str) -> dict[str, Any]:
    """Parse the detail of an event, a JSON object; empty if it is anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
