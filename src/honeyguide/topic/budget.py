"""When a crawl has done enough."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """The ``[budget]`` table. 0 means no limit; the first limit reached ends the crawl and is its stop reason."""

    pages: int = setting(1000, "pages fetched", minimum=0)
    relevant: int = setting(0, "relevant pages found", minimum=0)
    bytes: int = setting(0, "bytes received", minimum=0)
    minutes: float = setting(0.0, "minutes of crawling, over all runs", minimum=0)
    harvest_window: int = setting(0, "stop when too few of this many last pages were relevant", minimum=0)
    harvest_floor: float = setting(0.02, "the share of relevant pages that is too few", minimum=0, maximum=1)
