"""A crawl's folder: which process may write to it, and whether it belongs to a given topic."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path

from honeyguide.atomic_write import atomic_write, is_draft
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.relevance.saved import FOLDER as MODEL
from honeyguide.store.database import FILE
from honeyguide.topic import Topic, changes, dump
from honeyguide.topic.material import MODELLED

TOPIC = "topic.toml"
ERRORS = "errors.log"
"""Tracebacks of strategies and models that failed, with the time of each."""

_LOCK = ".lock"

# These settings determine which pages are fetched and how they are scored: a crawl cannot continue with others.
_DEFINING = (*MODELLED, "strategy", "urls")


class CrawlFolder:
    """The folder of one crawl, locked by one process. A new folder is created only by `settle_in`."""

    def __init__(self, path: Path, topic: Topic) -> None:
        """Check the folder, and write nothing. Raises `InputError` when it is not a crawl or has another topic."""
        self.path = path
        self.topic = topic
        self.is_new = not (path / FILE).exists()
        self._lock = -1
        self._made: list[Path] = []  # parent folders that did not exist before, innermost first
        if path.exists() and not path.is_dir():
            raise InputError(str(path), "is not a folder", "choose another name or folder with --name or --out")
        if self.is_new and path.exists() and not _is_barely_begun({entry.name for entry in path.iterdir()}):
            raise InputError(
                str(path), "exists and is not a crawl", "choose another name or folder with --name or --out"
            )
        if not self.is_new:
            self._check_topic()

    def _check_topic(self) -> None:
        old = Topic.load(self.path / TOPIC)
        differing = [name for name in changes(old, self.topic) if name.split(".")[0] in _DEFINING]
        if differing:
            raise InputError(
                str(self.path),
                f"was crawled with other settings for {', '.join(differing)}",
                "start a new crawl under another name, or restore the settings from its topic.toml",
            )

    def settle_in(self) -> None:
        """Create the folder if it does not exist, lock it, and write the current topic to it."""
        self._made = [folder for folder in self.path.parents if not folder.exists()]
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._lock, 32).decode("ascii", "replace").strip()
            self.leave()
            raise InputError(
                str(self.path), f"is being crawled by process {holder or '?'}", "wait for it or stop it first"
            ) from None
        os.truncate(self._lock, 0)
        os.write(self._lock, str(os.getpid()).encode("ascii"))
        with atomic_write(self.path / TOPIC) as file:
            file.write(dump(self.topic).encode())

    def leave(self) -> None:
        """Unlock the folder."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def discard(self) -> None:
        """Delete a new crawl that fetched nothing, with the parent folders that were created for it."""
        if not self.is_new:
            raise HoneyguideError(f"{self.path}: refusing to delete a crawl that existed before")
        shutil.rmtree(self.path)
        for folder in self._made:
            with suppress(OSError):  # another program has put something there
                folder.rmdir()
        self.leave()


def _is_barely_begun(names: set[str]) -> bool:
    """Whether a folder without a database contains only what a crawl writes before it creates the database."""
    made = {name for name in names if not is_draft(name)}
    return not names or (_LOCK in names and made <= {_LOCK, TOPIC, ERRORS, MODEL})
