"""How many of the pages kept as relevant are relevant: by marks on a random sample."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from honeyguide.store.crawl import Crawl
from honeyguide.store.url_events import parse_detail

_NORMAL = 1.959963984540054  # the quantile of the normal distribution for 95 %


class Mark(Protocol):
    """A judgement of a page."""

    @property
    def relevant(self) -> bool:
        """Whether it is relevant."""
        ...

    @property
    def time(self) -> float:
        """The time of the judgement, as Unix time."""
        ...

    @property
    def is_machine(self) -> bool:
        """Whether it is from a language model."""
        ...


class Precision(NamedTuple):
    """The share of marked pages that are relevant."""

    right: int
    marked: int

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson score interval at 95 %. The number of marked pages must not be 0."""
        n, share = self.marked, self.right / self.marked
        squared = _NORMAL**2
        centre = (share + squared / (2 * n)) / (1 + squared / n)
        reach = _NORMAL * math.sqrt(share * (1 - share) / n + squared / (4 * n * n)) / (1 + squared / n)
        return max(centre - reach, 0.0), min(centre + reach, 1.0)


def precision(urls: Iterable[str], labels: Mapping[str, Mark]) -> Precision:
    """The precision by the labels that people have given to pages of a sample."""
    marks = [label.relevant for url in urls if (label := labels.get(url)) and not label.is_machine]
    return Precision(sum(marks), len(marks))


def learnt_labels(crawl: Crawl, labels: Mapping[str, Mark]) -> frozenset[str]:
    """The URLs of the labels that the model of the crawl has learnt from: those given before it was fitted last."""
    fitted = 0.0
    if labels:
        for time, text in crawl.query("SELECT time, detail FROM events WHERE kind = 'taught' ORDER BY id"):
            if "problem" not in parse_detail(text):
                fitted = time
    return frozenset(url for url, label in labels.items() if label.time <= fitted)
