"""A strategy that keeps the rules, and some that each break one."""

from __future__ import annotations

import itertools
import math
import random
import sys
from typing import Any

from honeyguide.settings import Parameter
from honeyguide.strategy.queues.base import PlainQueue, offer_links
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import at_random, inherited


def _choosy(view: Any) -> Any:
    if len(view.links) > 100:
        raise ValueError("too many links")
    return inherited(view)


def _counting(_values: Any) -> Any:
    """A rule that remembers, though a crawl that goes on begins with a new one."""
    pages = itertools.count()

    def rule(view: Any) -> Any:
        return at_random(next(pages))(view)

    return rule


def _moody(view: Any) -> Any:
    return at_random(random.randrange(10**6))(view)


class Lost(PlainQueue):
    """Gives a link a priority that is no number."""

    def page(self, frontier: Any, number: int, reading: Any, max_depth: int) -> None:
        frontier.offer("http://bees.example/0/0.html", math.nan, number, 1)


class Forgetful(PlainQueue):
    """Remembers how many pages there were, and does not save it."""

    def __init__(self) -> None:
        super().__init__()
        self._pages = 0

    def page(self, frontier: Any, number: int, reading: Any, max_depth: int) -> None:
        self._pages += 1
        offer_links(frontier, number, [(url, self._pages) for url, _ in reading.links.rows()], max_depth)


def _recipe(name: str, rule: Any, queue: Any = PlainQueue, **parameters: Parameter) -> Recipe:
    return Recipe(name, "test", name, rule, lambda _: queue(), parameters=parameters, parts=name)


KEEN = _recipe("keen", lambda _: inherited)
SEEDED = _recipe("seeded", lambda values: at_random(int(values["seed"])), seed=Parameter(1, "any number", minimum=1))
CHOOSY = _recipe("choosy", lambda _: _choosy)
RANDOM = _recipe("random", lambda _: _moody)
HASHING = _recipe("hashing", lambda _: at_random(hash("honey") % 10**6))
LOST = _recipe("lost", lambda _: inherited, Lost)
FORGETFUL = _recipe("forgetful", lambda _: inherited, Forgetful)
COUNTING = _recipe("counting", _counting)
AT_HOME = _recipe("at home", lambda _: at_random("worker" in sys.argv[0]))
