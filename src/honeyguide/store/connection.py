"""Opens crawl.sqlite, for the crawl itself or for readers, even on a read-only disk, after checking that it is ours."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path

from honeyguide.errors import HoneyguideError
from honeyguide.store.schema import (
    ADD_RENDERINGS,
    FIRST_TABLES,
    RENDERINGS_FOR_READERS,
    SCHEMA,
    SHARD_TABLES,
    TABLES_WITHOUT_RENDERINGS,
    VERSION,
    VERSION_TABLES,
    VERSION_TABLES_FOR_READERS,
    WHOLE_TABLES,
    WITHOUT_RENDERINGS,
    WITHOUT_VERSIONS,
)

FILE = "crawl.sqlite"
TOPIC = "topic.toml"
COMPANIONS = ("-wal", "-shm")
"""Suffixes of the files that belong to the database while it is open, and after a crash."""

_OLDER = (WITHOUT_RENDERINGS, WITHOUT_VERSIONS)
_PATIENCE = 60.0  # seconds to wait for a program that has locked the file
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_READING = frozenset({sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_PRAGMA})
_OBJECTS = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name"


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a crawl database; transactions are begun and ended explicitly.

    A reader with write access to the folder opens the file in read-write mode with `query_only`: only then does SQLite
    delete its auxiliary files when the last reader closes the database.
    """
    for file in (path, *(path.with_name(path.name + suffix) for suffix in COMPANIONS)):
        if file.is_symlink() and not read_only:
            raise HoneyguideError(f"{file}: is a symbolic link, and is not written to; move it away")
    with database_errors(path):
        if not read_only:
            return _open(path, "mode=rwc")
        if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            connection = _open(path, "mode=rw")
        else:
            connection = _open_unwritable(path)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        # Tables that an older file lacks exist for this connection, empty; the file is not changed.
        if version == WITHOUT_RENDERINGS:
            connection.executescript(RENDERINGS_FOR_READERS)
        if version in _OLDER:
            connection.executescript(VERSION_TABLES_FOR_READERS)
        connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        return connection


def attach(connection: sqlite3.Connection, path: Path, name: str) -> None:
    """Make the tables of a crawl database readable through another connection, as `name.table`; never writable.

    The connection must accept URIs. Raises `HoneyguideError` if the database cannot be read where it is.
    """
    options = "mode=rw"
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        log = path.with_name(path.name + "-wal")
        has_log = log.exists() and log.stat().st_size > 0
        if has_log and not path.with_name(path.name + "-shm").exists():
            raise HoneyguideError(
                f"{path}: was left by a crash, in a folder that cannot be written to; copy the folder"
            )
        options = "mode=ro" if has_log else "mode=ro&immutable=1"
    with database_errors(path):
        connection.execute(f"ATTACH ? AS {name}", (f"{path.absolute().as_uri()}?{options}",))
        connection.execute("PRAGMA trusted_schema=OFF")

    def authorize(action: int, _first: str | None, _second: str | None, database: str | None, _by: str | None) -> int:
        return sqlite3.SQLITE_DENY if database == name and action not in _READING else sqlite3.SQLITE_OK

    connection.set_authorizer(authorize)


def _open(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, cached_statements=256, timeout=_PATIENCE)
    connection.create_function("sample_rank", 2, sample_rank, deterministic=True)
    return connection


def sample_rank(text: str, seed: int) -> float:
    """A pseudo-random number from 0 up to 1, which depends only on a text and a seed."""
    return int.from_bytes(blake2b(f"{seed} {text}".encode(errors="replace"), digest_size=6).digest()) / (1 << 48)


