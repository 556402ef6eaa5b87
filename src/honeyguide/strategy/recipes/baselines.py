"""The baselines that every comparison includes."""

from __future__ import annotations

from honeyguide.settings import Parameter
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import at_random, equal, inherited

RECIPES = (
    Recipe(
        "best-first",
        "classic",
        "every link inherits the relevance of its page",
        lambda _: inherited,
        parts="page, rule inherited, queue max",
    ),
    Recipe("breadth-first", "baseline", "in the order of discovery", lambda _: equal, parts="rule equal, queue max"),
    Recipe(
        "random",
        "baseline",
        "in random order",
        lambda values: at_random(int(values["seed"])),
        parameters={"seed": Parameter(0, "seed of the random order", minimum=0)},
        parts="rule random, queue max",
    ),
    Recipe(
        "seeds-only",
        "baseline",
        "fetches the seeds and follows no links",
        lambda _: equal,
        parts="no link is followed",
        follows=False,
    ),
)
