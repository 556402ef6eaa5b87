"""Running text: sentences of varied length whose words follow each subject's own frequencies.

A sentence alternates noun phrases and joints. The phrases of a subject are drawn once into a table in which each word
occurs in proportion to its frequency, so that writing a page is picking table entries by random bits.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Final

from honeyguide.demo.subjects import SUBJECTS
from honeyguide.demo.vocabulary import ADJECTIVES, DETERMINERS, GENRES, JOINTS, NAME_ENDS, NOUNS, SYLLABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.demo.keys import Keys

_TABLE_BITS: Final = 12
_TABLE: Final = 1 << _TABLE_BITS
_WINDOW_BITS: Final = 9
_WINDOW: Final = 1 << _WINDOW_BITS
_JOINTS: Final = 256  # as many as a byte can index
_PAIR_BYTES: Final = 18.3  # measured: a noun phrase and the joint after it
_UNCOUNTED: Final = ("s", "f", "fe", "x", "y", "o", "ing", "ware", "people", "child", "fish", "sheep")

Phrases = tuple[str, ...]


class Language:
    """The phrase tables of one web, each built when it is first needed."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self.phrases = lru_cache(maxsize=None)(self._phrases)
        self.joints = _joints(Random(keys.key("joints", 0)))

    def _phrases(self, subject: int, kind: str) -> Phrases:
        """The noun phrases that pages of this kind use for a subject (below 0: for no subject)."""
        return _drawn(self._keys.key(f"phrases {kind}", subject), subject, kind)

    def sentences(self, rng: Random, phrases: Phrases, size: int) -> list[str]:
        """Sentences of about `size` bytes in total, at least one."""
        count = max(8, round(size / _PAIR_BYTES))
        bits = rng.getrandbits(24 * count).to_bytes(3 * count, "little")
        draws = struct.unpack_from(f"<{count}H", bits)
        shift, joints = 17 - len(phrases).bit_length(), self.joints
        pairs = [phrases[draw >> shift] + joints[joint] for draw, joint in zip(draws, bits[2 * count :], strict=True)]
        done: list[str] = []
        at = 0
        while at < count:
            # The low bits of a draw are unused otherwise: 3 to 9 noun phrases per sentence.
            end = min(count - 1, at + 2 + (draws[at] & 3) + (draws[at] >> 2 & 3))
            text = "".join(pairs[at:end]) + phrases[draws[end] >> shift]
            done.append(f"{text[0].upper()}{text[1:]}.")
            at = end + 1
        return done


def window(phrases: Phrases, at: int) -> Phrases:
    """An eighth of a table: a page that draws from it uses only some of the words, as authors do."""
    start = at % (_TABLE - _WINDOW)
    return phrases[start : start + _WINDOW]


@lru_cache(maxsize=128)  # a web has about 50, which take 0.15 s, and is often opened several times
def _drawn(seed: int, subject: int, kind: str) -> Phrases:
    rng = Random(seed)
    names = [_name(rng) for _ in range(120)]
    everyday: list[tuple[float, Sequence[str], int]] = [(0.72, NOUNS, 20), (0.08, names, 20)]
    if kind in GENRES:
        everyday = [(0.50, NOUNS, 20), (0.05, names, 20), (0.25, GENRES[kind], 6)]
    if subject < 0:
        # Any subject is occasionally mentioned in passing.
        stray = [word for other in SUBJECTS for word in (*other.keywords, *other.words[:8])]
        return _table(rng, [*everyday, (0.02, stray, 1000)])
    of = SUBJECTS[subject]
    own = [(0.21, of.keywords, 6), (0.34, of.words, 12), (0.05, of.synonyms, 6)]
    if kind == "synonym":
        own = [(0.34, of.words, 12), (0.26, of.synonyms, 6)]
    return _table(rng, [*own, *((share * 0.5, words, offset) for share, words, offset in everyday)])


def _table(rng: Random, classes: Sequence[tuple[float, Sequence[str], int]]) -> Phrases:
    """A table of phrases. Each class has a share, words by decreasing frequency, and the flatness of the decrease."""
    total = sum(share for share, _, _ in classes)
    nouns: list[str] = []
    for share, words, flatness in classes:
        weights = [1 / (rank + flatness) for rank in range(1, len(words) + 1)]
        slots = share / total * _TABLE / sum(weights)
        reached = 0.0
        for word, weight in zip(words, weights, strict=True):
            before, reached = round(reached), reached + weight * slots
            nouns += [word] * (round(reached) - before)
    nouns += [nouns[0]] * (_TABLE - len(nouns))
    for last in range(_TABLE - 1, 0, -1):  # random.shuffle may differ between Python versions
        other = int(rng.random() * (last + 1))
        nouns[last], nouns[other] = nouns[other], nouns[last]
    return tuple(_phrase(rng, noun) for noun in nouns[:_TABLE])


def _phrase(rng: Random, noun: str) -> str:
    if noun[0].isupper():
        return noun
    if rng.random() < 0.25 and not noun.endswith(_UNCOUNTED):
        noun += "es" if noun.endswith(("ch", "sh")) else "s"
        determiner = "the" if rng.random() < 0.5 else ""
    else:
        determiner = pick(rng, DETERMINERS)
    if rng.random() < 0.3:
        noun = f"{pick(rng, ADJECTIVES)} {noun}"
    if determiner == "a" and noun[0] in "aeiou":
        determiner = "an"
    return f"{determiner} {noun}" if determiner else noun


def _joints(rng: Random) -> Phrases:
    drawn = (pick(rng, JOINTS) for _ in range(_JOINTS))
    return tuple(f", {joint} " if rng.random() < 0.12 else f" {joint} " for joint in drawn)


def _name(rng: Random) -> str:
    return (pick(rng, SYLLABLES) + pick(rng, SYLLABLES) + pick(rng, NAME_ENDS)).title()


def pick(rng: Random, items: Sequence[str]) -> str:
    """One of the items (random.choice may differ between Python versions)."""
    return items[int(rng.random() * len(items))]
