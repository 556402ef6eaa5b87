"""Runs the dashboard in a separate process next to a crawl, so that it does not slow down the crawl's loop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from honeyguide.errors import HoneyguideError

_NICE = 5  # the crawl comes first
_START_TIMEOUT = 120.0  # seconds for its imports, and for checking the rows of a large crawl
_END_TIMEOUT = 5.0


class DashboardProcess:
    """A process that serves the dashboard of a crawl until it is closed, or the process that has made it is gone."""

    def __init__(self, folder: Path) -> None:
        """Start it. The crawl must have begun."""
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(theirs, folder))
        self._process.start()
        theirs.close()

    async def url(self) -> str:
        """Its URL, with the token, once it can be opened. Raises `HoneyguideError` if it cannot start."""
        said: str = await asyncio.to_thread(self._receive)
        if not said.startswith("http://"):
            raise HoneyguideError(f"the dashboard cannot be started: {said}")
        return said

    def _receive(self) -> str:
        try:
            return str(self._line.recv()) if self._line.poll(_START_TIMEOUT) else "it takes too long"
        except (EOFError, OSError):
            return "its process has ended"

    def close(self) -> None:
        """End it."""
        self._line.close()
        self._process.join(_END_TIMEOUT)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _run(line: Connection, folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the crawl, which then closes the line
    with suppress(OSError):
        os.nice(_NICE)
    try:
        asyncio.run(_serve(line, folder))
    except HoneyguideError as error:
        with suppress(OSError):
            line.send(str(error))


async def _serve(line: Connection, folder: Path) -> None:
    from honeyguide.dashboard.serve import serve  # noqa: PLC0415 (heavy, and not needed by the process of the crawl)

    stop = asyncio.Event()
    asyncio.get_running_loop().add_reader(line.fileno(), stop.set)  # nothing is ever sent: it can only be closed
    await serve(folder, stop, line.send)
