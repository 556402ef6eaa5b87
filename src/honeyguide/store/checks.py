"""Checks of the rows of crawl.sqlite: SQLite keeps values of any type in any column, and others may have written them.

Readers of a crawl may then rely on types and ranges, and on parents that come before their children: no path back to
a seed has a cycle.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any

from honeyguide.errors import HoneyguideError
from honeyguide.store import command_effects
from honeyguide.store.connection import database_errors, repairable

_TYPES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "urls": {
            "text": "url",
            "real": "priority",
            "integer": "state parent depth attempts",
        },
        "pages": {
            "text": "content_type title language truncated",
            "real": "fetched elapsed relevance priority",
            "integer": "seq status size words links relevant warc_file warc_offset warc_length",
            "blob": "signature digest",
        },
        "versions": {
            "text": "content_type title language truncated",
            "real": "replaced fetched elapsed relevance priority",
            "integer": "id seq status size words links relevant warc_file warc_offset warc_length",
            "blob": "signature digest",
        },
        "validators": {"text": "etag modified"},
        "readings": {"text": "left_out"},
        "redirects": {"integer": "target hops"},
        "events": {"text": "kind detail", "real": "time"},
        "robots": {"text": "origin", "real": "fetched", "integer": "status", "blob": "body"},
        "hosts": {"text": "name", "real": "not_before"},
        "steering": {"text": "name", "blob": "value"},
    }
)
"""The columns of each table by the type of their values."""

_RANGES: Mapping[str, str] = MappingProxyType(
    {
        "urls": "id >= 0 AND parent BETWEEN -1 AND id - 1 AND state BETWEEN 0 AND 5 AND depth BETWEEN 0 AND 65535 "
        "AND attempts >= 0",
        "pages": "coalesce((SELECT typeof(url) = 'text' AND typeof(depth) = 'integer' AND typeof(parent) = 'integer' "
        "FROM urls WHERE urls.id = pages.id), 0) AND (duplicate_of IS NULL OR duplicate_of IN (SELECT id FROM pages)) "
        "AND (same_as IS NULL OR same_as IN (SELECT id FROM pages)) AND fetched BETWEEN 0 AND 1e11 "
        "AND relevance BETWEEN 0 AND 1 AND warc_file BETWEEN 0 AND 999999999 AND warc_offset >= 0 AND warc_length > 0 "
        "AND (rendered_file IS NULL OR (typeof(rendered_file) = 'integer' AND typeof(rendered_offset) = 'integer' "
        "AND typeof(rendered_length) = 'integer' AND rendered_file BETWEEN 0 AND 999999999 AND rendered_offset >= 0 "
        "AND rendered_length > 0))",
        "versions": "id IN (SELECT id FROM pages) AND (same_as IS NULL OR same_as IN (SELECT id FROM pages)) "
        "AND fetched BETWEEN 0 AND 1e11 AND replaced BETWEEN 0 AND 1e11 AND relevance BETWEEN 0 AND 1 "
        "AND warc_file BETWEEN 0 AND 999999999 AND warc_offset >= 0 AND warc_length > 0",
        "validators": "page IN (SELECT id FROM pages)",
        "redirects": "source IN (SELECT id FROM urls) AND target IN (SELECT id FROM urls)",
        "events": "time BETWEEN 0 AND 1e11",
    }
)

_META: Mapping[str, Any] = MappingProxyType(
    {
        **dict.fromkeys(("pages", "relevant", "duplicates", "size", "answers", "warc_file", "warc_end"), int),
        **dict.fromkeys(("waiting", "paused", "lesson_open", "again", "changed", "gone"), int),
        **dict.fromkeys(("seconds", "run_seconds", "best", "committed"), (int, float)),
        **dict.fromkeys(("errors", "refused", "accepted", "listed", "stop", "stop_text", command_effects.KEY), str),
    }
)
_MOST = 1e18
_COUNTS = ("errors", "refused", "accepted", "listed")


def check_urls(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `HoneyguideError` when there is a URL that no crawl writes. Takes half a second for a million URLs."""
    _check_table(connection, path, "urls")
    sql = "SELECT count(*) <> coalesce(max(id), -1) + 1 FROM urls"
    with database_errors(path), closing(connection.execute(sql)) as found:
        if found.fetchone() != (0,):
            raise HoneyguideError(repairable(path, "URLs are missing"))


def check_rows(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `HoneyguideError` when a table, other than that of the URLs, has a row that no crawl writes."""
    for table in _TYPES:
        if table != "urls":
            _check_table(connection, path, table)
    with database_errors(path):
        check_meta(dict(connection.execute("SELECT key, value FROM meta")), path)


def _check_table(connection: sqlite3.Connection, path: Path, table: str) -> None:
    wrong = [f"typeof({name}) <> '{kind}'" for kind, names in _TYPES[table].items() for name in names.split()]
    if table in _RANGES:
        wrong.append(f"NOT ({_RANGES[table]})")
    sql = f"SELECT 1 FROM {table} WHERE {' OR '.join(wrong)} LIMIT 1"  # noqa: S608 (own text)
    with database_errors(path), closing(connection.execute(sql)) as found:
        if found.fetchone() is not None:
            raise HoneyguideError(repairable(path, f"a row of {table} is not what a crawl writes"))


def check_meta(meta: Mapping[str, Any], path: Path) -> None:
    """Raise `HoneyguideError` when a value of the last commit is not what a crawl writes."""
    for name, value in meta.items():
        if not _is_usual(name, value):
            raise HoneyguideError(repairable(path, f"{name!r} in meta is not what a crawl writes"))


def _is_usual(name: str, value: Any) -> bool:
    kind = _META.get(name)
    if kind is None or not isinstance(value, kind):
        return False
    if name == command_effects.KEY:
        return _is_effects(value)
    if isinstance(value, str):
        return name not in _COUNTS or _are_counts(value)
    return bool(0 <= value < _MOST)


def _is_effects(text: str) -> bool:
    try:
        command_effects.CommandEffects.parse(text)
    except (ValueError, RecursionError):
        return False
    return True


def _are_counts(text: str) -> bool:
    try:
        counts = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(counts, dict) and all(type(count) is int for count in counts.values())
