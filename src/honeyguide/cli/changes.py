"""``honeyguide changes``: list pages that are new, changed or gone."""

from __future__ import annotations

import json
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.output import say
from honeyguide.errors import InputError
from honeyguide.store.changes import KINDS, Change, changes_since, last_start, parse_since
from honeyguide.store.crawl import Crawl

_FORMATS = ("text", "jsonl")


def changes(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
    since: Annotated[
        str,
        typer.Option(
            metavar="DATE|DURATION", help="Like 2026-01-31, 12h, 7d or 2w.", show_default="since the last run began"
        ),
    ] = "",
    all_pages: Annotated[
        bool, typer.Option("--all", help="Include pages that are not relevant and never were.")
    ] = False,
    format_: Annotated[str, typer.Option("--format", help="text, or jsonl: one JSON object per line.")] = "text",
) -> None:
    """List the pages of a crawl that are new, changed or deleted."""
    if format_ not in _FORMATS:
        raise InputError("--format", f"there is no format {format_!r}", f"use {' or '.join(_FORMATS)}")
    with Crawl.open(crawl) as opened:
        begin = parse_since(since, time.time()) if since else last_start(opened)
        found = changes_since(opened, begin, relevant=not all_pages)
        if format_ == "jsonl":
            for change in found:
                say(json.dumps(change.record(), ensure_ascii=False))
            return
        counts: Counter[str] = Counter()
        for change in found:
            counts[change.kind] += 1
            say(_line(change))
        say(f"{', '.join(f'{counts[kind]:,} {kind}' for kind in KINDS)} since {_date(begin)}")


def _line(change: Change) -> str:
    relevance = f"{change.relevance:.2f}"
    if change.before is not None and f"{change.before['relevance']:.2f}" != relevance:
        relevance = f"{relevance} (was {change.before['relevance']:.2f})"
    moved = f"  moved to {change.target}" if change.target else ""
    return f"{change.kind:<8} {_date(change.time)}  {relevance}  {change.url}  {change.title}{moved}"


def _date(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M")
