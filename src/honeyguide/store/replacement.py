"""Replaces the database, the model and the topic of a crawl atomically: after a crash, all are old or all are new.

The new ones are prepared in a folder of their own. Giving that folder its final name is what decides: before, nothing
has happened; afterwards the next process that opens the crawl for writing completes what is left to do.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from honeyguide.atomic_write import sync_files, sync_folder
from honeyguide.errors import HoneyguideError
from honeyguide.relevance.saved import FOLDER as MODEL
from honeyguide.store.connection import FILE, TOPIC, check_format, connect, upgrade

REPLACEMENT = ".replacement"
"""In the folder of a crawl: what is to replace parts of it, complete."""

_DRAFT = ".part"
_OLD = "old"
_TABLES = (
    "meta",
    "urls",
    "pages",
    "versions",
    "validators",
    "readings",
    "redirects",
    "events",
    "robots",
    "hosts",
    "steering",
)


@contextmanager
def replacement(folder: Path) -> Iterator[Path]:
    """A folder to prepare a new crawl.sqlite, model and topic.toml in. They replace those of a crawl at the end.

    If the block raises, nothing has changed. The caller has locked the crawl.

    Raises `OSError`, `sqlite3.Error` or `HoneyguideError` when the files cannot be written.
    """
    prefix = f"{REPLACEMENT}."
    with TemporaryDirectory(dir=folder, prefix=prefix, suffix=_DRAFT, ignore_cleanup_errors=True) as beside:
        draft = Path(beside, "new")
        draft.mkdir()
        yield draft
        sync_files(draft / MODEL)
        sync_files(draft)
        draft.rename(folder / REPLACEMENT)
        sync_folder(folder)
    complete(folder)


def remove_drafts(folder: Path) -> None:
    """Remove what killed processes had prepared but not committed. The caller has locked the crawl."""
    for draft in folder.glob(f"{REPLACEMENT}.*{_DRAFT}"):
        if not draft.is_symlink():
            shutil.rmtree(draft, ignore_errors=True)


def is_pending(folder: Path) -> bool:
    """Whether a process was killed while it replaced parts of a crawl."""
    return os.path.lexists(folder / REPLACEMENT)


def complete(folder: Path) -> None:
    """Move everything into place, except what has already been moved.

    Raises `OSError`, `sqlite3.Error` or `HoneyguideError` when the files cannot be written.
    """
    new = folder / REPLACEMENT
    if new.is_symlink() or not new.is_dir():
        raise HoneyguideError(f"{new}: is not a folder that honeyguide has made; move it away")
    if (new / FILE).exists():
        _copy_tables(new / FILE, folder / FILE)
    if (new / MODEL).is_dir():
        if (folder / MODEL).is_dir() and not (new / _OLD).exists():
            (folder / MODEL).rename(new / _OLD)
        (new / MODEL).rename(folder / MODEL)
    if (new / TOPIC).is_file():
        (new / TOPIC).replace(folder / TOPIC)
    sync_folder(folder)
    shutil.rmtree(new)


def _copy_tables(source: Path, target: Path) -> None:
    """Give one database the rows of another, in one transaction.

    The file is not replaced: another program may be reading it, and would mistake the log of one for that of the other.
    """
    with closing(connect(target)) as connection:
        with closing(connect(source)) as checked:
            check_format(checked, source)
        upgrade(connection, target)
        check_format(connection, target)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("ATTACH ? AS new", (str(source),))
        connection.execute("BEGIN IMMEDIATE")
        for table in _TABLES:
            connection.execute(f"DELETE FROM main.{table}")  # noqa: S608 (own names)
            connection.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table}")  # noqa: S608
        connection.execute("COMMIT")
