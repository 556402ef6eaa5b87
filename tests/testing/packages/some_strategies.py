"""A strategy that keeps the rules, and some that each break one."""

from __future__ import annotations

import itertools
import random
import sys
from typing import Any

from honeyguide.settings import Parameter
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


def _recipe(name: str, rule: Any, **parameters: Parameter) -> Recipe:
    return Recipe(name, "test", name, rule, parameters=parameters, parts=name)


KEEN = _recipe("keen", lambda _: inherited)
SEEDED = _recipe("seeded", lambda values: at_random(int(values["seed"])), seed=Parameter(1, "any number", minimum=1))
CHOOSY = _recipe("choosy", lambda _: _choosy)
RANDOM = _recipe("random", lambda _: _moody)
HASHING = _recipe("hashing", lambda _: at_random(hash("honey") % 10**6))
COUNTING = _recipe("counting", _counting)
AT_HOME = _recipe("at home", lambda _: at_random("worker" in sys.argv[0]))
