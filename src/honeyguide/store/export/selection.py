"""The pages that an export format writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from honeyguide.store.crawl import Crawl
from honeyguide.store.export.fields import COLUMNS
from honeyguide.store.export.options import ExportOptions
from honeyguide.store.stored_page import StoredPage

Progress = Callable[[int, int], None]
"""Called repeatedly with the amount done and the total: in pages, or in bytes when whole files are copied."""


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """The pages that an export format writes, as selected by `honeyguide.store.export.choose.choose`.

    If there are several files, each has a part of them.
    """

    crawl: Crawl
    options: ExportOptions
    progress: Progress = lambda _done, _total: None
    beside: Path | None = None
    """The folder of the output file; None for a stream."""
    places: tuple[int, int] | None = None
    """The first and last position among the selected pages; None for all."""

    @property
    def condition(self) -> str:
        """The selection as an SQL condition on `pages`."""
        return f"pages.id IN (SELECT id FROM temp.chosen {self._where})"  # noqa: S608 (own text)

    @property
    def _where(self) -> str:
        return "" if self.places is None else f"WHERE place BETWEEN {self.places[0]} AND {self.places[1]}"

    def count(self) -> int:
        """The number of selected pages.

        Returns:
            Their number.
        """
        ((number,),) = self.crawl.query(f"SELECT count(*) FROM temp.chosen {self._where}")  # noqa: S608 (own text)
        return int(number)

    def pages(self) -> Iterator[StoredPage]:
        """The selected pages in the order of fetching; reports progress after each.

        Yields:
            One page after the other.
        """
        total = self.count()
        for done, page in enumerate(self.crawl.select(f"WHERE {self.condition} ORDER BY pages.seq"), 1):
            yield page
            self.progress(done, total)

    def records(self) -> Iterator[dict[str, Any]]:
        """The selected pages as plain records.

        Yields:
            One record per page: the values of the requested fields, by name.
        """
        columns = [(name, self._text if name == "text" else COLUMNS[name]) for name in self.options.fields]
        for page in self.pages():
            yield {name: value(page) for name, value in columns}

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A context manager: a folder for temporary files, on the same disk as the output file if there is one.

        Yields:
            The folder, which is deleted with its contents when the block ends.
        """
        with TemporaryDirectory(dir=self.beside, prefix=".export.", suffix=".part") as folder:
            yield Path(folder)

    def _text(self, page: StoredPage) -> str:
        form, extractor = self.options.text, self.options.extractor
        if form == "full":
            return page.full_text
        if extractor is not None:
            return page.text_by(extractor, as_markdown=form == "markdown")
        return page.markdown if form == "markdown" else page.text
