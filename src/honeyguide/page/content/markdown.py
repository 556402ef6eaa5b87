"""Blocks of a page as Markdown: CommonMark, with the tables of GitHub."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from honeyguide.page import tags
from honeyguide.page.content.features import TextBlocks
from honeyguide.page.parse import Page
from honeyguide.page.words import SEAM

_HEADINGS: Final = {tags.tag_id(f"h{level}"): level for level in range(1, 7)}
_LISTS: Final = tags.tag_ids("ul ol menu dir")
_ORDERED: Final = tags.tag_id("ol")
_ITEM: Final = tags.tag_id("li")
_TABLE: Final = tags.tag_id("table")
_ROW: Final = tags.tag_id("tr")
_CELLS: Final = tags.tag_ids("td th")
_QUOTE: Final = tags.tag_id("blockquote")
_PRE: Final = tags.tag_id("pre")
_MARKS: Final = {
    **dict.fromkeys(tags.tag_ids("b strong"), "**"),
    **dict.fromkeys(tags.tag_ids("em i"), "*"),
    **dict.fromkeys(tags.tag_ids("code kbd samp tt"), "`"),
}
_LONGEST_CELL: Final = 300  # characters: a table with longer cells arranges a page
_SPECIAL: Final = re.compile(r"([\\`*\[\]]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?]))")
_AT_START: Final = re.compile(r"^(?=#{1,6}\s|[-+>]\s|~~~)|^(\d{1,9})(?=[.)]\s)")


@dataclass
class _Place:
    """The context of a block: the elements around it that Markdown can express, from the outermost."""

    quotes: int = 0
    items: list[int] = field(default_factory=list)
    heading: int = 0
    pre: int = 0
    table: int = 0
    row: int = 0
    cell: int = 0


def markdown(page: Page, blocks: TextBlocks, chosen: list[int]) -> str:
    """The chosen blocks as Markdown. Links are absolute; white space in code is kept."""
    return _Writer(page, blocks).write(chosen)


class _Writer:
    """Writes blocks in order, and tracks which list items have begun."""

    def __init__(self, page: Page, blocks: TextBlocks) -> None:
        self._page = page
        self._blocks = blocks
        self._pieces = page.source.split(SEAM)
        self._urls = dict(zip(page.links.node, page.links.url, strict=True))
        self._begun: dict[int, int] = {}  # the width of the marker of each list item that has one
        self._numbers: dict[int, int] = {}

    def write(self, chosen: list[int]) -> str:
        places = {number: self._place(self._blocks.row[number]) for number in chosen}
        out: list[tuple[str, bool]] = []  # a part, and whether it is an item of a list
        for (pre, table), numbers in groupby(chosen, lambda number: (places[number].pre, places[number].table)):
            group = list(numbers)
            place = places[group[0]]
            if pre:
                out.append((self._prefixed(self._code(group), place), False))
            elif table and (rows := self._rows(group, places)):
                out.append((self._prefixed(_table(rows), place), False))
            else:
                out.extend(self._lines(group, places))
        text = ""
        for number, (part, is_item) in enumerate(out):
            tight = number and is_item and out[number - 1][1]
            text += f"{'' if not number else chr(10) if tight else chr(10) * 2}{part}"
        return text

    def _place(self, row: int) -> _Place:
        place, tag, parent = _Place(), self._page.nodes.tag, self._page.nodes.parent
        while row > 0:
            kind = tag[row]
            if kind == _PRE:
                place.pre = row
            elif kind == _ITEM:
                place.items.insert(0, row)
            elif kind == _QUOTE:
                place.quotes += 1
            elif kind in _HEADINGS:
                place.heading = _HEADINGS[kind]
            elif kind in _CELLS and not place.table:
                place.cell = place.cell or row
            elif kind == _ROW and not place.table:
                place.row = place.row or row
            elif kind == _TABLE:
                place.table = place.table or row
            row = parent[row]
        return place

    def _lines(self, numbers: list[int], places: dict[int, _Place]) -> Iterator[tuple[str, bool]]:
        for number in numbers:
            place = places[number]
            text = self._inline(number)
            if not text:
                continue
            if place.heading and not place.items:
                text = f"{'#' * place.heading} {text}"
            else:
                text = _AT_START.sub(lambda found: f"{found[1]}\\" if found[1] else "\\", text)
            yield self._prefixed(text, place), bool(place.items)

    def _prefixed(self, text: str, place: _Place) -> str:
        """A text in its quotations and list items: the first in an item has its marker, the others are indented."""
        first = rest = ""
        for item in place.items:
            if item in self._begun:
                first += " " * self._begun[item]
            else:
                marker = self._marker(item)
                self._begun[item] = len(marker)
                first += marker
            rest += " " * self._begun[item]
        quotes = "> " * place.quotes
        head, *tail = text.split("\n")
        return "\n".join([f"{quotes}{first}{head}".rstrip(), *(f"{quotes}{rest}{line}".rstrip() for line in tail)])

    def _marker(self, item: int) -> str:
        above = self._page.nodes.parent[item]
        if self._page.nodes.tag[above] != _ORDERED:
            return "- "
        self._numbers[above] = self._numbers.get(above, 0) + 1
        return f"{self._numbers[above]}. "

    def _code(self, numbers: list[int]) -> str:
        blocks = self._blocks
        text = "\n".join("".join(self._pieces[blocks.first[number] : blocks.last[number]]) for number in numbers)
        text = text.strip("\n").rstrip()
        fence = "```"
        while fence in text:
            fence += "`"
        return f"{fence}\n{text}\n{fence}"

    def _rows(self, numbers: list[int], places: dict[int, _Place]) -> list[list[str]]:
        """The cells of a table of data; nothing if the table arranges a page."""
        rows: list[list[str]] = []
        for _, in_row in groupby(numbers, lambda number: places[number].row):
            cells = []
            for cell, parts in groupby(in_row, lambda number: places[number].cell):
                said = [(number, self._inline(number)) for number in parts]
                if not cell or any(places[number].heading for number, _ in said):
                    return []
                cells.append(" ".join(text for _, text in said).replace("|", "\\|"))
            rows.append(cells)
        if max(map(len, rows)) < 2 or any(len(cell) > _LONGEST_CELL for cells in rows for cell in cells):
            return []
        return rows

    def _inline(self, number: int) -> str:
        """A block with its links, emphasis and code; white space is folded."""
        blocks, nodes = self._blocks, self._page.nodes
        first, last = blocks.first[number], blocks.last[number]
        opened: dict[int, str] = {}
        closed: dict[int, str] = {}
        literal: set[int] = set()
        row = bisect_left(nodes.first_piece, first)
        while row < len(nodes) and nodes.first_piece[row] < last:
            start, end = nodes.first_piece[row], min(nodes.last_piece[row], last)
            url = self._urls.get(row, "")
            mark = "[" if url else _MARKS.get(nodes.tag[row], "")
            shown = [at for at in range(start, end) if self._pieces[at].strip()] if mark else []
            if shown and not (mark != "[" and shown[0] in literal):
                opened[shown[0]] = opened.get(shown[0], "") + mark
                ending = f"]({_target(url)})" if url else mark
                closed[shown[-1]] = ending + closed.get(shown[-1], "")
                if mark == "`":
                    literal.update(shown)
            row += 1
        parts = []
        for at in range(first, last):
            piece = self._pieces[at]
            body = piece.strip()
            lead = piece[: len(piece) - len(piece.lstrip())] if body else piece
            said = body if at in literal else _SPECIAL.sub(r"\\\1", body)
            parts.append(f"{lead}{opened.get(at, '')}{said}{closed.get(at, '')}{piece[len(lead) + len(body) :]}")
        return " ".join("".join(parts).split())


def _target(url: str) -> str:
    return f"<{url}>" if "(" in url or ")" in url else url


def _table(rows: list[list[str]]) -> str:
    width = max(map(len, rows))
    lines = [f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |" for cells in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])
