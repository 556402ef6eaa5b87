"""Arrays in the user's cache, memory-mapped so that they open in milliseconds and only accessed parts are read.

A set of arrays is a folder: ``NAME.npy`` each, and ``about.json``. Processes that open the same set share its memory,
and the system takes it back when it is needed elsewhere.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.atomic_write import atomic_folder

_METADATA = "about.json"
_KEPT_FOR = 30 * 86_400.0  # seconds since the last use


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]) -> None:
    """Write a set of arrays and its metadata atomically. Raises `OSError`."""
    with atomic_folder(folder) as draft:
        for name, array in arrays.items():
            np.save(draft / f"{name}.npy", array, allow_pickle=False)
        (draft / _METADATA).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


def load_arrays(folder: Path, names: Iterable[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
    """Map what `save_arrays` wrote; None if it is missing or damaged."""
    try:
        about: dict[str, Any] = json.loads((folder / _METADATA).read_text(encoding="utf-8"))
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in names}
    except (OSError, ValueError, EOFError):
        return None
    with suppress(OSError):
        (folder / _METADATA).touch()  # in use
    return arrays, about


def drop_unused(folder: Path, now: float | None = None) -> None:
    """Delete the sets in a folder that have not been opened for 30 days."""
    oldest = (time.time() if now is None else now) - _KEPT_FOR
    with suppress(OSError):
        for entry in folder.iterdir():
            with suppress(OSError):
                used = (entry / _METADATA if (entry / _METADATA).exists() else entry).stat()
                if max(used.st_atime, used.st_mtime) < oldest:
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
