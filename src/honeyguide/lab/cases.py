"""Cases: a topic of a web, with seeds, examples and targets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from honeyguide.errors import InputError

_NO_LETTER = re.compile(r"[\W_]+")

NEGATIVES_PER_POSITIVE = 2
"""Negative examples per positive one (001, 003)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One topic in one repeat. Seeds, examples and targets are disjoint."""

    topic: str
    repeat: int
    seeds: tuple[str, ...]
    examples: tuple[str, ...]
    """Pages of the topic, as positive examples for the model that steers."""
    others: tuple[str, ...]
    """Pages of other topics, as negative examples."""
    relevant: frozenset[str]
    """All pages of the topic."""
    targets: frozenset[str]
    """The pages of the topic to find."""
    budget: int
    """The number of pages that a crawl may choose."""
    keywords: tuple[str, ...]
    """Keywords of the topic, for models that need them."""
    unlabelled: tuple[str, ...] = ()
    """Pages of all topics that were taken out of the web, for models that learn from positive and unlabelled pages."""

    @property
    def given(self) -> frozenset[str]:
        """The pages that a crawl is given, which are excluded from its figures."""
        return frozenset((*self.seeds, *self.examples))

    @property
    def downloads(self) -> int:
        """The number of pages to fetch so that `budget` of them are chosen, even if all given pages are among them."""
        return self.budget + len(self.given)


@dataclass(frozen=True, slots=True)
class Split:
    """How a topic's pages are divided into seeds, examples and targets."""

    seeds: int = 5
    seed_urls: tuple[str, ...] = ()
    """Seeds to use instead of pages of the topic."""
    examples: int = 30
    pages: str = "1000"
    """The budget: a number, or ``x2``, twice the number of the topic's pages."""
    seed: int = 0
    unlabelled: int = 0
    """Number of pages to remove from the web for models that learn from positive and unlabelled examples; with 0, these
    models learn from the crawl's own pages, as in a live crawl."""

    def budget(self, size: int) -> int:
        """The budget for a topic with `size` pages. Raises `InputError` when `pages` is not a budget."""
        factor = self.pages.removeprefix("x")
        try:
            budget = round(float(factor) * size) if factor != self.pages else int(self.pages)
        except (ValueError, OverflowError):
            budget = 0
        if budget < 1:
            raise InputError(
                "--pages", f"{self.pages} is not a budget", "write a number, or x2 for twice the topic's size"
            )
        return budget


def make_case(
    topic: str,
    pages: Sequence[str],
    others: Sequence[str],
    split: Split,
    repeat: int,
    keywords: Sequence[str] = (),
) -> Case:
    """Divide the pages of a topic. The same topic, split and repeat give the same case, whatever else is compared.

    At most half of the pages that are not seeds become examples, so that something is left to find. Negative examples
    are taken from `others`. Without `keywords`, the last part of the topic's name is used. Raises `InputError` for a
    topic that has too few pages.
    """
    order = shuffled(pages, split.seed, topic, repeat, "pages")
    seeds = list(split.seed_urls) if split.seed_urls else order[: split.seeds]
    rest = [page for page in order if page not in set(seeds)]
    count = min(split.examples, len(rest) // 2)
    examples, targets = rest[:count], rest[count:]
    if not targets or (not split.seed_urls and len(seeds) < split.seeds):
        needed = 1 if split.seed_urls else split.seeds + 1
        problem = f"the topic has {len(pages)} pages, too few for {split.seeds} seeds and a target"
        raise InputError(topic, problem, f"choose a topic with more than {needed - 1} pages, or fewer --seeds")
    negative = [page for page in shuffled(others, split.seed, topic, repeat, "others") if page not in set(seeds)]
    return Case(
        topic,
        repeat,
        tuple(seeds),
        tuple(examples),
        tuple(negative[: NEGATIVES_PER_POSITIVE * count]),
        frozenset(pages),
        frozenset(targets),
        split.budget(len(pages)),
        tuple(keywords) or (_words(topic),),
    )


def _words(topic: str) -> str:
    """The words of the last part of a label such as ``subject.Everyday_life.Food_and_agriculture``."""
    return " ".join(_NO_LETTER.sub(" ", topic.rpartition(".")[2]).split()) or topic


def shuffled(pages: Sequence[str], *key: object) -> list[str]:
    """Shuffle pages; the order depends only on the pages and the key."""
    number = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "big")
    ordered = sorted(pages)
    return [ordered[place] for place in np.random.default_rng(number).permutation(len(ordered))]
