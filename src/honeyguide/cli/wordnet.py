"""``honeyguide wordnet``: see to it that WordNet is there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.relevance.semantic import find
from honeyguide.relevance.semantic.fetch import fetch, keep_copy


def wordnet(
    folder: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Take the WordNet in this folder, and keep a copy.")
    ] = None,
) -> None:
    """Find WordNet, or fetch it without root, and make it ready for the models that use it."""
    if folder is not None:
        path, files = find.find(str(folder))
        nouns = find.folded(files, path)  # refuses what is no WordNet, before anything is kept
        keep_copy(files)
        how = f"copied from {path}"
    elif found := find.look():
        path, files = found
        nouns, how = find.folded(files, path), f"found in {path}"
    else:
        how = f"fetched from {fetch()}"
        path, files = find.find()
        nouns = find.folded(files, path)
    print(f"WordNet is ready: {len(nouns.forms):,} forms of nouns, {len(nouns.depth):,} meanings ({how})")
