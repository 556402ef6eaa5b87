"""``honeyguide strategies``: list the strategies."""

from __future__ import annotations

from typing import Annotated

import typer

from honeyguide.cli.output import say
from honeyguide.cli.plugins import log_broken
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.registry import REGISTRY, recipes, strategy_named


def strategies(
    name: Annotated[
        str | None, typer.Argument(help="Show only this strategy, with its parameters.", show_default=False)
    ] = None,
) -> None:
    """List the strategies with their sources, parts and parameters."""
    if name is not None:
        _explain(strategy_named(name, "strategies").recipe)
        return
    known = recipes()
    width = max(map(len, known))
    for recipe in known.values():
        say(f"{recipe.name:<{width}}  {recipe.source:<10}  {recipe.summary}")
    log_broken(REGISTRY)
    say("for details run: honeyguide strategies NAME; set parameters in parentheses, as in page+btw(window=40)")


def _explain(recipe: Recipe) -> None:
    say(f"{recipe.name} ({recipe.source}): {recipe.summary}")
    say(f"parts: {recipe.parts}")
    if recipe.model:
        say(f"relevance: {recipe.model}")
    for name, one in recipe.parameters.items():
        allowed = f"; one of {', '.join(one.choices)}" if one.choices else ""
        limited = f"; {one.limits}" if one.limits else ""
        say(f"  {name}={one.default}  {one.help}{allowed}{limited}")
