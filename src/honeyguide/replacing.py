"""Replacing a file in one step, for what honeyguide keeps for itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of another when it is complete, and leaves no trace if it never is.

    Its folder is made if need be. Several processes may do so at the same time: the last one wins, whole. Raises
    `OSError` as it comes: what the user asked for by name is written with `honeyguide.store.draft.appearing`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            yield file
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
