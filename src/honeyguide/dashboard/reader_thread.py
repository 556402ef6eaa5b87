"""The thread in which views read the databases: SQLite blocks, and the event loop must not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from honeyguide.dashboard.source import CrawlSource

_T = TypeVar("_T")


class ReaderThread:
    """Runs functions of a `CrawlSource`, one at a time, in one thread; each sees the last commit."""

    def __init__(self, folder: Path, index: Callable[[], Path]) -> None:
        """`index` says where the index is at present."""
        self._folder, self._index = folder, index
        self._pool = ThreadPoolExecutor(1, "views")
        self._source: CrawlSource | None = None
        self._path: Path | None = None

    async def run(self, view: Callable[[CrawlSource], _T]) -> _T:
        """The result of a function, called in the thread. Raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._run, view)

    async def close(self) -> None:
        """Close the databases and end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._pool, self._close)
        self._pool.shutdown()

    def _run(self, view: Callable[[CrawlSource], _T]) -> _T:
        path = self._index()
        if self._source is not None and (self._path != path or self._source.is_replaced):
            self._close()
        if self._source is None:
            self._source, self._path = CrawlSource(self._folder, path), path
        return view(self._source)

    def _close(self) -> None:
        if self._source is not None:
            self._source.close()
            self._source = None
