"""What a crawl learns from its first pages: which model reads the next one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from honeyguide.crawl.readers import Mind
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.learning import MILESTONES, Learner
from honeyguide.relevance.text import Tokenizer, Tokens
from honeyguide.store.crawl import Crawl


class Lessons:
    """The model of a crawl, from its first page to its last.

    Which one is in force follows from the model that the crawl began with and the pages recorded since, in their
    order: a run that goes on gives the pages of the runs before it.
    """

    def __init__(self, model: Relevance, pages: Iterable[Tokens] = ()) -> None:
        self._learner = model if isinstance(model, Learner) else None
        self._pages = list(pages)[: MILESTONES[-1]] if self._learner is not None else []
        self.mind = Mind(model, sampling=False)
        if self._learner is not None:
            passed = [milestone for milestone in MILESTONES if milestone <= len(self._pages)]
            self._learn(self._learner, max(passed, default=0))

    def add(self, sample: bytes) -> bool:
        """Take in a page. Returns whether another model is in force from now on."""
        if self._learner is None or not self.mind.sampling:
            return False
        self._pages.append(np.frombuffer(sample, np.uint32))
        if len(self._pages) not in MILESTONES:
            return False
        self._learn(self._learner, len(self._pages))
        return True

    def _learn(self, learner: Learner, pages: int) -> None:
        model = learner.learned(self._pages[:pages]) if pages else learner
        self.mind = Mind(model, sampling=pages < MILESTONES[-1])
        if not self.mind.sampling:
            self._pages = []


def first_pages(crawl: Crawl) -> Iterable[Tokens]:
    """The tokens of the pages that a crawl began with, as its readers made them."""
    tokenizer = Tokenizer(crawl.topic.relevance.language)
    for page in crawl.pages(relevant=False, duplicates=True, most=MILESTONES[-1]):
        yield tokenizer(page.page.words)
