"""``honeyguide models``: list the relevance models."""

from __future__ import annotations

from typing import Annotated

import typer

from honeyguide.cli.complete import model_names
from honeyguide.cli.output import say, say_columns, say_parameters
from honeyguide.cli.plugins import log_broken
from honeyguide.relevance.registry import AUTO, REGISTRY, model_named
from honeyguide.relevance.registry import models as known_models


def models(
    name: Annotated[
        str | None,
        typer.Argument(help="Show only this model, by name or path.", show_default=False, autocompletion=model_names),
    ] = None,
) -> None:
    """List the relevance models, including those of other packages."""
    if name is not None:
        spec = model_named(name, "models")
        say(f"{name}: {spec.summary}")
        chosen = "" if spec.tuned else ", fixed by the method"
        say(f"threshold: {spec.threshold:g}{chosen}")
        say_parameters(spec.parameters)
        return
    automatic = (AUTO, "chooses a model from the contents of the topic, and says which and why")
    say_columns([automatic, *((spec.name, spec.summary) for spec in known_models().values())])
    log_broken(REGISTRY)
    say("for details run: honeyguide models NAME")
    say("set parameters in parentheses, as in mlp(terms=300)")
    say("to choose one, set relevance.model in the topic file")
    say("models from other packages: package.module:Model")
