"""Text to words with their positions: the unit of everything that is scored.

A word is a run of letters, digits and the marks that belong to them; everything else separates words. In scripts
written without spaces (Chinese, Japanese, Thai ...) each letter, with its marks, is a word. A mark that does not follow
a letter is not a word, and soft hyphens are not part of one.

The text of a document comes in pieces, separated by tags; whether a word continues from one piece to the next depends
on the tag (``hon<b>ey</b>`` is one word, ``one<br>two`` are two).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

SEAM: Final = "\0"
"""Separates two pieces of text. It never occurs in the text of an HTML document."""

_BETWEEN, _LETTER, _MARK, _ALONE, _DIGIT = range(5)

# Scripts without spaces: Thai and Lao, Myanmar, Khmer, kana, CJK ideographs, with their later extensions.
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3006),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x323AF),
)
_KIND_OF_CATEGORY = {"L": _LETTER, "N": _DIGIT, "M": _MARK}
_JOINERS = (0x200C, 0x200D)  # zero-width, inside words of Persian and Indian scripts
_VARIATIONS = slice(0xE0100, 0xE01F0)  # marks that select a form of the ideograph before them
_SOFT_HYPHEN: Final = "\xad"  # where a word may be broken at the end of a line: not part of the word

# In text that is about to be split everything is a letter or a space, except for these:
_DROPPED = 0  # not part of the word that contains it
_SPECIAL = 1  # needs a closer look

_SPACE: Final = ord(" ")
_LAST_OF_LATIN = 0xFF

# The narrowest codec that has one unit per character of a text is the fastest.
_UNITS: Final[dict[str, type[np.unsignedinteger[Any]]]] = {
    "latin-1": np.uint8,
    "utf-16-le": np.uint16,
    "utf-32-le": np.uint32,
}


@cache
def _kinds() -> NDArray[np.uint8]:
    """The kind of each code point. Only the first two planes have letters outside `_WITHOUT_SPACES`."""
    kinds = np.zeros(0x110000, np.uint8)
    category, kind_of = unicodedata.category, _KIND_OF_CATEGORY
    kinds[:0x20000] = [kind_of.get(category(chr(point))[0], _BETWEEN) for point in range(0x20000)]
    kinds[0x20000:0x323B0] = _LETTER
    for first, last in _WITHOUT_SPACES:
        part = kinds[first : last + 1]
        part[part == _LETTER] = _ALONE
    kinds[kinds == _DIGIT] = _LETTER
    kinds[_VARIATIONS] = _MARK
    kinds[[*_JOINERS, ord(_SOFT_HYPHEN)]] = _MARK
    return kinds


@cache
def _spaced(codec: str) -> NDArray[Any]:
    """For each code point of a codec, its replacement in text that is about to be split."""
    unit = _UNITS[codec]
    kinds = _kinds()[: np.iinfo(unit).max + 1]
    spaced = np.arange(len(kinds)).astype(unit)
    spaced[kinds == _BETWEEN] = _SPACE
    spaced[kinds >= _MARK] = _SPECIAL
    return spaced


@cache
def _latin_table() -> bytes:
    """`_spaced` for Latin-1, as a table for `bytes.translate`."""
    return _spaced("latin-1").tobytes()


def split_words(text: str, apart: AbstractSet[int] = frozenset()) -> tuple[list[str], NDArray[np.int32]]:
    """The words of `text`, and for each of its pieces (and for its end) how many words begin before it.

    Pieces are separated by `SEAM` and numbered from 0. A word continues across a seam, and then belongs to the piece it
    begins in, but not into the pieces in `apart`, nor across two seams in a row.
    """
    if not text:
        return [], np.zeros(2, np.int32)
    codec, points = _points(text)
    if codec == "latin-1":  # takes half the time of numpy
        spaced = np.frombuffer(bytearray(points).translate(_latin_table()), np.uint8)
    else:
        spaced = _spaced(codec).take(points)
    inside = np.zeros(len(text) + 2, np.bool_)  # for each character, and for the positions before and after the text
    np.not_equal(spaced, _SPACE, out=inside[1:-1])
    seams = (points == 0).nonzero()[0]
    crossed = (inside.take(seams) & inside.take(seams + 2)).nonzero()[0].tolist()
    joints = seams[[number for number in crossed if number + 1 not in apart]] if crossed else seams[:0]
    all_letters = spaced.min() >= _SPACE
    if all_letters:
        starts = inside[1:-1] > inside[:-2]
        starts[joints + 1] = False
        spaced[joints] = _DROPPED
    else:
        starts, spaced = _look_closely(points, joints)
    spread = spaced.tobytes().decode(codec)
    if len(joints) or not all_letters:
        spread = spread.replace(SEAM, "")  # the dropped characters
    words = spread.split()
    before = np.zeros(len(seams) + 2, np.int32)
    starts.cumsum(dtype=np.int32).take(seams, out=before[1:-1], mode="clip")
    before[-1] = len(words)
    return words, before


def _look_closely(points: NDArray[Any], joints: NDArray[np.intp]) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Where words start, and the text with spaces between words: for text with more than letters in words.

    `joints` are the seams across which a word continues.
    """
    kinds = np.zeros(len(points) + 1, np.uint8)  # of each character, preceded by a separator
    _kinds().take(points, out=kinds[1:], mode="clip")
    kinds[joints + 1] = _MARK
    # A mark has the role of the character before it; in a run of marks, of the character before the first.
    marks = (kinds == _MARK).nonzero()[0]
    first_of_run = np.diff(marks, prepend=-1) > 1
    roots = kinds.copy()
    roots[marks] = kinds[marks[first_of_run] - 1][first_of_run.cumsum() - 1]
    inside = roots != _BETWEEN
    starts = (kinds[1:] == _ALONE) | ((kinds[1:] == _LETTER) & (roots[:-1] != _LETTER))
    spaced = points.copy()
    np.putmask(spaced, ~inside[1:], _SPACE)
    np.putmask(spaced, points == ord(_SOFT_HYPHEN), _DROPPED)
    touching = (starts & inside[:-1]).nonzero()[0]  # words that begin where another ends
    return starts, np.insert(spaced, touching, _SPACE) if len(touching) else spaced


def _points(text: str) -> tuple[str, NDArray[Any]]:
    """A codec for a text, and its code points in it.

    Characters that are not in Latin-1 but separate words anyway (dashes, quotation marks) are replaced with spaces, so
    that Latin-1 suffices for most texts.
    """
    if text.isascii():
        return "latin-1", np.frombuffer(text.encode("ascii"), np.uint8)
    codec = "utf-16-le"
    encoded = text.encode(codec, "surrogatepass")
    if len(encoded) != len(text) * 2:
        codec = "utf-32-le"
        encoded = text.encode(codec, "surrogatepass")
    points = np.frombuffer(encoded, _UNITS[codec])
    wide = (points > _LAST_OF_LATIN).nonzero()[0]
    if len(wide) and _kinds().take(points.take(wide)).any():
        return codec, points
    points = points.astype(np.uint8)
    points[wide] = _SPACE
    return "latin-1", points
