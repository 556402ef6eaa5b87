"""The events of a crawl as log records: a message for people, and the same values as fields for programs.

Nothing here is called per link, and rarely more than once per visit; with logging off, a call costs one comparison.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from honeyguide.crawl.budget import StopReason
from honeyguide.store.database import PageRow
from honeyguide.store.tally import Tally
from honeyguide.topic import Topic, dump

_log = logging.getLogger("honeyguide.crawl")

_EVENTS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "failed": (logging.INFO, "failed: {url}: {kind}: {detail}"),
        "retry": (logging.INFO, "attempt {attempt} failed, will try again: {url}: {kind}: {detail}"),
        "robots": (logging.INFO, "robots.txt of {origin}: status {status} {error}"),
        "model": (logging.INFO, "model: refitted on the first {pages} pages"),
        "refused": (logging.DEBUG, "refused: {url}: {reason} {type}{target}"),
        "redirect": (logging.DEBUG, "redirect: {url} leads to {target} ({status})"),
        "rendering": (logging.INFO, "rendered: {url}: words {words}, links {links}, {seconds} s {problem}"),
        "again": (logging.DEBUG, "revisited: {url}: {result} {kind}{target}"),
        "told": (logging.INFO, "command from {by}: {command} {arguments}: {result}"),
        "found listing": (logging.DEBUG, "found: {url} is a sitemap or feed of {host}, named by its {by}"),
        "listing": (logging.INFO, "{form}: {url} lists {urls} URLs, of which {new} are new and followed"),
    }
)
"""Level and message of the events that are logged as they are recorded."""


def log_start(topic: Topic, folder: Path, *, resumes: bool, workers: int) -> None:
    """Log that a run starts, with the digest of its settings: equal settings have equal digests."""
    if _log.isEnabledFor(logging.INFO):
        extra = {
            "event": "resume" if resumes else "start",
            "crawl": str(folder),
            "settings": hashlib.sha256(dump(topic).encode()).hexdigest()[:12],
            "strategy": topic.strategy.name,
            "seeds": len(topic.seeds),
            "workers": workers,
        }
        _log.info("%(event)s: %(crawl)s, strategy %(strategy)s, settings %(settings)s", extra, extra=extra)


def log_stop(stop: StopReason, tally: Tally) -> None:
    """Log that a run has ended."""
    if _log.isEnabledFor(logging.INFO):
        counts = {"pages": tally.pages, "relevant": tally.relevant, "errors": dict(tally.errors)}
        extra = {"event": "stop", "kind": stop.kind, **counts, "seconds": round(tally.seconds, 3)}
        _log.info("stop: %d pages, %d relevant: %s", tally.pages, tally.relevant, stop.text, extra=extra)


def log_event(kind: str, url: str, detail: Mapping[str, Any]) -> None:
    """Log an event that the crawl records, if its kind is one of `_EVENTS`; `url` is "" for an event without one."""
    level, message = _EVENTS.get(kind, (logging.NOTSET, ""))
    if message and _log.isEnabledFor(level):
        extra = {"event": kind, **({"url": url} if url else {}), **detail}
        _log.log(level, "%s", message.format_map(defaultdict(str, extra)).rstrip(), extra=extra)


def log_fault(url: str, problem: str) -> None:
    """Log that a visit was lost to an exception in our own code."""
    extra = {"event": "internal error", "url": url, "problem": problem}
    _log.error("internal error on %(url)s: %(problem)s; the crawl continues without it", extra, extra=extra)


def log_seed(url: str, reason: str) -> None:
    """Log that a seed gave no page."""
    extra = {"event": "seed failed", "url": url, "reason": reason}
    _log.warning("seed %(url)s: %(reason)s", extra, extra=extra)


def log_rest(host: str, until: float, reason: str) -> None:
    """Log that a host is not contacted for longer than its delay."""
    if _log.isEnabledFor(logging.INFO):
        extra = {"event": "host rests", "host": host, "until": until, "reason": reason}
        when = time.strftime("%H:%M:%S", time.localtime(until))
        _log.info("host %s is not contacted until %s: %s", host, when, reason, extra=extra)


def log_page(url: str, row: PageRow) -> None:
    """Log a page that was fetched and read."""
    if _log.isEnabledFor(logging.DEBUG):
        extra = {
            "event": "page",
            "url": url,
            "status": row.status,
            "relevance": row.relevance,
            "relevant": row.relevant,
            "promised": row.priority,
            "ms": round(row.elapsed * 1000),
            "bytes": row.size,
        }
        _log.debug("page: %(url)s: relevance %(relevance).3f, promised %(promised).3f, %(ms)d ms", extra, extra=extra)


def log_commit(tally: Tally, seconds: float) -> None:
    """Log a commit: everything recorded so far is on disk."""
    if _log.isEnabledFor(logging.DEBUG):
        extra = {"event": "commit", "pages": tally.pages, "ms": round(seconds * 1000)}
        _log.debug("commit: %(pages)d pages, %(ms)d ms", extra, extra=extra)
