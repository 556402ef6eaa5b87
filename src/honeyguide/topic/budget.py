"""The limits that end a crawl."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """The ``[budget]`` table. 0 means no limit; the first limit reached ends the crawl and is its stop reason."""

    pages: int = setting(1000, "stop after fetching this many pages", minimum=0)
    relevant: int = setting(0, "stop after finding this many relevant pages", minimum=0)
    bytes: int = setting(0, "stop after receiving this many bytes", minimum=0)
    minutes: float = setting(
        0.0, "stop a run after this many minutes; all other limits count all runs together", minimum=0
    )
    haste: float = setting(
        0.5,
        "whether to wait for better pages on hosts in their politeness delay, unless time runs out first: "
        "0 = always, to waste no pages; 1 = never, to waste no time",
        minimum=0,
        maximum=1,
    )
    min_promise: float = setting(
        0.0,
        "never fetch a page with a lower predicted relevance; stop when nothing better is left; 0 = no such limit",
        minimum=0,
    )
    harvest_window: int = setting(
        0, "stop when too few of this many last pages are relevant (see harvest_floor)", minimum=0
    )
    harvest_floor: float = setting(
        0.02, "lowest share of relevant pages among the last harvest_window pages", minimum=0, maximum=1
    )
