"""One worker process, from the side of the crawl: starts, feeds, watches and ends it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from honeyguide.crawl import wire
from honeyguide.crawl.readers import OutOfMemoryError, ReadResult
from honeyguide.crawl.worker_input import pack_config, pack_documents
from honeyguide.errors import HoneyguideError
from honeyguide.log_records import level_for_workers, replay
from honeyguide.strategy.reading import Document, ReaderConfig

_TRIES = 3
_START_TIMEOUT = 60.0  # seconds for imports and for loading the model, on a busy machine
_SOCKET_BYTES = 1 << 22  # buffers documents while the crawl writes to disk; the system may allow less
_CHECKS = 10  # consecutive checks without progress after which a process is killed


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """The limits for reading one document in a worker process."""

    seconds: float = 10.0
    """Counted from when the worker starts to read it. An ordinary page takes milliseconds, the largest accepted page a
    second or two; a page that takes ten is malicious."""
    memory: int = 1 << 30
    """Bytes in addition to those of a process that is ready to read: several times what the largest page needs."""

    @property
    def too_slow(self) -> str:
        """The problem of a page that takes longer."""
        return f"took longer than {self.seconds:g} s to read"

    @property
    def too_big(self) -> str:
        """The problem of a page that needs more memory."""
        gib, mib = self.memory / (1 << 30), self.memory / (1 << 20)
        return f"needs more than {f'{gib:g} GiB' if gib >= 1 else f'{mib:g} MiB'} to read"


class WorkerLostError(Exception):
    """A worker process has ended. The message is the problem of the page that it was reading, if that is the cause."""


class WorkerProcess:
    """A worker process and the connection to it, with messages of `worker_input` to it and of `wire` from it.

    A process that has documents to read, but starts none of them within the time of `ReadingLimits`, hangs or is
    stopped, and is killed.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        line: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        pipe: int,
        limits: ReadingLimits,
    ) -> None:
        self._config: ReaderConfig | None = None  # its current configuration
        self._process = process
        self._incoming, self._outgoing = line
        self._pipe = pipe
        self._limits = limits
        self._sent = self._begun = self._answered = 0  # documents
        self._problem = "crashes the process that reads it"
        self._watch = asyncio.create_task(self._watch_progress())

    @classmethod
    async def launch(cls, config: ReaderConfig, limits: ReadingLimits) -> WorkerProcess:
        """Start a process. Returns once it is ready to read; raises `HoneyguideError` if it never is."""
        for _ in range(_TRIES):  # it may have died for an unrelated reason
            try:
                async with asyncio.timeout(_START_TIMEOUT):
                    return await cls._start(config, limits)
            except (WorkerLostError, OSError):
                continue
        raise HoneyguideError("a worker process could not be started; --workers 0 crawls without one")

    @classmethod
    async def _start(cls, config: ReaderConfig, limits: ReadingLimits) -> WorkerProcess:
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BYTES)
        progress, pipe = os.pipe()
        os.set_blocking(progress, False)
        process = None
        try:
            try:
                process = _spawn(theirs.fileno(), pipe, limits)
            finally:
                theirs.close()
                os.close(pipe)
            worker = cls(process, await asyncio.open_connection(sock=ours, limit=1 << 24), progress, limits)
        except BaseException:
            ours.close()
            os.close(progress)
            if process is not None:
                _end(process)
            raise
        try:
            await worker.adopt(config)
            answer = await worker._receive_message()
            if reason := wire.refusal(answer):
                raise HoneyguideError(f"a worker process cannot read pages: {reason}; --workers 0 crawls without one")
            if answer != wire.READY:
                raise WorkerLostError
        except BaseException:
            await worker.stop()
            raise
        return worker

    async def adopt(self, config: ReaderConfig) -> None:
        """Send the process another configuration, if it is not the current one. Raises `WorkerLostError`."""
        if config is not self._config:
            self._config = config
            await self._send(pack_config(config))

    async def send(self, documents: Sequence[Document]) -> None:
        """Send documents to read. Raises `WorkerLostError`."""
        self._sent += len(documents)
        await self._send(pack_documents(documents))

    async def receive(self) -> list[ReadResult]:
        """The next results: those of one call of `send`, or fewer if it is about to end. Raises `WorkerLostError`."""
        message = await self._receive_message()
        try:
            results = wire.unpack_results(message)
        except wire.MalformedError:
            raise WorkerLostError(self._problem) from None
        self._answered += len(results)
        if self._answered > self._sent:
            raise WorkerLostError(self._problem)
        return [OutOfMemoryError(self._limits.too_big) if isinstance(one, OutOfMemoryError) else one for one in results]

    @property
    def position(self) -> int:
        """The index, among the unanswered documents, of the one that is being read; 0 if none has been started."""
        return max(self._count_begun() - self._answered - 1, 0)

    async def stop(self) -> None:
        """Kill the process, and close the connection to it."""
        self._watch.cancel()
        _end(self._process)
        self._outgoing.close()
        with suppress(OSError):
            await self._outgoing.wait_closed()
        self._count_begun()
        os.close(self._pipe)
        self._pipe = -1

    async def _watch_progress(self) -> None:
        """Kill the process when it makes no progress.

        Checks are counted, not seconds: a delay of this process itself counts as a single check.
        """
        seen, in_vain = -1, 0
        while in_vain < _CHECKS:
            await asyncio.sleep(self._limits.seconds / _CHECKS)
            begun = self._count_begun() if self._sent > self._answered else -1
            in_vain = in_vain + 1 if begun == seen != -1 else 0
            seen = begun
        self._problem = self._limits.too_slow
        self._process.kill()

    def _count_begun(self) -> int:
        """How many documents it has started: as it reports, but no more than it has received."""
        if self._pipe >= 0:
            with suppress(BlockingIOError):
                self._begun += len(os.read(self._pipe, 1 << 16))
        return min(self._begun, self._sent)

    async def _receive_message(self) -> bytes:
        """The next message, except log records, which are replayed."""
        try:
            while True:
                (length,) = wire.LENGTH.unpack(await self._incoming.readexactly(wire.LENGTH.size))
                if length > wire.MOST_BYTES:
                    raise WorkerLostError(self._problem)
                message = await self._incoming.readexactly(length)
                if not wire.is_record(message):
                    return message
                replay(wire.unpack_record(message))
        except (OSError, EOFError, wire.MalformedError):
            raise WorkerLostError(self._problem) from None

    async def _send(self, pieces: Iterable[bytes]) -> None:
        if self._outgoing.is_closing():  # the process was lost since; uvloop would raise a RuntimeError
            raise WorkerLostError(self._problem)
        try:
            self._outgoing.writelines(pieces)
            await self._outgoing.drain()
        except OSError:
            raise WorkerLostError(self._problem) from None


def _spawn(line: int, pipe: int, limits: ReadingLimits) -> subprocess.Popen[bytes]:
    numbers = (line, pipe, level_for_workers(), limits.seconds, limits.memory)
    # It finds modules in the same places as this process, and not in its working directory.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)}
    # In its own process group, so that Ctrl-C reaches only the crawl, which closes the connection.
    return subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-P", "-m", "honeyguide.crawl.worker", *map(str, numbers)],
        pass_fds=[line, pipe],
        stdin=subprocess.DEVNULL,
        process_group=0,
        env=environment,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
