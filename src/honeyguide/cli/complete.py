"""Shell completion: the names of crawls, strategies and models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.store.connection import FILE
from honeyguide.store.shards import FILE as CLUSTER

_CRAWLS = "crawls"


def crawl_folders(incomplete: str) -> Iterator[str]:
    """Folders of crawls, in crawls/ or in the typed folder, and other folders for further completion."""
    typed = Path(incomplete)
    parent = typed if not incomplete or incomplete.endswith("/") else typed.parent
    places = [parent, Path(_CRAWLS)] if not incomplete else [parent]
    for place in places:
        folders = sorted(path for path in place.iterdir() if path.is_dir()) if place.is_dir() else []
        for path in folders:
            text = str(path)
            if text.startswith(incomplete.removeprefix("./")) and not path.name.startswith("."):
                yield text if (path / FILE).is_file() or (path / CLUSTER).is_file() else f"{text}/"


def strategy_names(incomplete: str) -> list[tuple[str, str]]:
    """Strategies, each with its summary."""
    from honeyguide.strategy.registry import recipes  # noqa: PLC0415 (only when it is asked for)

    return [(name, recipe.summary) for name, recipe in recipes().items() if name.startswith(incomplete)]


def model_names(incomplete: str) -> list[tuple[str, str]]:
    """Relevance models, each with its summary."""
    from honeyguide.relevance.registry import AUTO, models  # noqa: PLC0415 (only when it is asked for)

    known = {AUTO: "chooses a model from the contents of the topic"} | {
        name: one.summary for name, one in models().items()
    }
    return [(name, summary) for name, summary in known.items() if name.startswith(incomplete)]


CrawlFolderArgument = Annotated[
    Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.", autocompletion=crawl_folders)
]
"""The argument of commands that read a crawl."""
