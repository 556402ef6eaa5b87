"""Visiting pages again that may have changed."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class RevisitSettings:
    """The ``[revisit]`` table: how pages are visited again, with ``honeyguide crawl --again``."""

    chance: float = setting(
        0.2,
        "visit a page again when it has changed with at least this chance, if it is just relevant; "
        "more relevant ones and hubs sooner, others later or never",
        minimum=0,
        maximum=1,
    )
    soonest: float = setting(60.0, "minutes after which a page may be visited again at the earliest", minimum=0)
    share: float = setting(
        0.5, "share of the requests that go to pages visited again, while new pages wait, too", minimum=0, maximum=1
    )
    always: bool = setting(
        False, "visit pages again in every run, beside all that waits to be fetched, and not only with --again"
    )
