"""Atomic writes of files and folders: how honeyguide writes everything that others may be reading at the same time."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import BinaryIO

from honeyguide.errors import HoneyguideError, InputError

_LONGEST_NAME = 200  # bytes of the final name that the name of its draft repeats: file systems allow 255
_DRAFT = re.compile(r"\..+\.[0-9a-z_]{8,16}\.part", re.DOTALL).fullmatch


@contextmanager
def atomic_write(
    path: Path, *, parents: bool = False, durable: bool = False, streams: bool = True, mode: int = 0o666
) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends.

    Until then the bytes are in a draft with a unique name in the same folder. If the block raises, the draft is
    deleted and nothing has changed. If several processes write the same file at once, the last one wins, completely. A
    device or a pipe cannot be replaced and is written to directly.

    Args:
        path: The file to write. If it is a symbolic link, the link is replaced, not its target.
        parents: Create missing parent folders.
        durable: Return only when the file, under its name, would survive a power cut.
        streams: Write to devices and pipes directly. Without it they are replaced as files are: for names that the user
            has not given, in a folder that others may have prepared.
        mode: The permissions of the file, before the umask.

    Yields:
        The draft, open for writing bytes.

    Raises:
        OSError: The draft cannot be created, written or moved. If `path` is a folder, this is raised before the block
            begins.
    """
    if parents:
        path.parent.mkdir(parents=True, exist_ok=True)
    if _is_stream(path) and streams:
        with path.open("wb") as file:
            yield file
        return
    draft = path.with_name(f".{_shortened(path.name)}.{token_hex(8)}.part")
    # Exclusive: never write through an existing file or link, whoever created it.
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
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
def atomic_folder(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """Create a folder that replaces `path` when the block ends. Missing parent folders are created.

    If the block raises, nothing has changed. There is a moment between removing the old folder and moving the new one
    into place, and a crash at that moment leaves neither: use this only for data that can be recomputed. If two
    processes finish at the same moment, one may get an `OSError`; the folder of the other is then in place, complete.

    Args:
        path: The folder to create or replace.
        durable: Return only when the folder and the files in it would survive a power cut.

    Yields:
        An empty folder to fill, with files alone.

    Raises:
        OSError: The folder cannot be created or moved.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{_shortened(path.name)}."
    with TemporaryDirectory(dir=path.parent, prefix=prefix, suffix=".part", ignore_cleanup_errors=True) as beside:
        draft, old = Path(beside, "new"), Path(beside, "old")
        draft.mkdir()
        yield draft
        if durable:
            sync_files(draft)
        with suppress(FileNotFoundError):
            path.rename(old)
        try:
            draft.rename(path)
        except BaseException:
            if old.exists():
                old.rename(path)
            raise
    if durable:
        sync_folder(path.parent)


@contextmanager
def output_file(
    path: Path, *, parents: bool = False, durable: bool = False, streams: bool = True
) -> Iterator[BinaryIO]:
    """Open a file that the user has named, as `atomic_write` does, but with errors that the user understands.

    Args:
        path: The file to write.
        parents: Create missing parent folders.
        durable: Return only when the file, under its name, would survive a power cut.
        streams: Write to devices and pipes directly. Without it they are replaced as files are: for names that the user
            has not given, in a folder that others may have prepared.

    Yields:
        The draft, open for writing bytes.

    Raises:
        InputError: No file can be created there. The block has not run.
        HoneyguideError: Writing failed later, for example because the disk is full.
    """
    began = False
    try:
        with atomic_write(path, parents=parents, durable=durable, streams=streams) as file:
            began = True
            yield file
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        if began:
            raise HoneyguideError(f"{path}: {problem}; choose another path") from None
        raise InputError(str(path), problem, "choose another path, or create its folder first") from None


def refuse_unwritable(path: Path, remedy: str = "choose another path") -> None:
    """Refuse a path at which nothing can be created, before hours of work are spent on what should go there.

    Args:
        path: What is to be created. Its folder need not exist: the nearest one that does is checked.
        remedy: What the user can do.

    Raises:
        InputError: That folder is no folder, or may not be written to. (Of some file systems, such as /proc, only an
            attempt to write would tell.)
    """
    try:
        nearest = next(folder for folder in path.absolute().parents if os.path.lexists(folder))
        if not nearest.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{nearest} is not a folder")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, f"{nearest} is read-only, or belongs to somebody else")
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}", remedy) from None


@contextmanager
def output_errors(path: Path, remedy: str = "choose another path") -> Iterator[None]:
    """Turn any `OSError` of a block that writes to `path`, or below it, into one that the user understands.

    Args:
        path: What is written.
        remedy: What the user can do.

    Yields:
        Nothing.

    Raises:
        HoneyguideError: It could not be written.
    """
    try:
        yield
    except OSError as error:
        raise HoneyguideError(f"{path}: cannot be written: {error.strerror or error}; {remedy}") from error


def open_own(path: Path, flags: int, mode: int = 0o666) -> int:
    """Open a file that is written in place. Unlike `os.open`, never one that the folder's last owner linked elsewhere.

    Args:
        path: The file. Only its last component is checked: the folder itself may be reached through links.
        flags: As for `os.open`.
        mode: Permissions of a new file, before the umask.

    Returns:
        The descriptor.

    Raises:
        HoneyguideError: It is a symbolic link, a pipe, a device or a folder.
        OSError: It cannot be opened.
    """
    try:
        # Without O_NONBLOCK, opening a pipe for writing would wait for a reader; for files it means nothing.
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except OSError as error:
        if path.is_symlink() or error.errno in {errno.EISDIR, errno.ENXIO}:
            raise _not_own(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_own(path)
    return descriptor


def _not_own(path: Path) -> HoneyguideError:
    problem = "is a symbolic link" if path.is_symlink() else "is not a regular file"
    return HoneyguideError(f"{path}: {problem}, and is not written to; move it away")


def set_aside(path: Path) -> Path:
    """Rename a file that is in the way, but may contain data: to the first free name of NAME.set-aside-1, -2, ...

    Args:
        path: The file.

    Returns:
        Its new path.

    Raises:
        OSError: It cannot be renamed.
    """
    new = aside_name(path)
    path.rename(new)
    return new


def aside_name(path: Path) -> Path:
    """The first free name for a file that is set aside.

    Args:
        path: The file that it comes from.

    Returns:
        A path in the same folder, at which there is nothing.
    """
    names = (path.with_name(f"{path.name}.set-aside-{number}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def is_draft(name: str) -> bool:
    """Whether a file or folder of this name is a draft of this module, left behind by a killed process."""
    return _DRAFT(name) is not None


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder would survive a power cut; this does not cover the contents of its files."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_files(folder: Path) -> None:
    """Return when the files of a folder, under their names, would survive a power cut; not those of folders in it."""
    for path in folder.iterdir():
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    sync_folder(folder)


def _is_stream(path: Path) -> bool:
    """Whether `path` is a device or a pipe. Raises `IsADirectoryError` for a folder: better now than after the work."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    # /dev/stdout is a link to the stream; any other link was put there by somebody, and is replaced.
    is_own = not path.is_symlink() or path.absolute().parts[1:2] in {("dev",), ("proc",)}
    return is_own and path.exists() and not path.is_file()


def _shortened(name: str) -> str:
    return os.fsdecode(os.fsencode(name)[:_LONGEST_NAME])
