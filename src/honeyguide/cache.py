"""Where honeyguide keeps what it can make again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The user's cache, as XDG says where; it need not exist yet."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rules: a relative path is as none.
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "honeyguide"
