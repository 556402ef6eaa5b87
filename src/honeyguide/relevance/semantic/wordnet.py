"""WordNet's nouns, from its own files into the few arrays that a measure of similarity needs.

The files are described in WordNet's manual pages wndb(5), of which ``index.noun`` (word → synsets), ``data.noun``
(synset → hypernyms) and ``noun.exc`` (irregular plural → word) are read.

The similarity measures only need to know which synsets are above a word's own (its *concepts*), and how far above the
nearest of its own. Inflected forms are listed beforehand, so that a form is found by its token alone.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.relevance.text import Tokens

INDEX, DATA, EXCEPTIONS = "index.noun", "data.noun", "noun.exc"

_HYPERNYMS = ("@", "@i")  # a kind of; an instance of
_LICENCE = "  "  # prefix of the lines of the licence

# Morphy's rules for nouns, reversed: the ending of a word → that of its plural.
_PLURALS = (
    ("", "s"), ("s", "ses"), ("x", "xes"), ("z", "zes"), ("ch", "ches"), ("sh", "shes"), ("man", "men"), ("y", "ies"),
)  # fmt: skip
_SHORTEST_PLURAL = 3  # Morphy leaves "us" and "boss" alone
_NO_PLURAL = "ss"


@dataclass(frozen=True)
class Files:
    """The content of WordNet's noun files."""

    index: bytes
    data: bytes
    exceptions: bytes

    @cached_property
    def digest(self) -> str:
        """Identifies the content, wherever the files are."""
        content = hashlib.sha256()
        for name in fields(self):
            part: bytes = getattr(self, name.name)
            content.update(len(part).to_bytes(8, "big") + part)
        return content.hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Nouns:
    """Every form of every single-word noun, and the concepts above it.

    The concepts of form number i are those at ``starts[row[i]] : starts[row[i] + 1]``.
    """

    forms: Tokens
    """Tokens of lower-case words, in ascending order."""
    row: NDArray[np.int32]
    starts: NDArray[np.int64]
    concept: NDArray[np.int32]
    """Number of a synset: one of the word's own, or one above. In ascending order for each word."""
    distance: NDArray[np.int16]
    """The number of steps up from the nearest of the word's own synsets."""
    depth: NDArray[np.int16]
    """For each synset, the number of synsets on the longest path from a root to it, both included."""

    def find(self, words: Tokens) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Which of the words are nouns, as indices, and their rows."""
        if not len(self.forms):
            return np.zeros(0, np.intp), np.zeros(0, np.int32)
        place = np.minimum(np.searchsorted(self.forms, words), len(self.forms) - 1)
        known = np.flatnonzero(self.forms[place] == words)
        return known, self.row[place[known]]


def fold(files: Files, place: str) -> Nouns:
    """The arrays of a WordNet. `place` is named in the error if its files are invalid."""
    try:
        hypernyms = _hypernyms(_lines(files.data))
        own = _own_synsets(_lines(files.index))
        exceptions = {form: bases for form, *bases in map(str.split, _lines(files.exceptions))}
        above, depth = _concepts(hypernyms)
        return _arrays(own, _forms(own, exceptions), above, depth)
    except (ValueError, IndexError, KeyError, CycleError):
        raise InputError(
            place, "contains no WordNet that can be read", "name the folder that contains index.noun and data.noun"
        ) from None


def _lines(content: bytes) -> Iterator[str]:
    for line in content.decode("utf-8").splitlines():
        if line.strip() and not line.startswith(_LICENCE):
            yield line


def _hypernyms(lines: Iterable[str]) -> dict[int, list[int]]:
    """Synset → those directly above it. A synset is identified by the offset of its line."""
    found = {}
    for line in lines:
        offset, _file, _kind, words, *rest = line.partition(" | ")[0].split()
        pointers = rest[2 * int(words, 16) + 1 :]  # after the words, each with a number, and the count of pointers
        found[int(offset)] = [
            int(target) for symbol, target in zip(pointers[::4], pointers[1::4], strict=True) if symbol in _HYPERNYMS
        ]
    return found


def _own_synsets(lines: Iterable[str]) -> dict[str, list[int]]:
    """Word → its synsets. Only single words, as they occur between spaces and signs: no "hot_dog", no "jack-knife"."""
    found = {}
    for line in lines:
        lemma, _kind, count, *rest = line.split()
        if lemma.isalnum():
            found[lemma] = [int(offset) for offset in rest[-int(count) :]]
    return found


def _forms(own: Mapping[str, list[int]], exceptions: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """Each form in which a word can occur → the words it may be a form of: "axes" → "axes", "axe", "axis".

    As in Morphy: irregular forms by their list, others by the rules, and always the form itself.
    """
    found: dict[str, list[str]] = {word: [word] for word in own}
    for word in own:
        for singular, plural in _PLURALS:
            form = word.removesuffix(singular) + plural
            regular = len(form) >= _SHORTEST_PLURAL and not form.endswith(_NO_PLURAL) and form not in exceptions
            if word.endswith(singular) and regular:
                found.setdefault(form, []).append(word)
    for form, bases in exceptions.items():
        for base in bases:
            if base in own and base != form:
                found.setdefault(form, []).append(base)
    return {form: tuple(bases) for form, bases in found.items()}


def _concepts(hypernyms: Mapping[int, list[int]]) -> tuple[dict[int, dict[int, int]], dict[int, int]]:
    """Synset → the synsets above it with the shortest path to each; synset → its depth."""
    above: dict[int, dict[int, int]] = {}
    depth: dict[int, int] = {}
    for synset in TopologicalSorter(hypernyms).static_order():
        parents = hypernyms[synset]
        depth[synset] = 1 + max((depth[parent] for parent in parents), default=0)
        above[synset] = _nearest(
            [{synset: 0}, *({far: steps + 1 for far, steps in above[parent].items()} for parent in parents)]
        )
    return above, depth


def _nearest(ways: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """The shortest of several paths to each synset."""
    best: dict[int, int] = {}
    for way in ways:
        for synset, steps in way.items():
            if steps < best.get(synset, steps + 1):
                best[synset] = steps
    return best


def _arrays(
    own: Mapping[str, list[int]],
    forms: Mapping[str, tuple[str, ...]],
    above: Mapping[int, Mapping[int, int]],
    depth: Mapping[int, int],
) -> Nouns:
    number = {synset: place for place, synset in enumerate(sorted(depth))}
    rows = {bases: place for place, bases in enumerate(dict.fromkeys(forms.values()))}
    concepts = [
        sorted(_nearest(above[synset] for base in bases for synset in own[base]).items()) for bases in rows
    ]  # numbers are in the order of synsets: both are sorted alike
    tokens, first = np.unique(np.array([zlib.crc32(form.encode()) for form in forms], np.uint32), return_index=True)
    return Nouns(
        forms=tokens,
        row=np.array([rows[bases] for bases in forms.values()], np.int32)[first],
        starts=np.cumsum([0, *map(len, concepts)]),
        concept=np.array([number[synset] for each in concepts for synset, _ in each], np.int32),
        distance=np.array([steps for each in concepts for _, steps in each], np.int16),
        depth=np.array([depth[synset] for synset in number], np.int16),
    )
