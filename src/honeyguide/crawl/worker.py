"""A worker process: reads batches of documents from a socket until it is closed."""

from __future__ import annotations

import pickle
import signal
import socket
import struct
import sys
from io import BufferedRWPair

from honeyguide.crawl.readers import read_or_say
from honeyguide.strategy.reading import Reader

_LENGTH = struct.Struct("<I")


def main() -> None:
    """Serve the socket whose number is the only argument. Interrupts are for the crawl, which closes the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=int(sys.argv[1])) as line, line.makefile("rwb") as stream:
        reader = Reader(_receive(stream))
        while (batch := _receive(stream)) is not None:
            readings = pickle.dumps([read_or_say(reader, document) for document in batch], pickle.HIGHEST_PROTOCOL)
            stream.write(_LENGTH.pack(len(readings)) + readings)
            stream.flush()


def _receive(stream: BufferedRWPair):  # type: ignore[no-untyped-def] # noqa: ANN202 (whatever the crawl sent)
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    return pickle.loads(stream.read(_LENGTH.unpack(header)[0]))  # noqa: S301 (from the crawl that started us)


if __name__ == "__main__":
    main()
