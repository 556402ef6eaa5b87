"""How much memory a crawl has, beside what it knows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import IO

import psutil

from honeyguide.crawl.session import Session

_WORKER = "honeyguide.crawl.worker"
URL_BYTES = 309
"""What the frontier takes for a URL (results/frontier.md)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The memory at one moment."""

    pages: int
    urls: int
    seconds: float
    """Since the crawl began, by its clock."""
    memory: int
    """Bytes of the crawl's process."""
    workers: int
    """Bytes of its workers."""

    @property
    def rest(self) -> int:
        """What is left when the frontier is taken off."""
        return self.memory - self.urls * URL_BYTES

    def row(self) -> str:
        """A row of the table."""
        return (
            f"| {self.pages:,} | {self.urls:,} | {self.seconds / 3600:.1f} | {self.memory / 1e6:.0f} "
            f"| {self.rest / 1e6:.0f} | {self.workers / 1e6:.0f} |"
        )


class Memory:
    """Takes a sample every so many pages, keeps it, and writes it as a line of JSON."""

    def __init__(self, every: int, out: IO[str]) -> None:
        self._every = every
        self._out = out
        self._pages = 0
        self.samples: list[Sample] = []

    def page(self, session: Session) -> None:
        """One more page is recorded."""
        self._pages += 1
        if self._pages % self._every == 0:
            self.samples.append(_sample(session))
            print(json.dumps(asdict(self.samples[-1])), file=self._out, flush=True)

    @staticmethod
    def table(samples: list[Sample], rows: int = 12) -> list[str]:
        """A table of some of the samples, with the growth in the second half."""
        lines = ["| pages | URLs known | hours | MB | without the URLs | MB of workers |", "|---|---|---|---|---|---|"]
        step = max(1, len(samples) // rows)
        lines += [one.row() for one in samples[step - 1 :: step]]
        if len(samples) > 3:
            middle, last = samples[len(samples) // 2], samples[-1]
            pages = last.pages - middle.pages
            growth = (last.rest - middle.rest) / pages
            lines.append("")
            lines.append(
                f"From {middle.pages:,} to {last.pages:,} pages, memory without the URLs ({URL_BYTES} bytes each, "
                f"results/frontier.md) became {last.rest / middle.rest:.2f} times as much: {growth:.0f} bytes per page."
            )
        return lines


def _sample(session: Session) -> Sample:
    process = psutil.Process()
    crawler = session.crawler
    assert crawler is not None
    return Sample(
        pages=crawler.tally.pages,
        urls=len(crawler.frontier.urls),
        seconds=crawler.tally.seconds,
        memory=process.memory_info().rss,
        workers=sum(
            child.memory_info().rss for child in process.children() if "honeyguide.crawl.worker" in child.cmdline()
        ),
    )
