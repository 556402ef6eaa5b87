"""Scores of the short texts of links: their addresses, and the texts of their images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Final, overload

import numpy as np
from typing_extensions import override

from honeyguide.page.spans import spans_of
from honeyguide.page.url_words import path_words
from honeyguide.page.words import SEAM, split_words
from honeyguide.relevance.base import Relevance, Scores, naming_model
from honeyguide.relevance.text import Text, Tokenizer

_MEMO_SIZE: Final = 50_000


class AddressWords(Sequence[str]):
    """The words of some URLs, without their hosts, one URL after the other. Computed on demand."""

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


class ScoreMemo:
    """Scores of short texts that recur, such as the addresses of a site: each is scored once."""

    def __init__(self, score: Callable[[Sequence[str]], Scores]) -> None:
        """`score` gives one score per text, which must not depend on the other texts."""
        self._score = score
        self._known: dict[str, float] = {}

    def __call__(self, texts: Sequence[str]) -> Scores:
        """One score per text."""
        known = self._known
        scores = list(map(known.get, texts))
        if None in scores:
            if len(known) > _MEMO_SIZE:  # a crawl finds new ones all the time
                known.clear()
            new = list(dict.fromkeys(text for text in texts if text not in known))
            known.update(zip(new, self._score(new).tolist(), strict=True))
            scores = [known[text] for text in texts]
        return np.array(scores, np.float64)


class ShortTextScores:
    """The scores of short texts of links by a model, cached as long as the model is in use."""

    def __init__(self, model: Relevance, tokenizer: Tokenizer) -> None:
        """`tokenizer` is the one that the model probably uses."""
        self._model = model
        self._tokenizer = tokenizer
        self.addresses = ScoreMemo(self._addresses)
        """Scores of canonical URLs, by their words without those of their hosts."""
        self.images = ScoreMemo(self._images)
        """Scores of the texts of images."""

    def _addresses(self, urls: Sequence[str]) -> Scores:
        tokens, lengths = self._tokenizer.of_addresses(urls)
        text = Text(AddressWords(urls, len(tokens)))
        text.set_tokens(self._tokenizer, tokens)
        ends = lengths.cumsum(dtype=np.int32)
        naming = naming_model(self._model)
        return (naming.addresses if naming else self._model.score)(
            text, spans_of(ends - lengths.astype(np.int32), ends)
        )

    def _images(self, texts: Sequence[str]) -> Scores:
        words, before = split_words(SEAM.join(texts), frozenset(range(len(texts))))
        return self._model.score(Text(words), spans_of(before[:-1], before[1:]))
