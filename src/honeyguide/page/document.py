"""Any document that can be read, as HTML: what is parsed, scored and exported is always HTML.

What a document is depends on its bytes where they tell, and otherwise on its content type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.util import find_spec
from typing import Final

from honeyguide.page.decode import decode
from honeyguide.page.unreadable import UnreadableError

PDF: Final = "application/pdf"
TEXT: Final = "text/plain"

OFFICE_EXTENSIONS: Final = frozenset("doc docm docx odp ods odt pps ppsx ppt pptx rtf xls xlsm xlsx".split())
"""File name extensions of office documents, which are not read."""

_OFFICE: Final = (
    "application/msword", "application/rtf", "text/rtf", "application/vnd.ms-", "application/vnd.oasis.opendocument.",
    "application/vnd.openxmlformats-officedocument.",
)  # fmt: skip
_ANY_BYTES: Final = frozenset(("application/octet-stream", "binary/octet-stream", "application/download"))
_PDF_TYPES: Final = frozenset((PDF, "application/x-pdf"))
_PDF_WITHIN: Final = 1024  # bytes before the header of a PDF, by the habit of its readers
_HTML_BEGINS: Final = re.compile(rb"\s*+(?:<!doctype html|<html)", re.IGNORECASE).match
_MARKED_UP: Final = re.compile(rb"\s*+<").match
_ARCHIVES: Final = ((b"PK\x03\x04", "a ZIP archive or an office document"), (b"\xd0\xcf\x11\xe0", "an office document"))
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"']{1,2000}+")
_AFTER_ADDRESS: Final = ".,;:!?)]}'"
_LONGEST_TITLE: Final = 200


def as_html(body: bytes, content_type: str = "") -> str:
    """A document as HTML.

    Raises:
        UnreadableError: It is something else than it is said to be, or damaged, or it is a PDF and the extra is not
            installed. HTML and plain text can always be read.
    """
    kind = media_type(content_type)
    if is_pdf(body, content_type):
        from honeyguide.page.pdf import pdf_to_html  # noqa: PLC0415 (hardly ever needed)

        return pdf_to_html(body)
    for beginning, what in _ARCHIVES:
        if body.startswith(beginning):
            raise UnreadableError(f"{what}, which is not read")
    if kind in _PDF_TYPES and not _MARKED_UP(body):
        raise UnreadableError("sent as a PDF, but it is not one")
    if kind == TEXT and not _HTML_BEGINS(body):
        return _text_as_html(decode(body, content_type))
    return decode(body, content_type)


def is_pdf(body: bytes, content_type: str = "") -> bool:
    """Whether a document is a PDF, whatever its declared type."""
    if media_type(content_type) in _PDF_TYPES:
        return b"%PDF-" in body[:_PDF_WITHIN]
    return body.startswith((b"%PDF-", b"\xef\xbb\xbf%PDF-"))


def media_type(content_type: str) -> str:
    """The type in a Content-Type header, without its parameters, in lower case."""
    return content_type.partition(";")[0].partition(",")[0].strip().lower()


def effective_type(kind: str, url: str) -> str:
    """The type of a document at a URL: servers often do not know PDF, but the file name does."""
    if kind in _PDF_TYPES or (kind in _ANY_BYTES and url.partition("?")[0].lower().endswith(".pdf")):
        return PDF
    return kind


@cache
def reads_pdf() -> bool:
    """Whether the extra that reads PDF is installed."""
    return find_spec("pypdfium2") is not None


def readable_types(types: Iterable[str]) -> tuple[str, ...]:
    """The content types, in lower case, that can be read with the installed extras."""
    return tuple(kind for kind in map(str.lower, types) if kind != PDF or reads_pdf())


def unread_reason(content_type: str, url: str, types: Iterable[str]) -> str:
    """Why a document is not read, by its content type: "pdf" or "office" as in `scope.REASONS`, otherwise "type"."""
    kind = effective_type(media_type(content_type), url)
    if kind == PDF and PDF in types and not reads_pdf():
        return "pdf"
    return "office" if kind.startswith(_OFFICE) else "type"


def _text_as_html(text: str) -> str:
    """Plain text as HTML: an empty line ends a paragraph, lines stay lines, and addresses are links."""
    lines = text.replace("\0", "").splitlines()
    title = next((line for line in map(str.strip, lines) if line), "")
    paragraphs = re.split(r"\n(?:\s*\n)+", "\n".join(lines))
    body = "".join(f"<p>{'<br>'.join(map(_linked, part.split(chr(10))))}</p>" for part in paragraphs if part.strip())
    return f"<!DOCTYPE html><title>{escape(title[:_LONGEST_TITLE])}</title>{body}"


def _linked(line: str) -> str:
    parts, at = [], 0
    for found in _ADDRESS.finditer(line):
        address = found[0].rstrip(_AFTER_ADDRESS)
        parts += [escape(line[at : found.start()]), f'<a href="{escape(address)}">{escape(address)}</a>']
        at = found.start() + len(address)
    return "".join((*parts, escape(line[at:])))
