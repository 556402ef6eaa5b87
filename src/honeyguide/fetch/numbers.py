"""Parses numbers from untrusted text: the result is always finite and within bounds."""

from __future__ import annotations

import re

LONGEST_WAIT = 365 * 86_400.0
"""A year: the longest time, in seconds, that a server can make a crawl wait. Longer ones are mistakes or malice, and
their sums with the time of day would soon exceed what calendars and files can represent."""

_DECIMAL = re.compile(r"[+-]?\d+(?:\.\d*)?", re.ASCII)


def seconds(text: str) -> float | None:
    """A number of seconds in decimal notation, between 0 and `LONGEST_WAIT`; None if the text is not a number.

    A number that is too large or negative is meant as one, and becomes the nearest bound. Words (``inf``, ``nan``),
    exponents and digits of other scripts are not numbers in any protocol that is read here.
    """
    text = text.strip()
    # As a float, any number of digits is read in linear time and without an error: too many are infinite.
    return within(float(text)) if _DECIMAL.fullmatch(text) else None


def ratio(seconds: int, requests: int) -> float:
    """Seconds per request, for positive integers of any size, at most `LONGEST_WAIT`."""
    try:
        return within(seconds / requests)
    except OverflowError:
        return LONGEST_WAIT


def within(wait: float) -> float:
    """A wait in seconds, limited to 0 ... `LONGEST_WAIT`."""
    return min(max(wait, 0.0), LONGEST_WAIT)
