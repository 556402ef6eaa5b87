"""The scores of models on held-out examples, and the best threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from honeyguide.relevance.base import Relevance, Scores, whole
from honeyguide.relevance.text import Text
from honeyguide.relevance.weighting import Flags

FOLDS = 5
_SEED = 0
_REACHED = 0.9

Make = Callable[[Sequence[Text], Sequence[Text]], Relevance]
"""Makes a model from positive examples and the examples to distinguish them from."""


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """The score of an example by a model that was trained without it."""

    text: Text
    positive: bool
    score: float
    fold: int


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of a threshold on some scores."""

    precision: float
    recall: float
    f1: float
    auc: float
    """The probability that a positive example scores higher than another one; independent of the threshold."""


def cross_validate(
    positive: Sequence[Text],
    others: Sequence[Text],
    make: Make,
    folds: int = FOLDS,
    progress: Callable[[str], None] = lambda _: None,
) -> list[HeldOutScore]:
    """A verdict on each example by a model trained without the examples of its fold. Deterministic.

    Needs two positive examples; there may be no others. With fewer examples than folds there are fewer folds.
    """
    groups = (positive, others)
    count = max(2, min(folds, *(len(texts) for texts in groups if texts)))
    random = np.random.default_rng(_SEED)
    fold_of = [(random.permutation(len(texts)) % count).tolist() for texts in groups]
    found: dict[tuple[int, int], HeldOutScore] = {}
    for fold in range(count):
        progress(f"fold {fold + 1} of {count}")
        model = make(
            *(
                [text for text, of in zip(*pair, strict=True) if of != fold]
                for pair in zip(groups, fold_of, strict=True)
            )
        )
        for group, (texts, numbers) in enumerate(zip(groups, fold_of, strict=True)):
            for place, (text, of) in enumerate(zip(texts, numbers, strict=True)):
                if of == fold:
                    score = float(model.score(text, whole(text))[0])
                    found[group, place] = HeldOutScore(text, group == 0, score, fold)
    return [found[key] for key in sorted(found)]


def columns(verdicts: Sequence[HeldOutScore]) -> tuple[Scores, Flags]:
    """The scores, and flags of the positive examples."""
    return np.array([verdict.score for verdict in verdicts]), np.array([verdict.positive for verdict in verdicts], bool)


def quality(scores: Scores, positive: Flags, threshold: float) -> Quality:
    """Precision, recall, F1 and AUC. Undefined values are 0, and 0.5 for AUC."""
    chosen = scores >= threshold
    hits = int((chosen & positive).sum())
    precision = hits / int(chosen.sum()) if hits else 0.0
    recall = hits / int(positive.sum()) if hits else 0.0
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return Quality(precision, recall, f1, _auc(scores, positive))


def _auc(scores: Scores, positive: Flags) -> float:
    """AUC from the ranks (Mann and Whitney); ties share their rank."""
    yes, no = int(positive.sum()), int((~positive).sum())
    if not yes or not no:
        return 0.5
    return float((_ranks(scores)[positive].sum() - yes * (yes + 1) / 2) / (yes * no))


def _ranks(scores: Scores) -> Scores:
    """The ranks of scores from 1, equal ones with their mean rank; scipy.stats, which has it, is slow to import."""
    _, which, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks: Scores = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


def best_threshold(scores: Scores, positive: Flags, *, labelled: bool) -> float:
    """The threshold that best separates the positive examples from the others.

    If the others are known to be negative (`labelled`), it is the one with the best F1. If nothing is known about them,
    precision cannot be measured; the criterion is then recall² divided by the share of the others judged relevant,
    which is large when F1 is (Lee and Liu 2003). Without others it is the score that nine of ten examples reach. Of
    equally good thresholds the highest is chosen; it is halfway down to the next lower score.
    """
    if positive.all():
        return float(np.quantile(scores, 1 - _REACHED))
    values = np.unique(scores)[::-1]
    hits, wrong = (np.searchsorted(np.sort(-of), -values, side="right") for of in (scores[positive], scores[~positive]))
    yes, no = int(positive.sum()), int((~positive).sum())
    # One more than the number of other examples: judging none of them relevant is good, not infinitely good.
    worth = 2 * hits / (hits + wrong + yes) if labelled else (hits / yes) ** 2 * (no + 1) / (wrong + 1)
    best = int(np.argmax(worth))
    below = float(values[best + 1]) if best + 1 < len(values) else 0.0
    middle = (float(values[best]) + below) / 2
    return middle if middle > below else float(values[best])  # two floats may have no other between them
