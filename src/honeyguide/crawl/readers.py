"""Where pages are read: in the process of the crawl, or in worker processes that receive them in batches."""

from __future__ import annotations

import asyncio
import logging
import pickle
import socket
import struct
import subprocess
import sys
from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from typing_extensions import override

from honeyguide.errors import HoneyguideError, PluginError
from honeyguide.log_records import level_for_workers, replay
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Relevance
from honeyguide.strategy.reading import Document, Reader, ReaderConfig, Reading, UrlSet
from honeyguide.topic import Topic

_log = logging.getLogger("honeyguide.crawl")

_BATCH = 8
_AHEAD = 2  # maximum batches per worker: the next one is already there when it has finished one
_TRIES = 3
_LENGTH = struct.Struct("<I")


class ReadError(HoneyguideError):
    """A document could not be read: a fault of honeyguide, which costs this page but must not end the crawl."""


def reader_config(topic: Topic, model: Relevance) -> ReaderConfig:
    """How the pages of a topic are read."""
    canonical = UrlRules(topic.urls).canonical
    labelled = [(name, False) for name in topic.examples.negative] + [(name, True) for name in topic.examples.positive]
    found = ((canonical(name), is_positive) for name, is_positive in labelled if "://" in name)
    return ReaderConfig(
        model=model,
        strategy=topic.strategy.name,
        urls=topic.urls,
        scope=topic.scope,
        language=topic.relevance.language,
        obeys_robots=topic.fetch.robots,
        agent=topic.fetch.agent,
        examples={url: is_positive for url, is_positive in found if url},
        model_name=topic.relevance.model,
    )


class PageReaders(Protocol):
    """Documents in, readings out."""

    async def start(self) -> None:
        """Prepare to read. Called once, before anything is read."""
        ...

    async def read(self, document: Document) -> Reading:
        """Read one document. Raises `ReadError` if it cannot be read, `PluginError` if model or strategy fails."""
        ...

    def adopt(self, config: ReaderConfig) -> None:
        """Use another configuration for all later calls of `read`."""
        ...

    async def close(self) -> None:
        """Release all resources. Nothing is read afterwards."""
        ...


ReadResult = Reading | ReadError | PluginError
"""A reading, or an error: of this document alone, or of the strategy or the model. Can be pickled."""


def read_or_error(reader: Reader, document: Document) -> ReadResult:
    """Read a document. Errors are returned, not raised."""
    try:
        return reader.read(document)
    except PluginError as error:
        return error
    except Exception as error:  # noqa: BLE001 (no content of a page may end a crawl)
        _log.debug(
            "cannot be read: %s", document.url, exc_info=True, extra={"event": "unreadable", "url": document.url}
        )
        return ReadError(f"{type(error).__name__}: {error}")


def _checked(result: ReadResult) -> Reading:
    if isinstance(result, Reading):
        return result
    raise result


class InProcessReaders(PageReaders):
    """Reads in the process of the crawl."""

    def __init__(self, config: ReaderConfig, within: UrlSet | None = None) -> None:
        self._within = within
        self.adopt(config)

    @override
    async def start(self) -> None:
        pass

    @override
    async def read(self, document: Document) -> Reading:
        return _checked(read_or_error(self._reader, document))

    @override
    def adopt(self, config: ReaderConfig) -> None:
        self._reader = Reader(config, within=self._within)

    @override
    async def close(self) -> None:
        pass


class _Job(NamedTuple):
    document: Document
    future: asyncio.Future[ReadResult]
    config: ReaderConfig
    """The configuration when the job was added, so that the result does not depend on which worker reads it or when."""


_Batch = list[_Job]


