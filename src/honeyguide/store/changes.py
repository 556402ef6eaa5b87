"""The changes since a time: pages that are new, that have changed, or that are gone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.url_events import parse_detail
from honeyguide.warc.write import warc_date

KINDS: Final = ("new", "changed", "gone")

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smhdw])").fullmatch
_REMEDY = "give a date like 2026-01-31, a time like 2026-01-31T08:00, or a duration like 12h, 7d or 2w"

_FIRST = "coalesce((SELECT min(fetched) FROM versions WHERE versions.id = pages.id), pages.fetched)"
_PAGES = f"""
    SELECT pages.id, urls.url, title, relevance, relevant AND duplicate_of IS NULL, fetched, words, {_FIRST}
    FROM pages JOIN urls USING (id)
"""  # noqa: S608 (own text)
_BEFORE = """
    SELECT title, relevance, relevant AND duplicate_of IS NULL, fetched, words FROM versions
    WHERE id = ? AND replaced > ? ORDER BY number LIMIT 1
"""
_VISITS = "SELECT url, time, detail FROM events WHERE kind = 'again' ORDER BY id"


@dataclass(frozen=True, slots=True)
class Change:
    """A page that is new, has changed or is gone."""

    kind: str
    """One of `KINDS`."""
    url: str
    time: float
    """When it was found: for a page that has changed more than once, the last time."""
    title: str
    relevance: float
    relevant: bool
    """Whether it is relevant and not a duplicate."""
    words: int
    before: dict[str, Any] | None = None
    """For a changed page, its version at the time from which changes are listed."""
    target: str = ""
    """For a page that is gone, the target of its redirect, if it redirects."""

    def record(self) -> dict[str, Any]:
        """As a plain record."""
        found: dict[str, Any] = {
            "change": self.kind,
            "url": self.url,
            "time": warc_date(self.time),
            "title": self.title,
            "relevance": self.relevance,
            "relevant": self.relevant,
            "words": self.words,
        }
        if self.before is not None:
            found["before"] = self.before
        if self.target:
            found["target"] = self.target
        return found


def changes_since(crawl: Crawl, since: float, *, relevant: bool = True) -> Iterator[Change]:
    """The pages that are new, have changed or are gone since a time, in this order, each in that of finding it.

    With `relevant`, only pages that are relevant, or were.
    """
    changed, gone = _visits(crawl, since)
    found: dict[str, list[Change]] = {kind: [] for kind in KINDS}
    for number, url, title, relevance, is_found, fetched, words, first in crawl.query(_PAGES):
        page = (url, title, relevance, bool(is_found), words)
        if number in gone:
            one = _change("gone", gone[number][0], *page, target=gone[number][1])
        elif first >= since:
            one = _change("new", first, *page)
        elif number in changed and fetched >= since:
            one = _change("changed", changed[number], *page, before=_before(crawl, number, since))
        else:
            continue
        if not relevant or one.relevant or (one.before is not None and one.before["relevant"]):
            found[one.kind].append(one)
    for kind in KINDS:
        yield from sorted(found[kind], key=lambda one: one.time)


def _change(
    kind: str,
    when: float,
    url: str,
    title: str,
    relevance: float,
    relevant: bool,
    words: int,
    *,
    before: dict[str, Any] | None = None,
    target: str = "",
) -> Change:
    return Change(kind, url, when, title, relevance, relevant, words, before, target)


def _visits(crawl: Crawl, since: float) -> tuple[dict[int, float], dict[int, tuple[float, str]]]:
    """When pages were last found changed; and which of them are gone, since when, and where they have moved to."""
    changed: dict[int, float] = {}
    gone: dict[int, tuple[float, str]] = {}
    for number, when, text in crawl.query(_VISITS):
        detail = parse_detail(text)
        match detail.get("result"):
            case "changed":
                changed[number] = when
                gone.pop(number, None)
            case "same" | "touched":
                gone.pop(number, None)
            case "gone" | "moved":
                gone.setdefault(number, (when, str(detail.get("target", ""))))
    return changed, {number: since_when for number, since_when in gone.items() if since_when[0] >= since}


def _before(crawl: Crawl, number: int, since: float) -> dict[str, Any] | None:
    row = next(crawl.query(_BEFORE, number, since), None)
    if row is None:
        return None
    title, relevance, relevant, fetched, words = row
    named = {"title": title, "relevance": relevance, "relevant": bool(relevant), "words": words}
    return {**named, "fetched": warc_date(fetched)}


def parse_since(text: str, now: float, place: str = "--since") -> float:
    """Parse a time given by a user: a date or a time, in UTC by default, or a duration before `now`.

    Raises `InputError`.
    """
    if found := _DURATION(text.strip()):
        return max(now - float(found[1]) * _UNITS[found[2]], 0.0)
    try:
        date = datetime.fromisoformat(text.strip())
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise InputError(place, f"{text!r} is neither a date nor a duration", _REMEDY) from None


def last_start(crawl: Crawl) -> float:
    """When the last run of a crawl began."""
    found = next(crawl.query("SELECT max(time) FROM events WHERE kind = 'start'"), (None,))[0]
    return found if found is not None else time.time()
