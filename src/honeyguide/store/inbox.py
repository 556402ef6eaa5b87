"""The inbox of a crawl: commands from other processes, one small file each, until the crawl has applied them.

Anyone who may write to the folder of a crawl may send it commands, whether it runs or not. The crawl checks its inbox
about once a second. It records a command as an event, with its effects in the same transaction, and only then deletes
the file.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from secrets import token_hex
from time import time, time_ns
from typing import Any

from honeyguide.atomic_write import atomic_write, open_own, set_aside
from honeyguide.errors import HoneyguideError, InputError, one_line
from honeyguide.store.commands import Command, checked
from honeyguide.store.connection import FILE, TOPIC, connect, database_errors
from honeyguide.store.stored_topic import stored_topic
from honeyguide.store.url_events import parse_detail

INBOX = "inbox"
"""The folder of the commands, in the folder of a crawl."""
TOLD = "told"
"""The kind of the event that records a command."""

_log = logging.getLogger("honeyguide.store")

_MAX_BYTES = 256 * 1024  # bytes of a command
_MAX_WAITING = 1000  # commands that may wait
_LONGEST_BY = 200
_NAME = re.compile(r"[0-9]{20}-[0-9a-f]{16}").fullmatch
_TAIL = 50_000  # events among which the result of a command is looked for: more than any crawl records in a minute


@dataclass(frozen=True, slots=True)
class Message:
    """A command that was sent."""

    id: str
    time: float
    """When it was sent, in Unix time."""
    by: str
    """Who sent it: "tell: user@host", "dashboard"."""
    command: Command


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a command."""

    ok: bool
    """Whether it was applied."""
    text: str


def send(folder: str | Path, command: Command, *, by: str) -> str:
    """Send a command to a crawl, running or not. It is on disk when this returns.

    Args:
        folder: The folder of the crawl.
        command: What to do.
        by: Who wants it, for the record.

    Returns:
        The id of the command, for `result_of`.

    Raises:
        InputError: There is no crawl, no such command, or its arguments are wrong; or too many commands wait.
        HoneyguideError: The command cannot be written.
    """
    folder = Path(folder)
    if not (folder / TOPIC).is_file():
        raise InputError(str(folder), "does not contain a crawl", "name the folder of a crawl, like crawls/NAME")
    command = checked(command, stored_topic(folder, plugins=False))
    number = f"{time_ns():020d}-{token_hex(8)}"
    text = _text(Message(number, time(), by[:_LONGEST_BY], command))
    if len(text) > _MAX_BYTES:
        raise InputError(command.name, f"is {len(text):,} bytes long", f"send less at a time: {_MAX_BYTES:,} bytes")
    inbox = folder / INBOX
    if len(_names(inbox)) >= _MAX_WAITING:
        raise InputError(
            str(inbox), f"{_MAX_WAITING:,} commands are already pending", "start the crawl, so that it applies them"
        )
    _put(inbox, number, text)
    return number


def deliver(folder: Path, message: Message) -> None:
    """Put a command into the inbox of a shard as it came into that of the whole crawl. It is on disk then.

    Raises `HoneyguideError` when it cannot be written.
    """
    _put(folder / INBOX, message.id, _text(message))


def _put(inbox: Path, number: str, text: str) -> None:
    try:
        with suppress(FileExistsError):
            inbox.mkdir()
        _refuse_link(inbox)
        with atomic_write(inbox / f"{number}.json", durable=True, streams=False) as file:
            file.write(text.encode())
    except OSError as error:
        raise HoneyguideError(f"{inbox}: cannot be written: {error.strerror or error}") from error


def _text(message: Message) -> str:
    command = message.command
    found = {"id": message.id, "time": message.time, "by": message.by}
    return json.dumps({**found, "command": command.name, "arguments": command.arguments})


def pending(folder: str | Path) -> list[Message]:
    """The commands that the crawl has not applied yet, in the order of sending. Invalid files are left out."""
    return [message for _, message in _read_all(Path(folder) / INBOX) if isinstance(message, Message)]


