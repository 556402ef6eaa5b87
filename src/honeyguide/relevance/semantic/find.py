"""Finds WordNet, and its arrays, which are computed once and then stored in the user's cache."""

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

_FORMAT = 1  # of the arrays; increased if they are computed differently
_NLTK = ("corpora/wordnet", "corpora/wordnet.zip")

OF_THE_SYSTEM = (
    *(
        Path(top, "nltk_data", name)
        for top in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")
        for name in _NLTK
    ),
    Path("/usr/share/wordnet"),
)
"""System-wide installations."""


class WordNet(NamedTuple):
    """The nouns of a WordNet, and its identity."""

    nouns: Nouns
    digest: str


def own_copy() -> Path:
    """The folder of the WordNet that `honeyguide wordnet` downloads; it may not exist."""
    return cache_folder() / "wordnet"


def load(given: str = "", digest: str = "") -> WordNet:
    """The WordNet at the given place, or else the first that is found; with the given digest if there is one.

    Raises `InputError` if there is none at all, none at the given place, or only one with another digest.
    """
    if digest and (kept := _kept(digest)):
        return WordNet(kept, digest)
    path, files = find(given)
    if digest and files.digest != digest:
        raise InputError(
            str(path),
            "is not the WordNet that the model was trained with",
            "name that one in relevance.wordnet, or train again",
        )
    return WordNet(folded(files, path), files.digest)


def find(given: str = "") -> tuple[Path, Files]:
    """As `look`, but raises `InputError` if there is none."""
    found = look(given)
    if found is None:
        raise InputError("WordNet", "is not on this machine", REMEDY)
    return found


def look(given: str = "") -> tuple[Path, Files] | None:
    """The files of the WordNet at the place given here or in the environment; otherwise the first in a default place.

    Raises `InputError` if there is none at the given place; returns None if there is none anywhere.
    """
    given_path = given or os.environ.get(VARIABLE, "")
    for path in [Path(given_path).expanduser()] if given_path else _usual_places():
        if files := read(path):
            return path, files
    if given_path:
        raise InputError(given_path, f"contains no WordNet ({INDEX}, {DATA}, {EXCEPTIONS})", REMEDY)
    return None


def read(path: Path) -> Files | None:
    """The files in a folder, or in a zip archive like NLTK's; None if any of them is missing."""
    try:
        if path.suffix != ".zip":
            return Files(*((path / name).read_bytes() for name in (INDEX, DATA, EXCEPTIONS)))
        with zipfile.ZipFile(path) as archive:
            members = {Path(name).name: name for name in archive.namelist()}
            return Files(*(archive.read(members[name]) for name in (INDEX, DATA, EXCEPTIONS)))
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error):
        return None


def folded(files: Files, path: Path) -> Nouns:
    """The arrays of a WordNet: from the cache, or computed and stored there. A read-only cache is not an error."""
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
    """The arrays in the cache; None if they are missing or damaged."""
    try:
        with _file(digest).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return Nouns(**{field.name: arrays[field.name] for field in fields(Nouns)})
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def _keep(nouns: Nouns, digest: str) -> None:
    with atomic_write(_file(digest), parents=True) as file:
        np.savez(file, **{field.name: getattr(nouns, field.name) for field in fields(Nouns)})
