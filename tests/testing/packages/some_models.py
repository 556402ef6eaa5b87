"""A model that keeps the rules, and many that each break one."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.material import Material
from honeyguide.relevance.spec import ModelSpec
from honeyguide.relevance.text import Text
from honeyguide.testing.texts import BEES

_CALLS = count()


def _other_words() -> list[str]:
    """Some words of the topic, others than the last time."""
    first = next(_CALLS) % 3
    return list(BEES[first::3])


@dataclass(eq=False)
class Share:
    """The share of a span's words that are the topic's."""

    words: list[str]
    threshold: float = 0.1

    @classmethod
    def fit(cls, material: Material, threshold: float) -> Share:
        return cls(sorted({word for text in material.positive for word in text.words if word in BEES}), threshold)

    def score(self, text: Text, spans: Spans) -> Any:
        return np.array([self.of(text.words[first:last]) for first, last in spans.tolist()], float)

    def of(self, words: Any) -> float:
        return sum(word in self.words for word in words) / max(len(words), 1)


class Deaf(Share):
    @classmethod
    def fit(cls, material: Material, threshold: float) -> Share:
        return cls([*BEES], 0.5 if material.relevance.threshold else threshold)


class OutOfRange(Share):
    def of(self, words: Any) -> float:
        return super().of(words) * 9


class Unsure(Share):
    def of(self, words: Any) -> float:
        return super().of(words) or float("nan")


class TooMany(Share):
    def score(self, text: Text, spans: Spans) -> Any:
        return np.append(super().score(text, spans), 0.0)


class Listed(Share):
    def score(self, text: Text, spans: Spans) -> Any:
        return super().score(text, spans).tolist()


class Whole(Share):
    def score(self, text: Text, spans: Spans) -> Any:
        return super().score(text, spans).round().astype(int)


class Relative(Share):
    def score(self, text: Text, spans: Spans) -> Any:
        scores = super().score(text, spans)
        return scores / max(scores.max(initial=0), 1e-9)


class Lazy(Share):
    def score(self, text: Text, spans: Spans) -> Any:
        return np.full(1, self.of(text.words)) if not len(spans) else super().score(text, spans)


class Generous(Share):
    def of(self, words: Any) -> float:
        return super().of(words) * 0.9 + 0.1


class Careless(Share):
    def score(self, text: Text, spans: Spans) -> Any:
        scores = super().score(text, spans)
        text.words = ["x", *text.words][:-1]
        return scores


class Moody(Share):
    @classmethod
    def fit(cls, material: Material, threshold: float) -> Share:
        return cls(_other_words(), threshold)


@dataclass(eq=False)
class Forgetful(Share):
    """What it goes by is not among the fields."""

    extra: list[str] = field(init=False, default_factory=list)

    @classmethod
    def fit(cls, material: Material, threshold: float) -> Share:
        made = cls([], threshold)
        made.extra = list(BEES)
        return made

    def of(self, words: Any) -> float:
        return sum(word in self.extra for word in words) / max(len(words), 1)


@dataclass(eq=False)
class Unkept(Share):
    seen: set[str] = field(default_factory=set)


class Unsent(Share):
    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle this")


class Ignorant(Share):
    def of(self, words: Any) -> float:
        return float(sum(word.startswith("common") for word in words) / max(len(words), 1))


class Fragile(Share):
    def of(self, words: Any) -> float:
        return super().of(words) / len(words)


class Hashing(Share):
    """Python gives strings another hash in each process."""

    def of(self, words: Any) -> float:
        return sum(hash(word) % 1009 for word in words if word in self.words) / max(len(words), 1) / 1009


NAMELESS = ModelSpec("x", "", 0.5, Share.fit)
ALWAYS = ModelSpec("x", "x", 0.0, Share.fit)
SPEC = ModelSpec("share", "share", 0.3, Share.fit)


@dataclass(eq=False)
class Learning(Share):
    def learned(self, documents: Any, /) -> Relevance:
        return Share(self.words, self.threshold)


class Shifting(Learning):
    def learned(self, documents: Any, /) -> Relevance:
        return Share(self.words, 0.9)


class Guessing(Learning):
    def learned(self, documents: Any, /) -> Relevance:
        return Share(_other_words(), self.threshold)


class Unravelling(Learning):
    def learned(self, documents: Any, /) -> Relevance:
        return OutOfRange(self.words, self.threshold)
