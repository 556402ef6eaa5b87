"""The language of a page: what it declares, checked against its text."""

from __future__ import annotations

import re
from typing import Final

from resiliparse.parse.lang import detect_fast, supported_langs

from honeyguide.page.language_codes import ALIKE
from honeyguide.page.words import SEAM

_SAMPLE: Final = 1000  # characters from the middle of a page: more take longer with little gain
_MIN_CHARACTERS: Final = 200  # minimum number of characters for detection
_WORST: Final = 680  # rank: the larger, the less a text resembles a language; lists of names have more
_CLEAR: Final = 10  # by how much the second best language must be worse
_WRONG: Final = 50  # by how much a declared language must be worse than the best to be called wrong
_NO_LIMIT: Final = 1 << 30

_SCRIPTS: Final = {
    "ja": re.compile("[\u3041-\u30ff\uff66-\uff9f]"),  # kana
    "ko": re.compile("[\uac00-\ud7a3]"),
    "th": re.compile("[\u0e01-\u0e4e]"),
    "zh": re.compile("[\u3400-\u9fff\uf900-\ufaff]"),  # ideographs, which are Japanese, too, with kana among them
}
_MIN_BY_SCRIPT: Final = 20  # characters
_MOSTLY: Final = 0.3  # of a text, in which there may also be numbers, names and punctuation
_KANA: Final = 0.1  # of all kana and ideographs

_SUPPORTED: Final = frozenset(supported_langs())

# Each language that a text is compared with costs 0.7 µs, and a rare one is more often a mistake than the truth: lists
# of English names pass for Latin. Those that are not in this list are still recognised where a page declares them.
_COMMON: Final = (
    "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id is it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk "
    "ur vi zh"
).split()


def language_of(source: str, declared: str) -> str:
    """The language of a text (`Page.source`) as a code like "en"; "" if none is declared, and it cannot be detected.

    What is `declared` stands unless the text is clearly in another language: neither a short text, nor a list of names,
    nor one that may be in a closely related language refutes it.
    """
    sample = _sample(source)
    if not sample.isascii() and (written := _by_script(sample, declared)):
        return written
    if len(sample) < _MIN_CHARACTERS:
        return declared
    known = ALIKE.get(declared, declared)
    candidates = _COMMON if known in _COMMON or known not in _SUPPORTED else [*_COMMON, known]
    found = detect_fast(sample, cutoff=_WORST, n_results=2, langs=candidates)
    if not found or found[0][0] == "unknown":
        return declared
    (best, rank), *others = found
    if others and others[0][1] - rank < _CLEAR:
        return declared
    if not declared:
        return str(best)
    if known == ALIKE.get(best, best) or known not in _SUPPORTED:
        return declared
    declared_rank = detect_fast(sample, cutoff=_NO_LIMIT, langs=[known])[1]
    return str(best) if declared_rank - rank >= _WRONG else declared


def _by_script(sample: str, declared: str) -> str:
    """The language of a text that is mostly in a script with a known language; "" for other texts.

    A few characters are enough, whereas ranks need more text than most pages in these languages have.
    """
    counts = {code: len(letters.findall(sample)) for code, letters in _SCRIPTS.items()}
    if sum(counts.values()) < max(_MIN_BY_SCRIPT, _MOSTLY * len(sample)):
        return ""
    if counts["ja"] >= _KANA * (counts["ja"] + counts["zh"]) > 0:
        return "ja"
    best = max(counts, key=lambda code: counts[code])
    return declared if best == "zh" and declared == "ja" else best  # names and headlines may have no kana


def _sample(source: str) -> str:
    """The middle of a text, with white space folded: menus are at its beginning, small print is at its end."""
    around = _middle(source, 2 * _SAMPLE).replace(SEAM, " ").split()
    return _middle(" ".join(around), _SAMPLE)


def _middle(text: str, size: int) -> str:
    start = max(len(text) - size, 0) // 2
    return text[start : start + size]
