"""An export format: the pages of a crawl as a full-text index, in one SQLite file that any program can search.

To create and search it:

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
    """Write the selected pages to a stream. SQLite needs a file, so a temporary one is written and copied."""
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
    """One row at a time, so that memory does not grow with the number of pages."""
    for page in selection.pages():
        yield page.url, _valid(page.title), _valid(page.text), page.relevance


def _valid(text: str) -> str:
    """Text that SQLite accepts: pages may contain lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


FORMAT = ExportFormat("fts", "a full-text index in one SQLite file", write_index, suffix=".sqlite")
