"""Text to words with their positions: the unit of everything that is scored.

A word is a run of letters, digits and the marks that belong to them; everything else separates words. In scripts
written without spaces (Chinese, Japanese, Thai ...) a word begins at each letter, and goes to the end of the next one,
if that is of the same script: ``養蜂場`` has the words ``養蜂`` and ``蜂場``, and a last, empty one. Words of these
languages mostly have two letters or more, and pairs of letters are nearly as specific, without a dictionary. The empty
word keeps a place for the last letter, so that spans of words have the letters that they cover. A mark that does not
follow a letter is not a word, and soft hyphens are not part of one.

The text of a document comes in pieces, separated by tags; whether a word continues from one piece to the next depends
on the tag (``hon<b>ey</b>`` is one word, ``one<br>two`` are two).

Most words of a page are never looked at as strings: models want tokens, which a tokenizer knows by a word's key. So
words are found as positions in arrays, and their keys are computed from these.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.letters import (
    ALONE,
    BETWEEN,
    LETTER,
    MARK,
    SOFT_HYPHEN,
    in_latin_words,
    kinds,
    script_of,
    spaced_latin,
)

SEAM: Final = "\0"
"""Separates two pieces of text. It never occurs in the text of an HTML document."""

Places = NDArray[np.intp]
Keys = NDArray[np.uint64]

_NOWHERE: Final[Places] = np.zeros(0, np.intp)
_SPACE: Final = ord(" ")
_LAST_OF_LATIN: Final = 0xFF
_FEW: Final = 8  # up to one in this many characters may be outside Latin-1 without making it another script

_LONG: Final = 16  # characters that a word with a key has at most
_CHUNK: Final = 8  # bytes that are hashed at a time
_CHUNKS: Final = np.dtype("<u8")
_BEGINNINGS: Final = {size: np.dtype((np.void, _LONG * size)) for size in (1, 2, 4)}  # by the bytes of a character
# Arrays of characters have one space before and some after the text, so that every character has neighbours, and the
# beginning of any word is followed by as many characters as may belong to it.
_BEFORE, _AFTER = " ", " " * _LONG

# Random numbers, unknown to authors of pages, who could otherwise construct words with the same key.
_MIXER = np.uint64(secrets.randbits(64) | 1)
_FACTORS: Final = {size: np.uint64(secrets.randbits(64) | 1) for size in (1, 2, 4)}  # by the bytes of a character
_HALF, _LESS_THAN_HALF = np.uint64(32), np.uint64(29)

_CODECS: Final = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


class Words(Sequence[str]):
    """The words of a text, which become strings when one of them is asked for. Equal to a list of the same strings.

    How many they are, and their keys, is known without that. Immutable.
    """

    def __init__(self, text: str, units: NDArray[Any], starts: Places, ends: Places, odd: Places) -> None:
        """The words from each of `starts` to the one of `ends`.

        Args:
            text: The text; seams in a word are not part of it.
            units: Its characters, after `_BEFORE`, and before `_AFTER`.
            starts: Where each word begins in the text.
            ends: Where each word ends.
            odd: Places in words whose characters are not those in `units`.
        """
        self._text = text
        self._units = units
        self.starts = starts
        """Where each word begins in its text."""
        self._ends = ends
        self._odd = odd

    @classmethod
    def none(cls) -> Words:
        """No words."""
        return cls("", np.frombuffer((_BEFORE + _AFTER).encode(), np.uint8), _NOWHERE, _NOWHERE, _NOWHERE)

    @cached_property
    def keys(self) -> Keys:
        """The key of each word; 0 for a word that has none.

        Equal words have equal keys, in this process. Two words have the same key with a probability of 2⁻⁶⁴, and never
        if both have at most eight letters of Latin-1. Words of more than 16 characters have none, nor have others for
        which it would take too long.
        """
        if self._units.itemsize == 1:
            keys = _latin_keys(self._units, self.starts, self._ends, _FACTORS[1], _MIXER)
        else:
            keys = _keys(self._units, self.starts, self._ends)
        if len(self._odd):
            keys[self.starts.searchsorted(self._odd, "right") - 1] = 0
        return keys

    def some(self, numbers: Places) -> list[str]:
        """Some of the words, as strings."""
        text = self._text
        places = zip(self.starts[numbers].tolist(), self._ends[numbers].tolist(), strict=True)
        found = [text[start:end] for start, end in places]
        return [word.replace(SEAM, "") for word in found] if len(self._odd) else found

    @cached_property
    def _strings(self) -> list[str]:
        if self._units.itemsize == 1 and not len(self._odd):  # takes a third of the time
            return self._units.tobytes().translate(spaced_latin()).decode("latin-1").split()
        return self.some(np.arange(len(self)))

    def __getstate__(self) -> dict[str, Any]:
        """Without what another process computes for itself: there, words have other keys."""
        return {name: value for name, value in vars(self).items() if name not in {"keys", "_strings"}}

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._strings[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Words | list):
            return len(self) == len(other) and self._strings == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __repr__(self) -> str:
        return repr(self._strings)


def split_words(text: str, apart: AbstractSet[int] = frozenset()) -> tuple[list[str], NDArray[np.int32]]:
    """As `find_words`, with the words as strings."""
    words, before = find_words(text, apart)
    return list(words), before


def find_words(text: str, apart: AbstractSet[int] = frozenset()) -> tuple[Words, NDArray[np.int32]]:
    """The words of `text`, and for each of its pieces (and for its end) how many words begin before it.

    Pieces are separated by `SEAM` and numbered from 0. A word continues across a seam, and then belongs to the piece it
    begins in, but not into the pieces in `apart`, nor across two seams in a row.
    """
    if not text:
        return Words.none(), np.zeros(2, np.int32)
    units, inside, foreign, is_plain = _classified(f"{_BEFORE}{text}{_AFTER}")
    if is_plain:
        find = _edges if units.itemsize == 1 else _plain_edges
        starts, ends, joints, before = find(inside.view(np.uint8), units, apart)
        odd = np.concatenate((joints, foreign - len(_BEFORE))) if len(foreign) else joints
        return Words(text, units, starts, ends, odd), before
    seams = (units == 0).nonzero()[0]
    begins, spread, starts, ends = _look_closely(units, _joints(inside, seams, apart))
    before = np.zeros(len(seams) + 2, np.int32)
    begins.cumsum(dtype=np.int32).take(seams, out=before[1:-1], mode="clip")
    before[-1] = len(starts)
    spread_text = spread[len(_BEFORE) : -len(_AFTER)].tobytes().decode(_CODECS[spread.itemsize], "surrogatepass")
    return Words(spread_text, spread, starts, ends, seams[:0]), before


def _joints(inside: NDArray[Any], seams: Places, apart: AbstractSet[int]) -> Places:
    """The seams across which a word continues."""
    crossed = (inside.take(seams - 1) & inside.take(seams + 1)).nonzero()[0].tolist()
    return seams[[number for number in crossed if number + 1 not in apart]] if crossed else seams[:0]


_Classified = tuple[NDArray[Any], NDArray[np.bool_], Places, bool]
"""The characters of a text; which of them do not separate words; the places of letters that are not as in the text; and
whether everything in words is just letters."""


def _classified(text: str) -> _Classified:
    try:
        return _latin(text.encode("latin-1"), _NOWHERE)
    except UnicodeEncodeError:
        pass
    units = _wide(text)
    wide = (units > _LAST_OF_LATIN).nonzero()[0]
    found = kinds().take(units.take(wide))
    if len(wide) * _FEW <= len(text) and found.max() <= LETTER:
        narrow = units.astype(np.uint8)
        narrow[wide] = _SPACE
        encoded = narrow.tobytes()
        if SOFT_HYPHEN not in encoded:
            return _latin(encoded, wide.compress(found))
    found = kinds().take(units, mode="clip")
    return units, found != BETWEEN, _NOWHERE, int(found.max()) <= LETTER


def _latin(encoded: bytes, foreign: Places) -> _Classified:
    inside = np.frombuffer(bytearray(encoded).translate(in_latin_words()), np.bool_)
    if len(foreign):
        inside[foreign] = True
    return np.frombuffer(encoded, np.uint8), inside, foreign, SOFT_HYPHEN not in encoded


def _wide(text: str) -> NDArray[Any]:
    """The code points of a text, as the smallest numbers of which one is enough for each."""
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) == 2 * len(text):
        return np.frombuffer(encoded, "<u2")
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


_Edges = tuple[Places, Places, Places, NDArray[np.int32]]
"""Where words begin and end, and the seams in them, in a text without `_BEFORE`; how many begin before each piece."""


def _plain_edges(inside: NDArray[np.uint8], units: NDArray[Any], apart: AbstractSet[int]) -> _Edges:
    """The words of a text with nothing but letters in them, where `inside` says which characters are letters."""
    seams = (units == 0).nonzero()[0]
    joints = _joints(inside, seams, apart)
    inside[joints] = 1
    edges = (inside[1:] != inside[:-1]).nonzero()[0]
    starts, ends = edges[::2].copy(), edges[1::2].copy()  # numpy takes longer with every other number
    before = np.zeros(len(seams) + 2, np.int32)
    before[1:-1] = starts.searchsorted(seams - len(_BEFORE))
    before[-1] = len(starts)
    return starts, ends, joints - len(_BEFORE), before


@twin("words")
def _edges(inside: NDArray[np.uint8], units: NDArray[np.uint8], apart: AbstractSet[int]) -> _Edges:
    """The same for characters of one byte."""
    return _plain_edges(inside, units, apart)


@twin("words")
def _latin_keys(units: NDArray[np.uint8], starts: Places, ends: Places, factor: np.uint64, mixer: np.uint64) -> Keys:  # noqa: ARG001
    """`_keys` for characters of one byte."""
    return _keys(units, starts, ends)


def _keys(units: NDArray[Any], starts: Places, ends: Places) -> Keys:
    """A hash of each word; 0 for words of more than `_LONG` characters."""
    lengths = ends - starts
    size = units.itemsize
    width = _LONG * size // _CHUNK
    # At each character, all that a word may have that begins there: a view, of which numpy copies what it takes.
    beginning = np.ndarray(len(units) - _LONG, _BEGINNINGS[size], units, len(_BEFORE) * size, (size,))
    chunks: Keys = beginning[starts].view(_CHUNKS).reshape(-1, width)
    chunks &= _kept(size).take(lengths, axis=0, mode="clip")
    factor = _FACTORS[size]
    keys: Keys = chunks[:, 0] * factor
    for number in range(1, width):
        keys = _mixed(keys)
        keys ^= chunks[:, number]
        keys *= factor
    return keys


@cache
def _kept(size: int) -> Keys:
    """For each length of a word, which bits of its chunks belong to it; nothing for a word that is too long."""
    kept = np.zeros((_LONG + 2, _LONG * size), np.uint8)
    for length in range(_LONG + 1):
        kept[length, : length * size] = 0xFF
    return kept.view(_CHUNKS)


def _mixed(keys: Keys) -> Keys:
    """Each bit of the result depends on all bits of a key; different keys have different results, and 0 has 0."""
    keys = keys ^ (keys >> _HALF)
    keys *= _MIXER
    keys ^= keys >> _LESS_THAN_HALF
    return keys


def _look_closely(units: NDArray[Any], joints: Places) -> tuple[NDArray[np.bool_], NDArray[Any], Places, Places]:
    """Where words start, the text without what is not part of them, and where they begin and end there.

    For text with more than letters in words. `joints` are the seams across which a word continues.
    """
    found = kinds().take(units, mode="clip")
    found[joints] = MARK
    # A mark has the role of the character before it; in a run of marks, of the character before the first.
    marks = (found == MARK).nonzero()[0]
    first_of_run = np.diff(marks, prepend=-1) > 1
    roots = found.copy()
    roots[marks] = found[marks[first_of_run] - 1][first_of_run.cumsum() - 1]
    inside = roots != BETWEEN
    starts = found == ALONE
    starts[1:] |= (found[1:] == LETTER) & (roots[:-1] != LETTER)
    spread = units.copy()
    np.putmask(spread, ~inside, _SPACE)
    np.putmask(spread, units == SOFT_HYPHEN, 0)
    kept = spread != 0  # neither seams nor soft hyphens in words
    spread = spread.compress(kept)
    begins = starts.compress(kept).nonzero()[0]
    stops = (starts.compress(kept) | (spread == _SPACE)).nonzero()[0]
    ends = stops[stops.searchsorted(begins, "right")]
    ends = _paired(begins, ends, found.compress(kept).take(begins) == ALONE, script_of(spread.take(begins)))
    return starts, spread, begins - len(_BEFORE), ends - len(_BEFORE)


def _paired(begins: Places, ends: Places, alone: NDArray[np.bool_], scripts: NDArray[np.uint8]) -> Places:
    """The ends of words, if those in scripts without spaces go on to the end of the next one of the same script.

    The last of several is empty.
    """
    goes_on = np.zeros(len(begins) + 1, np.bool_)  # also before the first
    both = alone[1:] & alone[:-1] & (ends[:-1] == begins[1:]) & (scripts[1:] == scripts[:-1])
    goes_on[1 : len(both) + 1] = both
    here, before = goes_on[1:], goes_on[:-1]
    paired = np.where(here & alone, np.append(ends[1:], 0) if len(ends) else ends, ends)
    return np.where(before & ~here, begins, paired)
