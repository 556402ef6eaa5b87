"""A worker process: reads batches of documents that it receives over a socket, until the socket is closed.

It receives a `ReaderConfig`, which applies from then on, or a list of documents, which is a batch. It sends "ready",
then one list of readings per batch, and in between every log record of this process, as a dict.
"""

from __future__ import annotations

import gc
import pickle
import socket
import struct
import sys
from contextlib import suppress
from io import BufferedRWPair
from threading import Lock
from typing import Any

from honeyguide.crawl.readers import read_or_error
from honeyguide.log_records import forward_all
from honeyguide.strategy.reading import Reader, ReaderConfig

_LENGTH = struct.Struct("<I")
_SENDING = Lock()


def main() -> None:
    """Serve the socket whose file descriptor is the first argument, until the crawl closes it or dies.

    The second argument is the lowest level that the crawl logs.
    """
    with (
        suppress(ConnectionError),
        socket.socket(fileno=int(sys.argv[1])) as line,
        line.makefile("rwb") as stream,
    ):
        forward_all(lambda record: _send(stream, record), int(sys.argv[2]))
        reader: Reader | None = None
        while (message := _receive(stream)) is not None:
            if isinstance(message, ReaderConfig):
                is_first, reader = reader is None, Reader(message)
                if is_first:
                    _get_ready(stream)
            elif reader is not None:
                _send(stream, [read_or_error(reader, document) for document in message])


def _get_ready(stream: BufferedRWPair) -> None:
    # The objects made so far stay alive, and pages create few cycles: frequent collections cost a third of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 1000)
    _send(stream, "ready")


def _receive(stream: BufferedRWPair) -> Any:
    """The next message of the crawl; None when the socket is closed."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    payload = stream.read(length)
    return pickle.loads(payload) if len(payload) == length else None  # noqa: S301 (from the crawl that started us)


def _send(stream: BufferedRWPair, what: object) -> None:
    payload = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    with _SENDING:  # a plug-in may log from a thread of its own
        stream.write(_LENGTH.pack(len(payload)) + payload)
        stream.flush()


if __name__ == "__main__":
    main()
