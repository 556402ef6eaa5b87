"""What a report says, whatever the format of its file: sections of paragraphs, tables and lists of pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from honeyguide.store.report.snippet import Piece


class Tone(StrEnum):
    """How a paragraph is set."""

    PLAIN = ""
    QUIET = "quiet"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to copy: commands, or a file."""

    text: str


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page with a snippet of its text."""

    url: str
    title: str
    depth: int
    relevance: float
    is_relevant: bool
    snippet: Sequence[Piece]
    problem: str = ""
    """Why there is no snippet."""
    mark: str = ""
    """What a person has said of it: "yes", "no", or nothing."""


@dataclass(frozen=True, slots=True)
class PageList:
    """Pages, one below the other."""

    pages: Sequence[PageEntry]


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first column has texts or pages. The others have numbers, unless they are named as texts."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str | PageEntry]]
    texts: frozenset[int] = frozenset()
    """The columns, from 0, that have texts."""
    rest: Sequence[str] = ()
    """A last row for everything that has none of its own."""
    is_sortable: bool = True
    can_be_marked: bool = False
    """Whether the pages in it are there to be marked as relevant or not."""


Block = Paragraph | Code | PageList | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under its title. One without blocks is left out."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Report:
    """The contents of a report but for its charts."""

    name: str
    about: str
    summary: Sequence[Paragraph]
    figures: Sequence[tuple[str, str]]
    comparison: Section
    short: Sequence[Section]
    """Sections that stand beside a chart, and side by side, where there is room."""
    sections: Sequence[Section]
    footer: str
