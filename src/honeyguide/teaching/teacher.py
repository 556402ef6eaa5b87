"""Teachers, who answer questions about pages: a person, a language model, or in the lab one who knows the labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from typing_extensions import override


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A page to be judged by a teacher."""

    url: str
    title: str = ""
    text: str = ""
    """The text of the page, or its beginning."""


class Teacher(Protocol):
    """Judges whether pages are about the topic."""

    def answer(self, question: PageQuestion) -> bool | None:
        """Whether the page is relevant; None without an answer."""
        ...


class LabelTeacher(Teacher):
    """Knows which pages are relevant, and gives a share of wrong answers: always the same ones."""

    def __init__(self, relevant: Collection[str], wrong: float = 0.0, seed: int = 0) -> None:
        self._relevant = relevant
        self._wrong = wrong
        self._seed = seed

    @override
    def answer(self, question: PageQuestion) -> bool | None:
        digest = sha256(f"{self._seed} {question.url}".encode()).digest()
        errs = int.from_bytes(digest[:6], "big") < self._wrong * (1 << 48)
        return (question.url in self._relevant) != errs
