"""Logging on the command line: ``-v`` and ``-vv`` to standard error, ``--log-file`` as JSON lines."""

from __future__ import annotations

import inspect
import json
import logging
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from honeyguide.cli.output import say
from honeyguide.errors import HoneyguideError, InputError, PluginError
from honeyguide.log_records import log_python_warning
from honeyguide.version import VERSION

_log = logging.getLogger("honeyguide.cli")

_VERBOSE = "Log to standard error; -vv logs every page."
_LOG_FILE = "Append the log to this file, as JSON lines."
_PANEL = "Logging"

_TERMINAL_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)  # by the number of times -v is given
_FILE_LEVELS = (logging.INFO, logging.INFO, logging.DEBUG)
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}  # whatever else a record has is `extra`


class LogOptions(NamedTuple):
    """The logging options of the user."""

    verbose: int = 0
    log_file: Path | None = None


Verbose = Annotated[
    int, typer.Option("-v", "--verbose", count=True, help=_VERBOSE, show_default=False, rich_help_panel=_PANEL)
]
LogFile = Annotated[Path | None, typer.Option("--log-file", metavar="FILE", help=_LOG_FILE, rich_help_panel=_PANEL)]


def logged(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes ``-v`` and ``--log-file`` after its name as well, and runs with logging set up."""

    @wraps(command)
    def run(*, ctx: typer.Context, verbose: int, log_file: Path | None, **options: Any) -> None:
        before: LogOptions = ctx.obj
        with logging_to(LogOptions(before.verbose + verbose, log_file or before.log_file)):
            command(**options)

    signature = inspect.signature(command, eval_str=True)
    own = {"ctx": (typer.Context, inspect.Parameter.empty), "verbose": (Verbose, 0), "log_file": (LogFile, None)}
    parameters = [
        *signature.parameters.values(),
        *(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
            for name, (kind, default) in own.items()
        ),
    ]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined] # typer reads it
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


@contextmanager
def logging_to(options: LogOptions) -> Iterator[None]:
    """Log to the terminal and to a file while a command runs. The error that ends a command is in the file, too.

    The handlers belong to the root logger, so that warnings of plug-ins, of other libraries and of Python itself are
    logged; below that level, only honeyguide is.

    Raises:
        InputError: The file cannot be written.
    """
    verbosity = min(options.verbose, 2)
    handlers = [_terminal_handler(verbosity)]
    if options.log_file is not None:
        handlers.append(_file_handler(options.log_file, _FILE_LEVELS[verbosity]))
    root, ours = logging.getLogger(), logging.getLogger("honeyguide")
    level_before, show_before = ours.level, warnings.showwarning
    ours.setLevel(min(handler.level for handler in handlers))
    warnings.showwarning = log_python_warning  # type: ignore[assignment] # it ignores `file` and `line`
    for handler in handlers:
        root.addHandler(handler)
    try:
        command = shlex.join(["honeyguide", *sys.argv[1:]])
        _log.info("%s (version %s)", command, VERSION, extra={"command": command, "version": VERSION})
        yield
    except (typer.Exit, typer.Abort, BrokenPipeError):  # not errors, but ways to end
        raise
    except Exception as error:
        root.removeHandler(handlers[0])  # `main` prints it there
        extra = {"exception": error.traceback} if isinstance(error, PluginError) else {}
        _log.error("%s", error, exc_info=not isinstance(error, HoneyguideError), extra=extra)
        raise
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        ours.setLevel(level_before)
        warnings.showwarning = show_before


def _terminal_handler(verbosity: int) -> logging.Handler:
    handler = _TerminalHandler(_TERMINAL_LEVELS[verbosity])
    handler.setFormatter(_PlainFormatter() if not verbosity else logging.Formatter(
        "%(asctime)s.%(msecs)03d %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S"
    ))  # fmt: skip
    return handler


def _file_handler(path: Path, level: int) -> logging.Handler:
    try:
        handler = _FileHandler(path, encoding="utf-8", errors="backslashreplace")  # as JSON escapes them
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("--log-file", f"{path} cannot be written: {reason}", "choose another file") from None
    handler.setLevel(level)
    handler.setFormatter(JsonFormatter())
    return handler


class _TerminalHandler(logging.Handler):
    """Looks up ``sys.stderr`` for each record: rich replaces it during a live display, to print above that."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            say(self.format(record), file=sys.stderr, flush=True)
        except Exception:  # noqa: BLE001 (logging must not end the command)
            self.handleError(record)


class _PlainFormatter(logging.Formatter):
    """``warning: message``, for users who did not ask for a log."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{record.levelname.lower()}: {super().format(record)}"


class _FileHandler(logging.FileHandler):
    """Gives up, with one warning, when the file can no longer be written, for example because the disk is full."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the name is logging's)
        reason = sys.exc_info()[1]
        if not isinstance(reason, OSError):
            super().handleError(record)
            return
        self.setLevel(logging.CRITICAL + 1)
        say(f"warning: {self.baseFilename}: cannot be written any more: {reason}", file=sys.stderr)

    def close(self) -> None:
        with suppress(OSError):  # there may be something left that could not be written
            super().close()


class JsonFormatter(logging.Formatter):
    """One JSON object per record, on one line: time, level, logger, message, the fields of `extra`, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without the newline."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, Any] = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields |= {name: value for name, value in vars(record).items() if name not in _STANDARD and name not in fields}
        exception = self.formatException(record.exc_info) if record.exc_info else record.exc_text
        if exception:
            fields["exception"] = exception
        return json.dumps(fields, ensure_ascii=False, default=str)
