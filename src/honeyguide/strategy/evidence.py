"""What a page says about each of its links: the evidence that the house strategy weighs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.blocks.cbp import MODERN, cbp
from honeyguide.page.context import anchors, block_texts, parents, windows
from honeyguide.page.context.headings import headings
from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import regions
from honeyguide.page.spans import Spans
from honeyguide.page.url_words import path_words
from honeyguide.relevance.base import Naming, Scores
from honeyguide.relevance.text import Text
from honeyguide.strategy.view import View

TEXTS = ("anchor", "near", "around", "block", "parent", "heading", "title", "address")
"""The texts that stand for a link: its anchor, 20 and 60 words around it, its block, the text under its parent, its
heading, its anchor read as a title, the words of its URL."""

REGION = len(TEXTS)
"""The column that tells which region of the page the link is in."""

KNOWN = REGION + 1
"""The column for examples of the topic, which are known already: 1 for one that is about it, -1 for one that is not."""

NEAR, AROUND = 20, 60


def evidence(view: View) -> Scores:
    """A rule that leaves in the view what speaks for each link, a row a link, for the queue to weigh.

    All texts of all links are scored in one call. Of a URL that is linked several times the best of each counts. No
    score is more than 0: what a link is worth depends on what the crawl has learnt.
    """
    rows = np.zeros((len(view.links), KNOWN + 1), np.float32)
    view.evidence, view.groups = rows, np.zeros(len(rows), np.int32)
    scores = np.zeros(len(rows))
    if not len(rows):
        return scores
    page, own = view.page, list(view.links)
    above = headings(page)
    heading = np.append(above.spans, np.zeros((1, 2), np.int32), axis=0)[above.of_link]  # none is the last
    texts = (
        anchors(page),
        windows(page, NEAR),
        windows(page, AROUND),
        block_texts(page, cbp(page, block_tags=MODERN)),
        parents(page),
        heading,
    )
    _score(view, texts, rows)
    rows[:, REGION] = regions(page, link_lists(page))[own]
    known = view.known
    rows[:, KNOWN] = [(1 if known[url] else -1) if url in known else 0 for url in view.urls()]
    view.groups = above.of_link[own]
    return scores


def _score(view: View, texts: tuple[Spans, ...], rows: NDArray[np.float32]) -> None:
    positions, found = view.occurrences
    model, names = view.model, view.model if isinstance(view.model, Naming) else None
    spans = np.concatenate([spans[positions] for spans in texts])
    scored = model.score(view.text, spans).reshape(len(texts), len(positions))
    scored[0] = np.where(scored[0] > 0, scored[0], view.said_by_images(positions))
    for column, scores in enumerate(scored):
        rows[:, column] = found.max(scores)
    title = names.titles(view.text, texts[0][positions]) if names else scored[0]
    rows[:, len(texts)] = found.max(title)
    rows[:, len(texts) + 1] = (names.addresses if names else model.score)(*_addresses(view.urls()))


def _addresses(urls: list[str]) -> tuple[Text, Spans]:
    """The words of all URLs, without their hosts, as one text, and where each stands in it."""
    words = [path_words(url) for url in urls]
    ends = np.cumsum([len(one) for one in words])
    starts = ends - [len(one) for one in words]
    return Text([word for one in words for word in one]), np.stack((starts, ends), axis=1).astype(np.int32)
