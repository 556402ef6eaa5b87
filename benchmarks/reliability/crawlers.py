"""Crawlers that can be killed: each is a process, started quickly by a driver."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path


class Crawlers:
    """Starts one crawler at a time, in a process that can be killed, and in a folder."""

    def __init__(self, driver: subprocess.Popen[str], folder: Path) -> None:
        assert driver.stdin is not None
        assert driver.stdout is not None
        self._asks, self._tells = driver.stdin, driver.stdout
        self._folder = folder
        self._running = 0  # the process number of a crawler whose end was not waited for yet

    def start(self, out: str, *more: str, workers: int = 0, ignoring: int = 0) -> int:
        """Start a crawler, which ignores a signal; returns its process number."""
        arguments = ["crawl", "topic.toml", "--out", out, "--quiet", "--workers", str(workers), *more]
        print(json.dumps([str(self._folder.absolute()), ignoring, *arguments]), file=self._asks, flush=True)
        self._running = int(self._tells.readline())
        return self._running

    def wait(self) -> tuple[int, str]:
        """Until it has ended: its exit code and what it said."""
        code = int(self._tells.readline())
        self._running = 0
        return code, self.said()

    def said(self) -> str:
        """What it has said so far."""
        return (self._folder / "said").read_text()

    def finish(self, out: str, workers: int = 0) -> None:
        """Crawl until nothing is left."""
        self.start(out, workers=workers)
        code, said = self.wait()
        assert code == 0, said
        assert "nothing left to fetch" in said

    def kill(self, pid: int) -> None:
        """End a crawler without a warning, and see that this is what ended it."""
        os.kill(pid, signal.SIGKILL)
        code, said = self.wait()
        assert code == -signal.SIGKILL, f"it ended before it could be killed: {said}"

    def close(self) -> None:
        """End a crawler that still runs."""
        if self._running:
            os.kill(self._running, signal.SIGKILL)
            self.wait()


@contextmanager
def crawlers_in(folder: Path) -> Iterator[Crawlers]:
    """Crawlers that work in a folder, where ``topic.toml`` is what is crawled."""
    crawlers = Crawlers(_driver(), folder)
    try:
        yield crawlers
    finally:
        crawlers.close()


@cache
def _driver() -> subprocess.Popen[str]:
    """One for all crawlers of this process, since it takes most of a second to start."""
    driver = [sys.executable, str(Path(__file__).with_name("driver.py"))]
    process = subprocess.Popen(driver, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def end() -> None:
        process.terminate()
        process.communicate()

    atexit.register(end)
    return process
