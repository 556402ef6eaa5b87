"""The pages that a model is fitted to, independent of the crawl they are from: labelled pages, and first pages."""

from __future__ import annotations

import json
from base64 import b85decode, b85encode
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from honeyguide.atomic_write import atomic_write
from honeyguide.relevance.text import Text, Tokens
from honeyguide.store.crawl import Crawl
from honeyguide.teaching.labelled_pages import LabelledPages
from honeyguide.teaching.labels import Label


@dataclass(frozen=True, slots=True)
class LabelledText:
    """The text of a labelled page, for a model to learn from."""

    relevant: bool
    url: str
    """The URL of the page."""
    title: str
    words: str
    """The words, separated by spaces."""

    @classmethod
    def of(cls, crawl: Crawl, label: Label) -> LabelledText | None:
        """Read the text from the archive of a crawl; None if that does not have the page."""
        stored = crawl.reached(label.url)
        if stored is None:
            return None
        return cls(label.relevant, stored.url, stored.page.title, " ".join(stored.page.words))

    def text(self) -> Text:
        """The text as a model takes it."""
        return Text(self.words.split(" ") if self.words else [], self.url, self.title)


@dataclass(frozen=True, slots=True)
class LessonPages:
    """Pages to learn from."""

    texts: tuple[LabelledText, ...] = ()
    samples: tuple[bytes, ...] = ()
    """The tokens of the first pages."""

    def labelled(self) -> LabelledPages:
        """The labelled pages."""
        pages = LabelledPages([], [])
        for one in self.texts:
            (pages.relevant if one.relevant else pages.others).append(one.text())
        return pages

    def first_pages(self) -> Iterator[Tokens]:
        """The tokens of the first pages."""
        return tokens_of(self.samples)

    def write(self, path: Path) -> None:
        """Write the pages to a file."""
        texts = [asdict(one) for one in self.texts]
        with atomic_write(path) as file:
            file.write(
                json.dumps({"texts": texts, "samples": [b85encode(one).decode() for one in self.samples]}).encode()
            )

    @classmethod
    def read(cls, path: Path) -> LessonPages:
        """Read the pages that `write` wrote."""
        found = json.loads(path.read_bytes())
        samples = tuple(b85decode(one) for one in found["samples"])
        return cls(tuple(LabelledText(**one) for one in found["texts"]), samples)


def tokens_of(samples: Iterable[bytes]) -> Iterator[Tokens]:
    """The tokens of pages, from the samples of readers."""
    return (np.frombuffer(one, np.uint32) for one in samples)
