"""Text to words, with the position of each: the unit of everything that is scored.

A word is a run of letters, digits and the marks that belong to them; everything else stands between words. In a
script that is written without spaces (Chinese, Japanese, Thai ...) each letter, with its marks, is a word.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

_BETWEEN, _LETTER, _MARK, _ALONE = range(4)

# Scripts without spaces: Thai, Lao, Myanmar, Khmer, kana, CJK ideographs.
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)
_FIRST_WITHOUT_SPACES = min(first for first, _ in _WITHOUT_SPACES)
_KIND_OF_CATEGORY = {"L": _LETTER, "N": _LETTER, "M": _MARK}


@cache
def _kinds() -> NDArray[np.uint8]:
    """For each code point what it does to words. Only the first two planes have letters outside `_WITHOUT_SPACES`."""
    kinds = np.zeros(0x110000, np.uint8)
    category, kind_of = unicodedata.category, _KIND_OF_CATEGORY
    kinds[:0x20000] = [kind_of.get(category(chr(point))[0], _BETWEEN) for point in range(0x20000)]
    kinds[0x20000:0x323B0] = _LETTER
    for first, last in _WITHOUT_SPACES:
        part = kinds[first : last + 1]
        part[part == _LETTER] = _ALONE
    return kinds


@cache
def _inside() -> NDArray[np.bool_]:
    return _kinds() != _BETWEEN


def split_words(text: str) -> tuple[list[str], NDArray[np.int32]]:
    """The words of `text`, and for each position in it (and for its end) how many words begin before that position."""
    codec, unit = "utf-16-le", np.dtype(np.uint16)
    encoded = text.encode(codec, "surrogatepass")
    if len(encoded) != 2 * len(text):  # characters beyond the first plane: two units each would shift positions
        codec, unit = "utf-32-le", np.dtype(np.uint32)
        encoded = text.encode(codec, "surrogatepass")
    points = np.frombuffer(encoded, unit)
    if len(points) and points.max() >= _FIRST_WITHOUT_SPACES:
        kinds = _kinds().take(points)
        if (kinds == _ALONE).any():
            return _split_without_spaces(text, kinds)
    inside = _inside().take(points)
    spaced = np.where(inside, points, unit.type(32)).tobytes().decode(codec, "surrogatepass")
    starts = inside.copy()
    np.greater(inside[1:], inside[:-1], out=starts[1:])
    return spaced.split(), _counts(starts)


def _split_without_spaces(text: str, kinds: NDArray[np.uint8]) -> tuple[list[str], NDArray[np.int32]]:
    previous = np.concatenate(([_BETWEEN], kinds[:-1]))
    inside = kinds != _BETWEEN
    starts = (kinds == _ALONE) | (inside & (previous == _BETWEEN)) | ((kinds == _LETTER) & (previous == _ALONE))
    ends = inside.copy()
    ends[:-1] &= starts[1:] | ~inside[1:]
    spans = zip(np.flatnonzero(starts).tolist(), (np.flatnonzero(ends) + 1).tolist(), strict=True)
    return [text[first:last] for first, last in spans], _counts(starts)


def _counts(starts: NDArray[np.bool_]) -> NDArray[np.int32]:
    counts = np.zeros(len(starts) + 1, np.int32)
    np.cumsum(starts, out=counts[1:])
    return counts
