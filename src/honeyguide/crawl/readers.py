"""Who reads pages: the crawl's own process, or worker processes that get them in batches."""

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
_AHEAD = 2  # batches a worker has at most: the next one lies ready when it is done with one
_TRIES = 3
_LENGTH = struct.Struct("<I")


class ReadError(HoneyguideError):
    """A document could not be read: a fault of ours, which must cost this page and not the crawl."""


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
        """Get ready. Called once, before anything is read."""
        ...

    async def read(self, document: Document) -> Reading:
        """Read one document. Raises `ReadError` if it cannot be read, `PluginError` if model or strategy fail."""
        ...

    def adopt(self, config: ReaderConfig) -> None:
        """Read everything that `read` is called for from now on in another way."""
        ...

    async def close(self) -> None:
        """End. Nothing is read afterwards."""
        ...


ReadResult = Reading | ReadError | PluginError
"""A reading, or what went wrong: for this document alone, or with the strategy or the model. Can be pickled."""


def read_or_error(reader: Reader, document: Document) -> ReadResult:
    """Read a document, or say what went wrong."""
    try:
        return reader.read(document)
    except PluginError as error:
        return error
    except Exception as error:  # noqa: BLE001 (nothing that is in a page may end a crawl)
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
    """That of the moment the job came: which worker reads it, and when, changes nothing."""


_Batch = list[_Job]


class WorkerReaders(PageReaders):
    """Reads in `count` processes of its own. A worker that has room takes what has gathered, up to a batch."""

    def __init__(self, config: ReaderConfig, count: int) -> None:
        self._config = config
        self._count = count
        self._waiting: deque[_Job] = deque()
        self._arrived = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._broken: HoneyguideError | None = None  # why there is no worker any more

    @override
    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._employ()) for _ in range(self._count)]

    async def read(self, document: Document) -> Reading:
        """Read one document; one that ends the worker which reads it cannot be read.

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

    async def _employ(self) -> None:
        """Keep one worker busy; replace it when it dies."""
        lost: _Batch = []
        try:
            while True:
                lost = await self._work_with(await _Worker.hire(self._config))
                extra = {"event": "worker died", "unread": len(lost)}
                _log.warning("a worker process died while it read %d pages; it is replaced", len(lost), extra=extra)
                await self._serve_singly(lost)
        except HoneyguideError as error:
            self._give_up(error, lost)

    async def _work_with(self, worker: _Worker) -> _Batch:
        """Have a worker read until it dies. Returns what it has been sent and not read."""
        under_way: deque[_Batch] = deque()
        room = asyncio.Semaphore(_AHEAD)
        feeding = asyncio.create_task(self._feed(worker, under_way, room))
        try:
            while True:
                readings = await worker.receive()
                _answer(under_way.popleft(), readings)
                room.release()
        except (OSError, EOFError):
            return [job for batch in under_way for job in batch]
        finally:
            feeding.cancel()
            await worker.dismiss()

    async def _feed(self, worker: _Worker, under_way: deque[_Batch], room: asyncio.Semaphore) -> None:
        """Send batches as long as there is room for one."""
        with suppress(OSError):  # it died, as whoever waits for its readings will see
            while True:
                await room.acquire()
                while not self._waiting:
                    self._arrived.clear()
                    await self._arrived.wait()
                batch = self._next_batch()
                under_way.append(batch)
                await worker.adopt(batch[0].config)
                await worker.send([job.document for job in batch])

    def _next_batch(self) -> _Batch:
        """What waits, up to a batch, as far as it is to be read in the same way."""
        batch = [self._waiting.popleft()]
        while self._waiting and len(batch) < _BATCH and self._waiting[0].config is batch[0].config:
            batch.append(self._waiting.popleft())
        return batch

    async def _serve_singly(self, batch: _Batch) -> None:
        """A worker died over a batch: find the document that ended it, if one did, and spare the others."""
        worker: _Worker | None = None
        try:
            for one in batch:
                worker = worker or await _Worker.hire(one.config)
                try:
                    await worker.adopt(one.config)
                    await worker.send([one.document])
                    _answer([one], await worker.receive())
                except (OSError, EOFError):
                    await worker.dismiss()
                    worker = None
                    _answer([one], [ReadError("ends the process that reads it")])
        finally:
            if worker is not None:
                await worker.dismiss()

    def _give_up(self, error: HoneyguideError, batch: _Batch) -> None:
        """No worker is to be had: whoever waits for a reading hears of it, now or when they ask."""
        self._broken = error
        for job in (*batch, *self._waiting):
            if not job.future.done():
                job.future.set_exception(error)
        self._waiting.clear()


def _answer(batch: _Batch, readings: list[ReadResult]) -> None:
    for job, reading in zip(batch, readings, strict=True):
        if not job.future.done():
            job.future.set_result(reading)


class _Worker:
    """One process, and the line to it: length-prefixed pickles, ours out, its own back."""

    def __init__(
        self, process: subprocess.Popen[bytes], line: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    ) -> None:
        self._config: ReaderConfig | None = None  # how it reads
        self._process = process
        self._incoming, self._outgoing = line

    @classmethod
    async def hire(cls, config: ReaderConfig) -> _Worker:
        """Start a process. Returns once it is ready to read; raises `HoneyguideError` if it never is."""
        for _ in range(_TRIES):  # it may have been the victim of something that had nothing to do with it
            try:
                return await cls._start(config)
            except (OSError, EOFError):
                continue
        raise HoneyguideError("a process that reads pages could not be started")

    @classmethod
    async def _start(cls, config: ReaderConfig) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "honeyguide.crawl.worker", str(theirs.fileno()), str(level_for_workers())]
            # In a process group of its own, so that Ctrl-C reaches the crawl alone, which closes the line.
            process = subprocess.Popen(  # noqa: S603, ASYNC220 (our own module; forking takes no time worth waiting for)
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
            await worker.dismiss()
            raise
        return worker

    async def adopt(self, config: ReaderConfig) -> None:
        """Have it read so from now on."""
        if config is not self._config:
            self._config = config
            await self.send(config)

    async def receive(self) -> Any:
        """The next thing it says but for what it logs; raises `OSError` or `EOFError` when it is no more."""
        try:
            while True:
                (length,) = _LENGTH.unpack(await self._incoming.readexactly(_LENGTH.size))
                said = pickle.loads(await self._incoming.readexactly(length))  # noqa: S301 (from our own child)
                if not isinstance(said, dict):
                    return said
                replay(said)
        except asyncio.IncompleteReadError:
            raise EOFError from None

    async def send(self, what: object) -> None:
        """Say something; raises `OSError` when it is no more."""
        payload = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
        self._outgoing.write(_LENGTH.pack(len(payload)))
        self._outgoing.write(payload)
        await self._outgoing.drain()

    async def dismiss(self) -> None:
        """End the process, and close the line to it."""
        _end(self._process)
        self._outgoing.close()
        with suppress(OSError):
            await self._outgoing.wait_closed()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
