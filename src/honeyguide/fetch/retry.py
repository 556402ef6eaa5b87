"""Whether to ask again, and when."""

from __future__ import annotations

import math
import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from honeyguide.fetch.base import Failure, Response

if TYPE_CHECKING:
    from honeyguide.fetch.settings import FetchSettings

_SECONDS = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_PASSING = frozenset((429, 500, 502, 503, 504))
_MOST_DOUBLINGS = 16  # beyond it the wait is days long, and far beyond it a float would overflow


def worth_retrying(result: Response | Failure) -> bool:
    """Whether the same request may go better later: passing network errors, 429, 500, 502, 503 and 504."""
    if isinstance(result, Failure):
        return result.transient
    return result.status in _PASSING


def retry_after(value: str, now: float) -> float | None:
    """Seconds to wait by a Retry-After header, given the time it came; None when it says nothing usable.

    Both forms are read, seconds and HTTP-date. Times in the past are 0. There is no upper bound.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        seconds = float(value)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        date = parsedate_to_datetime(value)
        if date.tzinfo is None:  # "-0000" and the asctime form, which name no zone, are UTC in HTTP
            date = date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def backoff(settings: FetchSettings, attempt: int, url: str) -> float:
    """Seconds before retry number `attempt` (from 1) of a URL: doubling, spread by up to half either way.

    The spread is a function of URL and attempt, so that a replayed crawl waits the same and yet many URLs
    that failed together do not come back together.
    """
    seed = blake2b(f"{attempt} {url}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    spread = 0.5 + int.from_bytes(seed, "big") / 2**64
    return settings.backoff * float(2 ** min(attempt - 1, _MOST_DOUBLINGS)) * spread
