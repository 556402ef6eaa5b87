"""What a report is about: a crawl, its statistics, and what people have said of its pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from honeyguide.document import words
from honeyguide.relevance.text import Tokenizer
from honeyguide.store.crawl import Crawl
from honeyguide.store.report.precision import Mark
from honeyguide.store.report.selection import Selection
from honeyguide.store.report.statistics import CrawlStatistics, Truth

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """A crawl and its statistics, with its name in legends."""

    name: str
    crawl: Crawl
    survey: CrawlStatistics

    @property
    def seconds(self) -> float:
        """Time spent crawling."""
        return float(self.crawl.meta.get("seconds", 0.0))

    @property
    def size(self) -> int:
        """Bytes received."""
        return int(self.crawl.meta.get("size", 0))

    @property
    def per_relevant(self) -> str:
        """Bytes received for each relevant page, for people."""
        return words.size(self.size / self.survey.found) if self.survey.found else words.NO_NUMBER

    @property
    def speed(self) -> str:
        """Pages per second, for people."""
        return words.speed(self.survey.pages / self.seconds) if self.seconds > 0 else words.NO_NUMBER


@dataclass(frozen=True, slots=True)
class MainSubject(ReportSubject):
    """The crawl that the report is about, with the pages to show."""

    selection: Selection
    tokenizer: Tokenizer
    labels: Mapping[str, Mark] = field(default_factory=dict)
    truth: Truth | None = None
    progress: Progress = lambda _what, _done, _total: None
