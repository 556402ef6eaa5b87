"""Sitemaps and feeds: documents that list the addresses of pages, with some metadata of each.

They are read without an XML parser: entities other than those of single characters are not expanded, nothing outside
the document is looked at, and documents that are broken or cut off give what they have. Every step takes time in
proportion to the length of the document.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from html import unescape
from itertools import islice, pairwise
from math import isfinite
from typing import Final, NamedTuple

from honeyguide.page.decode import decode

SITEMAP: Final = "sitemap"
INDEX: Final = "sitemap index"
FEED: Final = "feed"

MOST_URLS: Final = 50_000
"""Maximum number of addresses read from one document, which is the limit of the sitemap protocol."""
MOST_BYTES: Final = 16 << 20
"""Of a document that was compressed; what comes after that is not read. Most sitemaps of 50,000 addresses have less."""

_GZIP = b"\x1f\x8b"
_ROOT_WITHIN = 16_384
_LONGEST = 4096  # characters of an address, with its markup
_MAX_TEXT = 500  # characters of a title or a description
_USUAL_PRIORITY = 0.5  # by the protocol of sitemaps

_FORMS = {"urlset": SITEMAP, "sitemapindex": INDEX, "rss": FEED, "feed": FEED, "RDF": FEED}
_ROOT = re.compile(r"<([A-Za-z][\w.-]{0,40}+:)?+([A-Za-z][\w.-]{0,40}+)[\s/>]")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,1000}+>")
# An entry of a feed: RSS calls it item, Atom entry. Their links stand before the next one begins.
_ENTRY = re.compile(r"<(?:item|(?:\w{1,20}+:)?+entry)[\s>]")
_ATOM_LINK = re.compile(r"<(?:\w{1,20}+:)?+link\s([^<>]{0,4096}+)>")
_ATTRIBUTE = re.compile(r"""([\w:.-]{1,40}+)\s*+=\s*+("[^"<]*+"|'[^'<]*+')""")
_LINES_SEEN = 10  # of a text, all of which have to be addresses if it is a sitemap
_SCHEMES = ("http://", "https://")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _named(names: str) -> re.Pattern[str]:
    """Finds the start of an element with one of these names, in any name space."""
    return re.compile(rf"<((?:\w{{1,20}}+:)?+(?:{names}))(?:\s[^<>]{{0,400}}+)?+>")


_TITLE = _named("title")
_TEXT = _named("description|summary|content")
_CHANGED = _named("lastmod|pubDate|published|updated|date|publication_date")
_PRIORITY = _named("priority")


