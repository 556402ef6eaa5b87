"""The texts that describe a link before its target is fetched: one entry per text."""

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
    """The contexts of the links of a page; whatever several texts need is computed once."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @lazy
    def headings(self) -> Headings:
        """The headings of the page, and the heading of each link."""
        return headings(self.page)


@dataclass(frozen=True, slots=True)
class TextFeature:
    """A text that describes a link. Its score, standardised over the crawl, is a feature of guide."""

    name: str
    label: str
    """Shown by `honeyguide why`."""
    prior: float
    """Its weight before anything is learnt."""


@dataclass(frozen=True, slots=True)
class TextOnPage(TextFeature):
    """A text that is a span of the page. All of these are scored in one call."""

    spans: Callable[[LinkContexts], Spans]
    """One span per link of the page."""
    reads_images: bool = False
    """Whether a link without words gets the score of its image's text, or of its title."""


@dataclass(frozen=True, slots=True)
class SeparateText(TextFeature):
    """A text that is scored separately."""

    scores: Callable[[PageView, Mapping[str, Scores]], Scores]
    """Returns one score per followed URL, given the scores of the texts on the page, by name."""


def _heading(contexts: LinkContexts) -> Spans:
    """The heading of each link; an empty span for none."""
    found = contexts.headings
    return spans_at(found.spans, found.of_link, 0, 0)


def _anchor_as_title(view: PageView, scored: Mapping[str, Scores]) -> Scores:
    """The anchor scored as a title, by models that distinguish titles from text; else the score of the anchor."""
    naming = naming_model(view.model)
    if naming is None:
        return scored["anchor"]
    positions, repeats = view.occurrences
    return repeats.max(naming.titles(view.text, view.page.anchors.take(positions, axis=0)))


def _address(view: PageView, _scored: Mapping[str, Scores]) -> Scores:
    """The words of the URL, without those of its host."""
    return view.address_scores(view.urls)


def _keywords(view: PageView, _scored: Mapping[str, Scores]) -> Scores:
    """The topic's keywords in the anchor, by models that have keywords besides examples; else 0, which is neutral.

    Scored separately from the anchor's other words, since how far keywords can be trusted depends on the topic: a page
    called "Faculty" lists the faculty, but "Religion" is also a section of many pages about something else.
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
    SeparateText("title", "its anchor text as a title", 0.15, _anchor_as_title),
    SeparateText("address", "the words of its address", 0.2, _address),
    SeparateText("keywords", "the topic's own words in its anchor text", 0.2, _keywords),
)


def text_column(name: str) -> int:
    """The index of a text in `TEXT_FEATURES`, and of its column in matrices of their scores."""
    return [feature.name for feature in TEXT_FEATURES].index(name)
