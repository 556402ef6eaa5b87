"""Digests of the code that determines the result of a trial: after a change of the code, a trial is run again."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import all_suffixes
from itertools import accumulate
from pathlib import Path

from honeyguide.version import VERSION

_ROOT = Path(__file__).parents[1]
_ROOMS = ("crawl", "frontier", "page", "relevance", "strategy")


@cache
def own_code() -> str:
    """A digest of our version and of those of our sources that determine the result of a trial.

    They are read once per process, in some milliseconds. Reports and virtual webs are excluded: the digest of a web is
    part of the key of a trial anyway.
    """
    rooms = (path for room in _ROOMS for path in (_ROOT / room).rglob("*.py"))
    return _digest(_ROOT, (*rooms, *(_ROOT / "lab").glob("*.py")), VERSION)


def plugin_code(module: str) -> str:
    """A digest of the package that a module belongs to, or of the module when it stands alone.

    Args:
        module: The name of a module that provides a strategy or a model; "" for a built-in one.

    Returns:
        "" for one of our own modules, which `own_code` covers. A different value each time for a module without a file,
        whose code cannot be compared.
    """
    if module.partition(".")[0] in {"", __name__.partition(".")[0]}:
        return ""
    for name in accumulate(module.split("."), "{}.{}".format):
        file = getattr(import_module(name), "__file__", None)
        if file is None:  # a namespace, which several packages may share: the package is further down
            continue
        path = Path(file)
        is_package = path.stem == "__init__"
        return _digest(path.parent, _code_files(path.parent) if is_package else (path,))
    return secrets.token_hex(16)


def _code_files(folder: Path) -> Iterator[Path]:
    """The modules of a package, in whatever language; not Python's cache of them, which the first run writes."""
    for path in folder.rglob("*"):
        if path.suffix in all_suffixes() and path.parent.name != "__pycache__":
            yield path


def _digest(root: Path, files: Iterable[Path], *more: str) -> str:
    content = blake2b(repr(more).encode(), digest_size=16)
    for path in sorted(files):
        source = path.read_bytes()
        content.update(f"{path.relative_to(root).as_posix()} {len(source)}\n".encode())
        content.update(source)
    return content.hexdigest()
