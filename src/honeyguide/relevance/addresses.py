"""Scores of the addresses of pages, before anything else is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, overload

import numpy as np
from typing_extensions import override

from honeyguide.page.url_words import path_words
from honeyguide.relevance.base import Relevance, Scores, naming_model
from honeyguide.relevance.text import Text, Tokenizer

_MEMO_SIZE: Final = 50_000


class AddressWords(Sequence[str]):
    """The words of some URLs, without those of their hosts, one URL after the other. Made when they are needed."""

    def __init__(self, urls: Sequence[str], count: int) -> None:
        """`count` is how many words they have."""
        self._urls = urls
        self._count = count

    @cached_property
    def _words(self) -> list[str]:
        return [word for url in self._urls for word in path_words(url)]

    @override
    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    @override
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self._words[place]

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._words)


class AddressScores:
    """Scores URLs by their words. Those of the links of a site come up again and again: scores are remembered."""

    def __init__(self, model: Relevance, tokenizer: Tokenizer) -> None:
        """`tokenizer` is the one that the model uses, or most models do."""
        naming = naming_model(model)
        self._score = naming.addresses if naming else model.score
        self._tokenizer = tokenizer
        self._known: dict[str, float] = {}

    def __call__(self, urls: Sequence[str]) -> Scores:
        """One score per canonical URL."""
        known = self._known
        new = [url for url in urls if url not in known]
        if new:
            if len(known) > _MEMO_SIZE:  # a crawl never stops meeting new ones
                known.clear()
                new = list(urls)
            known.update(zip(new, self._scores(new).tolist(), strict=True))
        return np.array([known[url] for url in urls], np.float64)

    def _scores(self, urls: Sequence[str]) -> Scores:
        tokens, lengths = self._tokenizer.of_addresses(urls)
        text = Text(AddressWords(urls, len(tokens)))
        text.know_tokens(self._tokenizer, tokens)
        spans = np.zeros((len(urls), 2), np.int32)
        lengths.cumsum(out=spans[:, 1], dtype=np.int32)
        spans[1:, 0] = spans[:-1, 1]
        return self._score(text, spans)
