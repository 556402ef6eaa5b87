"""Log records of worker processes, sent to the main process and handled there.

A worker calls `forward_all` with a function that sends a record: through a socket, or through the queue of
`replay_from_workers`. The main process calls `replay` for each record that arrives.
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

_JOIN_TIMEOUT = 5.0  # seconds: a worker that was killed while it sent a record leaves a queue that never ends

Packed = dict[str, Any]
"""The attributes of a record, its message and its traceback formatted, so that it can be pickled."""


class ForwardingHandler(logging.Handler):
    """Sends every record to the main process. Adds the field `worker`, the id of this process."""

    def __init__(self, send: Callable[[Packed], object]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        """Pack a record and send it."""
        try:
            text = logging.Formatter().formatException(record.exc_info) if record.exc_info else record.exc_text
            formatted = {"msg": record.getMessage(), "args": None, "exc_info": None, "exc_text": text}
            self._send({**vars(record), **formatted, "worker": os.getpid()})
        except Exception:  # noqa: BLE001 (logging must not end the worker)
            self.handleError(record)


def forward_all(send: Callable[[Packed], object], level: int) -> None:
    """Set up logging in a worker process: send all records, but those of honeyguide only from `level` on."""
    logging.getLogger().addHandler(ForwardingHandler(send))
    logging.getLogger("honeyguide").setLevel(level)
    warnings.showwarning = log_python_warning  # type: ignore[assignment] # it ignores `file` and `line`


def level_for_workers() -> int:
    """The level for `forward_all`: the lowest level of honeyguide's records that this process may handle."""
    return logging.getLogger("honeyguide").getEffectiveLevel()


def replay(packed: Packed) -> None:
    """Handle a record of a worker as if it had been created in this process."""
    record = logging.makeLogRecord(packed)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


@contextmanager
def replay_from_workers(context: BaseContext) -> Iterator[Any]:
    """Handle the records that workers put into a queue while the block runs. The workers must end inside it.

    Args:
        context: The multiprocessing context that the workers are started with.

    Yields:
        The queue, to be passed to the workers when they start.
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
        thread.join(_JOIN_TIMEOUT)
        queue.cancel_join_thread()
        queue.close()


def log_python_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    """A replacement for `warnings.showwarning` that logs to the standard library's logger for warnings."""
    extra = {"category": category.__name__, "source": f"{filename}:{lineno}"}
    logging.getLogger("py.warnings").warning("%s", message, extra=extra)
