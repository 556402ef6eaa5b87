"""Where WordNet is, and its arrays, which are made once and lie in the user's cache from then on."""

from __future__ import annotations

import os
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np

from honeyguide.atomic_write import atomic_write
from honeyguide.cache import cache_folder
from honeyguide.errors import InputError
from honeyguide.relevance.semantic.wordnet import DATA, EXCEPTIONS, INDEX, Files, Nouns, fold

VARIABLE = "HONEYGUIDE_WORDNET"
BY_HAND = (
    "install it (`apt install wordnet-base`, or `pip install nltk` and `python -m nltk.downloader wordnet`), "
    "or name its folder in relevance.wordnet"
)
REMEDY = f"run `honeyguide wordnet` (or `make wordnet`), or {BY_HAND}"

_FORMAT = 1  # of the arrays; another number when they are made in another way
_NLTK = ("corpora/wordnet", "corpora/wordnet.zip")

OF_THE_SYSTEM = (
    *(
        Path(top, "nltk_data", name)
        for top in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")
        for name in _NLTK
    ),
    Path("/usr/share/wordnet"),
)
"""Where all users of a machine have it."""


class WordNet(NamedTuple):
    """A WordNet's nouns, and which WordNet that is."""

    nouns: Nouns
    digest: str


def own_copy() -> Path:
    """The WordNet that `honeyguide wordnet` has fetched, if it has."""
    return cache_folder() / "wordnet"


def load(given: str = "", digest: str = "") -> WordNet:
    """The WordNet at the place given, or else the first that is found; of that digest, where one is asked for.

    Raises `InputError` when there is none, when there is none at the place given, or only another than asked for.
    """
    if digest and (kept := _kept(digest)):
        return WordNet(kept, digest)
    path, files = find(given)
    if digest and files.digest != digest:
        raise InputError(
            str(path),
            "is another WordNet than the one the model was made with",
            "name that one in relevance.wordnet, or train again",
        )
    return WordNet(folded(files, path), files.digest)


def find(given: str = "") -> tuple[Path, Files]:
    """As `look`, but raises `InputError` when there is none."""
    found = look(given)
    if found is None:
        raise InputError("WordNet", "is not on this machine", REMEDY)
    return found


def look(given: str = "") -> tuple[Path, Files] | None:
    """The files of the WordNet at the place given, here or in the environment; else of the first in a usual place.

    Raises `InputError` when there is none at the place given; None when there is none anywhere.
    """
    asked = given or os.environ.get(VARIABLE, "")
    for path in [Path(asked).expanduser()] if asked else _usual_places():
        if files := read(path):
            return path, files
    if asked:
        raise InputError(asked, f"holds no WordNet ({INDEX}, {DATA}, {EXCEPTIONS})", REMEDY)
    return None


def read(path: Path) -> Files | None:
    """The files in a folder, or in a zip archive as NLTK has it; None when they are not all there."""
    try:
        if path.suffix != ".zip":
            return Files(*((path / name).read_bytes() for name in (INDEX, DATA, EXCEPTIONS)))
        with zipfile.ZipFile(path) as archive:
            members = {Path(name).name: name for name in archive.namelist()}
            return Files(*(archive.read(members[name]) for name in (INDEX, DATA, EXCEPTIONS)))
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error):
        return None


def folded(files: Files, path: Path) -> Nouns:
    """The arrays of a WordNet: from the cache, or made and put there. A cache that cannot be written is no matter."""
    nouns = _kept(files.digest)
    if nouns is None:
        nouns = fold(files, str(path))
        with suppress(OSError):
            _keep(nouns, files.digest)
    return nouns


def _usual_places() -> Iterator[Path]:
    yield own_copy()
    told = [Path(folder) for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    beside = [Path(sys.prefix, *parts) for parts in (("nltk_data",), ("share", "nltk_data"), ("lib", "nltk_data"))]
    for folder in (*told, Path.home() / "nltk_data", *beside):
        yield from (folder / name for name in _NLTK)
    yield from OF_THE_SYSTEM


def _file(digest: str) -> Path:
    return cache_folder() / f"nouns-{_FORMAT}-{digest}.npz"


def _kept(digest: str) -> Nouns | None:
    """The arrays in the cache; None when they are not there, or damaged."""
    try:
        with _file(digest).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return Nouns(**{field.name: arrays[field.name] for field in fields(Nouns)})
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def _keep(nouns: Nouns, digest: str) -> None:
    with atomic_write(_file(digest), parents=True) as file:
        np.savez(file, **{field.name: getattr(nouns, field.name) for field in fields(Nouns)})
