"""The reading half of guide: scores all texts of all links of a page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import Region, regions
from honeyguide.relevance.base import Scores
from honeyguide.strategy.guide.texts import TEXT_FEATURES, LinkContexts, SeparateText, TextOnPage
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.page_words import LINK_WORDS, Numbers, words_of_links

TEXTS = "texts"
"""The column with the scores of the texts: a matrix, one column per entry of `TEXT_FEATURES`."""
REGION = "region"
"""The column with the region of the page (navigation, content ...) that a link is in."""
SECTION = "section"
"""The column with the section of the page that a link is in: a number shared by the links of one section."""
EXAMPLE = "example"
"""The column for links to examples, whose relevance is known: 1 for a positive one, -1 for a negative one, else 0."""
SOURCE = "source"
"""The column with the kind of page that a link is on, `BY_EXAMPLE` or `BY_OTHER`: the same for all links of a page."""

WORDS = "words"
"""The column with the words of each link, from which the queue learns: a matrix of numbers, see `words_of_links`."""

BY_EXAMPLE, BY_OTHER = 1, 2
"""Kinds of pages that link to a URL, as bits: examples that the crawl started at, and all other pages."""

_ON_PAGE = [(column, one) for column, one in enumerate(TEXT_FEATURES) if isinstance(one, TextOnPage)]
_SEPARATE = [(column, one) for column, one in enumerate(TEXT_FEATURES) if isinstance(one, SeparateText)]
_READING_IMAGES = [row for row, (_, feature) in enumerate(_ON_PAGE) if feature.reads_images]


def evidence(view: PageView) -> LinkTable:
    """A rule that collects the evidence for each link, for the queue to weigh.

    All texts that stand on the page are scored in one call. Of a URL that is linked several times the best score of
    each text counts. The score of a link is the mean score of its texts; its promise depends on what the crawl has
    learnt.
    """
    count = len(view.links)
    if not count:
        return evidence_table(view.urls, np.zeros((0, len(TEXT_FEATURES)), np.float32))
    contexts, own = LinkContexts(view.page), np.array(view.links, np.intp)
    examples = view.known
    region = regions(view.page, link_lists(view.page)).take(own)
    is_directory = int(region[0]) == Region.DIRECTORY
    return evidence_table(
        view.urls,
        _text_scores(view, contexts),
        region=region,
        section=0 if is_directory else contexts.headings.of_link.take(own),  # a directory is judged as a whole
        example=[(1 if examples[url] else -1) if url in examples else 0 for url in view.urls] if examples else 0,
        source=BY_EXAMPLE if view.is_example else BY_OTHER,
        words=words_of_links(view),
    )


def evidence_table(
    urls: list[str],
    texts: NDArray[np.float32],
    *,
    region: object = 0,
    section: object = 0,
    example: object = 0,
    source: object = BY_OTHER,
    words: Numbers | None = None,
) -> LinkTable:
    """Make the table that guide's queue reads; a single value applies to all links."""

    def column(values: object, kind: type[np.generic]) -> NDArray[np.generic]:
        filled = np.empty(len(urls), kind)
        filled[:] = values
        return filled

    columns = {
        TEXTS: texts,
        REGION: column(region, np.uint8),
        SECTION: column(section, np.int32),
        EXAMPLE: column(example, np.int8),
        SOURCE: column(source, np.uint8),
        WORDS: np.zeros((len(urls), LINK_WORDS), np.uint32) if words is None else words,
    }
    mean = np.add.reduce(texts, axis=1, dtype=np.float64) / len(TEXT_FEATURES)
    return LinkTable(urls, mean, columns)


def _text_scores(view: PageView, contexts: LinkContexts) -> NDArray[np.float32]:
    """One row per followed URL, one column per text."""
    positions, repeats = view.occurrences
    spans = np.empty((len(_ON_PAGE), len(view.page.links), 2), np.int32)
    for row, (_, text) in enumerate(_ON_PAGE):
        spans[row] = text.spans(contexts)
    if len(positions) < len(view.page.links):
        spans = spans.take(positions, axis=1)
    scores = view.model.score(view.text, view.nearest_of_each(spans, positions).reshape(-1, 2))
    scores = scores.reshape(len(_ON_PAGE), len(positions))
    for row in _READING_IMAGES:
        scores[row] = np.where(scores[row] > 0, scores[row], view.image_scores(positions))
    best = repeats.max(scores)
    texts = np.empty((len(view.links), len(TEXT_FEATURES)), np.float32)
    scored: dict[str, Scores] = {}
    for (column, feature), own in zip(_ON_PAGE, best, strict=True):
        texts[:, column] = scored[feature.name] = own
    for column, separate in _SEPARATE:
        texts[:, column] = separate.scores(view, scored)
    return texts
