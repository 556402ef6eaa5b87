"""The database and the archive of a crawl, opened together by the one process that writes to them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

from honeyguide.fetch.base import Response
from honeyguide.store.archive import Archive, RecordLocation
from honeyguide.store.connection import FILE, database_errors
from honeyguide.store.database import Database
from honeyguide.store.tail import check_tail
from honeyguide.topic.store import GZIP
from honeyguide.warc.write import EarlierRecord


class ArchiveWriter(Protocol):
    """Where responses are stored: an `Archive`, or its substitute while responses are read from one."""

    number: int
    """The number of the newest file."""

    @property
    def end(self) -> int:
        """The length of the newest file."""
        ...

    def write(self, response: Response, digest: bytes, twin: EarlierRecord | None = None, /) -> RecordLocation:
        """Store a response. Returns its location."""
        ...

    def write_rendered(self, response: Response, html: bytes, /) -> RecordLocation:
        """Store the document that a browser has rendered from the latest response. Returns its location."""
        ...

    def flush(self) -> None:
        """Make the stored data readable for others."""
        ...

    def sync(self) -> None:
        """Flush to disk."""
        ...

    def close(self) -> None:
        """Flush to disk and close."""
        ...


class Storage(NamedTuple):
    """Both of them."""

    database: Database
    archive: ArchiveWriter


def open_storage(folder: Path, more_tables: str = "", compression: str = GZIP) -> Storage:
    """Open a crawl where its last commit left it, or begin a new one, with further tables.

    What is archived from now on is compressed as `StoreSettings.compression` says.

    Raises `HoneyguideError` when the two do not belong together; nothing is changed then.
    """
    database = Database(folder / FILE, more_tables)
    try:
        with database_errors(folder / FILE):
            meta = database.meta()
        check_tail(folder, meta)
        return Storage(database, Archive(folder, meta.get("warc_file", 0), meta.get("warc_end", 0), compression))
    except BaseException:
        database.close()
        raise
