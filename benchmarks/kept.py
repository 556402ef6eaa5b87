"""Results of long measurements that are kept, so that one that was interrupted goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from honeyguide.atomic_write import atomic_write


def kept(folder: Path | None, key: Sequence[object], make: Callable[[], Any]) -> Any:
    """What `make` returns, as JSON gives it back: made only once for a folder and a key. Always without a folder.

    The key has to name everything that decides the result; the code of the program in `honeyguide.lab.code.own_code`.
    """
    if folder is None:
        return make()
    path = folder / f"{sha256(json.dumps(key).encode()).hexdigest()[:24]}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(make())
        with atomic_write(path) as file:
            file.write(text.encode())
    return json.loads(path.read_bytes())
