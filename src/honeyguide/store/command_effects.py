"""The persistent effects of commands on a crawl, which apply in addition to the topic of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from honeyguide.atomic_write import atomic_write
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.store.commands import LIMITS
from honeyguide.store.connection import FILE, connect, database_errors, is_blank
from honeyguide.topic import Topic
from honeyguide.topic.file import read_text

KEY = "told"
"""The key in the table `meta`."""

COPY = "told.json"
"""The name of a copy in the folder of a crawl, in case the database is lost."""

_LISTS = ("blocked", "seeds", "keywords", "forgotten")


@dataclass(frozen=True, slots=True)
class CommandEffects:
    """Blocked hosts and patterns, seeds, keywords and limits set by commands, and keywords that were removed again."""

    blocked: tuple[str, ...] = ()
    """Entries of the blocklist, in the order of the commands."""
    seeds: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    """Keywords that were added and removed again."""
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By the name of a limit: its value in the topic at the time of the command, and its new value."""

    @classmethod
    def parse(cls, text: str) -> CommandEffects:
        """Parse what `text` returned. Raises `ValueError` for anything else."""
        found = json.loads(text)
        if not isinstance(found, dict) or not found.keys() <= {*_LISTS, "limits"}:
            raise ValueError("not a valid record of commands")
        texts = {name: _texts(found.get(name, [])) for name in _LISTS}
        canonical = UrlRules(UrlSettings()).canonical
        if not all(canonical(url) for url in texts["seeds"]):
            raise ValueError("a seed is not a URL")
        limits = found.get("limits", {})
        if not isinstance(limits, dict) or not limits.keys() <= set(LIMITS):
            raise ValueError("not the limits of a budget")
        return cls(**texts, limits={name: _pair(name, pair) for name, pair in limits.items()})

    def text(self) -> str:
        """Encode as JSON, without empty values."""
        values = {name: getattr(self, name) for name in (*_LISTS, "limits")}
        return json.dumps({name: value for name, value in values.items() if value})

    def applied(self, topic: Topic) -> Topic:
        """Apply the effects to a topic. Applying them twice has no further effect."""
        budget = topic.budget
        keywords = dict.fromkeys((*topic.keywords, *self.keywords))
        limits: Any = {name: new for name, (given, new) in self.limits.items() if getattr(budget, name) == given}
        return replace(
            topic,
            seeds=tuple(dict.fromkeys((*topic.seeds, *self.seeds))),
            keywords=tuple(word for word in keywords if word not in self.forgotten),
            budget=replace(budget, **limits),
        )

    def with_keywords(self, words: Iterable[str]) -> CommandEffects:
        """Add keywords."""
        added = tuple(dict.fromkeys((*self.keywords, *words)))
        return replace(self, keywords=added, forgotten=tuple(word for word in self.forgotten if word not in added))

    def without_keywords(self, words: Iterable[str]) -> CommandEffects:
        """Remove keywords that were added."""
        gone = [word for word in words if word in self.keywords]
        left = tuple(word for word in self.keywords if word not in gone)
        return replace(self, keywords=left, forgotten=tuple(dict.fromkeys((*self.forgotten, *gone))))

    def for_topic(self, topic: Topic) -> CommandEffects:
        """Drop limits that the user has changed in the topic since the command, which are newer."""
        kept = {name: pair for name, pair in self.limits.items() if getattr(topic.budget, name) in pair}
        return replace(self, limits=kept)

    def with_limits(self, limits: Mapping[str, float], given: Topic) -> CommandEffects:
        """Set limits; `given` is the topic that the run was started with."""
        new = {
            name: (self.limits[name][0] if name in self.limits else getattr(given.budget, name), value)
            for name, value in limits.items()
        }
        return replace(self, limits={**self.limits, **new})


def read_effects(folder: Path) -> CommandEffects:
    """Read the effects from the database of a crawl; empty if it cannot be read."""
    effects = CommandEffects()
    with (
        suppress(HoneyguideError, ValueError, RecursionError),
        closing(connect(folder / FILE, read_only=True)) as connection,
        database_errors(folder / FILE),
    ):
        if not is_blank(connection, folder / FILE):
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (KEY,)).fetchone()
            effects = CommandEffects.parse(row[0]) if row and isinstance(row[0], str) else effects
    return effects


def write_copy(folder: Path, effects: CommandEffects) -> None:
    """Write the copy. Raises `OSError` when that is impossible."""
    with atomic_write(folder / COPY, durable=True) as file:
        file.write(f"{effects.text()}\n".encode())


def read_copy(folder: Path) -> CommandEffects:
    """Read the copy; empty if there is none. Raises `InputError` for an invalid file."""
    path = folder / COPY
    if not path.is_file():
        return CommandEffects()
    remedy = "restore it, or delete it"
    try:
        return CommandEffects.parse(read_text(path, COPY, remedy))
    except (ValueError, RecursionError):
        raise InputError(str(path), "is not a valid record of commands", remedy) from None


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("not a list of texts")
    return tuple(values)


def _pair(name: str, values: Any) -> tuple[float, float]:
    kind = float if name == "minutes" else int
    if not isinstance(values, list) or len(values) != 2:
        raise ValueError("not a pair")
    for value in values:
        if not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value < 2**63:
            raise ValueError("not a limit")
    return kind(values[0]), kind(values[1])
