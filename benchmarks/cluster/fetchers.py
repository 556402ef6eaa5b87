"""Fetchers that log the activity of a process: importable, so that Ray can start them anywhere."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from typing_extensions import override

from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.settings import FetchSettings
from honeyguide.version import VERSION


class MeasuredFetcher(HttpFetcher):
    """Records the CPU time of its process after a warm-up, and when the fetcher is closed."""

    def __init__(self, settings: FetchSettings, folder: Path, warm_up: int) -> None:
        """`warm_up` is a number of requests."""
        super().__init__(settings, VERSION)
        self._file = folder / f"cpu-{os.getpid()}-{time.monotonic_ns()}.json"
        self._left = warm_up
        self._began = time.process_time()

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        if self._left:
            self._left -= 1
            self._began = time.process_time()
        return await super().fetch(request)

    @override
    async def close(self) -> None:
        figures = {"process": os.getpid(), "began": self._began, "ended": time.process_time()}
        self._file.write_text(json.dumps(figures), encoding="utf-8")
        await super().close()


class LoggedFetcher(DemoFetcher):
    """Appends every request to a file before it is answered."""

    def __init__(self, web: DemoWeb, settings: FetchSettings, log: Path) -> None:
        super().__init__(web, settings)
        self._log = log

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        result = await super().fetch(request)
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps([result.started, request.url]) + "\n")
        return result


def read_log(log: Path) -> list[tuple[float, str]]:
    """The requests in a log; a line truncated by a kill is ignored."""
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    return [(time_of, url) for time_of, url in (json.loads(line) for line in lines if line.endswith("]\n"))]
