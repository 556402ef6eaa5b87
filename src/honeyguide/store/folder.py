"""A crawl's folder: which process may write to it, and whether it belongs to a given topic."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path
from time import sleep

from honeyguide.atomic_write import atomic_write, is_draft, open_own, refuse_unwritable, sync_folder
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.relevance.saved import FOLDER as MODEL
from honeyguide.store.archive import archive_files
from honeyguide.store.command_effects import CommandEffects, read_effects
from honeyguide.store.connection import FILE, TOPIC, is_busy
from honeyguide.store.inbox import INBOX
from honeyguide.store.replacement import complete, is_pending, remove_drafts
from honeyguide.store.shards import FILE as CLUSTER
from honeyguide.store.shards import SHARDS
from honeyguide.store.stored_topic import stored_topic
from honeyguide.store.tail import has_answers, needs_repair
from honeyguide.store.whole import refresh
from honeyguide.topic import Topic, changes, dump

ERRORS = "errors.log"
"""Tracebacks of strategies and models that failed, with the time of each."""

_LOCK = ".lock"
_A_LOOK = 0.05  # seconds: far longer than `is_running` holds the lock when it checks for another process
_ELSEWHERE = "choose another name or folder with --name or --out"
_CREDENTIALS = re.compile(r"://[^/\s\"']*@").search  # in a URL: fetch.proxy

FIXED = ("keywords", "description", "strategy", "urls")
"""What makes a crawl this crawl: it cannot continue with others. docs/topic-file.md lists them."""


class CrawlFolder:
    """The folder of one crawl, locked by one process. A new folder is created only by `settle_in`."""

    def __init__(self, path: Path, topic: Topic) -> None:
        """Check the folder, and write nothing.

        Raises `InputError` when it is not a crawl or has another topic, `HoneyguideError` when its database is missing.
        """
        self.path = path
        self.given = topic
        """The topic that the run was started with."""
        self.topic = topic
        """The topic, with the effects of commands."""
        refresh(path)
        self.is_new = not (path / FILE).exists()
        self.effects = CommandEffects()
        """The persistent effects of commands in earlier runs."""
        self._lock = -1
        self._created: list[Path] = []  # parent folders that did not exist before, innermost first
        if path.exists() and not path.is_dir():
            raise InputError(str(path), "is not a folder", _ELSEWHERE)
        if self.is_new and archive_files(path) and has_answers(path):
            raise HoneyguideError(needs_repair(path, "its crawl.sqlite is missing"))
        if self.is_new and path.exists() and not _is_barely_begun({entry.name for entry in path.iterdir()}):
            raise InputError(str(path), "exists and is not a crawl", _ELSEWHERE)
        if not self.is_new:
            if is_pending(path):
                self._complete()
            self._apply_effects()
            self._check_topic()
        elif not path.exists():
            refuse_unwritable(path, _ELSEWHERE)

    def _apply_effects(self) -> None:
        self.effects = read_effects(self.path).for_topic(self.topic)
        self.topic = self.effects.applied(self.topic)

    def _check_topic(self) -> None:
        # Only compared with the new one, which is checked. It may lack the latest effects of commands.
        old = self.effects.applied(stored_topic(self.path, plugins=False))
        differing = [name for name in changes(old, self.topic) if name.split(".")[0] in FIXED]
        if differing:
            raise InputError(
                str(self.path),
                f"was crawled with other settings for {', '.join(differing)}",
                "start a new crawl under another name, or restore the settings from its topic.toml",
            )

    def _complete(self) -> None:
        """Complete a replacement that a killed process had decided on."""
        lock = -1
        try:
            lock = lock_folder(self.path)
            complete(self.path)
        except (OSError, sqlite3.Error) as error:
            raise unwritable(self.path, error) from error
        finally:
            if lock >= 0:
                os.close(lock)

    def settle_in(self, *, keeps_topic: bool = False) -> None:
        """Create the folder if it does not exist, lock it, and write the current topic to it. All of it is on disk.

        If it `keeps_topic`, the topic that it has stays there for now: see `write_topic`.

        Raises `HoneyguideError` when the folder cannot be written to, `InputError` when it cannot even be created.
        """
        self._created = [folder for folder in self.path.parents if not folder.exists()]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            for made in (self.path, *self._created):
                sync_folder(made.parent)
            self._lock = lock_folder(self.path)
            remove_drafts(self.path)
            if not keeps_topic:
                self.write_topic(self.path)
        except OSError as error:
            self.leave()
            if self.is_new and error.errno != errno.ENOSPC:
                raise InputError(str(self.path), f"cannot be created: {error.strerror}", _ELSEWHERE) from None
            raise unwritable(self.path, error) from error

    def write_topic(self, folder: Path) -> None:
        """Write the current topic to a folder. It is on disk."""
        text = dump(self.topic)
        with atomic_write(folder / TOPIC, durable=True, mode=0o600 if _CREDENTIALS(text) else 0o666) as file:
            file.write(text.encode())

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
        for folder in self._created:
            with suppress(OSError):  # another program has put something there
                folder.rmdir()
        self.leave()


def unwritable(folder: Path, error: Exception) -> HoneyguideError:
    """The error for a crawl that cannot be written: most often the disk is full, or read-only."""
    remedy = "free some disk space and run the same command again"
    if isinstance(error, OSError) and error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        remedy = "copy the crawl to a folder that you can write to"
    elif is_busy(error):
        remedy = "end the program that uses it, and run the same command again"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return HoneyguideError(f"{folder}: cannot be written: {reason}; {remedy}")


def lock_folder(path: Path) -> int:
    """Lock the folder of a crawl for this process. Returns a descriptor; closing it unlocks the folder.

    Raises `InputError` when another process has locked it.
    """
    lock = open_own(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sleep(_A_LOOK)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.read(lock, 32).decode("ascii", "replace").strip()
        os.close(lock)
        problem = f"is being crawled by process {holder if holder.isdecimal() else '?'}"
        raise InputError(str(path), problem, "wait for it or stop it first") from None
    os.truncate(lock, 0)
    os.write(lock, str(os.getpid()).encode("ascii"))
    return lock


def is_running(path: Path) -> bool:
    """Whether a process has locked the folder of a crawl: it crawls, judges its pages again or repairs it."""
    try:
        lock = open_own(path / _LOCK, os.O_RDONLY)
    except (OSError, HoneyguideError):
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _is_barely_begun(names: set[str]) -> bool:
    """Whether a folder without a database contains only what a crawl writes before it creates the database."""
    made = {name for name in names if not is_draft(name)}
    return not names or (_LOCK in names and made <= {_LOCK, TOPIC, ERRORS, MODEL, INBOX, CLUSTER, SHARDS})
