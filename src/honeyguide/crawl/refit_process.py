"""The process that fits the model of a crawl again, as the crawl sees it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from honeyguide.errors import HoneyguideError

_IDLE: Final = 600.0  # seconds without a question after which the process is ended


class RefitProcess:
    """Started with the first question, and kept for the next ones: to start it takes longer than to fit a model."""

    def __init__(self, folder: Path, out: Path) -> None:
        """`folder` is that of the crawl; the model is written to `out`."""
        self._arguments = (str(folder), str(out))
        self._starting: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._end: asyncio.TimerHandle | None = None

    async def fit(self, keywords: Sequence[str], pages: Path | None = None) -> dict[str, Any]:
        """Fit a model to these keywords, and the examples and labels of the crawl: see `honeyguide.crawl.refit`.

        `pages` is a file that `honeyguide.crawl.lesson_pages` wrote, if they are not to be read from the archive.

        Raises `HoneyguideError` when that fails. Quality that nobody has asked for yet is not measured any more.
        """
        process = await self._started()
        assert process.stdin is not None
        with suppress(ConnectionError):  # reading tells why it has ended
            asked = {"keywords": list(keywords), "pages": None if pages is None else str(pages)}
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            await process.stdin.drain()
        while "quality" in (found := await self._line(process)):
            pass  # of the model before
        if "problem" in found:
            raise HoneyguideError(str(found["problem"]))
        return found

    async def quality(self) -> dict[str, Any]:
        """How good the model is. Only after `fit`, if there is one."""
        found: dict[str, Any] = (await self._line(await self._started()))["quality"]
        return found

    async def close(self) -> None:
        """End the process."""
        starting, self._starting = self._starting, None
        if self._end is not None:
            self._end.cancel()
        if starting is not None:
            with suppress(OSError):  # it was never started, or has ended
                process = await starting
                process.kill()
                await process.wait()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._end is not None:
            self._end.cancel()
        starting = self._starting
        if starting is None or (starting.done() and (starting.exception() or starting.result().returncode is not None)):
            starting = self._starting = asyncio.create_task(self._start())
        # If who asks is cancelled meanwhile, the process starts all the same, and `close` ends it.
        process = await asyncio.shield(starting)
        assert process.stdin is not None
        self._end = asyncio.get_running_loop().call_later(_IDLE, process.stdin.close)
        return process

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "honeyguide.crawl.refit", *self._arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def _line(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        """The next line that the process says. Raises `HoneyguideError` when it has ended instead."""
        assert process.stdout is not None
        assert process.stderr is not None
        line = await process.stdout.readline()
        if not line:
            error = (await process.stderr.read()).decode("utf-8", "replace").strip().split("\n")[-1]
            await self.close()
            raise HoneyguideError(f"fitting the model failed: {error or 'the process was ended'}")
        found: dict[str, Any] = json.loads(line)
        return found
