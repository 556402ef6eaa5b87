"""A report as Markdown (CommonMark, with tables as on GitHub), without charts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from honeyguide.document.page import address, shortened
from honeyguide.page.readable import readable
from honeyguide.store.report.content import Block, Code, PageEntry, PageList, Paragraph, Report, Section, Table, Tone
from honeyguide.store.report.wording import LONGEST_TITLE, depth_text

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>|~&$]")
# At the beginning of a line: what may begin a heading or a list, or make a heading of it.
_AT_BEGIN: Final = re.compile(r"(\d*)([#+\-=.)])").match
_NOT_IN_URLS: Final = re.compile(r"[\x00-\x20\\<>()|`\x7f]")
_FENCE: Final = re.compile("`+")


def render_markdown(report: Report) -> str:
    """The whole file. Text from pages is escaped: it cannot become markup or HTML."""
    sections = [report.comparison, *report.short, *report.sections]
    parts = [
        f"# {_text(report.name)}: crawl report",
        _line(_text(report.about)),
        *map(_block, report.summary),
        _block(Table(("Figure", "Value"), report.figures)),
        *(part for one in sections if one.blocks for part in _section(one)),
        "---",
        _line(_text(report.footer)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _section(one: Section) -> Iterator[str]:
    yield f"## {_text(one.title)}"
    yield from map(_block, one.blocks)


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return f"{'> ' if block.tone is Tone.NOTICE else ''}{_line(_text(block.text))}"
        case Code():
            longest = max(map(len, _FENCE.findall(block.text)), default=0)
            fence = "`" * max(3, longest + 1)
            return f"{fence}\n{block.text}\n{fence}"
        case PageList():
            return "\n".join(map(_item, block.pages))
        case Table():
            return _table(block)


def _table(content: Table) -> str:
    under = ["---" if not number or number in content.texts else "---:" for number in range(len(content.heads))]
    rows = [[_cell(cell) for cell in row] for row in (*content.rows, *([content.rest] if content.rest else []))]
    return "\n".join(map(_row, ([_text(head) for head in content.heads], under, *rows)))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: str | PageEntry) -> str:
    if not isinstance(cell, PageEntry):
        return _text(cell)
    return "<br>".join(filter(None, (_link(cell), _text(address(readable(cell.url))), _snippet(cell))))


def _item(page: PageEntry) -> str:
    about = f"{page.relevance:.3f}, {depth_text(page.depth)}: {address(readable(page.url))}"
    parts = (_link(page), _text(about), _snippet(page))
    return "1. " + "<br>\n   ".join(_line(part.strip()) for part in parts if part)


def _link(page: PageEntry) -> str:
    """The title as a link to a web page; a URL with another scheme (``javascript:``) is not linked."""
    title = _text(shortened(page.title, LONGEST_TITLE)) or _text(address(readable(page.url)))
    if not page.url.startswith(("http://", "https://")):
        return title
    return f"[{title}](<{_NOT_IN_URLS.sub(lambda found: f'%{ord(found[0]):02X}', page.url)}>)"


def _snippet(page: PageEntry) -> str:
    if page.problem:
        return _text(page.problem)
    return "".join(f"**{_text(piece.text)}**" if piece.marked else _spaced(piece.text) for piece in page.snippet)


def _spaced(text: str) -> str:
    """A text between others: its spaces at both ends are kept."""
    stripped = _text(text)
    if not stripped:
        return " " if text else ""
    return f"{' ' * text[:1].isspace()}{stripped}{' ' * text[-1:].isspace()}"


def _text(text: str) -> str:
    """A text in one line, in which no character has a meaning of its own."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _line(markdown: str) -> str:
    """Markdown of a text that stands at the beginning of a line, where more characters have a meaning."""
    found = _AT_BEGIN(markdown)
    return f"{found[1]}\\{markdown[found.start(2) :]}" if found else markdown
