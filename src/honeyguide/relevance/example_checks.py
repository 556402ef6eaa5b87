"""Problems of a set of examples: too few, too similar, or some that do not belong."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from honeyguide.relevance.classifiers.features import count_matrix
from honeyguide.relevance.fingerprint import signature, similarity
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import ENOUGH
from honeyguide.relevance.text import NOTHING, Text, Tokens
from honeyguide.relevance.weighting import tfc

_log = logging.getLogger("honeyguide.relevance")

FEW = 20
"""With fewer positive examples, each single one changes what is learnt."""

_ALIKE = 0.7  # minimum share of equal values in the signatures of near-copies
_SHORT = 30  # words that count
_SHOWN = 5


def log_problems(material: Material, place_of: dict[int, str]) -> None:
    """Log a warning for each problem that `check_examples` finds."""
    for problem in check_examples(material, place_of):
        _log.warning("%s", problem)


def check_examples(material: Material, place_of: dict[int, str]) -> list[str]:
    """The problems as sentences, most important first; empty if none. `place_of` names texts by their `id`."""
    positive, negative = list(material.positive), list(material.negative)
    return [*_too_few(material), *_on_both_sides(material, place_of), *_alike(material, positive, place_of),
            *_short(material, [*positive, *negative], place_of), *_off(material, positive, place_of)]  # fmt: skip


def _too_few(material: Material) -> list[str]:
    found = []
    count = len(material.positive)
    if 0 < count < ENOUGH:
        found.append(f"{count} positive examples are too few to learn from: add more, at least {ENOUGH}, better {FEW}")
    elif count < FEW and count:
        found.append(f"{count} positive examples are few: the figures are more reliable with {FEW} or more")
    if material.negative and len(material.negative) < count:
        found.append(
            f"there are fewer negative examples ({len(material.negative)}) than positive ones ({count}): "
            "most of the web is off the topic; add negative examples, about twice as many"
        )
    return found


def _signatures(material: Material, texts: Sequence[Text]) -> list[bytes]:
    return [signature(tokens) for tokens in material.tokens(texts)]


def _on_both_sides(material: Material, place_of: dict[int, str]) -> list[str]:
    others = _signatures(material, material.negative)
    found = []
    for text, own in zip(material.positive, _signatures(material, material.positive), strict=True):
        for number, other in enumerate(others):
            if similarity(own, other) >= _ALIKE:
                there = place_of[id(material.negative[number])]
                found.append(f"{place_of[id(text)]} is also a negative example ({there}): remove one of them")
                break
    return _some(found)


def _alike(material: Material, texts: Sequence[Text], place_of: dict[int, str]) -> list[str]:
    """Near-copies, which count as one example. Each text is compared with earlier ones that are not copies."""
    kept: list[tuple[bytes, Text]] = []
    found = []
    for text, own in zip(texts, _signatures(material, texts), strict=True):
        twin = next((other for seen, other in kept if similarity(own, seen) >= _ALIKE), None)
        if twin is None:
            kept.append((own, text))
        else:
            found.append(f"{place_of[id(text)]} is a near-duplicate of {place_of[id(twin)]}: one of them is enough")
    return _some(found)


def _short(material: Material, texts: Sequence[Text], place_of: dict[int, str]) -> list[str]:
    counts = [int((tokens != NOTHING).sum()) for tokens in material.tokens(texts)]
    return _some(
        [
            f"{place_of[id(text)]} has only {count} words that count: there is little to learn from it"
            for text, count in zip(texts, counts, strict=True)
            if count < _SHORT
        ]
    )


def _off(material: Material, texts: Sequence[Text], place_of: dict[int, str]) -> list[str]:
    """Examples that are far less similar to the others than the others are to each other."""
    if len(texts) < ENOUGH:
        return []
    likeness = _likeness(material.tokens(texts))
    middle = float(np.median(likeness))
    spread = 1.4826 * float(np.median(np.abs(likeness - middle)))  # the standard deviation if normally distributed
    is_off = (likeness < middle - 3 * spread) & (likeness < middle / 2)
    return _some(
        [
            f"{place_of[id(texts[number])]} is unlike the other examples (cosine {likeness[number]:.2f}, "
            f"the others mostly {middle:.2f}): does it belong?"
            for number in np.flatnonzero(is_off).tolist()
        ]
    )


def _likeness(documents: Sequence[Tokens]) -> NDArray[np.float64]:
    """The cosine of each document with the mean of all others."""
    counts, _ = count_matrix(documents)
    vectors = tfc(counts, np.ones(counts.shape[1]))
    total = np.asarray(vectors.sum(axis=0)).ravel()
    with_all = vectors @ total
    own = np.asarray(vectors.power(2).sum(axis=1)).ravel()
    rest = np.sqrt(np.maximum(total @ total - 2 * with_all + own, 1e-12))
    likeness: NDArray[np.float64] = (with_all - own) / rest
    return likeness


def _some(found: list[str]) -> list[str]:
    more = len(found) - _SHOWN
    return [*found[:_SHOWN], f"and {more} more like the last"] if more > 0 else found
