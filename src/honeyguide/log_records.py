"""Log records on their way from a worker process to the process that it works for."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from typing import Any

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


def level() -> int:
    """The level from which somebody in this process may want records of honeyguide: what to give to `forward_all`."""
    return logging.getLogger("honeyguide").getEffectiveLevel()


def replay(packed: Packed) -> None:
    """Handle a record of another process as if it had been made here."""
    record = logging.makeLogRecord(packed)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


def log_python_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    """A `warnings.showwarning` that logs, under the name that the standard library has for it."""
    extra = {"category": category.__name__, "source": f"{filename}:{lineno}"}
    logging.getLogger("py.warnings").warning("%s", message, extra=extra)
