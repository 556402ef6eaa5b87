"""Reading pages in worker processes, where no page can harm the crawl."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import NamedTuple

from typing_extensions import override

from honeyguide.crawl.readers import OutOfMemoryError, PageReaders, ReadError, ReadResult, checked
from honeyguide.crawl.worker_process import ReadingLimits, WorkerLostError, WorkerProcess
from honeyguide.errors import HoneyguideError
from honeyguide.strategy.reading import Document, ReaderConfig, Reading

_log = logging.getLogger("honeyguide.crawl")

_BATCH = 8
_AHEAD = 4  # maximum number of batches in all workers together, and ...
_LEAST_AHEAD = 2  # ... minimum per worker, so that the next batch is there when it has finished one
# A single worker gets more, enough for the time in which the crawl writes to disk. Several workers would compete for
# them, since there are no more pages than connections.


class _Job(NamedTuple):
    document: Document
    future: asyncio.Future[ReadResult]
    config: ReaderConfig
    """The configuration when the job was added, so that the result does not depend on which worker reads it or when."""


class WorkerReaders(PageReaders):
    """Reads in `count` worker processes. A worker with free capacity takes waiting documents, up to a batch.

    Every document gets a result, whatever happens to the process that reads it: a worker that crashes, hangs, is
    stopped or killed, or runs out of memory is replaced. The document that it was reading may or may not be the cause:
    it is read once more, alone in a fresh process, which determines its result. The other documents of the worker are
    read again by the next one.
    """

    def __init__(self, config: ReaderConfig, count: int, limits: ReadingLimits | None = None) -> None:
        self._config = config
        self._count = count
        self._limits = limits or ReadingLimits()
        self._waiting: deque[_Job] = deque()
        self._arrived = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._broken: HoneyguideError | None = None  # why no more workers can be started

    @override
    async def start(self) -> None:
        for _ in range(self._count):
            self._tasks.add(asyncio.create_task(self._run_worker()))

    async def read(self, document: Document) -> Reading:
        """Read one document. A document that crashes the worker reading it counts as one that cannot be read.

        Raises:
            ReadError: The document cannot be read, or not within the limits.
            HoneyguideError: No more workers can be started, which ends the crawl.
        """
        if self._broken is not None:
            raise self._broken
        future: asyncio.Future[ReadResult] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Job(document, future, self._config))
        self._arrived.set()
        return checked(await future)

    @override
    def adopt(self, config: ReaderConfig) -> None:
        self._config = config

    @override
    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run_worker(self) -> None:
        """Keep one worker busy, and replace it when it is lost."""
        try:
            while True:
                await self._read_with(await WorkerProcess.launch(self._config, self._limits))
        except Exception as error:  # noqa: BLE001 (whoever waits for a reading must not wait for ever)
            self._fail_all(error)

    async def _read_with(self, worker: WorkerProcess) -> None:
        """Let a worker read until it is lost, then handle its unread documents."""
        unread: deque[_Job] = deque()
        suspects: list[_Job] = []
        room = asyncio.Semaphore(max(_AHEAD // self._count, _LEAST_AHEAD))
        feeding = asyncio.create_task(self._feed(worker, unread, room))
        try:
            while True:
                for result in await worker.receive():
                    job = unread.popleft()
                    if isinstance(result, OutOfMemoryError):  # earlier pages may have taken most of the memory
                        suspects.append(job)
                    else:
                        _resolve(job, result)
                room.release()
        except WorkerLostError:
            pass
        finally:
            feeding.cancel()
            await worker.stop()
        extra = {"event": "worker died", "unread": len(unread) + len(suspects)}
        _log.warning("a worker process was lost with %(unread)d pages to read; it is replaced", extra, extra=extra)
        if unread and not suspects:
            place = worker.position
            suspects.append(unread[place])
            del unread[place]
        self._waiting.extendleft(reversed(unread))
        self._arrived.set()
        for job in suspects:
            task = asyncio.create_task(self._read_alone(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _feed(self, worker: WorkerProcess, unread: deque[_Job], room: asyncio.Semaphore) -> None:
        """Send a batch whenever the worker has capacity for one."""
        while True:
            await room.acquire()
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            batch = self._next_batch()
            unread.extend(batch)
            try:
                await worker.adopt(batch[0].config)
                await worker.send([job.document for job in batch])
            except WorkerLostError:  # the task that receives its readings will notice
                return
            except Exception as error:  # noqa: BLE001 (a model that cannot be sent; see `_run_worker`)
                self._waiting.extend(batch)
                self._fail_all(error)
                return

    def _next_batch(self) -> list[_Job]:
        """The next waiting jobs, up to a batch, that have the same configuration."""
        batch = [self._waiting.popleft()]
        while self._waiting and len(batch) < _BATCH and self._waiting[0].config is batch[0].config:
            batch.append(self._waiting.popleft())
        return batch

    async def _read_alone(self, job: _Job) -> None:
        try:
            _resolve(job, await read_alone(job.config, job.document, self._limits))
        except Exception as error:  # noqa: BLE001 (as in `_run_worker`)
            self._waiting.append(job)
            self._fail_all(error)

    def _fail_all(self, error: Exception) -> None:
        """No worker can be started: fail all waiting jobs, and every later call of `read`."""
        if not isinstance(error, HoneyguideError):
            problem = f"pages cannot be read in a worker process: {type(error).__name__}: {error}"
            error = HoneyguideError(f"{problem}; --workers 0 crawls without one")
        self._broken = error
        for job in self._waiting:
            if not job.future.done():
                job.future.set_exception(error)
        self._waiting.clear()


async def read_alone(config: ReaderConfig, document: Document, limits: ReadingLimits) -> ReadResult:
    """Read one document in a separate process. If the process is lost, the document is to blame.

    Raises `HoneyguideError` if no process can be started.
    """
    worker = await WorkerProcess.launch(config, limits)
    try:
        await worker.send([document])
        (result,) = await worker.receive()
    except WorkerLostError as lost:
        return ReadError(str(lost))
    finally:
        await worker.stop()
    return result


def _resolve(job: _Job, result: ReadResult) -> None:
    if not job.future.done():
        job.future.set_result(result)
