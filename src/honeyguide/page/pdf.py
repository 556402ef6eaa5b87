"""Converts PDF to HTML, which is read like any other page: text in lines and paragraphs, with links in place.

pdfium is native code that reads what strangers have written. So this is done in processes that may die of it: in the
workers of a crawl, under their limits. The limits here are of what is made of a document that can be read.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from honeyguide.page.unreadable import PAGES, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PAGES: Final = 1000
"""Maximum number of pages that are read."""
MOST_CHARACTERS: Final = 4_000_000
"""Number of characters after which no more pages are read."""

_MOST_LINKS: Final = 2000  # of a page
_LONGEST_URL: Final = 4096
_LONGEST_TITLE: Final = 200
_SHORT_LINE: Final = 0.8  # of the longest of a page: a shorter line is the last of a paragraph
_SAMPLED_AT: Final = (0.05, 0.5, 0.25, 0.75, 0.95)  # relative positions in a link at which its text is searched
_NEAR: Final = 3.0  # maximum distance to a character, in points
_LONGEST_ANCHOR: Final = 300  # characters, on both sides of that one
_BROKEN_WORD: Final = re.compile("[\ufffe\u0002\u00ad]\r?\n")  # how pdfium writes a hyphen at the end of a line
_NOT_TEXT: Final = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
_NO_TITLE: Final = re.compile(r"(?i)(untitled|microsoft word|powerpoint presentation|slide 1|document\d*)?(\W|$)")
_WORD_FILE: Final = re.compile(r"(?i)^microsoft (word|powerpoint|excel) - (.*?)(\.\w{2,5})?$")
_DATE: Final = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?").match
_NO_BREAK: Final = re.compile(r"[ \t\u00a0]+")

_PASSWORD: Final = 4  # FPDF_ERR_PASSWORD
_SECURITY: Final = 5  # FPDF_ERR_SECURITY
_OF_URI: Final = 3  # PDFACTION_URI

_lock = threading.Lock()  # pdfium is not thread-safe


class _Link(NamedTuple):
    """A link to the web, with the start and end of its anchor among the characters of its page."""

    first: int
    last: int
    url: str


def pdf_to_html(body: bytes) -> str:
    """The text and the links of a PDF as HTML.

    Raises:
        UnreadableError: It is encrypted, or damaged beyond repair, or the extra is not installed.
    """
    try:
        import pypdfium2 as pdfium  # noqa: PLC0415 (an extra)
    except ImportError:
        raise UnreadableError("a PDF, which cannot be read without the extra honeyguide[pdf]") from None
    with _lock:
        try:
            document = pdfium.PdfDocument(body)
        except pdfium.PdfiumError as error:
            raise UnreadableError(_problem(getattr(error, "err_code", 0))) from error
        try:
            return _html(document, pdfium)
        finally:
            document.close()


def _problem(code: int) -> str:
    if code == _PASSWORD:
        return "a PDF that is encrypted, and needs a password"
    if code == _SECURITY:
        return "a PDF that is encrypted in a way that is not supported"
    return "a PDF that is damaged, or incomplete"


def _html(document: Any, pdfium: Any) -> str:
    number = len(document)
    about = document.get_metadata_dict(skip_empty=True)
    pages: list[str] = []
    size, first_line = 0, ""
    for index in range(min(number, MOST_PAGES)):
        found = _page(document, index, pdfium)
        if found is None:
            continue
        text, lines = found
        first_line = first_line or next((line for line in map(str.strip, lines) if line), "")
        pages.append(f"<section>{text}</section>")
        size += len(text)
        if size > MOST_CHARACTERS:
            break
    if not pages:
        raise UnreadableError("a PDF none of whose pages can be read")
    return f"<!DOCTYPE html><html>{_head(about, first_line, number)}<body>{''.join(pages)}</body></html>"


def _head(about: dict[str, str], first_line: str, pages: int) -> str:
    title = about.get("Title", "").strip()
    if found := _WORD_FILE.match(title):
        title = found[2]
    if _NO_TITLE.fullmatch(title):
        title = first_line
    named = [(PAGES, str(pages)), ("author", about.get("Author", "")), ("description", about.get("Subject", ""))]
    if found := _DATE(about.get("CreationDate", "")):
        named.append(("date", "-".join(part for part in found.groups() if part)))
    metas = "".join(f'<meta name="{name}" content="{_clean(value)}">' for name, value in named if value.strip())
    return f"<head><title>{_clean(title[:_LONGEST_TITLE])}</title>{metas}</head>"


def _page(document: Any, index: int, pdfium: Any) -> tuple[str, Sequence[str]] | None:
    """The HTML of a page, and its lines; None for one that cannot be read."""
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return None
    try:
        text_page = page.get_textpage()
        try:
            characters = text_page.count_chars()
            links = _in_order(_links(page, text_page, document, pdfium.raw), characters)
            plain = _paragraphs(_marked(text_page, characters, links))
        finally:
            text_page.close()
    except pdfium.PdfiumError:
        return None
    finally:
        page.close()
    return plain


def _links(page: Any, text_page: Any, document: Any, raw: Any) -> Iterator[_Link]:
    """The links of a page to the web: its annotations, and addresses that are written in its text."""
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not raw.FPDFLink_Enumerate(page, position, link):
            break
        action = raw.FPDFLink_GetAction(link)
        if action and raw.FPDFAction_GetType(action) == _OF_URI and (url := _uri(document, action, raw)):
            first, last = _place(text_page, link, raw)
            yield _Link(first, last, url)
    written = raw.FPDFLink_LoadWebLinks(text_page)
    if not written:
        return
    try:
        for number in range(min(raw.FPDFLink_CountWebLinks(written), _MOST_LINKS)):
            begin, count = ctypes.c_int(0), ctypes.c_int(0)
            url = _written_url(written, number, raw)
            if url and raw.FPDFLink_GetTextRange(written, number, begin, count):
                yield _Link(begin.value, begin.value + count.value, url)
    finally:
        raw.FPDFLink_CloseWebLinks(written)


def _uri(document: Any, action: Any, raw: Any) -> str:
    size = raw.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < size <= _LONGEST_URL:
        return ""
    buffer = ctypes.create_string_buffer(size)
    raw.FPDFAction_GetURIPath(document, action, buffer, size)
    return buffer.value.decode("utf-8", "replace")


def _written_url(written: Any, number: int, raw: Any) -> str:
    size = raw.FPDFLink_GetURL(written, number, None, 0)
    if not 1 < size <= _LONGEST_URL:
        return ""
    buffer = (ctypes.c_ushort * size)()
    raw.FPDFLink_GetURL(written, number, buffer, size)
    url = bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")
    return "" if url.startswith("mailto:") else url


def _place(text_page: Any, link: Any, raw: Any) -> tuple[int, int]:
    """Where the anchor of an annotation is in the text; an empty place after its end if it covers no text.

    An anchor that goes on in the next line has a rectangle for each.
    """
    boxes = []
    for number in range(min(raw.FPDFLink_CountQuadPoints(link), 20)):
        quad = raw.FS_QUADPOINTSF()
        if raw.FPDFLink_GetQuadPoints(link, number, quad):
            across, up = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append((min(across), max(across), min(up), max(up)))
    if not boxes:
        rectangle = raw.FS_RECTF()
        if raw.FPDFLink_GetAnnotRect(link, rectangle):
            low, high = sorted((rectangle.bottom, rectangle.top))
            boxes = [(rectangle.left, rectangle.right, low, high)]
    found = [place for box in boxes if (place := _covered(text_page, _Box(*box))) is not None]
    return (min(found)[0], max(last for _, last in found)) if found else (-1, -1)


class _Box(NamedTuple):
    """A part of a page, in points from its lower left corner."""

    left: float
    right: float
    low: float
    high: float

    def covers(self, left: float, low: float, right: float, high: float) -> bool:
        """Whether the middle of a character is inside."""
        return self.left <= (left + right) / 2 <= self.right and self.low <= (low + high) / 2 <= self.high


def _covered(text_page: Any, box: _Box) -> tuple[int, int] | None:
    """The characters of a line that a box covers; None if there are none."""
    height, width = (box.low + box.high) / 2, box.right - box.left
    for part in _SAMPLED_AT:
        at = text_page.get_index(box.left + part * width, height, _NEAR, _NEAR)
        if at is not None and at >= 0 and box.covers(*text_page.get_charbox(at)):
            break
    else:
        return None
    first, last, end = at, at + 1, text_page.count_chars()
    while first > 0 and at - first < _LONGEST_ANCHOR and box.covers(*text_page.get_charbox(first - 1)):
        first -= 1
    while last < end and last - at < _LONGEST_ANCHOR and box.covers(*text_page.get_charbox(last)):
        last += 1
    return first, last


def _in_order(links: Iterator[_Link], characters: int) -> list[_Link]:
    """The links as they follow each other in the text; of those that overlap, the first. Those without a place last."""
    placed: list[_Link] = []
    end = 0
    found = list(links)
    for link in sorted((link for link in found if link.first >= 0), key=lambda link: (link.first, -link.last)):
        if link.first >= end:
            end = max(min(link.last, characters), link.first)
            placed.append(_Link(link.first, end, link.url))
    return placed + [_Link(characters, characters, link.url) for link in found if link.first < 0]


_START, _END = "\ue000", "\ue001"  # around anchors; of private use, so that no text needs them


def _marked(text_page: Any, characters: int, links: Sequence[_Link]) -> tuple[str, Sequence[_Link]]:
    """The text of a page, with marks around the anchors of its links, and these."""
    parts, at = [], 0
    for link in links:
        anchor = _text(text_page, link.first, link.last)
        after = anchor[len(anchor.rstrip()) :]
        # In one line: a paragraph must not end inside an anchor.
        parts += [_text(text_page, at, link.first), _START, " ".join(_BROKEN_WORD.sub("", anchor).split()), _END, after]
        at = link.last
    parts.append(_text(text_page, at, characters))
    return "".join(parts), links


def _text(text_page: Any, first: int, last: int) -> str:
    if first >= last:
        return ""
    return text_page.get_text_range(first, last - first).replace(_START, "").replace(_END, "")  # type: ignore[no-any-return]


def _paragraphs(marked: tuple[str, Sequence[_Link]]) -> tuple[str, Sequence[str]]:
    """Lines as paragraphs in HTML, with links, and the lines themselves."""
    text, links = marked
    lines = [_NO_BREAK.sub(" ", line).rstrip() for line in _BROKEN_WORD.sub("", text).splitlines()]
    longest = max(map(len, lines), default=0)
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line)
        if len(line) < _SHORT_LINE * longest and paragraphs[-1]:
            paragraphs.append([])
    html = "".join(f"<p>{_clean(chr(10).join(paragraph))}</p>" for paragraph in paragraphs if paragraph)
    anchors = iter(links)
    html = re.sub(_START, lambda _: f'<a href="{_clean(next(anchors).url)}">', html).replace(_END, "</a>")
    return html, [line.replace(_START, "").replace(_END, "") for line in lines]


def _clean(text: str) -> str:
    return escape(_NOT_TEXT.sub("", text), quote=True)
