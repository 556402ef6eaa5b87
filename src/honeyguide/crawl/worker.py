"""A worker process: reads batches of documents from a socket until it is closed.

A `ReaderConfig` says how to read from then on; a list is a batch. What is sent back is "ready", then a list of readings
for each batch; and in between, as a dict, whatever was logged here.
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
    """Serve the socket whose number is the first argument, until the crawl closes it or is no more.

    The second argument is the level from which the crawl logs.
    """
    with (
        suppress(ConnectionError),
        socket.socket(fileno=int(sys.argv[1])) as line,
        line.makefile("rwb") as stream,
    ):
        forward_all(lambda record: _send(stream, record), int(sys.argv[2]))
        reader: Reader | None = None
        while (said := _receive(stream)) is not None:
            if isinstance(said, ReaderConfig):
                is_first, reader = reader is None, Reader(said)
                if is_first:
                    _settle(stream)
            elif reader is not None:
                _send(stream, [read_or_error(reader, document) for document in said])


def _settle(stream: BufferedRWPair) -> None:
    # What is here stays, and pages leave few cycles behind: looking for them often costs a third of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 1000)
    _send(stream, "ready")


def _receive(stream: BufferedRWPair) -> Any:
    """What the crawl sent; None when it sends nothing more."""
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
