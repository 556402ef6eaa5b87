"""Downloads WordNet: from Debian's package without root, or through NLTK."""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from honeyguide.atomic_write import atomic_folder
from honeyguide.errors import HoneyguideError
from honeyguide.relevance.semantic import find
from honeyguide.relevance.semantic.wordnet import DATA, EXCEPTIONS, INDEX, Files

_log = logging.getLogger("honeyguide.relevance")

_PATIENCE = 300  # time limit for one program, in seconds
_APT_OPTIONS = ("-q", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::https::Timeout=20")


def fetch() -> str:
    """Put WordNet's files into honeyguide's own copy, from the first source that has them; return the source.

    Raises `HoneyguideError` with the problem of every source and the alternatives.
    """
    problems = []
    for source, get in _SOURCES.items():
        _log.info("downloading WordNet from %s", source)
        with TemporaryDirectory() as folder:
            try:
                files = find.read(get(Path(folder)))
            except _NotThereError as problem:
                problems.append(f"{source}: {problem}")
                continue
        if files:
            keep_copy(files)
            return source
        problems.append(f"{source}: lacks {INDEX} or {DATA}")
    raise HoneyguideError(f"WordNet could not be downloaded ({'; '.join(problems)}); {find.BY_HAND}")


def keep_copy(files: Files) -> None:
    """Make these files honeyguide's own copy, atomically, replacing an existing one."""
    folder = find.own_copy()
    try:
        with atomic_folder(folder) as draft:
            for name, content in ((INDEX, files.index), (DATA, files.data), (EXCEPTIONS, files.exceptions)):
                (draft / name).write_bytes(content)
    except OSError as error:
        problem = f"{folder}: cannot be written ({error.strerror})"
        raise HoneyguideError(f"{problem}; set XDG_CACHE_HOME to a writable folder") from None


class _NotThereError(Exception):
    """A source does not have WordNet, or is not available itself."""


def _from_debian(folder: Path) -> Path:
    _run(folder, "apt-get", *_APT_OPTIONS, "download", "wordnet-base")
    for package in folder.glob("*.deb"):
        _run(folder, "dpkg-deb", "-x", str(package), "unpacked")
    return folder / "unpacked" / "usr" / "share" / "wordnet"


def _run(folder: Path, program: str, *arguments: str) -> None:
    path = shutil.which(program)
    if path is None:
        raise _NotThereError(f"no {program}")
    try:
        subprocess.run(  # noqa: S603 (fixed arguments)
            [path, *arguments], cwd=folder, check=True, capture_output=True, timeout=_PATIENCE, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        raise _NotThereError(f"{program} {arguments[-1]} failed") from None


def _from_nltk(folder: Path) -> Path:
    try:
        nltk = import_module("nltk")  # not an import statement: nltk is not a dependency, and has no types
    except ImportError:
        raise _NotThereError("not installed") from None
    if not nltk.download("wordnet", download_dir=str(folder), quiet=True):
        raise _NotThereError("its download failed")
    return folder / "corpora" / "wordnet.zip"


_SOURCES: dict[str, Callable[[Path], Path]] = {"Debian's wordnet-base": _from_debian, "NLTK": _from_nltk}