class Entry(NamedTuple):
    """One address with its metadata; "" for missing values."""

    address: str
    """As written; a relative one relates to the document."""
    title: str = ""
    text: str = ""
    """A description, without markup."""
    changed: str = ""
    """The time of publication or of the last change, as written."""
    priority: float = _USUAL_PRIORITY
    """Its importance among the pages of its site, from 0 to 1, as declared by the site."""

    @property
    def day(self) -> str:
        """The day of the change, as 2026-01-31, so that later days are greater texts; "" if missing."""
        if found := _DAY.match(self.changed):
            return found[0]
        try:
            return parsedate_to_datetime(self.changed).date().isoformat() if self.changed else ""
        except (ValueError, OverflowError):
            return ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A document that lists addresses."""

    form: str
    """`SITEMAP`, `INDEX` (of sitemaps) or `FEED`."""
    entries: list[Entry] = field(default_factory=list)
    """The entries in order, without repeated addresses."""
    title: str = ""
    """The title of a feed."""

    @property
    def addresses(self) -> list[str]:
        """The addresses, as written, in order."""
        return [entry.address for entry in self.entries]


def listing_form(body: bytes, content_type: str = "", *, as_text: bool = False) -> str:
    """The kind of listing in a body, compressed or not, by its beginning; "" for any other document. Never raises."""
    start = _unpacked(body[: 2 * _ROOT_WITHIN], _ROOT_WITHIN)[:_ROOT_WITHIN]
    return _form(_without_comments(decode(start, content_type)), as_text=as_text)[0]


def read_listing(body: bytes, content_type: str = "", *, as_text: bool = False) -> Listing | None:
    """The sitemap or feed in a body, compressed or not; None for any other document. Never raises.

    With `as_text`, it may also be a sitemap in plain text: one address per line.
    """
    if not listing_form(body, content_type, as_text=as_text):
        return None
    text = _without_comments(decode(_unpacked(body, MOST_BYTES), content_type))
    form, prefix, start = _form(text, as_text=as_text)
    if not form:
        return None
    if start < 0:
        return Listing(form, _distinct(Entry(line.strip()) for line in _lines(text)))
    if form == FEED:
        title, entries = _read_feed(text, start)
        return Listing(form, _distinct(entries), title)
    return Listing(form, _distinct(_read_sitemap(text, f"{prefix}loc", start)))


def _unpacked(body: bytes, most: int) -> bytes:
    """A body without its compression, up to a length; of one that is damaged, nothing."""
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(31).decompress(body, most)
    except zlib.error:
        return b""


def _form(text: str, *, as_text: bool) -> tuple[str, str, int]:
    """The kind of listing of a text, the name space of its root, and the start of its content; -1 for lines."""
    start = text[:_ROOT_WITHIN].lstrip("\ufeff\0 \t\r\n")
    if as_text and start[:8].lower().startswith(_SCHEMES):
        lines = [line.strip() for line in start.splitlines()[:_LINES_SEEN] if line.strip()]
        is_list = all(line.lower().startswith(_SCHEMES) and len(line.split()) == 1 for line in lines)
        return (SITEMAP, "", -1) if is_list else ("", "", 0)
    root = _ROOT.search(text, 0, _ROOT_WITHIN) if start.startswith("<") else None
    form = _FORMS.get(root[2], "") if root else ""
    return (form, root[1] or "", root.end()) if root and form else ("", "", 0)


def _distinct(entries: Iterator[Entry]) -> list[Entry]:
    """The first entry of each address; those without one are left out."""
    found: dict[str, Entry] = {}
    for entry in islice(entries, 2 * MOST_URLS):
        if entry.address:
            found.setdefault(entry.address, entry)
            if len(found) == MOST_URLS:
                break
    return list(found.values())


def _lines(text: str) -> Iterator[str]:
    """The lines of a text that look like addresses."""
    for line in re.finditer(r"\S[^\r\n]*+", text):
        if line[0][:8].lower().startswith(_SCHEMES):
            yield line[0][:_LONGEST]


def _read_sitemap(text: str, name: str, start: int) -> Iterator[Entry]:
    """The metadata of an address in a sitemap precede the next address."""
    found = list(_elements(text, name, start))  # not those of another name space, such as image:loc
    ends = [*(first for first, _, _ in found[1:]), len(text)]
    for (_, begin, last), end in zip(found, ends, strict=False):
        says = text.find("<", last + len(name) + 3, end) >= 0  # most say nothing
        priority = _said(_PRIORITY, text, last, end) if says else ""
        yield Entry(
            _address(text[begin:last]),
            _said(_TITLE, text, last, end) if says else "",
            changed=_said(_CHANGED, text, last, end) if says else "",
            priority=_share(priority) if priority else _USUAL_PRIORITY,
        )


def _elements(text: str, name: str, start: int, end: int | None = None) -> Iterator[tuple[int, int, int]]:
    """The first elements of a name: where each begins, where its content begins, and where that ends."""
    opening, closing = f"<{name}", f"</{name}"
    end = len(text) if end is None else end
    until = 0  # the next end tag, looked for once: not again for each of many start tags before it
    for _ in range(2 * MOST_URLS):
        at = text.find(opening, start, end)
        if at < 0:
            return
        start = at + len(opening)
        if text[start : start + 1] not in {">", " ", "\t", "\n", "\r"}:
            continue
        begin = text.find(">", start, min(end, start + _LONGEST)) + 1
        if until < begin:
            until = text.find(closing, begin, end)
            if until < 0:
                return
        if begin > 0 and until - begin <= _LONGEST:
            yield at, begin, until
            start = until


def _read_feed(text: str, start: int) -> tuple[str, Iterator[Entry]]:
    """The title of a feed, and its entries, by their links, or else by their identifiers."""
    begins = [found.start() for found in islice(_ENTRY.finditer(text, start), MOST_URLS + 1)]
    title = _said(_TITLE, text, start, begins[0] if begins else start)
    return title, (_read_entry(text, begin, end) for begin, end in pairwise([*begins, len(text)]))


def _read_entry(text: str, begin: int, end: int) -> Entry:
    address = next((text[first:last] for _, first, last in _elements(text, "link", begin, end)), "")
    address = address or _atom_link(text, begin, end)
    address = _address(address if address.strip() else _permalink(text, begin, end))
    if not address:
        return Entry("")
    title, about, changed = (_said(element, text, begin, end) for element in (_TITLE, _TEXT, _CHANGED))
    return Entry(address, title, about, changed)


def _atom_link(text: str, begin: int, end: int) -> str:
    for link in _ATOM_LINK.finditer(text, begin, end):
        attributes: dict[str, str] = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(link[1])}
        if attributes.get("rel", "alternate") == "alternate" and attributes.get("href"):
            return attributes["href"]
    return ""


def _permalink(text: str, begin: int, end: int) -> str:
    """The guid of an item, which is an address unless declared otherwise."""
    at = text.find("<guid", begin, end)
    tag = text[at : text.find(">", at, end) + 1] if at >= 0 else ""
    is_name = re.search(r"""isPermaLink\s*+=\s*+["']false""", tag[:200], re.IGNORECASE)
    return "" if is_name else next((text[first:last] for _, first, last in _elements(text, "guid", begin, end)), "")


def _address(content: str) -> str:
    """The text of an element that is an address: characters written as entities or as CDATA are themselves."""
    if "<" in content:
        content = _CDATA.sub(r"\1", content)
        return "" if "<" in content else content.strip()
    return unescape(content).strip()


def _said(element: re.Pattern[str], text: str, begin: int, end: int) -> str:
    """The text of the first of some elements that has any, without markup; the first few hundred characters."""
    found = element.search(text, begin, end)
    if found is None:
        return ""
    first = found.end()
    content = text[first : min(end, first + _LONGEST)]
    content = content.partition(f"</{found[1]}")[0]
    content = content.replace("<![CDATA[", "").replace("]]>", "") if "<![CDATA[" in content else unescape(content)
    return " ".join(unescape(_TAG.sub(" ", content)).split())[:_MAX_TEXT]


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return _USUAL_PRIORITY
    return min(max(value, 0.0), 1.0) if isfinite(value) else _USUAL_PRIORITY


def _without_comments(text: str) -> str:
    """A document without its comments; the last one may lack its end."""
    pieces: list[str] = []
    start = 0
    while (at := text.find("<!--", start)) >= 0:
        pieces.append(text[start:at])
        start = text.find("-->", at + 4) + 3
        if start < 3:
            return "".join(pieces)
    return "".join(pieces) + text[start:] if pieces else text
