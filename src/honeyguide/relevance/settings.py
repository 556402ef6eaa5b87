"""Which model says what a page is worth."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class RelevanceSettings:
    """The ``[relevance]`` table."""

    model: str = setting("vsm", "how a text is compared with the topic", choices=("vsm",))
    threshold: float = setting(0.15, "score from which a page counts as relevant", minimum=0, maximum=1)
    language: str = setting("english", "language of the topic's words: decides stems and stop words")
