"""An export format: the pages of a crawl as a full-text index, in one SQLite file that any program can search.

Made and searched like this:

    honeyguide export crawls/bees --format fts
    sqlite3 crawls/bees/export.sqlite "SELECT url FROM pages WHERE pages MATCH 'queen AND swarm' ORDER BY rank"
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from honeyguide.store.export import ExportFormat, ExportSelection

_TABLE = """
    CREATE VIRTUAL TABLE pages
    USING fts5(url UNINDEXED, title, text, relevance UNINDEXED, tokenize = 'porter unicode61')
"""


def write_index(selection: ExportSelection, out: BinaryIO) -> int:
    """Write the selected pages to a stream: SQLite needs a file, which is made beside and copied."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pages.sqlite")
        with closing(sqlite3.connect(path)) as database:
            database.execute(_TABLE)
            with database:
                written = database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", _rows(selection)).rowcount
        with path.open("rb") as file:
            shutil.copyfileobj(file, out)
    return max(written, 0)


def _rows(selection: ExportSelection) -> Iterator[tuple[str, str, str, float]]:
    """One row at a time: an export takes the same memory however many pages there are."""
    for page in selection.pages():
        yield page.url, _valid(page.title), _valid(page.text), page.relevance


def _valid(text: str) -> str:
    """Text that SQLite takes: pages may have characters that are none."""
    return text.encode("utf-8", "replace").decode("utf-8")


FORMAT = ExportFormat("fts", "a full-text index in one SQLite file", write_index, suffix=".sqlite")