class WorkerReaders(PageReaders):
    """Reads in `count` worker processes. A worker that has room takes the waiting documents, up to a batch."""

    def __init__(self, config: ReaderConfig, count: int) -> None:
        self._config = config
        self._count = count
        self._waiting: deque[_Job] = deque()
        self._arrived = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._broken: HoneyguideError | None = None  # why no worker can be started any more

    @override
    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._run_worker()) for _ in range(self._count)]

    async def read(self, document: Document) -> Reading:
        """Read one document. A document that crashes the worker reading it counts as one that cannot be read.

        Raises:
            ReadError: The document cannot be read.
            HoneyguideError: No worker can be started any more, which ends the crawl.
        """
        if self._broken is not None:
            raise self._broken
        future: asyncio.Future[ReadResult] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Job(document, future, self._config))
        self._arrived.set()
        return _checked(await future)

    @override
    def adopt(self, config: ReaderConfig) -> None:
        self._config = config

    @override
    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run_worker(self) -> None:
        """Keep one worker busy, and replace it when it dies."""
        lost: _Batch = []
        try:
            while True:
                lost = await self._read_with(await _Worker.launch(self._config))
                extra = {"event": "worker died", "unread": len(lost)}
                _log.warning(
                    "a worker process died while reading %d pages; it will be replaced", len(lost), extra=extra
                )
                await self._read_one_by_one(lost)
        except HoneyguideError as error:
            self._fail_all(error, lost)

    async def _read_with(self, worker: _Worker) -> _Batch:
        """Have a worker read until it dies. Returns the jobs that were sent to it but not read."""
        in_progress: deque[_Batch] = deque()
        room = asyncio.Semaphore(_AHEAD)
        feeding = asyncio.create_task(self._feed(worker, in_progress, room))
        try:
            while True:
                readings = await worker.receive()
                _resolve(in_progress.popleft(), readings)
                room.release()
        except (OSError, EOFError):
            return [job for batch in in_progress for job in batch]
        finally:
            feeding.cancel()
            await worker.stop()

    async def _feed(self, worker: _Worker, in_progress: deque[_Batch], room: asyncio.Semaphore) -> None:
        """Send batches whenever the worker has room for one."""
        with suppress(OSError):  # it died, which the task that receives its readings will notice
            while True:
                await room.acquire()
                while not self._waiting:
                    self._arrived.clear()
                    await self._arrived.wait()
                batch = self._next_batch()
                in_progress.append(batch)
                await worker.adopt(batch[0].config)
                await worker.send([job.document for job in batch])

    def _next_batch(self) -> _Batch:
        """The next waiting jobs, up to a batch, that have the same configuration."""
        batch = [self._waiting.popleft()]
        while self._waiting and len(batch) < _BATCH and self._waiting[0].config is batch[0].config:
            batch.append(self._waiting.popleft())
        return batch

    async def _read_one_by_one(self, batch: _Batch) -> None:
        """Read the jobs of a worker that died one by one, so that a document that crashes workers fails alone."""
        worker: _Worker | None = None
        try:
            for one in batch:
                worker = worker or await _Worker.launch(one.config)
                try:
                    await worker.adopt(one.config)
                    await worker.send([one.document])
                    _resolve([one], await worker.receive())
                except (OSError, EOFError):
                    await worker.stop()
                    worker = None
                    _resolve([one], [ReadError("crashes the process that reads it")])
        finally:
            if worker is not None:
                await worker.stop()

    def _fail_all(self, error: HoneyguideError, batch: _Batch) -> None:
        """No worker can be started: fail all waiting jobs, and every later call of `read`."""
        self._broken = error
        for job in (*batch, *self._waiting):
            if not job.future.done():
                job.future.set_exception(error)
        self._waiting.clear()


def _resolve(batch: _Batch, readings: list[ReadResult]) -> None:
    for job, reading in zip(batch, readings, strict=True):
        if not job.future.done():
            job.future.set_result(reading)


class _Worker:
    """One worker process, and the connection to it: length-prefixed pickles in both directions."""

    def __init__(
        self, process: subprocess.Popen[bytes], line: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> None:
        self._config: ReaderConfig | None = None  # how it reads
        self._process = process
        self._incoming, self._outgoing = line

    @classmethod
    async def launch(cls, config: ReaderConfig) -> _Worker:
        """Start a process. Returns once it is ready to read; raises `HoneyguideError` if it never is."""
        for _ in range(_TRIES):  # it may have died for an unrelated reason
            try:
                return await cls._start(config)
            except (OSError, EOFError):
                continue
        raise HoneyguideError("a worker process could not be started")

    @classmethod
    async def _start(cls, config: ReaderConfig) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "honeyguide.crawl.worker", str(theirs.fileno()), str(level_for_workers())]
            # In its own process group, so that Ctrl-C reaches only the crawl, which closes the connection.
            process = subprocess.Popen(  # noqa: S603, ASYNC220 (our own module; forking is too fast to matter)
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, process_group=0
            )
        try:
            worker = cls(process, await asyncio.open_connection(sock=ours, limit=1 << 24))
        except BaseException:
            ours.close()
            _end(process)
            raise
        try:
            await worker.adopt(config)
            await worker.receive()
        except BaseException:
            await worker.stop()
            raise
        return worker

    async def adopt(self, config: ReaderConfig) -> None:
        """Send the process another configuration, if it is not the current one."""
        if config is not self._config:
            self._config = config
            await self.send(config)

    async def receive(self) -> Any:
        """The next message, except log records, which are replayed. Raises `OSError` or `EOFError` if it has died."""
        try:
            while True:
                (length,) = _LENGTH.unpack(await self._incoming.readexactly(_LENGTH.size))
                message = pickle.loads(await self._incoming.readexactly(length))  # noqa: S301 (from our own child)
                if not isinstance(message, dict):
                    return message
                replay(message)
        except asyncio.IncompleteReadError:
            raise EOFError from None

    async def send(self, what: object) -> None:
        """Send a message. Raises `OSError` if the process has died."""
        payload = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
        self._outgoing.write(_LENGTH.pack(len(payload)))
        self._outgoing.write(payload)
        await self._outgoing.drain()

    async def stop(self) -> None:
        """Kill the process, and close the connection to it."""
        _end(self._process)
        self._outgoing.close()
        with suppress(OSError):
            await self._outgoing.wait_closed()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
