"""All strategies by name: the ones here, and those that other packages bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType

from honeyguide.errors import InputError
from honeyguide.strategy.asked import Asked, read_values
from honeyguide.strategy.recipe import Recipe, Strategy
from honeyguide.strategy.recipes import baselines, cash, classics, genre, guide, mix, selective, semantic, windows

GROUP = "honeyguide.strategies"
"""Entry points of this group name a `Recipe`, or several."""

_FAMILIES = (guide, baselines, selective, windows, genre, semantic, cash, classics, mix)


@cache
def recipes() -> Mapping[str, Recipe]:
    """Every strategy there is, in the order they are listed. A package cannot take the name of one that is here."""
    own = {recipe.name: recipe for family in _FAMILIES for recipe in family.RECIPES}
    return MappingProxyType({**_brought(), **own})


def _brought() -> dict[str, Recipe]:
    found: dict[str, Recipe] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        loaded = entry.load()
        for recipe in loaded if isinstance(loaded, Iterable) else (loaded,):
            if not isinstance(recipe, Recipe):
                raise InputError(entry.value, "is no strategy", f"name a honeyguide Recipe as entry point of {GROUP}")
            found[recipe.name] = recipe
    return found


def strategy_named(text: str, place: str = "strategy.name") -> Strategy:
    """The strategy that is asked for: ``btw``, ``page+btw(window=40)``. Raises `InputError` for whatever is wrong."""
    asked = Asked.parse(text, place)
    known = recipes()
    if asked.name not in known:
        close = get_close_matches(asked.name, known, n=1)
        guess = f"did you mean {close[0]}? There are" if close else "use one of"
        raise InputError(place, f"no strategy {asked.name!r}", f"{guess} {', '.join(known)}")
    recipe = known[asked.name]
    return Strategy(recipe, read_values(asked, recipe.parameters, place))
