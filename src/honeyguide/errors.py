"""What can go wrong, as the user should hear it."""

from __future__ import annotations

import traceback as tracebacks
from contextlib import suppress
from datetime import datetime
from pathlib import Path


class HoneyguideError(Exception):
    """Anything honeyguide raises on purpose. The command line prints it as one line and exits with 1."""


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
    """A strategy or a relevance model failed, one of ours or one that another package brings.

    It ends the crawl or the trial: scores that are missing would pass for a bad strategy. A crawl is saved before this
    is raised, and goes on with the same page once the fault is corrected. The exception itself is the ``__cause__``,
    unless it was raised in another process: of that its text is left.

    Args:
        kind: "strategy" or "model".
        name: The strategy or the model, as the user wrote it.
        problem: Type and message of the exception.
        traceback: The traceback as text.
        url: The page it failed on; "" when it was working on none.
        occasion: What it was doing, when it was working on no page: "at the start of the crawl".

    Attributes:
        log: The file that the traceback was written to; None when it was not. The arguments are attributes, too.
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
        """One line: who failed, on what, how, and where to read more."""
        place = f"on {self.url}" if self.url else self.occasion
        said = f"{self.kind} {self.name} failed {place}".rstrip() + f": {self.problem}"
        return f"{said}; traceback in {self.log}" if self.log else said

    def __reduce__(self) -> tuple[object, ...]:
        """For other processes: all but the cause, which need not be something that can be sent."""
        return _unpickled, (vars(self),)


def _unpickled(attributes: dict[str, object]) -> PluginError:
    error = PluginError("", "", problem="")
    vars(error).update(attributes)
    return error


class plugin_errors:  # noqa: N801 (a context manager, named like the functions that it stands among)
    """Turn whatever a strategy or a model raises inside the block into a `PluginError` that names it and the page.

    A `PluginError` from inside, of a model that a strategy asks, keeps its name and learns of the page. `MemoryError`
    is nobody's fault, and `passing` are exceptions that are meant for the user. (A class, and not a generator: it is
    entered several times for every page, and takes a quarter of the time.)

    Raises:
        PluginError: The block raised something else.
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
                problem=_one_line(error),
                traceback="".join(tracebacks.format_exception(error)),
                url=self._url,
                occasion=self._occasion,
            ) from error


def log_failure(error: PluginError, path: Path, about: str = "") -> None:
    """Add a traceback to a log file, with the time. The error names the file from then on.

    If the file cannot be written, the error goes on without one: what failed first matters more.

    Args:
        error: What was raised.
        path: The log file.
        about: What it happened to, for the log.
    """
    time = datetime.now().astimezone().isoformat(timespec="seconds")
    text = f"{time} {f'{about}: ' if about else ''}{error}\n{error.traceback.rstrip()}\n\n"
    with suppress(OSError):
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        error.log = path


def _one_line(error: Exception) -> str:
    """Type and message; of a message of several lines the first."""
    name, message = type(error).__name__, str(error).strip()
    return f"{name}: {message.splitlines()[0]}" if message else name
