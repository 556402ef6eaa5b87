"""The reading half of guide: scores all texts of all links of a page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import Region, regions
from honeyguide.relevance.base import Scores
from honeyguide.strategy.guide.texts import TEXT_FEATURES, LinkContexts
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import PageView

TEXTS = "texts"
"""The column with the scores of the texts: a matrix, one column per entry of `TEXT_FEATURES`."""
REGION = "region"
"""The column with the region of the page (navigation, content ...) that a link is in."""
SECTION = "section"
"""The column with the section of the page that a link is in, by a number that the links of one section share."""
EXAMPLE = "example"
"""The column for links to examples, whose relevance is known: 1 for a positive one, -1 for a negative one, else 0."""


def evidence(view: PageView) -> LinkTable:
    """A rule that collects the evidence for each link, for the queue to weigh.

    All texts that stand on the page are scored in one call. Of a URL that is linked several times the best score of
    each text counts. The score of a link is what its texts say on average; what it is really worth depends on what the
    crawl has learnt.
    """
    count = len(view.links)
    if not count:
        return evidence_table(view.urls, np.zeros((0, len(TEXT_FEATURES)), np.float32))
    contexts, own = LinkContexts(view.page), list(view.links)
    examples = view.known
    region = regions(view.page, link_lists(view.page))[own]
    is_directory = region[0] == Region.DIRECTORY
    return evidence_table(
        view.urls,
        _text_scores(view, contexts),
        region=region,
        section=0 if is_directory else contexts.headings.of_link[own],  # a directory is judged as a whole
        example=[(1 if examples[url] else -1) if url in examples else 0 for url in view.urls],
    )


def evidence_table(
    urls: list[str],
    texts: NDArray[np.float32],
    *,
    region: object = 0,
    section: object = 0,
    example: object = 0,
) -> LinkTable:
    """The table that guide's queue reads; a single value stands for all links."""

    def column(values: object, kind: type[np.generic]) -> NDArray[np.generic]:
        return np.broadcast_to(np.asarray(values, kind), len(urls))

    columns = {
        TEXTS: texts,
        REGION: column(region, np.uint8),
        SECTION: column(section, np.int32),
        EXAMPLE: column(example, np.int8),
    }
    return LinkTable(urls, texts.mean(axis=1, dtype=np.float64), columns)


def _text_scores(view: PageView, contexts: LinkContexts) -> NDArray[np.float32]:
    positions, repeats = view.occurrences
    on_page = [
        (feature, view.nearest(feature.spans(contexts)[positions], positions))
        for feature in TEXT_FEATURES
        if feature.spans is not None
    ]
    scored = view.model.score(view.text, np.concatenate([spans for _, spans in on_page]))
    scores: dict[str, Scores] = {}
    for (feature, _), own in zip(on_page, scored.reshape(len(on_page), len(positions)), strict=True):
        if feature.reads_images:
            scores[feature.name] = np.where(own > 0, own, view.said_by_images(positions))
        else:
            scores[feature.name] = own
    texts = np.zeros((len(view.links), len(TEXT_FEATURES)), np.float32)
    for column, feature in enumerate(TEXT_FEATURES):
        own = repeats.max(scores[feature.name]) if feature.scores is None else feature.scores(view, scores)
        texts[:, column] = own
    return texts
