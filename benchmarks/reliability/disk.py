"""A disk that forgets: from the log of `record_disk.c`, what a power cut leaves of a folder at any moment.

Bytes survive if their file was synced after they were written, and names if their folder was synced after they were
given. Whether others survive, nobody knows: none of them do, or some do, chosen at random.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_SOURCE = Path(__file__).with_name("record_disk.c")
_SECTOR = 512  # what a disk writes completely or not at all


class Change(NamedTuple):
    """An entry of the log; `record_disk.c` says what it means."""

    kind: str
    inode: int
    offset: int
    path: str
    data: bytes


def compile_recorder(folder: Path) -> Path | None:
    """The recorder, ready to be preloaded; None without a C compiler."""
    library = folder / "record_disk.so"
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE), "-ldl"]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return library if done.returncode == 0 else None


def read_log(path: Path) -> list[Change]:
    """The changes, in order."""
    data = path.read_bytes()
    changes, at = [], 0
    while at < len(data):
        end = data.index(b"\n", at)
        kind, inode, offset, length, name = data[at:end].decode().split(" ", 4)
        changes.append(Change(kind, int(inode), int(offset), name, data[end + 1 : end + 1 + int(length)]))
        at = end + 1 + int(length)
    return changes


@dataclass
class _File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[Change] = field(default_factory=list)

    def after(self, survivors: Iterator[bool]) -> bytes:
        """Its content, with those of the changes that were not synced that survive."""
        content = bytearray(self.durable)
        for change in self.pending:
            _apply(content, change, survivors)
        return bytes(content)


def _apply(content: bytearray, change: Change, survivors: Iterator[bool]) -> None:
    if change.kind == "t":
        if next(survivors):
            del content[change.offset :]
            content.extend(bytes(max(change.offset - len(content), 0)))
        return
    for start in range(0, len(change.data), _SECTOR):
        piece = change.data[start : start + _SECTOR]
        if next(survivors):
            at = change.offset + start
            content.extend(bytes(max(at + len(piece) - len(content), 0)))
            content[at : at + len(piece)] = piece


@dataclass
class _Folder:
    entries: dict[str, _File | _Folder] = field(default_factory=dict)
    durable: dict[str, _File | _Folder] = field(default_factory=dict)
    pending: list[dict[str, _File | _Folder]] = field(default_factory=list)
    """The entries after each change since the last sync."""

    def set(self, name: str, entry: _File | _Folder | None) -> None:
        """Give something a name; None removes the name."""
        if entry is None:
            self.entries.pop(name, None)
        else:
            self.entries[name] = entry
        self.pending.append(dict(self.entries))

    def sync(self) -> None:
        """What is there now survives."""
        self.durable = dict(self.entries)
        self.pending.clear()


class Disk:
    """The files of a folder as they are, and as they would be after a power cut."""

    def __init__(self, root: Path) -> None:
        self._path = root
        self._root = _Folder()
        self._by_inode: dict[int, _File] = {}

    def apply(self, change: Change) -> None:
        """Carry out the next change."""
        match change.kind:
            case "c":
                file = self._by_inode[change.inode] = _File()  # inodes are used again
                self._name(change.path, file)
            case "w" | "t":
                self._by_inode[change.inode].pending.append(change)
            case "s":
                synced = self._find(change.path) if Path(change.path) != self._path else self._root
                if isinstance(synced, _Folder):
                    synced.sync()
                else:
                    file = self._by_inode[change.inode]
                    file.durable = bytearray(file.after(_all()))
                    file.pending.clear()
            case "m":
                self._name(change.path, _Folder())
            case "u" | "d":
                self._name(change.path, None)
            case "r":
                moved = self._find(change.path)
                self._name(change.path, None)
                self._name(change.data.decode(), moved)

    def _find(self, path: str) -> _File | _Folder | None:
        parent = self._parent(path)
        return parent.entries.get(Path(path).name) if parent else None

    def _name(self, path: str, entry: _File | _Folder | None) -> None:
        parent = self._parent(path)
        if parent is not None:
            parent.set(Path(path).name, entry)

    def _parent(self, path: str) -> _Folder | None:
        """The folder that a path is in, if there still is one."""
        folder: _File | _Folder | None = self._root
        for name in Path(path).parent.relative_to(self._path).parts:
            folder = folder.entries.get(name) if isinstance(folder, _Folder) else None
        return folder if isinstance(folder, _Folder) else None

    def cut(self, target: Path, chance: random.Random | None = None) -> None:
        """Write what is left after a power cut now: synced bytes alone, or with a `chance` some of the others."""
        _restore(self._root, target, _drawn(chance) if chance else _none(), chance)


def _restore(folder: _Folder, target: Path, survivors: Iterator[bool], chance: random.Random | None) -> None:
    target.mkdir(exist_ok=True)
    entries = folder.durable
    if chance is not None and folder.pending and (kept := chance.randrange(len(folder.pending) + 1)):
        entries = folder.pending[kept - 1]  # a file system keeps the order of changes of names
    for name, entry in entries.items():
        if isinstance(entry, _Folder):
            _restore(entry, target / name, survivors, chance)
        else:
            (target / name).write_bytes(entry.after(survivors))


def _all() -> Iterator[bool]:
    while True:
        yield True


def _none() -> Iterator[bool]:
    while True:
        yield False


def _drawn(chance: random.Random) -> Iterator[bool]:
    while True:
        yield chance.random() < 0.5
