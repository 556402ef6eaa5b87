"""Recipes: a strategy as a combination of parts, with parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from honeyguide.settings import Parameter, Value
from honeyguide.strategy.queues.base import PlainQueue, Queue
from honeyguide.strategy.rules import Rule

Values = Mapping[str, Value]


def _no_style(_values: Values) -> bool:
    return False


def _plain(_values: Values) -> Queue:
    return PlainQueue()


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named strategy, as listed by `honeyguide strategies` and provided by entry points of packages."""

    name: str
    """Its name in topic files and commands."""
    source: str
    """Its origin: the method of a paper ("OTIE"), "classic", "baseline", "honeyguide"."""
    summary: str
    """What it does, in one sentence."""
    rule: Callable[[Values], Rule]
    """Creates the rule that scores links, from the values of the parameters."""
    queue: Callable[[Values], Queue] = _plain
    """Creates the queue that turns these scores into priorities, from the values of the parameters."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """The parameters that users may set, by name."""
    parts: str = ""
    """Segmenter, context, rule and queue, in words."""
    model: str = ""
    """The relevance model that it is defined with; "" for any."""
    idf: str = ""
    """The weighting of rare words that it is defined with, as in `relevance.idf`; "" for the default."""
    styled: Callable[[Values], bool] = _no_style
    """Whether its rule needs the style of a page (for VIPS), from the values of the parameters."""
    follows: bool = True
    """Whether it follows links at all."""
    reads_words: bool = False
    """Whether its queue learns from the words of pages: readings have them as `page_words`."""
    starts_at_examples: bool = False
    """Whether it also starts at pages given as positive examples, unless the topic says otherwise."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A recipe with the values of its parameters."""

    recipe: Recipe
    values: Values

    def rule(self) -> Rule:
        """Create the rule, which scores the links of a page. It is pure, and runs in worker processes.

        Returns:
            The rule.
        """
        return self.recipe.rule(self.values)

    def queue(self) -> Queue:
        """Create a queue, which turns scores into priorities in the frontier, for one crawl.

        Returns:
            A new queue.
        """
        return self.recipe.queue(self.values)

    @property
    def styled(self) -> bool:
        """Whether the rule needs the style of a page."""
        return self.recipe.styled(self.values)
