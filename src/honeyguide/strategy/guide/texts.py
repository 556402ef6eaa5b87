"""The texts that stand for a link before its target is known: one entry per text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from honeyguide.lazy import lazy
from honeyguide.page.blocks.cbp import MODERN, cbp
from honeyguide.page.context import block_texts, parents, windows
from honeyguide.page.context.headings import Headings, headings
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans, spans_at
from honeyguide.relevance.base import Scores, keyword_scores, naming_model
from honeyguide.strategy.page_view import PageView

NEAR_WORDS, WIDE_WORDS = 20, 60


class LinkContexts:
    """A page whose links' contexts are cut out; what several texts need is computed once."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @lazy
    def headings(self) -> Headings:
        """The headings of the page, and the one that each link stands under."""
        return headings(self.page)


@dataclass(frozen=True, slots=True)
class TextFeature:
    """A text that stands for a link. Its score, scaled to what is usual in this crawl, is a feature of guide."""

    name: str
    label: str
    """As `honeyguide why` shows it."""
    prior: float
    """How much it is trusted before anything was learnt."""


@dataclass(frozen=True, slots=True)
class TextOnPage(TextFeature):
    """A text that stands on the page. All of these are scored in one call."""

    spans: Callable[[LinkContexts], Spans]
    """One span per link of the page."""
    reads_images: bool = False
    """Whether a link without words is read with the text of its image, or its title."""


@dataclass(frozen=True, slots=True)
class TextByItself(TextFeature):
    """A text that is scored by itself."""

    scores: Callable[[PageView, Mapping[str, Scores]], Scores]
    """One score per followed URL, with those of the texts on the page at hand, by name."""


def _heading(contexts: LinkContexts) -> Spans:
    """The heading that each link stands under; an empty span for none."""
    found = contexts.headings
    return spans_at(found.spans, found.of_link, 0, 0)


def _anchor_as_title(view: PageView, scored: Mapping[str, Scores]) -> Scores:
    """The anchor read as the target's title, by models that know titles from text; else just the anchor."""
    naming = naming_model(view.model)
    if naming is None:
        return scored["anchor"]
    positions, repeats = view.occurrences
    return repeats.max(naming.titles(view.text, view.page.anchors.take(positions, axis=0)))


def _address(view: PageView, _scored: Mapping[str, Scores]) -> Scores:
    """The words of the URL, without those of its host."""
    return view.address_scores(view.urls)


def _keywords(view: PageView, _scored: Mapping[str, Scores]) -> Scores:
    """The topic's own words in the anchor, by models that know them beside examples; else 0, which tells nothing.

    Apart from the anchor's other words, because it depends on the topic how far they can be trusted: what is called
    "Faculty" is a list of them, and what is called "Religion" is a section of many a page about something else.
    """
    positions, repeats = view.occurrences
    return repeats.max(keyword_scores(view.model, view.text, view.page.anchors.take(positions, axis=0)))


TEXT_FEATURES: tuple[TextFeature, ...] = (
    TextOnPage("anchor", "its anchor text", 0.15, lambda link: link.page.anchors, reads_images=True),
    TextOnPage("near", "the 20 words around it", 0.2, lambda link: windows(link.page, NEAR_WORDS)),
    TextOnPage("wide", "the 60 words around it", 0.15, lambda link: windows(link.page, WIDE_WORDS)),
    TextOnPage("block", "its block", 0.15, lambda link: block_texts(link.page, cbp(link.page, block_tags=MODERN))),
    TextOnPage("parent", "its parent element's text", 0.1, lambda link: parents(link.page)),
    TextOnPage("heading", "its heading", 0.1, _heading),
    TextByItself("title", "its anchor text as a title", 0.15, _anchor_as_title),
    TextByItself("address", "the words of its address", 0.2, _address),
    TextByItself("keywords", "the topic's own words in its anchor text", 0.2, _keywords),
)


def text_column(name: str) -> int:
    """Which column of a matrix with one column per text feature belongs to a text."""
    return [feature.name for feature in TEXT_FEATURES].index(name)
