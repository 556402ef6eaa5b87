"""The folder of a crawl on several machines: its shards, and the file that says which they are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from honeyguide.atomic_write import atomic_write
from honeyguide.errors import HoneyguideError
from honeyguide.store.connection import connect

FILE: Final = "cluster.json"
"""In the folder of a crawl that was ever crawled by several machines."""
SHARDS: Final = "shards"
"""The folder of the shards, each in a folder of its own like that of a crawl."""

_FORMAT: Final = 1
_COUNTS: Final = ("pages", "relevant", "size", "again", "changed", "gone")


@dataclass(frozen=True, slots=True)
class ShardLayout:
    """The layout of a crawl: where its current rows are."""

    shards: tuple[str, ...] = ()
    """The names of its shards; none if it continues on one machine, in the folder itself."""
    next: int = 0
    """The number of the next new shard: names are never reused, since the archives of former shards stay."""
    epoch: int = 0
    """How many times a coordinator was started."""
    ledger: Mapping[str, Any] = field(default_factory=dict)
    """The pages granted to each shard: see `honeyguide.cluster.ledger`."""
    before: Mapping[str, int] = field(default_factory=dict)
    """The counts of all shards at the start of the current run, by name."""
    stop: tuple[str, str] | None = None
    """The kind and the text of the stop reason of the current run, once it is decided."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Limits of the budget that were changed during the current run."""

    def renewed(self, count: int) -> ShardLayout:
        """The layout with `count` new shards in place of the current ones."""
        names = tuple(f"{number:02}" for number in range(self.next, self.next + count))
        return replace(self, shards=names, next=self.next + count, ledger={}, stop=None)


def shard_folder(folder: Path, name: str) -> Path:
    """The folder of a shard of a crawl; that of the crawl itself for "", one machine."""
    return folder / SHARDS / name if name else folder


def read_layout(folder: Path) -> ShardLayout:
    """The layout of a crawl. Raises `HoneyguideError` if its file is damaged."""
    path = folder / FILE
    try:
        found = json.loads(path.read_bytes())
        if found.pop("format") != _FORMAT:
            raise HoneyguideError(f"{path}: was written by another version")
        if not all(str(name).isdecimal() for name in found["shards"]):
            raise ValueError("not names of shards")
        stop = found.pop("stop", None)
        return ShardLayout(**{**found, "shards": tuple(found["shards"])}, stop=None if stop is None else (*stop,))
    except FileNotFoundError:
        return ShardLayout()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HoneyguideError(f"{path}: is damaged ({error}); restore the file") from None


def begin_run(folder: Path, layout: ShardLayout) -> ShardLayout:
    """Record the counts at the start of a run, and clear the stop reason of the previous run."""
    before: Counter[str] = Counter()
    for _, path in databases(folder):
        with closing(connect(path / "crawl.sqlite", read_only=True)) as connection:
            meta = dict(connection.execute("SELECT key, value FROM meta"))
        before.update({name: meta.get(name, 0) for name in _COUNTS})
    layout = replace(layout, before=dict(before), stop=None, limits={})
    write_layout(folder, layout)
    return layout


def write_layout(folder: Path, layout: ShardLayout) -> None:
    """Write the layout of a crawl. It is on disk when this returns."""
    with atomic_write(folder / FILE, durable=True) as file:
        file.write(json.dumps({"format": _FORMAT, **asdict(layout)}, indent=1).encode())


def databases(folder: Path) -> list[tuple[str, Path]]:
    """The shards of a crawl that have begun: the name and the folder of each."""
    found = [(name, shard_folder(folder, name)) for name in read_layout(folder).shards]
    return [(name, path) for name, path in found if (path / "crawl.sqlite").is_file()]
