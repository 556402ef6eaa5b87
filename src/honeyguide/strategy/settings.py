"""Which strategy decides where to go next."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class StrategySettings:
    """The ``[strategy]`` table."""

    name: str = setting(
        "guide",
        "how links are prioritised; `honeyguide strategies` lists all strategies and their parameters",
        example="page+btw(window=40)",
    )
