"""The thread that keeps the index and the census up to date while the dashboard is open."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from honeyguide.dashboard.census import Census, take_census
from honeyguide.dashboard.index import WatchIndex
from honeyguide.dashboard.source import unchecked_crawl
from honeyguide.errors import HoneyguideError
from honeyguide.store.crawl import Crawl

_log = logging.getLogger("honeyguide.dashboard")

_PAUSE = 0.5  # seconds between two looks at a crawl that runs
_CENSUS_SHARE = 0.05  # of the time
_SHORTEST = 2.0  # seconds between two counts
_AFTER_ERROR = 5.0


class Indexer:
    """Runs in a separate thread, with its own connections. Other threads read what it publishes."""

    def __init__(self, folder: Path, targets: Sequence[str] = ()) -> None:
        """`targets` are canonical URLs."""
        self._folder, self._targets = folder, targets
        self.path: Path = folder
        """Where the index is: known once `start` returns."""
        self.census: Census | None = None
        """None until everything has been counted once."""
        self.share = 0.0
        """The share of the crawl that is in the index."""
        self.problem = ""
        """The problem with the index or the crawl's database; "" if there is none."""
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="indexer", daemon=True)

    def start(self) -> None:
        """Start the thread. Returns once the index can be read; raises `HoneyguideError` if it cannot."""
        self._thread.start()
        self._ready.wait()
        if self.problem:
            raise HoneyguideError(self.problem)

    def stop(self) -> None:
        """End the thread, after the batch that it is reading."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with WatchIndex(self._folder) as index, unchecked_crawl(self._folder) as crawl:
                    self.path, self.problem = index.path, ""
                    self._ready.set()
                    self._follow(index, crawl)
            except Exception as error:  # noqa: BLE001 (nothing must end the thread: the views say what is wrong)
                known = isinstance(error, HoneyguideError)
                _log.warning("the dashboard's index cannot be updated: %s", error, exc_info=not known)
                self.problem = str(error) if known else f"{type(error).__name__}: {error}"
                self._ready.set()
                self._stop.wait(_AFTER_ERROR)

    def _follow(self, index: WatchIndex, crawl: Crawl) -> None:
        seen, counted_at, next_census = -1, -1, 0.0
        while not self._stop.is_set() and not index.is_outdated:
            version = index.version
            if version != seen:
                more = index.advance()
                self.share = index.share
                if more:
                    continue
                seen = version
            began = time.monotonic()
            if version != counted_at and began >= next_census:
                self.census = take_census(index, crawl, self._targets)
                took = time.monotonic() - began
                next_census, counted_at = began + max(took / _CENSUS_SHARE, _SHORTEST), version
            self._stop.wait(_PAUSE)
