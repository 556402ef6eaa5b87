"""Crawlers that can be killed: each is a process, started quickly by a driver."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Crawlers:
    """The driver: starts one crawler at a time, in a process that can be killed."""

    def __init__(self, driver: subprocess.Popen[str], folder: Path) -> None:
        assert driver.stdin is not None
        assert driver.stdout is not None
        self._asks, self._tells = driver.stdin, driver.stdout
        self._said = folder / "said"

    def start(self, out: str, *more: str, workers: int = 0, ignoring: int = 0) -> int:
        """Start a crawler, which ignores a signal; returns its process number."""
        arguments = ["crawl", "topic.toml", "--out", out, "--quiet", "--workers", str(workers), *more]
        print(json.dumps([ignoring, *arguments]), file=self._asks, flush=True)
        return int(self._tells.readline())

    def wait(self) -> tuple[int, str]:
        """Until it has ended: its exit code and what it said."""
        return int(self._tells.readline()), self.said()

    def said(self) -> str:
        """What it has said so far."""
        return self._said.read_text()

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


@contextmanager
def crawlers_in(folder: Path) -> Iterator[Crawlers]:
    """A driver that works in a folder, where ``topic.toml`` is what is crawled."""
    driver = [sys.executable, str(Path(__file__).with_name("driver.py"))]
    with subprocess.Popen(driver, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Crawlers(process, folder)
