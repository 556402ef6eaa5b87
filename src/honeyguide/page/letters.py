"""The role of each character in words."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

BETWEEN, LETTER, MARK, ALONE, _DIGIT = range(5)
"""Separates words; is part of a word; belongs to the letter before it; or is a whole word. Digits are letters."""

SOFT_HYPHEN: Final = 0xAD
"""Where a word may be broken at the end of a line: not part of the word. The only mark in Latin-1."""

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
_KIND_OF_CATEGORY = {"L": LETTER, "N": _DIGIT, "M": MARK}
_JOINERS = (0x200C, 0x200D)  # zero-width, inside words of Persian and Indian scripts
_VARIATIONS = slice(0xE0100, 0xE01F0)  # marks that select a form of the ideograph before them


@cache
def kinds() -> NDArray[np.uint8]:
    """The kind of each code point. Only the first two planes have letters outside `_WITHOUT_SPACES`."""
    kinds = np.zeros(0x110000, np.uint8)
    category, kind_of = unicodedata.category, _KIND_OF_CATEGORY
    kinds[:0x20000] = [kind_of.get(category(chr(point))[0], BETWEEN) for point in range(0x20000)]
    kinds[0x20000:0x323B0] = LETTER
    for first, last in _WITHOUT_SPACES:
        part = kinds[first : last + 1]
        part[part == LETTER] = ALONE
    kinds[kinds == _DIGIT] = LETTER
    kinds[_VARIATIONS] = MARK
    kinds[[*_JOINERS, SOFT_HYPHEN]] = MARK
    return kinds


@cache
def in_latin_words() -> bytes:
    """For each character of Latin-1, 1 if it is more than a separator, else 0: a table for `bytes.translate`."""
    return bytes((kinds()[:256] != BETWEEN).tolist())


@cache
def spaced_latin() -> bytes:
    """Each character of Latin-1, or a space for one that separates words: a table for `bytes.translate`."""
    return bytes(character if inside else ord(" ") for character, inside in enumerate(in_latin_words()))


# In Japanese, words begin and end where the script changes: verbs and nouns before particles, foreign words in between.
_HIRAGANA: Final = (0x3041, 0x309F)
_KATAKANA: Final = ((0x30A0, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F))


def script_of(letters: NDArray[Any]) -> NDArray[np.uint8]:
    """Different numbers for hiragana, katakana, and all other letters."""
    scripts = ((letters >= _HIRAGANA[0]) & (letters <= _HIRAGANA[1])).astype(np.uint8)
    for first, last in _KATAKANA:
        scripts[(letters >= first) & (letters <= last)] = 2
    return scripts
