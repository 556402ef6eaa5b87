"""The folder in which honeyguide stores data that it can recompute."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The cache folder of the user, according to the XDG specification; it may not exist yet."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    # XDG: a relative path is to be ignored.
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "honeyguide"
