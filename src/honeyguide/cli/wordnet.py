"""``honeyguide wordnet``: install WordNet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.output import say
from honeyguide.relevance.semantic import find
from honeyguide.relevance.semantic.fetch import fetch, keep_copy


def wordnet(
    folder: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="Use the WordNet in this folder, and keep a copy of it."),
    ] = None,
) -> None:
    """Find WordNet or download it (without root), and prepare it for the models that use it."""
    if folder is not None:
        path, files = find.find(str(folder))
        nouns = find.folded(files, path)  # rejects anything that is not WordNet, before it is copied
        keep_copy(files)
        how = f"copied from {path}"
    elif found := find.look():
        path, files = found
        nouns, how = find.folded(files, path), f"found in {path}"
    else:
        how = f"downloaded from {fetch()}"
        path, files = find.find()
        nouns = find.folded(files, path)
    say(f"WordNet is ready: {len(nouns.forms):,} noun forms, {len(nouns.depth):,} senses ({how})")
