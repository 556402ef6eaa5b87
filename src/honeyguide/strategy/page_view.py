"""A page as strategies see it: its links, and the scores of the texts that describe them, computed on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from honeyguide.lazy import lazy
from honeyguide.page.blocks.base import Blocks
from honeyguide.page.context.nearest import is_short, nearest
from honeyguide.page.context.repeats import Repeats, joined
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores
from honeyguide.relevance.short_texts import ShortTextScores
from honeyguide.relevance.text import Text, Tokenizer
from honeyguide.strategy.link_table import Column, LinkTable

FIRST, MAX, JOINED = "first", "max", "joined"
"""Which context counts if a page has several links to a URL: the first (003), the best (001), all joined (000)."""

_NOT_FOLLOWED = -1


class PageView:
    """One page, those of its links that are followed, and the relevance model.

    Scores of links are in the order of `links`, one per URL. Intermediate results are shared by all rules.
    """

    def __init__(
        self,
        page: Page,
        text: Text,
        links: Sequence[int],
        relevance: float,
        model: Relevance,
        tokenizer: Tokenizer,
        known: Mapping[str, bool] = MappingProxyType({}),
        short_texts: ShortTextScores | None = None,
        *,
        is_example: bool = False,
    ) -> None:
        self.page = page
        self.text = text
        self.links = links
        """The position, in `page.links`, of the first link to each URL that is followed."""
        self.relevance = relevance
        """The score of the whole page."""
        self.model = model
        self.tokenizer = tokenizer
        """The tokenizer of the topic."""
        self.known = known
        """For each URL of an example page, whether it is a positive example."""
        self.is_example = is_example
        """Whether the page was fetched as an example, rather than as a seed or through a link."""
        self._short_texts = short_texts or ShortTextScores(model, tokenizer)

    @lazy
    def urls(self) -> list[str]:
        """The URLs that are followed, in the order of `links`."""
        return [self.page.links.url[link] for link in self.links]

    def table(self, scores: Scores, **columns: Column) -> LinkTable:
        """Build the link table of the page, which a rule returns.

        Args:
            scores: One score per link, in the order of `links`; NaN for a link that should not be followed.
            **columns: Arrays with one row per link, for the strategy's queue to read by name.

        Returns:
            The table.

        Raises:
            ValueError: There are more or fewer scores, or rows of a column, than links.
        """
        return LinkTable(self.urls, scores, columns)

    @lazy
    def occurrences(self) -> tuple[NDArray[np.intp], Repeats]:
        """All links to the followed URLs, and the URL that each leads to."""
        if len(self.links) == len(self.page.links):
            every = np.arange(len(self.links))
            return every, Repeats(self.urls, every)
        place = dict(zip(self.urls, range(len(self.urls)), strict=True))
        urls = self.page.links.url
        of_link = np.fromiter(map(place.get, urls, repeat(_NOT_FOLLOWED)), np.intp, len(urls))
        positions = (of_link != _NOT_FOLLOWED).nonzero()[0]
        return positions, Repeats(self.urls, of_link.take(positions))

    @lazy
    def _wordless(self) -> NDArray[np.bool_]:
        """Which links have no text, but an image with alternative text or a title."""
        spans, links = self.page.anchors, self.page.links
        wordless = spans[:, 0] >= spans[:, 1]
        for link in wordless.nonzero()[0].tolist():
            wordless[link] = bool(links.alt[link] or links.title[link])
        return wordless

    def scores(self, contexts: Spans, repeated: str = FIRST) -> Scores:
        """Score the context of each link.

        For a link without text, the alternative text of its image is used instead, or else its title.

        Args:
            contexts: One span for every link of the page, followed or not.
            repeated: Which context counts if there are several links to a URL: `FIRST`, `MAX` or `JOINED`.

        Returns:
            One score per link, in the order of `links`.
        """
        if not len(self.links):
            return np.zeros(0)
        positions, found = self.occurrences
        if repeated == JOINED and len(positions) > len(self.links):
            return self._joined(contexts[positions], positions, found)
        if repeated == FIRST:
            positions = np.array(self.links, np.intp)
            return self._each(contexts[positions], positions)
        return found.max(self._each(contexts[positions], positions))

    def of_blocks(self, blocks: Blocks) -> Scores:
        """Score the block of each link.

        Args:
            blocks: The blocks of the page.

        Returns:
            One score per link, in the order of `links`: the best where a URL is linked in several blocks, 0 for a link
            that is in none.
        """
        if not len(self.links) or not len(blocks):
            return np.zeros(len(self.links))
        positions, found = self.occurrences
        own = blocks.of_link[positions]
        scores = np.append(self.model.score(self.text, blocks.spans), 0.0)  # the last one is for NO_BLOCK
        return np.maximum(found.max(scores[own]), 0.0)

    def nearest(self, contexts: Spans, positions: NDArray[np.intp], *, each: bool = False) -> Spans:
        """The contexts of some links, shortened if they are too long and too many to be scored in full.

        Args:
            contexts: One span per position.
            positions: Positions of links in `page.links`.
            each: Whether to count equal contexts separately, because each will be scored separately.

        Returns:
            The contexts themselves, or those of their words that are nearest to the links.
        """
        return nearest(contexts, self.page.anchors.take(positions, axis=0), each=each)

    def nearest_of_each(self, contexts: NDArray[np.int32], positions: NDArray[np.intp]) -> NDArray[np.int32]:
        """Like `nearest`, for several kinds of contexts.

        Args:
            contexts: For each kind, one span per position.
            positions: Positions of links in `page.links`.

        Returns:
            The contexts, in the same shape.
        """
        if is_short(contexts):
            return contexts
        return np.stack([self.nearest(spans, positions) for spans in contexts])

    def _each(self, contexts: Spans, positions: NDArray[np.intp]) -> Scores:
        scores = self.model.score(self.text, self.nearest(contexts, positions))
        wordless = np.flatnonzero(self._wordless[positions])
        if len(wordless):
            around = self.nearest(contexts[wordless], positions[wordless], each=True)
            scores[wordless] = self._scores_of(
                [*self.text.words[first:last], *self._image_text(link).words]
                for (first, last), link in zip(around.tolist(), positions[wordless].tolist(), strict=True)
            )
        return scores

    def _joined(self, contexts: Spans, positions: NDArray[np.intp], found: Repeats) -> Scores:
        pieces = joined(self.nearest(contexts, positions), found)
        spans = np.array([own[0] if len(own) == 1 else (0, 0) for own in pieces], np.int32)
        scores = self.model.score(self.text.without_names(), spans)
        # The rest are scored separately: URLs whose contexts are not contiguous, and links with image texts only.
        wordless = np.flatnonzero(self._wordless[positions])
        apart = [url for url, own in enumerate(pieces) if len(own) > 1]
        if len(wordless) or apart:
            pieces = joined(self.nearest(contexts, positions, each=True), found)
            words = self.text.words
            scores[apart] = self._scores_of(_picked(words, pieces[url]) for url in apart)
            urls = found.of_link[wordless]
            read = self._scores_of(
                [*_picked(words, pieces[url]), *self._image_text(link).words]
                for url, link in zip(urls.tolist(), positions[wordless].tolist(), strict=True)
            )
            np.maximum.at(scores, urls, read)
        return scores

    def _scores_of(self, texts: Iterable[list[str]]) -> Scores:
        """One score per text, with a single call of the model."""
        words: list[str] = []
        ends = [0]
        for text in texts:
            words += text
            ends.append(len(words))
        return self.model.score(Text(words), np.array([ends[:-1], ends[1:]], np.int32).T)

    def address_scores(self, urls: Sequence[str]) -> Scores:
        """Score the words of URLs, without their hosts.

        Args:
            urls: Canonical URLs.

        Returns:
            One score per URL.
        """
        return self._short_texts.addresses(urls)

    def image_scores(self, positions: NDArray[np.intp]) -> Scores:
        """Score links without text by the alternative text of their image, or else by their title.

        Args:
            positions: Positions of links in `page.links`.

        Returns:
            One score per position; 0 for a link with text.
        """
        scores = np.zeros(len(positions))
        wordless = self._wordless[positions].nonzero()[0]
        if len(wordless):
            links = self.page.links
            texts = [links.alt[link] or links.title[link] for link in positions[wordless].tolist()]
            scores[wordless] = self._short_texts.images(texts)
        return scores

    def images(self, positions: NDArray[np.intp]) -> Iterator[tuple[int, Text]]:
        """The texts of links without words of their own: the alternative text of the image, or else the title.

        Args:
            positions: Positions of links in `page.links`.

        Yields:
            For each such link, its index in `positions`, and the text.
        """
        for place in np.flatnonzero(self._wordless[positions]).tolist():
            yield place, self._image_text(int(positions[place]))

    def _image_text(self, link: int) -> Text:
        links = self.page.links
        return Text.of(links.alt[link] or links.title[link])


def _picked(words: Sequence[str], pieces: Iterable[tuple[int, int]]) -> list[str]:
    """The words of some spans, concatenated."""
    return [word for first, last in pieces for word in words[first:last]]
