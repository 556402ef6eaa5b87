"""What a crawl was told and keeps, over all its runs: it holds in addition to the topic that a run is started with."""

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
"""The name under which it is stored in the table `meta`."""

COPY = "told.json"
"""The name of the file in the folder of a crawl that has it, too: for the day when the database is lost."""

_LISTS = ("blocked", "seeds", "keywords", "forgotten")


@dataclass(frozen=True, slots=True)
class Told:
    """Blocked places, seeds, keywords and limits that were added by commands, and keywords that were taken back."""

    blocked: tuple[str, ...] = ()
    """Entries of the blocklist, in the order in which they were given."""
    seeds: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    """Keywords that were added and taken back."""
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By the name of a limit of the budget: what the topic said when another one was given, and that one."""

    @classmethod
    def parse(cls, text: str) -> Told:
        """The values that `text` returned. Raises `ValueError` for anything else."""
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
        """All of it as JSON, without what is empty."""
        values = {name: getattr(self, name) for name in (*_LISTS, "limits")}
        return json.dumps({name: value for name, value in values.items() if value})

    def applied(self, topic: Topic) -> Topic:
        """A topic with what was told. Applied twice, it is as applied once."""
        budget = topic.budget
        keywords = dict.fromkeys((*topic.keywords, *self.keywords))
        limits: Any = {name: told for name, (before, told) in self.limits.items() if getattr(budget, name) == before}
        return replace(
            topic,
            seeds=tuple(dict.fromkeys((*topic.seeds, *self.seeds))),
            keywords=tuple(word for word in keywords if word not in self.forgotten),
            budget=replace(budget, **limits),
        )

    def with_keywords(self, words: Iterable[str]) -> Told:
        """With more keywords."""
        added = tuple(dict.fromkeys((*self.keywords, *words)))
        return replace(self, keywords=added, forgotten=tuple(word for word in self.forgotten if word not in added))

    def without_keywords(self, words: Iterable[str]) -> Told:
        """Without some of the keywords that were added."""
        gone = [word for word in words if word in self.keywords]
        left = tuple(word for word in self.keywords if word not in gone)
        return replace(self, keywords=left, forgotten=tuple(dict.fromkeys((*self.forgotten, *gone))))

    def for_topic(self, topic: Topic) -> Told:
        """Without the limits that a topic, as a user gives it, has changed since they were told: these are newer."""
        kept = {name: pair for name, pair in self.limits.items() if getattr(topic.budget, name) in pair}
        return replace(self, limits=kept)

    def with_limits(self, limits: Mapping[str, float], given: Topic) -> Told:
        """With other limits than those in the topic that the run was started with."""
        new = {
            name: (self.limits[name][0] if name in self.limits else getattr(given.budget, name), value)
            for name, value in limits.items()
        }
        return replace(self, limits={**self.limits, **new})


def read_told(folder: Path) -> Told:
    """What the crawl in a folder was told. A database that cannot be read has nothing to say here."""
    told = Told()
    with (
        suppress(HoneyguideError, ValueError, RecursionError),
        closing(connect(folder / FILE, read_only=True)) as connection,
        database_errors(folder / FILE),
    ):
        if not is_blank(connection, folder / FILE):
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (KEY,)).fetchone()
            told = Told.parse(row[0]) if row and isinstance(row[0], str) else told
    return told


def write_copy(folder: Path, told: Told) -> None:
    """Write what a crawl was told to its file. Raises `OSError` when that is impossible."""
    with atomic_write(folder / COPY, durable=True) as file:
        file.write(f"{told.text()}\n".encode())


def read_copy(folder: Path) -> Told:
    """What a crawl was told, by its file; nothing if there is none. Raises `InputError` for a file that is not ours."""
    path = folder / COPY
    if not path.is_file():
        return Told()
    remedy = "restore it, or delete it"
    try:
        return Told.parse(read_text(path, COPY, remedy))
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
