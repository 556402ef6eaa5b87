"""The exceptions of honeyguide, with messages for users."""

from __future__ import annotations

import os
import traceback as tracebacks
from contextlib import suppress
from datetime import datetime
from pathlib import Path


class HoneyguideError(Exception):
    """The base class of honeyguide's exceptions. The command line prints it as one line and exits with 1."""


class InputError(HoneyguideError):
    """The user's input is wrong. Raised before anything is written.

    The command line prints ``place: problem; remedy`` and exits with 2.

    Args:
        place: Where the mistake is: a file and line, an option, or an argument.
        problem: What is wrong there.
        remedy: What the user can do about it; "" if nothing.
    """

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem}" + (f"; {remedy}" if remedy else ""))


class PluginError(HoneyguideError):
    """A strategy or a relevance model, built in or from another package, raised an exception.

    It ends the crawl or the trial: with missing scores, the strategy would merely look bad. A crawl is saved before
    this is raised, and resumes with the same page once the bug is fixed. The exception itself is the
    ``__cause__``, unless it was raised in another process: then only its text is available.

    Args:
        kind: "strategy" or "model".
        name: The strategy or the model, as the user wrote it.
        problem: Type and message of the exception.
        traceback: The traceback as text.
        url: The page it failed on; "" if it was not processing a page.
        occasion: What it was doing if it was not processing a page: "at the start of the crawl".

    Attributes:
        log: The file that the traceback was written to; None if it was not written. The arguments are also attributes.
    """

    def __init__(
        self, kind: str, name: str, *, problem: str, traceback: str = "", url: str = "", occasion: str = ""
    ) -> None:
        super().__init__()
        self.kind = kind
        self.name = name
        self.problem = problem
        self.traceback = traceback
        self.url = url
        self.occasion = occasion
        self.log: Path | None = None

    def __str__(self) -> str:
        """One line: what failed, on which page, how, and where the traceback is."""
        place = f"on {self.url}" if self.url else self.occasion
        message = f"{self.kind} {self.name} failed {place}".rstrip() + f": {self.problem}"
        return f"{message}; traceback in {self.log}" if self.log else message

    def __reduce__(self) -> tuple[object, ...]:
        """Support sending it to other processes, without the cause, which may not be picklable."""
        return _unpickled, (vars(self),)


def _unpickled(attributes: dict[str, object]) -> PluginError:
    error = PluginError("", "", problem="")
    vars(error).update(attributes)
    return error


class plugin_errors:  # noqa: N801 (a context manager, used like a function)
    """Turn any exception of a strategy or a model in the block into a `PluginError` with its name and the page.

    A `PluginError` raised in the block, by a model that a strategy calls, keeps its name; the page is added to it.
    `MemoryError`, which is not the plug-in's fault, and the types in `passing`, which are meant for the user, are
    not converted. A class instead of a generator: it is entered several times per page and takes a quarter of the time.

    Raises:
        PluginError: The block raised any other exception.
    """

    __slots__ = ("_kind", "_name", "_occasion", "_passing", "_url")

    def __init__(
        self, kind: str, name: str, url: str = "", *, occasion: str = "", passing: tuple[type[Exception], ...] = ()
    ) -> None:
        self._kind = kind
        self._name = name
        self._url = url
        self._occasion = occasion
        self._passing = passing

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, PluginError):
            error.url = error.url or self._url
        elif isinstance(error, Exception) and not isinstance(error, (MemoryError, *self._passing)):
            raise PluginError(
                self._kind,
                self._name,
                problem=one_line(error),
                traceback="".join(tracebacks.format_exception(error)),
                url=self._url,
                occasion=self._occasion,
            ) from error


def log_failure(error: PluginError, path: Path, about: str = "") -> None:
    """Append the traceback to a log file, with the time. From then on the message of the error names the file.

    If the file cannot be written, the error stays without one: the original failure matters more.

    Args:
        error: What was raised.
        path: The log file.
        about: What it happened to, for the log.
    """
    if _append(path, f"{f'{about}: ' if about else ''}{error}", error.traceback):
        error.log = path


def append_traceback(path: Path, headline: str, error: Exception) -> None:
    """Append the traceback of any exception to a log file, with the time; if that fails, it does nothing."""
    _append(path, headline, "".join(tracebacks.format_exception(error)))


def _append(path: Path, headline: str, traceback: str) -> bool:
    time = datetime.now().astimezone().isoformat(timespec="seconds")
    with suppress(OSError):
        # Never through a link created by another user.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o666), "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{time} {headline}\n{traceback.rstrip()}\n\n")
        return True
    return False


def one_line(error: Exception) -> str:
    """The type and the first line of the message."""
    name, message = type(error).__name__, str(error).strip()
    return f"{name}: {message.splitlines()[0]}" if message else name
