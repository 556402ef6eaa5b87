"""The texts that stand for a link before its target is known: one entry per text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from honeyguide.page.blocks.cbp import MODERN, cbp
from honeyguide.page.context import anchors, block_texts, parents, windows
from honeyguide.page.context.headings import Headings, headings
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
from honeyguide.page.url_words import path_words
from honeyguide.relevance.base import Scores, TitleAddressModel
from honeyguide.relevance.text import Text
from honeyguide.strategy.page_view import PageView

NEAR_WORDS, WIDE_WORDS = 20, 60


class LinkContexts:
    """A page whose links' contexts are cut out; what several texts need is computed once."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @cached_property
    def headings(self) -> Headings:
        """The headings of the page, and the one that each link stands under."""
        return headings(self.page)


@dataclass(frozen=True, slots=True)
class TextFeature:
    """A text that stands for a link. Its score, scaled to what is usual in this crawl, is a feature of guide.

    Either `spans` says where the text stands on the page (all such texts are scored in one call), or `scores` scores
    it by itself, with the scores of the texts of the other kind at hand, one per link to a followed URL.
    """

    name: str
    label: str
    """As `honeyguide why` shows it."""
    prior: float
    """How much it is trusted before anything was learnt."""
    spans: Callable[[LinkContexts], Spans] | None = None
    """One span per link of the page."""
    scores: Callable[[PageView, Mapping[str, Scores]], Scores] | None = None
    """One score per followed URL."""
    reads_images: bool = False
    """Whether a link without words is read with the text of its image, or its title."""


def _heading(contexts: LinkContexts) -> Spans:
    """The heading that each link stands under; an empty span for none."""
    found = contexts.headings
    return np.append(found.spans, np.zeros((1, 2), np.int32), axis=0)[found.of_link]  # NO_HEADING points at the last


def _anchor_as_title(view: PageView, scored: Mapping[str, Scores]) -> Scores:
    """The anchor read as the target's title, by models that know titles from text; else just the anchor."""
    positions, repeats = view.occurrences
    if isinstance(view.model, TitleAddressModel):
        return repeats.max(view.model.titles(view.text, anchors(view.page)[positions]))
    return repeats.max(scored["anchor"])


def _address(view: PageView, _scored: Mapping[str, Scores]) -> Scores:
    """The words of the URL, without those of its host."""
    words = [path_words(url) for url in view.urls]
    ends = np.cumsum([len(one) for one in words])
    starts = ends - [len(one) for one in words]
    text = Text([word for one in words for word in one])
    spans = np.stack((starts, ends), axis=1).astype(np.int32)
    return (view.model.addresses if isinstance(view.model, TitleAddressModel) else view.model.score)(text, spans)


TEXT_FEATURES = (
    TextFeature("anchor", "its anchor text", 0.15, lambda link: anchors(link.page), reads_images=True),
    TextFeature("near", "the 20 words around it", 0.2, lambda link: windows(link.page, NEAR_WORDS)),
    TextFeature("wide", "the 60 words around it", 0.15, lambda link: windows(link.page, WIDE_WORDS)),
    TextFeature("block", "its block", 0.15, lambda link: block_texts(link.page, cbp(link.page, block_tags=MODERN))),
    TextFeature("parent", "its parent element's text", 0.1, lambda link: parents(link.page)),
    TextFeature("heading", "its heading", 0.1, _heading),
    TextFeature("title", "its anchor text as a title", 0.15, scores=_anchor_as_title),
    TextFeature("address", "the words of its address", 0.2, scores=_address),
)


def text_column(name: str) -> int:
    """Which column of a matrix with one column per text feature belongs to a text."""
    return [feature.name for feature in TEXT_FEATURES].index(name)
