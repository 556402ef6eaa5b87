"""Files and folders that are whole or not there: the only way honeyguide writes what others may read meanwhile."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import BinaryIO

from honeyguide.errors import HoneyguideError, InputError

_LONGEST_NAME = 200  # bytes of the final name that a draft's name repeats: file systems allow 255
_DRAFT = re.compile(r"\..+\.[0-9a-z_]{8,16}\.part", re.DOTALL).fullmatch


@contextmanager
def atomic_write(path: Path, *, parents: bool = False, durable: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name, and another's place, when the block has ended.

    Until then the bytes lie beside it in a draft of a name that nobody else has. If the block raises, the draft is
    deleted and nothing has changed. Several processes may write the same file at once: the last one wins, whole. A
    device or a pipe cannot be replaced and is written to as it is.

    Args:
        path: Where the file shall be. If it is a symbolic link, the link is replaced, not what it points to.
        parents: Make missing folders above it.
        durable: Return only when the file, under its name, would survive a power cut.

    Yields:
        The draft, open for writing bytes.

    Raises:
        OSError: The draft cannot be made, written or moved. A folder in the way is found before the block begins.
    """
    if parents:
        path.parent.mkdir(parents=True, exist_ok=True)
    if _is_stream(path):
        with path.open("wb") as file:
            yield file
        return
    draft = path.with_name(f".{_shortened(path.name)}.{token_hex(8)}.part")
    # Exclusive: a file or link that is there, however it came to be, is never written through.
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor, not a path)
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Make a folder that takes its name, and another's place, when the block has ended. The folders above are made.

    If the block raises, nothing has changed. Between the old folder and the new one there is a moment without any,
    and a crash then leaves none: only what can be made again is kept this way. Of two processes that end at the same
    moment one may get an `OSError`; the other's folder stands then, whole.

    Args:
        path: Where the folder shall be.

    Yields:
        An empty folder to fill.

    Raises:
        OSError: The folder cannot be made or moved.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{_shortened(path.name)}."
    with TemporaryDirectory(dir=path.parent, prefix=prefix, suffix=".part", ignore_cleanup_errors=True) as beside:
        draft, old = Path(beside, "new"), Path(beside, "old")
        draft.mkdir()
        yield draft
        with suppress(FileNotFoundError):
            path.rename(old)
        try:
            draft.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise


@contextmanager
def output_file(path: Path, *, parents: bool = False, durable: bool = False) -> Iterator[BinaryIO]:
    """A file that the user has named, written as `atomic_write` does, with errors that the user understands.

    Args:
        path: Where the file shall be.
        parents: Make missing folders above it.
        durable: Return only when the file, under its name, would survive a power cut.

    Yields:
        The draft, open for writing bytes.

    Raises:
        InputError: No file can be made there. Nothing of the block has run.
        HoneyguideError: Writing failed later, as on a full disk.
    """
    began = False
    try:
        with atomic_write(path, parents=parents, durable=durable) as file:
            began = True
            yield file
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        if began:
            raise HoneyguideError(f"{path}: {problem}; choose another place") from None
        raise InputError(str(path), problem, "choose another place, or make its folder first") from None


def is_draft(name: str) -> bool:
    """Whether a file or folder of this name is a draft of this module's: what a process that was killed leaves."""
    return _DRAFT(name) is not None


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder would survive a power cut; its files' contents are another matter."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_stream(path: Path) -> bool:
    """Whether there is a device or a pipe. Raises `IsADirectoryError` for a folder: better now than after the work."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return path.exists() and not path.is_file()


def _shortened(name: str) -> str:
    return os.fsdecode(os.fsencode(name)[:_LONGEST_NAME])
