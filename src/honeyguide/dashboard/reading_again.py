"""A stored page, read again: its text with its blocks, and the scores of page, blocks and links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

import numpy as np

from honeyguide.crawl.explain import explain_url
from honeyguide.crawl.model_schedule import ModelSchedule, first_pages
from honeyguide.crawl.readers import reader_config
from honeyguide.dashboard.source import unchecked_crawl
from honeyguide.errors import HoneyguideError
from honeyguide.page.blocks.base import Blocks
from honeyguide.page.blocks.vips import vips
from honeyguide.page.document import as_html
from honeyguide.page.language_codes import language_name
from honeyguide.page.parse import Page, parse
from honeyguide.page.words import SEAM
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance, in_language
from honeyguide.relevance.learning import Learner
from honeyguide.relevance.text import Text
from honeyguide.store.connection import FILE
from honeyguide.store.stored_page import StoredPage
from honeyguide.strategy.reading import Document, Reader, ReaderConfig

_MOST_TEXT = 60_000  # characters of a page that are shown
_MOST_BLOCKS = 300
_MOST_LINKS = 300
_LONGEST_ANCHOR = 200
_LONGEST_URL = 2000


@dataclass(frozen=True, slots=True)
class LinkReading:
    """A link of a page: one for each URL."""

    url: str
    anchor: str
    score: float | None
    """Its score by the strategy's rule; None if it was not followed."""
    left_out: str = ""
    """Why it was not followed; "" if it was."""


@dataclass(frozen=True, slots=True)
class BlockReading:
    """A block of a page."""

    lines: Sequence[str]
    words: int
    score: float
    links: int


@dataclass(frozen=True, slots=True)
class PageReading:
    """The result of reading a page again."""

    relevance: float
    threshold: float
    noindex: bool
    foreign: bool = False
    """Whether it is in a language that the scope excludes."""
    blocks: Sequence[BlockReading] = ()
    links: Sequence[LinkReading] = ()
    all_links: int = 0
    """How many there are; `links` has the best ones."""
    is_cut: bool = False
    """Whether there is more text than is shown."""
    left_out: Mapping[str, int] = field(default_factory=dict)


class PageRereader:
    """Reads the pages of a crawl again, with the current model of the crawl."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._crawl = unchecked_crawl(folder)
        self._version = self._model_version()
        self._config: ReaderConfig | None = None

    def close(self) -> None:
        """Close the crawl's database."""
        self._crawl.close()

    @property
    def is_current(self) -> bool:
        """Whether the crawl still has the same model and database."""
        return self._model_version() == self._version

    def load(self, _number: int) -> None:
        """Load the model and read a page, if there is one. Otherwise the first view of a page has to wait for that."""
        Reader(self._current_config())
        for (number,) in self._crawl.query("SELECT id FROM pages LIMIT 1"):
            self.read(number)

    def read(self, number: int) -> PageReading:
        """Read the page with this number. Raises `HoneyguideError` if the archive has lost it, or it is not there."""
        stored = self._stored(number)
        config = self._current_config()
        reading, left_out = Reader(config).explain(Document.of(stored.stored))
        page = parse(
            as_html(stored.stored.body, stored.row.content_type), stored.url, self._crawl.url_rules, styled=True
        )
        blocks, is_cut = _blocks(page, in_language(config.model, language_name(reading.language)))
        anchors = _anchors(page)
        followed = sorted(reading.links.rows(), key=lambda row: -row[1])
        links = [LinkReading(url, anchors.get(url, ""), score) for url, score in followed if isfinite(score)]
        links += [
            LinkReading(url, anchors.get(url, ""), None, reason) for reason, urls in left_out.items() for url in urls
        ]
        return PageReading(
            relevance=reading.relevance,
            threshold=reading.threshold,
            noindex=reading.noindex,
            foreign=reading.foreign,
            blocks=blocks,
            links=[link for link in links[:_MOST_LINKS] if len(link.url) <= _LONGEST_URL],
            all_links=len(links),
            is_cut=is_cut,
            left_out={reason: len(urls) for reason, urls in left_out.items()},
        )

    def evidence(self, number: int) -> Sequence[tuple[str, float]]:
        """The evidence for and against a URL. Restores the frontier, which takes seconds for a million URLs."""
        found = next(self._crawl.query("SELECT url FROM urls WHERE id = ?", number), None)
        if found is None:
            raise HoneyguideError("there is no such URL")
        return [(str(name), float(part)) for name, part in explain_url(self._crawl, found[0])]

    def _stored(self, number: int) -> StoredPage:
        stored = self._crawl.numbered(number)
        if stored is None:
            raise HoneyguideError("there is no such page")
        return stored

    def _current_config(self) -> ReaderConfig:
        if self._config is None:
            crawl = self._crawl
            config = reader_config(crawl.topic, crawl.model)
            # The state of a model that learns from the first pages of the crawl is not stored.
            self._config = (
                ModelSchedule(config, first_pages(crawl)).config if isinstance(crawl.model, Learner) else config
            )
        return self._config

    def _model_version(self) -> tuple[int, ...]:
        models = (self._folder / name / "model.json" for name in (saved.FOLDER, saved.TAUGHT))
        changed = (model.stat().st_mtime_ns if model.exists() else 0 for model in models)
        return (*changed, (self._folder / FILE).stat().st_ino)


def _blocks(page: Page, model: Relevance) -> tuple[list[BlockReading], bool]:
    """The blocks of a page, as far as its text is shown, and whether there is more."""
    found = vips(page)
    if not len(found):
        return [], False
    scores = model.score(Text(page.words, page.url, page.title), found.spans)
    counts = np.bincount(found.of_link[found.of_link >= 0], minlength=len(found))
    blocks: list[BlockReading] = []
    left = _MOST_TEXT
    for number, lines in enumerate(_lines(page, found)):
        if left <= 0 or number >= _MOST_BLOCKS:
            return blocks, True
        shown: list[str] = []
        for line in lines:
            shown.append(line[: max(left, 0)])
            left -= len(line)
        first, last = found.spans[number].tolist()
        blocks.append(BlockReading(shown, last - first, float(scores[number]), int(counts[number])))
    return blocks, left < 0


def _lines(page: Page, blocks: Blocks) -> list[list[str]]:
    """The text of each block, in lines, with white space folded."""
    texts: list[list[str]] = [[] for _ in range(len(blocks))]
    pieces = page.source.replace("\n", " ").split(SEAM)
    for number, (piece, block) in enumerate(zip(pieces, blocks.of_pieces(page), strict=True)):
        if block >= 0:
            texts[block].append(f"\n{piece}" if number in page.apart else piece)
    return [[line for part in "".join(text).split("\n") if (line := " ".join(part.split()))] for text in texts]


def _anchors(page: Page) -> dict[str, str]:
    """The words of the first link to each URL, or their substitute."""
    anchors: dict[str, str] = {}
    spans = page.anchors.tolist() if len(page.links) else []
    for link, url in enumerate(page.links.url):
        if url not in anchors:
            first, last = spans[link]
            text = " ".join(page.words[first : min(last, first + 40)])
            anchors[url] = (text or page.links.alt[link] or page.links.title[link])[:_LONGEST_ANCHOR]
    return anchors
