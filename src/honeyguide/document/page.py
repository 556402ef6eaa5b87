"""The HTML page of a report, and the elements that reports share."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from html import unescape
from importlib.resources import files
from string import Template

from honeyguide.document.markup import Html, element, html, lines

_LONGEST_ADDRESS = 150
_NARROW = 30  # characters of heads that fit on a narrow screen, beside the first column
_CELL_PADDING = 2
_TAG = re.compile("<[^<>]*+>")


def document(title: str, content: Iterable[str], *, style: str, script: str) -> str:
    """A complete HTML file. `style` is appended to the shared style sheet; `script` is the only script that runs.

    The file loads nothing from outside, and its Content-Security-Policy forbids it.
    """
    folder = files(__package__)
    return Template((folder / "page.html").read_text(encoding="utf-8")).substitute(
        title=html(title),
        style=(folder / "base.css").read_text(encoding="utf-8") + style,
        script=script,
        script_digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        content=lines(content),
    )


def section(title: str, *content: str, **attributes: str | float) -> Html:
    """A section of a report with its title."""
    return element("section", element("h2", title), *content, **attributes)


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    look: str = "",
    texts: Collection[int] = (),
    foot: Sequence[str] = (),
) -> Html:
    """A table whose first column is text and whose other columns are numbers, but for those in `texts`.

    On a narrow screen, a wide table is shown row by row, each cell with the head of its column.

    Args:
        heads: One per column.
        rows: One cell per column each.
        look: Classes of the style sheet.
        texts: Columns, from 1, whose cells are text, too.
        foot: The cells of a last row, if it has one.
    """
    first, *others = heads
    said = [unescape(_TAG.sub("", name)) if isinstance(name, Html) else name for name in others]
    if sum(map(len, said)) + _CELL_PADDING * len(said) > _NARROW and "wide" not in look.split():
        look = f"{look} wide".strip()
    classes = [{"class_": "text"} if number in texts else {} for number in range(1, len(heads))]
    top = element(
        "tr",
        element("th", first, scope="col"),
        *(element("th", name, scope="col", **given) for name, given in zip(others, classes, strict=True)),
    )

    def row(cells: Sequence[str]) -> Html:
        name, *values = cells
        columns = zip(said, values, classes, strict=True)
        return element(
            "tr", element("td", name), *(element("td", cell, data_head=head, **given) for head, cell, given in columns)
        )

    content = element(
        "table",
        element("thead", top),
        element("tbody", lines(map(row, rows))),
        *([element("tfoot", row(foot))] if foot else []),
    )
    return element("div", content, class_=f"scroll {look}".strip())


def link(url: str, content: str) -> Html:
    """The content as a link to a web page; URLs with other schemes (``javascript:``) are not linked."""
    if url.startswith(("http://", "https://")):
        return element("a", content, href=url, rel="noreferrer nofollow noopener")
    return html(content)


def address(url: str) -> str:
    """A URL for display; a very long one is cut."""
    return shortened(url, _LONGEST_ADDRESS)


def shortened(text: str, most: int) -> str:
    """The text, cut to at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
