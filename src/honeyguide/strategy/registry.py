"""All strategies by name: the built-in ones, and those of other packages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from honeyguide.plugins import Registry
from honeyguide.settings import PartSpec, read_values
from honeyguide.strategy.recipe import Recipe, Strategy
from honeyguide.strategy.recipes import (
    baselines,
    cash,
    classics,
    genre,
    guide,
    learners,
    mix,
    selective,
    semantic,
    windows,
)

GROUP = "honeyguide.strategies"
"""Entry points in this group refer to a `Recipe`, or to several."""

_FAMILIES = (guide, baselines, selective, windows, genre, semantic, cash, classics, learners, mix)


def _read_recipes(found: object, _name: str) -> Sequence[Recipe]:
    several = tuple(found) if isinstance(found, Iterable) else (found,)
    return several if all(isinstance(one, Recipe) for one in several) else ()


REGISTRY = Registry(
    "strategy", GROUP, (recipe for family in _FAMILIES for recipe in family.RECIPES), _read_recipes, "a Recipe"
)


def recipes() -> Mapping[str, Recipe]:
    """All named strategies, in the order in which they are listed."""
    return REGISTRY.every()


def strategy_module(text: str) -> str:
    """The module of another package that provides a strategy; "" for a built-in one."""
    return REGISTRY.module(PartSpec.parse(text, "strategy", "strategy.name").name)


def strategy_named(text: str, place: str = "strategy.name") -> Strategy:
    """Make a strategy from its spec.

    Args:
        text: A name or a path, with parameters that differ from their defaults: ``btw``, ``page+btw(window=40)``,
            ``package.module:RECIPE(size=3)``.
        place: The place of the spec, for messages.

    Raises:
        InputError: There is no such strategy, its package cannot be imported, or a parameter is wrong.
    """
    spec = PartSpec.parse(text, "strategy", place)
    recipe = REGISTRY.named(spec.name, place)
    return Strategy(recipe, read_values(spec, recipe.parameters, place))