def _open_unwritable(path: Path) -> sqlite3.Connection:
    """Open a database whose folder cannot be written to, where SQLite cannot create its auxiliary files.

    Without a log (-wal), nobody is writing: the file is complete by itself. With one, SQLite needs the index of the log
    (-shm); if that is missing, it is made for a copy of both.
    """
    log = path.with_name(path.name + "-wal")
    if not log.exists() or not log.stat().st_size:
        return _open(path, "mode=ro&immutable=1")
    if path.with_name(path.name + "-shm").exists():
        return _open(path, "mode=ro")
    with tempfile.TemporaryDirectory() as folder:
        for file in (path, log):
            shutil.copyfile(file, Path(folder, file.name))
        connection = _open(Path(folder, path.name), "mode=rw")
        connection.execute("PRAGMA journal_mode=DELETE")  # reads the log, and then needs no file but the open one
        return connection


# Errors of SQLite when the disk is full, about the database, its log, or the shared memory next to them.
_NO_ROOM = frozenset((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE))


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into a `HoneyguideError` with the name of the file, and a remedy if it is damaged."""
    try:
        yield
    except sqlite3.Error as error:
        raise database_error(path, error) from error


def database_error(path: Path, error: sqlite3.Error) -> HoneyguideError:
    """The error for a database that cannot be used."""
    if is_damage(error):
        return HoneyguideError(repairable(path, f"is damaged ({error})"))
    if getattr(error, "sqlite_errorcode", None) in _NO_ROOM:
        return HoneyguideError(
            f"{path}: cannot be written: {error}; free some disk space and run the same command again"
        )
    return HoneyguideError(f"{path}: cannot be read: {error}")


def is_damage(error: Exception) -> bool:
    """Whether an error means that the file itself is damaged, as opposed to locked, or on a disk that is full."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def is_busy(error: Exception) -> bool:
    """Whether an error means that another program has locked the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def is_blank(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether a database is empty."""
    return _single(connection, path, "SELECT count(*) FROM sqlite_master") == 0


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `HoneyguideError` for a file that is not a crawl database of this version, or of one that can be read.

    Its tables must be exactly ours: a view or trigger of the same name could do anything, such as never end.
    """
    version = _single(connection, path, "PRAGMA user_version")
    if version not in {VERSION, *_OLDER}:
        if not version and is_blank(connection, path):
            raise HoneyguideError(repairable(path, "is empty"))
        raise HoneyguideError(
            f"{path}: was written by another version (format {version}; this version reads {VERSION})"
        )
    with database_errors(path):
        found = frozenset(connection.execute(_OBJECTS))
    tables = {WITHOUT_RENDERINGS: TABLES_WITHOUT_RENDERINGS, WITHOUT_VERSIONS: FIRST_TABLES}.get(version, SCHEMA)
    others = (_ours(tables + SHARD_TABLES), _ours(tables + WHOLE_TABLES))
    other = sorted(name for _, name, _ in found ^ _ours(tables) if found not in others)
    if other:
        problem = f"its tables are not those of a crawl ({', '.join(map(repr, other[:3]))})"
        raise HoneyguideError(repairable(path, problem))


def upgrade(connection: sqlite3.Connection, path: Path) -> None:
    """Add the tables that a database of an older format lacks, if it is one, in a single transaction."""
    version = _single(connection, path, "PRAGMA user_version")
    if version in _OLDER:
        check_format(connection, path)
        renderings = ADD_RENDERINGS if version == WITHOUT_RENDERINGS else ""
        with database_errors(path):
            connection.executescript(f"BEGIN; {renderings} {VERSION_TABLES} PRAGMA user_version={VERSION}; COMMIT;")


@cache
def _ours(tables: str) -> frozenset[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(tables)
        return frozenset(connection.execute(_OBJECTS))


def repairable(path: Path, problem: str) -> str:
    """The message for an unusable database, with the remedy."""
    return f"{path}: {problem}; restore the file, or rebuild it from the archive: honeyguide repair {path.parent}"


def _single(connection: sqlite3.Connection, path: Path, sql: str) -> int:
    with database_errors(path), closing(connection.execute(sql)) as cursor:
        value: int = cursor.fetchone()[0]
    return value
