"""``honeyguide urls``: list the URLs of a crawl by state."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.reasons import reason_text
from honeyguide.store.url_list import STATES, count_urls, list_urls


def urls(
    crawl: CrawlFolderArgument,
    state: Annotated[
        str, typer.Option(help=f"List the URLs in this state: {', '.join(STATES)}.", show_default="count all")
    ] = "",
    reason: Annotated[str, typer.Option(help="List only those with this reason, such as 404, dns or robots.")] = "",
    most: Annotated[int | None, typer.Option(help="List at most this many.", min=1, show_default="all")] = None,
) -> None:
    """List the URLs of a crawl by state, each with the reason; without --state, count them."""
    if state and state not in STATES:
        raise InputError("--state", f"there is no state {state!r}", f"choose {', '.join(STATES[:-1])} or {STATES[-1]}")
    if reason and not state:
        raise InputError("--reason", "needs a state", "add --state failed, for example")
    with Crawl.open(crawl) as opened:
        if not state:
            _count(opened)
            return
        if not _list(opened, state, reason, most) and reason:
            known = ", ".join(sorted(one for one in count_urls(opened, state) if one)) or "none"
            raise InputError("--reason", f"no URL is {state} because of {reason!r}", f"reasons in this crawl: {known}")


def _list(crawl: Crawl, state: str, reason: str, most: int | None) -> int:
    """Print URLs; returns how many there were."""
    number = 0
    for one in islice((one for one in list_urls(crawl, state) if not reason or one.reason == reason), most):
        number += 1
        say(f"{one.reason or '-':<9} {one.url}  {one.text}")
    return number


def _count(crawl: Crawl) -> None:
    for state in STATES:
        counts = count_urls(crawl, state)
        say(f"{state:<12}{counts.total():>10,}")
        for reason, count in counts.most_common():
            if reason:
                tried = "tried again: " if state == "waiting" else ""
                say(f"  {reason:<10}{count:>10,}  {tried}{reason_text(reason)}")
