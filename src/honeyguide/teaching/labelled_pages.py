"""The pages of a crawl that have labels, as texts to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from honeyguide.relevance.text import Text
from honeyguide.store.crawl import Crawl
from honeyguide.teaching.labels import Label


class LabelledPages(NamedTuple):
    """Pages with labels."""

    relevant: list[Text]
    others: list[Text]


def labelled_pages(crawl: Crawl, labels: Mapping[str, Label]) -> LabelledPages:
    """The labelled pages, from the archive of the crawl, without those that it has not fetched."""
    pages = LabelledPages([], [])
    for label in labels.values():
        stored = crawl.reached(label.url)
        if stored is not None:
            side = pages.relevant if label.relevant else pages.others
            side.append(Text(stored.page.words, stored.url, stored.page.title))
    return pages
