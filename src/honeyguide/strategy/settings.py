"""The settings of the strategy."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import ALWAYS, AUTO, NEVER, setting


@dataclass(frozen=True, slots=True)
class StrategySettings:
    """The ``[strategy]`` table."""

    name: str = setting(
        "guide",
        "how links are prioritised; `honeyguide strategies` lists all strategies and their parameters",
        example="page+btw(window=40)",
    )
    start_at_examples: str = setting(
        AUTO,
        "whether to also start at positive examples that are URLs; auto: if the strategy can tell whether it pays off",
        choices=(AUTO, ALWAYS, NEVER),
    )
