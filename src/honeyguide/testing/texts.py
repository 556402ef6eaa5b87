"""Texts to learn from and to score: two subjects that share most of their words."""

from __future__ import annotations

import numpy as np

from honeyguide.relevance.material import Material
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import Text

SHARED = [f"common{number}" for number in range(40)]
BEES = "honey bee hive swarm queen drone comb wax nectar pollen keeper smoker".split()
TRAINS = "train rail engine track signal station wagon brake tunnel bridge steam coal".split()


def texts(subject: list[str], count: int, seed: int) -> list[Text]:
    """Some texts of 30 to 80 words, a fifth of which are the subject's."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        length = int(random.integers(30, 80))
        is_own = random.random(length) < 0.2
        sources = (subject if own else SHARED for own in is_own)
        found.append(Text([source[random.integers(len(source))] for source in sources]))
    return found


def bees() -> Material:
    """Words, terms, 30 texts about bees, 60 about trains, and 60 unlabelled texts, a third of them about bees."""
    return Material(
        keywords=["honey", "bee"],
        positive=texts(BEES, 30, 1),
        negative=texts(TRAINS, 60, 2),
        unlabelled=[*texts(BEES, 20, 3), *texts(TRAINS, 40, 4)],
        terms=TermSettings(genre=tuple(BEES[:4]), content=("honey", "queen drone"), url=("bee",)),
    )
