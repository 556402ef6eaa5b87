"""``honeyguide models``: the relevance models that there are."""

from __future__ import annotations

from typing import Annotated

import typer

from honeyguide.cli.plugins import print_broken
from honeyguide.relevance.registry import AUTO, REGISTRY, model_named
from honeyguide.relevance.registry import models as known_models


def models(
    name: Annotated[str | None, typer.Argument(help="Only this one, by name or path.", show_default=False)] = None,
) -> None:
    """List the relevance models, those of other packages included."""
    if name is not None:
        spec = model_named(name, "models")
        print(f"{name}: {spec.summary}")
        chosen = "" if spec.tuned else ", a part of the method"
        print(f"threshold: {spec.threshold:g}{chosen}")
        return
    known = known_models()
    width = max(map(len, known))
    print(f"{AUTO:<{width}}  picks one by what the topic gives, and says which and why")
    for spec in known.values():
        print(f"{spec.name:<{width}}  {spec.summary}")
    print_broken(REGISTRY)
    print("relevance.model in a topic file names one, or one of another package as package.module:Model")
