"""The process that reads pages again for the dashboard: if a page harms it, only the view of that page fails."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from honeyguide.crawl.worker_process import ReadingLimits
from honeyguide.errors import HoneyguideError

_START_TIMEOUT = 60.0  # seconds for its imports, on a busy machine
_LONG_TIMEOUT = 60.0  # seconds for restoring a frontier
_MEMORY = 4 << 30  # bytes of address space: several times what the model, a frontier and the largest page need


class ReaderProcess:
    """One process that reads one page at a time. It is started when it is first needed, and again if it is lost."""

    def __init__(self, folder: Path, limits: ReadingLimits | None = None) -> None:
        self._folder = folder
        self._limits = limits or ReadingLimits()
        self._lock = asyncio.Lock()
        self._process: BaseProcess | None = None
        self._line: Connection | None = None
        self._is_closed = False

    async def ask(self, method: str, number: int) -> Any:
        """Call a method of `PageRereader` for a page. Raises `HoneyguideError` if it fails or hangs."""
        async with self._lock:
            outcome = await asyncio.to_thread(self._ask, method, number)
        if isinstance(outcome, str):
            raise HoneyguideError(outcome)
        return outcome[0]

    async def warm_up(self) -> None:
        """Start the process and let it load the model, so that the first page is read as quickly as the others."""
        with suppress(HoneyguideError):
            await self.ask("load", 0)

    async def close(self) -> None:
        """End the process, whatever it is doing. No further calls are possible."""
        self._is_closed = True
        process = self._process
        if process is not None:
            with suppress(ValueError):  # it was ended just now
                process.kill()  # pending calls fail immediately
        async with self._lock:
            self._end()

    def _ask(self, method: str, number: int) -> tuple[Any] | str:
        if self._is_closed:
            return "the dashboard has ended"
        seconds = self._limits.seconds if method == "read" else _LONG_TIMEOUT
        try:
            if self._process is None or not self._process.is_alive():
                self._end()
                self._start()
            assert self._line is not None
            self._line.send((method, number))
            if not self._line.poll(seconds):
                self._end()
                return f"took longer than {seconds:g} s"
            answer: tuple[Any] | str = self._line.recv()
        except (OSError, EOFError):
            self._end()
            return "the process that reads pages was lost; try again"
        return answer

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._folder), daemon=True)
        process.start()
        self._process = process
        if self._is_closed:  # while it was started, so that `close` could not end it
            process.kill()
        theirs.close()
        if not self._line.poll(_START_TIMEOUT):
            raise OSError("it does not start")
        self._line.recv()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None
        if self._line is not None:
            self._line.close()
            self._line = None


def _serve(line: Connection, folder: Path) -> None:
    """Serve calls until the other side disconnects."""
    from honeyguide.dashboard.reading_again import PageRereader  # noqa: PLC0415 (models are heavy)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the dashboard, which then ends this process
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    line.send("ready")
    rereader: PageRereader | None = None
    with suppress(EOFError, OSError):
        while True:
            method, number = line.recv()
            try:
                if rereader is not None and not rereader.is_current:
                    rereader.close()
                    rereader = None
                rereader = rereader or PageRereader(folder)
                line.send((getattr(rereader, method)(number),))
            except HoneyguideError as error:
                line.send(str(error))
            except MemoryError:
                line.send("needs too much memory")
            except Exception as error:  # noqa: BLE001 (nothing on a page may end the dashboard)
                line.send(f"{type(error).__name__}: {error}")
