"""Files that are whole or not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from honeyguide.errors import HoneyguideError, InputError


@contextmanager
def appearing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that gets its name when it is complete. If anything goes wrong before, nothing has changed.

    Raises `InputError` when no file can be made there, `HoneyguideError` when writing fails later.
    """
    draft = path.with_name(f"{path.name}.part")
    try:
        file = draft.open("wb")
    except OSError as error:
        reason = f"cannot be written: {error.strerror or error}"
        raise InputError(str(path), reason, "choose another place, or make its folder first") from None
    try:
        with file:
            yield file
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise HoneyguideError(f"{path}: cannot be written: {error.strerror or error}; choose another place") from None
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
