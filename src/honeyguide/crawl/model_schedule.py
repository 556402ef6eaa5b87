"""Which model scores the next page: a model may learn from the first pages of the crawl, at fixed milestones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from honeyguide.errors import plugin_errors
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.checked import model_name
from honeyguide.relevance.learning import MILESTONES, Learner
from honeyguide.relevance.text import Tokenizer, Tokens
from honeyguide.store.crawl import Crawl
from honeyguide.strategy.reading import ReaderConfig


class ModelSchedule:
    """The model of a crawl, from its first page to its last.

    The current model depends only on the model that the crawl started with and on the pages recorded since, in their
    order; a resumed run passes in the pages of the earlier runs.
    """

    def __init__(self, config: ReaderConfig, pages: Iterable[Tokens] = ()) -> None:
        """Start with the model of `config`, after it has learnt from the `pages` of earlier runs.

        Raises `PluginError` when the model fails to learn from them.
        """
        self.collect: Callable[[bytes], None] | None = None
        """Called with the pages to learn from, if the model learns elsewhere, which then calls `follow`."""
        self._learner = config.model if isinstance(config.model, Learner) else None
        self._milestones = _milestones(config.model)
        self._pages = list(pages)[: self._milestones[-1]] if self._learner is not None else []
        self.config = replace(config, sampling=False)
        """How pages are currently read."""
        if self._learner is not None:
            passed = [milestone for milestone in self._milestones if milestone <= len(self._pages)]
            self._learn(self._learner, max(passed, default=0))

    def add(self, sample: bytes) -> bool:
        """Add a page. Returns whether the model has changed, which applies from the next page on.

        Raises `PluginError` when the model fails to learn.
        """
        if self._learner is None or not self.config.sampling:
            return False
        if self.collect is not None:
            self.collect(sample)
            return False
        self._pages.append(np.frombuffer(sample, np.uint32))
        if len(self._pages) not in self._milestones:
            return False
        self._learn(self._learner, len(self._pages))
        return True

    def teach(self, model: Relevance) -> None:
        """Continue with a model fitted to labels. From now on, it changes only when this is called again."""
        self._learner, self._pages = None, []
        self.config = replace(self.config, model=model, sampling=False)

    def follow(self, model: Relevance, *, sampling: bool) -> None:
        """Continue with a model that has learnt from first pages elsewhere; `sampling` if it wants more of them."""
        self.config = replace(self.config, model=model, sampling=sampling)

    def _learn(self, learner: Learner, pages: int) -> None:
        model: Relevance = learner
        if pages:
            name = model_name(self.config.model_name, learner)
            with plugin_errors("model", name, occasion=f"to learn from {pages} pages"):
                model = learner.learned(self._pages[:pages])
        self.config = replace(self.config, model=model, sampling=pages < self._milestones[-1])
        if not self.config.sampling:
            self._pages = []


def _milestones(model: Relevance) -> tuple[int, ...]:
    """The numbers of pages after which a learner learns: its own, or the default ones."""
    milestones: tuple[int, ...] = getattr(model, "milestones", MILESTONES)
    return milestones


def first_pages(crawl: Crawl) -> Iterable[Tokens]:
    """The tokens of a crawl's first pages, the same as its readers produced."""
    tokenizer = Tokenizer(crawl.topic.language)
    for page in crawl.pages(relevant=False, duplicates=True, most=_milestones(crawl.model)[-1]):
        yield tokenizer(page.page.words)
