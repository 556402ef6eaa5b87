"""All strategies by name: the ones here, and those that other packages bring."""

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
"""Entry points of this group name a `Recipe`, or several."""

_FAMILIES = (guide, baselines, selective, windows, genre, semantic, cash, classics, learners, mix)


def _read_recipes(found: object, _name: str) -> Sequence[Recipe]:
    several = tuple(found) if isinstance(found, Iterable) else (found,)
    return several if all(isinstance(one, Recipe) for one in several) else ()


REGISTRY = Registry(
    "strategy", GROUP, (recipe for family in _FAMILIES for recipe in family.RECIPES), _read_recipes, "a Recipe"
)


def recipes() -> Mapping[str, Recipe]:
    """Every strategy that has a name, in the order they are listed."""
    return REGISTRY.every()


def strategy_module(text: str) -> str:
    """The module of another package that brings a strategy; "" for one of ours."""
    return REGISTRY.module(PartSpec.parse(text, "strategy", "strategy.name").name)


def strategy_named(text: str, place: str = "strategy.name") -> Strategy:
    """The strategy that is asked for.

    Args:
        text: A name or a path, with parameters where they are not the usual ones: ``btw``, ``page+btw(window=40)``,
            ``package.module:RECIPE(size=3)``.
        place: Where it stands, for messages.

    Raises:
        InputError: There is no such strategy, its package cannot be imported, or a parameter is wrong.
    """
    spec = PartSpec.parse(text, "strategy", place)
    recipe = REGISTRY.named(spec.name, place)
    return Strategy(recipe, read_values(spec, recipe.parameters, place))
