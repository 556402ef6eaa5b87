"""What a page says about each of its links: the evidence that the house strategy weighs."""

from __future__ import annotations

import numpy as np

from honeyguide.page.blocks.cbp import MODERN, cbp
from honeyguide.page.context import anchors, block_texts, parents, windows
from honeyguide.page.context.headings import headings
from honeyguide.page.url_words import url_words
from honeyguide.relevance.base import Scores
from honeyguide.relevance.text import Text
from honeyguide.strategy.view import View

TEXTS = ("anchor", "near", "around", "block", "parent", "heading", "address")
"""The texts that stand for a link: its anchor, 20 and 60 words around it, its block, the text under its parent,
its heading, its URL's words."""

KNOWN = len(TEXTS)
"""The column that tells whether the page behind a link is an example of the topic, and so known already."""

NEAR, AROUND = 20, 60
_GUESS = np.array([0.15, 0.15, 0.2, 0.2, 0.1, 0.1, 0.1], np.float32)


class Evidence:
    """A rule whose scores are a first guess, and which leaves its reasons in the view: a row a link.

    All texts of all links are scored in one call. Of a URL that is linked several times the best of each counts.
    """

    def __init__(self, beta: float) -> None:
        self._beta = beta

    def __call__(self, view: View) -> Scores:
        """β · page + (1 - β) · a mean of what stands for the link."""
        if not len(view.links):
            view.evidence = np.zeros((0, KNOWN + 1), np.float32)
            return np.zeros(0)
        page = view.page
        positions, found = view.occurrences
        above = headings(page)
        heading = np.append(above.spans, np.zeros((1, 2), np.int32), axis=0)[above.of_link]  # none is the last
        contexts = (
            anchors(page),
            windows(page, NEAR),
            windows(page, AROUND),
            block_texts(page, cbp(page, block_tags=MODERN)),
            parents(page),
            heading,
        )
        spans = np.concatenate([spans[positions] for spans in contexts])
        scored = view.model.score(view.text, spans).reshape(len(contexts), len(positions))
        scored[0] = np.where(scored[0] > 0, scored[0], view.said_by_images(positions))
        rows = np.zeros((len(view.links), KNOWN + 1), np.float32)
        for column, scores in enumerate(scored):
            rows[:, column] = found.max(scores)
        rows[:, len(contexts)] = self._addresses(view)
        rows[:, KNOWN] = [url in view.known for url in view.urls()]
        view.evidence = rows
        view.groups = above.of_link[list(view.links)]
        guess: Scores = self._beta * view.relevance + (1 - self._beta) * (rows[:, :KNOWN] @ _GUESS).astype(np.float64)
        return guess

    @staticmethod
    def _addresses(view: View) -> Scores:
        """The words of all URLs, scored in one call."""
        words = [url_words(url) for url in view.urls()]
        ends = np.cumsum([len(one) for one in words])
        starts = ends - [len(one) for one in words]
        text = Text([word for one in words for word in one])
        return view.model.score(text, np.stack((starts, ends), axis=1).astype(np.int32))
