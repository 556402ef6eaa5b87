"""The pages that a crawl is to find, where they are known."""

from __future__ import annotations

from pathlib import Path

from honeyguide.lab.labels import read_labels
from honeyguide.store.crawl import Crawl


def read_targets(folder: Path, labels: Path, label: str | None) -> tuple[str, ...]:
    """The canonical URLs of the pages with a label, by default that with the crawl's name, in a file of labels.

    Raises `InputError` if there is none, or no crawl.
    """
    with Crawl.open(folder) as crawl:
        return tuple(read_labels(labels, crawl.url_rules, lambda url: url).pages(label or crawl.topic.name))
