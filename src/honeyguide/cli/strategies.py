"""``honeyguide strategies``: list the strategies."""

from __future__ import annotations

from typing import Annotated

import typer

from honeyguide.cli.complete import strategy_names
from honeyguide.cli.output import say, say_columns, say_parameters
from honeyguide.cli.plugins import log_broken
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.registry import REGISTRY, recipes, strategy_named


def strategies(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Show only this strategy, with its parameters.", show_default=False, autocompletion=strategy_names
        ),
    ] = None,
) -> None:
    """List the strategies with their sources, parts and parameters."""
    if name is not None:
        _explain(strategy_named(name, "strategies").recipe)
        return
    say_columns((recipe.name, recipe.source, recipe.summary) for recipe in recipes().values())
    log_broken(REGISTRY)
    say("for details run: honeyguide strategies NAME")
    say("set parameters in parentheses, as in page+btw(window=40)")


def _explain(recipe: Recipe) -> None:
    say_columns([(f"{recipe.name} ({recipe.source}): {recipe.summary}",)])
    say_columns([(f"parts: {recipe.parts}",)])
    if recipe.model:
        say(f"relevance: {recipe.model}")
    say_parameters(recipe.parameters)