def result_of(folder: str | Path, number: str) -> Result | None:
    """The result of a command, by its id; None if it has not been applied yet, or was long ago.

    Raises `HoneyguideError` when the database cannot be read.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        return None
    connection = connect(path, read_only=True)
    try:
        with database_errors(path):
            sql = "SELECT detail FROM events WHERE kind = ? AND id > (SELECT max(id) FROM events) - ? ORDER BY id DESC"
            for (text,) in connection.execute(sql, (TOLD, _TAIL)):
                detail = parse_detail(text)
                if detail.get("id") == number:
                    return Result(bool(detail.get("ok")), str(detail.get("result", "")))
    finally:
        connection.close()
    return None


class Inbox:
    """The inbox from the side of the crawl. Nothing that others put there can make it raise."""

    def __init__(self, folder: Path) -> None:
        """`folder` is that of the crawl."""
        self._path = folder / INBOX
        self._returned: set[str] = set()  # ids of commands that were returned, whose files still exist
        self._stuck: set[str] = set()  # names of files that could not be removed

    def take(self) -> list[Message]:
        """The new commands, in the order of sending. Their files stay until `delete`.

        Invalid files are set aside, with a warning.
        """
        found = []
        for path, message in _read_all(self._path, self._returned | self._stuck):
            if isinstance(message, Message):
                self._returned.add(message.id)
                found.append(message)
            elif message:
                self._set_aside(path, message)
        return found

    def delete(self) -> None:
        """Delete the files of the returned commands, which are recorded now."""
        while self._returned:
            number = self._returned.pop()
            try:
                (self._path / f"{number}.json").unlink(missing_ok=True)
            except OSError as error:  # it is not returned again in this run, and the next one recognises it
                self._stuck.add(number)
                _log.warning("%s cannot be deleted: %s", self._path / f"{number}.json", error.strerror)

    def _set_aside(self, path: Path, problem: str) -> None:
        try:
            _log.warning("%s is not a command (%s); it is kept as %s", path, problem, set_aside(path).name)
        except OSError as error:
            self._stuck.add(path.stem)
            _log.warning("%s is not a command (%s), and cannot be set aside: %s", path, problem, error.strerror)


def _refuse_link(inbox: Path) -> None:
    if inbox.is_symlink() or not inbox.is_dir():
        raise HoneyguideError(f"{inbox}: is not a folder that honeyguide has made; move it away")


def _names(inbox: Path) -> list[str]:
    """The names of files that may be commands, in the order of sending: at most the first thousands."""
    if inbox.is_symlink():
        return []
    try:
        with os.scandir(inbox) as entries:
            return sorted(entry.name for entry in islice(entries, 10 * _MAX_WAITING) if entry.name.endswith(".json"))
    except OSError:  # usually, there is no inbox
        return []


def _read_all(inbox: Path, but: set[str] | frozenset[str] = frozenset()) -> Iterator[tuple[Path, Message | str]]:
    """Yield each file with its command, or with its problem; "" for a file that has been deleted meanwhile."""
    for name in _names(inbox)[:_MAX_WAITING]:
        if name.removesuffix(".json") not in but:
            yield inbox / name, _read(inbox / name)


def _read(path: Path) -> Message | str:
    try:
        with os.fdopen(open_own(path, os.O_RDONLY), "rb") as file:
            data = file.read(_MAX_BYTES + 1)
        return _parsed(json.loads(data), path.stem) if len(data) <= _MAX_BYTES else "it is too large"
    except FileNotFoundError:
        return ""
    except (HoneyguideError, OSError, ValueError, RecursionError) as error:
        return one_line(error)


def _parsed(found: Any, number: str) -> Message | str:
    """Read the command in a file. Its id is the file name, so ids are unique."""
    if not isinstance(found, dict):
        return "it is not an object"
    own, sent, by, name, arguments = (found.get(key) for key in ("id", "time", "by", "command", "arguments"))
    if own != number or not _NAME(number):
        return "its name is not its id"
    if not isinstance(sent, int | float) or not 0 <= sent < 1e11 or not isinstance(by, str):
        return "it does not say when it was sent, and by whom"
    if (
        not isinstance(name, str)
        or not isinstance(arguments, list)
        or not all(isinstance(one, str) for one in arguments)
    ):
        return "it has no command with arguments"
    return Message(number, float(sent), by[:_LONGEST_BY], Command(name, tuple(arguments)))
