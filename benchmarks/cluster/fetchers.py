"""Fetchers of the demo web that write down what a process did: importable, so that Ray can start them anywhere."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from typing_extensions import override

from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.settings import FetchSettings


class MeasuredFetcher(DemoFetcher):
    """Tells how much CPU time its process took while it was in use, and how much of that it took to make pages."""

    def __init__(self, web: DemoWeb, settings: FetchSettings, folder: Path) -> None:
        super().__init__(web, settings)
        self._file = folder / f"cpu-{os.getpid()}-{time.monotonic_ns()}.json"
        self._web_seconds = 0.0
        self._began = time.process_time()

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        began = time.process_time()  # nothing else runs meanwhile: the demo web answers at once
        try:
            return await super().fetch(request)
        finally:
            self._web_seconds += time.process_time() - began

    @override
    async def close(self) -> None:
        figures = {"cpu": time.process_time() - self._began, "web": self._web_seconds}
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
    """The requests in a log; a line that a kill has cut short is ignored."""
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    return [(time_of, url) for time_of, url in (json.loads(line) for line in lines if line.endswith("]\n"))]
