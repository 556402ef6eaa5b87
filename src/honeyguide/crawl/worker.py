"""A worker process: reads batches of documents that it receives over a socket, until the socket is closed.

It receives messages in the format of `crawl.worker_input`: a `ReaderConfig`, which applies from then on, or a batch of
documents. It sends messages in the format of `crawl.wire`: "ready" or the reason why it is not, the results of each
batch, and every log record of this process. Whenever it starts to read a document, it writes a byte to a pipe, so that
the crawl knows which document it is if it never finishes.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from threading import Lock

from honeyguide.crawl import wire
from honeyguide.crawl.readers import OutOfMemoryError, read_or_error
from honeyguide.crawl.worker_input import receive
from honeyguide.errors import PluginError, one_line, plugin_errors
from honeyguide.log_records import forward_all
from honeyguide.strategy.reading import Document, Reader, ReaderConfig

_SENDING = Lock()
_BUFFER = 1 << 18  # bytes per read from the socket: more than it usually holds
_ORPHANED = 6  # multiple of the deadline after which the crawl must be dead, since it would have killed this process


def main() -> None:
    """Serve a socket until the crawl closes it or dies.

    The arguments are the file descriptors of the socket and of the pipe, the lowest log level of the crawl, and the
    limits for reading a document: seconds, and bytes of memory.
    """
    line_number, pipe, level, memory = (int(sys.argv[place]) for place in (1, 2, 3, 5))
    with (
        suppress(ConnectionError, EOFError),
        socket.socket(fileno=line_number) as line,
        BufferedReader(socket.SocketIO(line, "r"), _BUFFER) as stream,
    ):
        forward_all(lambda record: _send(line, wire.pack_record(record)), level)
        try:
            config = receive(stream)
            if not isinstance(config, ReaderConfig):
                return
            worker = _Worker(config, pipe, float(sys.argv[4]))
        except Exception as error:  # noqa: BLE001 (a model that cannot be imported here, for example)
            _send(line, wire.pack_refusal(one_line(error)))
            return
        _set_limits(memory)
        _get_ready(line)
        while (message := receive(stream)) is not None:
            if isinstance(message, ReaderConfig):
                worker = _Worker(message, pipe, float(sys.argv[4]))
                _set_limits(memory)
            else:
                _send(line, wire.pack_results(worker.read(message)))
                if worker.is_spent:
                    return


class _Worker:
    """Reads documents with one configuration."""

    def __init__(self, config: ReaderConfig, pipe: int, seconds: float) -> None:
        self._reader = Reader(config)
        self._strategy = config.strategy
        self._pipe = pipe
        self._orphaned_after = _ORPHANED * seconds
        self.is_spent = False
        """Whether memory has run out, so that the state of the process is undefined."""

    def read(self, documents: Iterable[Document]) -> list[bytes]:
        """The packed results of some documents: of all, or of those up to the one on which memory ran out."""
        results = []
        for document in documents:
            os.write(self._pipe, b".")
            signal.setitimer(signal.ITIMER_REAL, self._orphaned_after)
            results.append(self._read(document))
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self.is_spent:
                break
        return results

    def _read(self, document: Document) -> bytes:
        result = read_or_error(self._reader, document)
        try:
            with plugin_errors("strategy", self._strategy, document.url):
                packed = wire.pack_result(result)
        except PluginError as error:
            return wire.pack_result(error)
        except MemoryError:
            result = OutOfMemoryError()
            packed = wire.pack_result(result)
        self.is_spent = isinstance(result, OutOfMemoryError)
        return packed


def _set_limits(memory: int) -> None:
    """Limit the additional memory of this process, and disable core dumps."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError):  # only Linux reports the memory in use; elsewhere, there is only the deadline
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        wanted, most = pages * resource.getpagesize() + memory, resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _get_ready(line: socket.socket) -> None:
    # Existing objects stay alive, and pages create few cycles: frequent collections would take a third of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 1000)
    _send(line, wire.READY)


def _send(line: socket.socket, message: bytes) -> None:
    with _SENDING:  # a plug-in may log from another thread
        line.sendall(wire.LENGTH.pack(len(message)) + message)


if __name__ == "__main__":
    main()
