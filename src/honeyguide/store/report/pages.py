"""Sections that show pages: the best ones, those at the threshold, and a sample for checking precision."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from honeyguide.document import words
from honeyguide.errors import HoneyguideError
from honeyguide.store.crawl import Crawl
from honeyguide.store.report.content import Block, Code, PageEntry, PageList, Paragraph, Section, Table, Tone
from honeyguide.store.report.precision import Precision
from honeyguide.store.report.snippet import Snippets
from honeyguide.store.report.subject import MainSubject
from honeyguide.store.stored_page import StoredPage

_HEADS: Final = ("Page", "Relevance", "Kept", "Marked")
_TEXTS: Final = frozenset((2, 3))
_MARKS: Final = {True: "yes", False: "no"}


class PageExcerpts:
    """Pages with snippets of their texts; each page is read once."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._snippets = Snippets(crawl.topic)
        self._entries: dict[int, PageEntry] = {}

    def some(self, numbers: Iterable[int]) -> list[PageEntry]:
        """The pages with some numbers, in their order."""
        found = []
        for number in numbers:
            if number not in self._entries and (page := self._crawl.numbered(number)) is not None:
                self._entries[number] = self._entry(page)
            if number in self._entries:
                found.append(self._entries[number])
        return found

    def _entry(self, page: StoredPage) -> PageEntry:
        about = (page.url, page.title, page.depth, page.relevance, page.relevant)
        try:
            return PageEntry(*about, self._snippets.of(page.full_text, page.language))
        except HoneyguideError as error:
            return PageEntry(*about, (), f"Its text is missing: {error}")


def best(main: MainSubject, excerpts: PageExcerpts) -> Section:
    """The most relevant pages."""
    pages = excerpts.some(main.selection.best.numbers)
    return Section("Best pages", [PageList(pages)] if pages else [])


def borderline(main: MainSubject, excerpts: PageExcerpts) -> Section:
    """The pages nearest to the threshold on both sides, and how to mark them."""
    chosen = main.selection
    shown = excerpts.some([*reversed(chosen.above.numbers), *chosen.below.numbers])
    if not shown:
        return Section("Borderline pages", [])
    folder = shlex.quote(str(main.crawl.path))
    about = (
        f"The pages next to the threshold, {chosen.threshold:.3g}, on both sides. Marks on pages like these teach a "
        "crawl most: it learns from them when it runs, and rescores all pages. To label one page after "
        "the other, or a single one:"
    )
    commands = f"honeyguide label {folder}\nhoneyguide tell {folder} label URL yes|no"
    return Section("Borderline pages", [Paragraph(about), Code(commands), _table(main, shown)])


def sample(main: MainSubject, excerpts: PageExcerpts, precision: Precision) -> Section:
    """Relevant pages drawn at random, with the precision by the marks on them."""
    chosen = main.selection
    shown = excerpts.some(chosen.sample.numbers)
    if not shown:
        return Section("Sample for checking precision", [])
    return Section("Sample for checking precision", [*_sample_text(main, precision, len(shown)), _table(main, shown)])


def _sample_text(main: MainSubject, precision: Precision, size: int) -> list[Block]:
    chosen = main.selection
    if size < chosen.drawn_from:
        whole = words.count(chosen.drawn_from)
        about = f"{words.pages(size)}, drawn at random from the {whole} that were kept as relevant."
    else:
        about = f"All {words.pages(size)} that were kept as relevant, in random order."
    if chosen.learnt:
        about += " Pages that the crawl has learnt from by their marks are left out: they say nothing about the others."
    blocks: list[Block] = [Paragraph(about)]
    if precision.marked:
        low, high = precision.interval
        right = f"{words.count(precision.right)} of {words.pages(precision.marked)} marked are relevant"
        interval = f"95% interval (Wilson): {low:.1%} to {high:.1%}"
        blocks.append(Paragraph(f"Precision {words.share(*precision)}: {right}. {interval}."))
    if precision.marked < size:
        folder = shlex.quote(str(main.crawl.path))
        how = (
            "Mark each of them, in this order, and write the report again: it says how many are relevant, with a "
            "confidence interval. Do so after the crawl has ended: a running crawl learns from the marks at once."
        )
        blocks += [Paragraph(how, Tone.QUIET), Code(f"honeyguide tell {folder} label URL yes|no")]
    return blocks


def _table(main: MainSubject, shown: Sequence[PageEntry]) -> Table:
    rows: list[list[str | PageEntry]] = []
    for entry in shown:
        label = main.labels.get(entry.url)
        marked = words.NO_NUMBER if label is None else _MARKS[label.relevant] + " (machine)" * label.is_machine
        own = "" if label is None or label.is_machine else _MARKS[label.relevant]
        rows.append([replace(entry, mark=own), f"{entry.relevance:.3f}", _MARKS[entry.is_relevant], marked])
    return Table(_HEADS, rows, texts=_TEXTS, can_be_marked=True)
