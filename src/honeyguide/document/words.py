"""Numbers formatted for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

NO_NUMBER = "\N{EN DASH}"
"""Shown in place of a ratio whose denominator is zero."""

_LAST_TIME = 253402300799.0  # the end of the year 9999


def count(number: float) -> str:
    """A whole number with thousands separators."""
    return f"{number:,.0f}"


def pages(number: int) -> str:
    """A number of pages: "1 page", "2 pages"."""
    return "1 page" if number == 1 else f"{number:,} pages"


def files(number: int) -> str:
    """A number of files: "1 file", "2 files"."""
    return "1 file" if number == 1 else f"{number:,} files"


def duplicates(number: int) -> str:
    """A number of duplicates: "1 duplicate", "2 duplicates"."""
    return "1 duplicate" if number == 1 else f"{number:,} duplicates"


def listed(counts: Mapping[str, int]) -> str:
    """What came from sitemaps and feeds: new URLs, those that were fetched, and the relevant ones of these."""
    urls, fetched, relevant = (counts.get(name, 0) for name in ("urls", "pages", "relevant"))
    return f"{count(urls)} URL{'' if urls == 1 else 's'}, {count(fetched)} fetched, {count(relevant)} relevant"


def share(part: float, whole: float) -> str:
    """A share in percent; a dash if `whole` is 0."""
    return f"{part / whole:.1%}" if whole else NO_NUMBER


def size(number: float) -> str:
    """A number of bytes in decimal units, with about three digits."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 999.5:
            return f"{number:.0f} {unit}" if unit == "bytes" or number >= 99.5 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} TB"


def speed(number: float) -> str:
    """A rate per second, with more digits the smaller it is."""
    return f"{number:,.0f}" if number >= 9.95 else f"{number:.1f}" if number >= 0.1 else f"{number:.3f}"


def duration(seconds: float) -> str:
    """A duration in its two largest units."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def moment(time: float) -> str:
    """Date and time in UTC."""
    when = datetime.fromtimestamp(time, UTC)
    return f"{when.day} {when:%B %Y, %H:%M} UTC"


def clock(time: float) -> str:
    """Date and time of day in UTC, in short: "18 Nov 12:34:56"."""
    when = datetime.fromtimestamp(min(max(time, 0.0), _LAST_TIME), UTC)
    return f"{when.day} {when:%b %H:%M:%S}"


def period(began: float, ended: float) -> str:
    """Start and end of a period; a single time if both are in the same minute."""
    first, last = moment(began), moment(ended)
    return first if first == last else f"{first}, to {last}"


def sentence(text: str) -> str:
    """The text with an initial capital and a final full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"
