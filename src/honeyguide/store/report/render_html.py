"""A report as one self-contained HTML file, with charts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final

from honeyguide.document.markup import Html, element, html, lines
from honeyguide.document.page import address, document, link, section, shortened, table
from honeyguide.page.readable import readable
from honeyguide.store.report.content import Block, Code, PageEntry, PageList, Paragraph, Report, Section, Table
from honeyguide.store.report.wording import LONGEST_TITLE, depth_text

_STYLES: Final = ("style.css", "contents.css")
_SCRIPTS: Final = ("hover.js", "tables.js")
_MARKABLE: Final = re.compile(r"https?://[\x21-\x7e]+").fullmatch  # what a terminal takes as it is


def render_html(report: Report, command: str, curves: Sequence[Html], histogram: Html) -> str:
    """The whole file. `command` is that for marking a page, without its URL and the answer."""
    short, long = ([one for one in some if one.blocks] for some in (report.short, report.sections))
    content = (
        _head(report),
        _contents((*short, *long)),
        element(
            "dl",
            lines(element("div", element("dt", name), element("dd", value)) for name, value in report.figures),
            class_="figures",
        ),
        _section(report.comparison) if report.comparison.blocks else Html(),
        element("div", *curves, class_="pair charts"),
        element("div", histogram, *map(_section, short), class_="columns" if short else "pair"),
        *map(_section, long),
        element("footer", report.footer),
    )
    folder = files(__package__)
    return document(
        f"{report.name}: crawl report",
        [element("div", lines(content), data_command=command)],
        style="\n".join((folder / name).read_text(encoding="utf-8") for name in _STYLES),
        script="\n".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS),
    )


def _head(report: Report) -> Html:
    return element(
        "header",
        element("p", "Crawl report", class_="kicker"),
        element("h1", report.name),
        element("p", report.about, class_="about"),
        *map(_block, report.summary),
    )


def _contents(sections: Iterable[Section]) -> Html:
    entries = [element("li", element("a", one.title, href=f"#{_anchor(one.title)}")) for one in sections]
    return element("nav", element("ul", lines(entries)), aria_label="Contents") if entries else Html()


def _section(one: Section) -> Html:
    return section(one.title, *map(_block, one.blocks), id=_anchor(one.title))


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _block(block: Block) -> Html:
    match block:
        case Paragraph():
            return element("p", block.text, **({"class_": str(block.tone)} if block.tone else {}))
        case Code():
            return element("pre", element("code", block.text), tabindex=0)
        case PageList():
            return element("ol", lines(map(_item, block.pages)), class_="best")
        case Table():
            return _table(block)


def _table(content: Table) -> Html:
    has_pages = any(isinstance(cell, PageEntry) for row in content.rows for cell in row)
    is_wide = has_pages or bool(content.texts)
    named = (("sortable", content.is_sortable), ("pages", has_pages), ("wide", is_wide))
    looks = [name for name, holds in named if holds]
    rows = (
        [_cell(cell, content.can_be_marked) if isinstance(cell, PageEntry) else cell for cell in row]
        for row in content.rows
    )
    return table(content.heads, rows, look=" ".join(looks), texts=content.texts, foot=content.rest)


# ---- pages ----


def _item(page: PageEntry) -> Html:
    shown = address(readable(page.url))
    return element(
        "li",
        element("span", f"{page.relevance:.3f}", class_="score"),
        element("h3", _title(page)),
        element("p", element("span", shown, class_="address"), html(f" · {depth_text(page.depth)}"), class_="quiet"),
        _excerpt(page),
    )


def _cell(page: PageEntry, can_be_marked: bool) -> Html:
    mark = {"data_url": shlex.quote(page.url)} if can_be_marked and _MARKABLE(page.url) else {}
    if mark and page.mark:
        mark["data_marked"] = page.mark
    return element(
        "div",
        element("p", _title(page), class_="title"),
        element("p", element("span", address(readable(page.url)), class_="address"), class_="quiet"),
        _excerpt(page),
        class_="page",
        **mark,
    )


def _title(page: PageEntry) -> Html:
    return link(page.url, element("bdi", shortened(page.title, LONGEST_TITLE) or address(readable(page.url))))


def _excerpt(page: PageEntry) -> Html:
    if page.problem:
        return element("p", page.problem, class_="notice")
    marked = (element("mark", piece.text) if piece.marked else piece.text for piece in page.snippet)
    return element("p", html(*marked), class_="excerpt", dir="auto")
