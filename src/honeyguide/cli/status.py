"""``honeyguide status``: the status of a crawl."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say, say_columns
from honeyguide.document import words
from honeyguide.store.reasons import describe
from honeyguide.store.status import RECENT, BudgetLimit, Status, status_of


def status(
    crawl: CrawlFolderArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print all values as JSON.")] = False,
) -> None:
    """Show whether a crawl is running, and its progress: pages, harvest, speed, failures, remaining budget."""
    found = status_of(crawl)
    if as_json:
        say(json.dumps(dataclasses.asdict(found), indent=2, ensure_ascii=False))
    else:
        say_columns([(label, text) for label, text in _lines(found).items() if text])


def _lines(now: Status) -> dict[str, str]:
    duplicates = f" ({words.duplicates(now.duplicates)} not counted)" if now.duplicates else ""
    each = f", {words.size(now.bytes_per_relevant)} per relevant page" if now.bytes_per_relevant is not None else ""
    speed = f"{words.speed(now.pages_per_second)} pages/s overall"
    if now.running:
        speed = f"{words.speed(now.pages_per_second_now)} pages/s now, {speed}"
    resting = f", {words.count(now.hosts_resting)} hosts suspended" if now.hosts_resting else ""
    return {
        now.name: f"{now.state}: {now.stop_text}" if now.stop_text else now.state,
        "as of": words.moment(now.committed),
        "pages": f"{words.count(now.pages)}, {words.count(now.relevant)} relevant{duplicates}",
        "harvest": f"{now.harvest_now:.1%} of the last {RECENT} pages, {now.harvest:.1%} overall",
        "speed": f"{speed}, {words.duration(now.seconds)}",
        "received": f"{words.size(now.bytes)}{each}",
        "waiting": f"{words.count(now.waiting)} URLs{resting}",
        "sitemaps": words.listed(now.listed) if now.listed["urls"] else "",
        "failures": describe(now.failures) or "none",
        "left": ", ".join(_left(name, limit) for name, limit in now.budget.items()) or "no limit",
        "blocked": ", ".join(now.blocked),
        "pending": f"{now.pending} command{'s' * (now.pending != 1)}" if now.pending else "",
    }


def _left(name: str, limit: BudgetLimit) -> str:
    if name == "bytes":
        return f"{words.size(limit.left)} of {words.size(limit.limit)}"
    what = "relevant pages" if name == "relevant" else name
    return f"{limit.left:,.10g} of {limit.limit:,.10g} {what}"
