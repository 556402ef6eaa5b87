"""A model that does what a page says to the process that reads it: what hostile pages do, or other processes."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.text import Text
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.recipe import Recipe

HANG, GORGE, CRASH, SHOT = "hangs", "gorges", "crashes", "shot"
"""Words on a page: its reading never ends; takes all memory; kills the process, always; or only the first time."""


@dataclass(eq=False)
class Obedient:
    """Relevant is what speaks of honey."""

    folder: str
    """Where it remembers whom it has shot."""
    threshold: float = 0.5

    def score(self, text: Text, spans: Spans) -> Scores:
        for word in {HANG, GORGE, CRASH, SHOT} & set(text.words):
            self._do(word)
        return np.full(len(spans), float("honey" in text.words))

    def _do(self, word: str) -> None:
        shot = Path(self.folder, "shot")
        while word == HANG:
            pass
        if word == GORGE:
            bytearray(1 << 42)
        if word == CRASH or (word == SHOT and not shot.exists()):
            shot.touch()
            os.kill(os.getpid(), signal.SIGKILL)


def odd(view: PageView) -> LinkTable:
    """A rule with a column of objects that only its own process knows."""
    column = np.empty(len(view.links), object)
    column[:] = [{link} for link in view.links]
    return view.table(np.ones(len(view.links)), odd=column)


ODD = Recipe("odd", "test", "", lambda _: odd, lambda _: PlainQueue())
