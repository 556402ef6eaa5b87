"""Log records on their way from a worker process to the process that it works for.

A worker calls `forward_all` with a function that sends a record: through a socket, or through the queue of
`replay_from_workers`. The other process hands what arrives to `replay`.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any

_PATIENCE = 5.0  # seconds: a worker that was killed amid a record leaves a queue that never ends

Packed = dict[str, Any]
"""The attributes of a record, as text and plain values: it can be pickled."""


class ForwardingHandler(logging.Handler):
    """Sends every record elsewhere instead of writing it. `worker`, the number of this process, becomes one more field.

    What is sent is handled there by `replay`.
    """

    def __init__(self, send: Callable[[Packed], object]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        """Pack a record and send it."""
        try:
            text = logging.Formatter().formatException(record.exc_info) if record.exc_info else record.exc_text
            made_plain = {"msg": record.getMessage(), "args": None, "exc_info": None, "exc_text": text}
            self._send({**vars(record), **made_plain, "worker": os.getpid()})
        except Exception:  # noqa: BLE001 (a log must not end what it tells of)
            self.handleError(record)


def forward_all(send: Callable[[Packed], object], level: int) -> None:
    """Set up logging in a worker process: every record is sent, those of honeyguide from `level` on."""
    logging.getLogger().addHandler(ForwardingHandler(send))
    logging.getLogger("honeyguide").setLevel(level)
    warnings.showwarning = log_python_warning  # type: ignore[assignment] # `file` and `line` are of no use to it


def level_for_workers() -> int:
    """The level from which somebody in this process may want records of honeyguide: what to give to `forward_all`."""
    return logging.getLogger("honeyguide").getEffectiveLevel()


def replay(packed: Packed) -> None:
    """Handle a record of another process as if it had been made here."""
    record = logging.makeLogRecord(packed)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


@contextmanager
def replay_from_workers(context: BaseContext) -> Iterator[Any]:
    """Handle the records that workers put into a queue for as long as the block runs; the workers must end inside it.

    Args:
        context: What the workers are started with.

    Yields:
        The queue: give it to the workers when they start.
    """
    queue = context.Queue()

    def replay_all() -> None:
        while (packed := queue.get()) is not None:
            replay(packed)

    thread = Thread(target=replay_all, name="honeyguide log", daemon=True)
    thread.start()
    try:
        yield queue
    finally:
        queue.put(None)
        thread.join(_PATIENCE)
        queue.cancel_join_thread()
        queue.close()


def log_python_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    """A `warnings.showwarning` that logs, under the name that the standard library has for it."""
    extra = {"category": category.__name__, "source": f"{filename}:{lineno}"}
    logging.getLogger("py.warnings").warning("%s", message, extra=extra)
