"""Visiting pages again that may have changed."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class RevisitSettings:
    """The ``[revisit]`` table: how pages are visited again, with ``honeyguide crawl --again``."""

    chance: float = setting(
        0.2,
        "revisit a barely relevant page when it has changed with at least this probability; "
        "more relevant ones and hubs sooner, others later or never",
        minimum=0,
        maximum=1,
    )
    soonest: float = setting(60.0, "minimum number of minutes between two visits to a page", minimum=0)
    share: float = setting(
        0.5, "share of the requests spent on revisits while new pages are waiting", minimum=0, maximum=1
    )
    always: bool = setting(False, "revisit pages in every run, alongside waiting URLs, not only with --again")
