"""What a strategy is: one choice of each part, with parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from honeyguide.settings import Parameter
from honeyguide.strategy.asked import Value
from honeyguide.strategy.queues.base import Plain, Queue
from honeyguide.strategy.rules import Rule

Values = Mapping[str, Value]


def _no_style(_values: Values) -> bool:
    return False


def _plain(_values: Values) -> Queue:
    return Plain()


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named strategy."""

    name: str
    source: str
    """Where it comes from: a paper's number, "classic", "baseline", "honeyguide"."""
    summary: str
    rule: Callable[[Values], Rule]
    """What a link is worth, given the values of the parameters."""
    queue: Callable[[Values], Queue] = _plain
    """What becomes of that in the frontier."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    parts: str = ""
    """Segmenter, context, rule and queue, in words."""
    model: str = ""
    """The relevance model that it is defined with; "" for any."""
    styled: Callable[[Values], bool] = _no_style
    """Whether pages are to be read with their style."""
    follows: bool = True
    """Whether any link is followed at all."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A recipe with the values of its parameters."""

    recipe: Recipe
    values: Values

    def rule(self) -> Rule:
        """The reading half."""
        return self.recipe.rule(self.values)

    def queue(self) -> Queue:
        """The steering half, new."""
        return self.recipe.queue(self.values)

    @property
    def styled(self) -> bool:
        """Whether pages are to be read with their style."""
        return self.recipe.styled(self.values)
