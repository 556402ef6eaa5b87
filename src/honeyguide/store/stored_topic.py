"""The topic in the folder of a crawl."""

from __future__ import annotations

from pathlib import Path

from honeyguide.errors import InputError
from honeyguide.store.connection import TOPIC
from honeyguide.topic import Topic


def stored_topic(folder: Path, *, plugins: bool = True) -> Topic:
    """The topic in the folder of a crawl, as `Topic.load` reads it. Raises `InputError` when there is none."""
    path = folder / TOPIC
    if path.exists() and not path.is_file():  # reading a pipe would never end
        raise InputError(str(path), "is not a file", "restore the topic.toml of the crawl")
    return Topic.load(path, plugins=plugins)
