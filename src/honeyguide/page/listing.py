"""Sitemaps and feeds: documents that only list the addresses of pages.

They are read without an XML parser: entities other than those of single characters are not expanded, nothing outside
the document is looked at, and documents that are broken or cut off give what they have. Every step takes time in
proportion to the length of the document.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice, pairwise
from typing import Final

from honeyguide.page.decode import decode

SITEMAP: Final = "sitemap"
INDEX: Final = "sitemap index"
FEED: Final = "feed"

MOST_URLS: Final = 50_000
"""Addresses that are read from one document: as many as a sitemap may have by its protocol."""
MOST_BYTES: Final = 16 << 20
"""Of a document that was compressed; what comes after that is not read. Most sitemaps of 50,000 addresses have less."""

_GZIP = b"\x1f\x8b"
_ROOT_WITHIN = 16_384
_LONGEST = 4096  # characters of an address, with its markup

_FORMS = {"urlset": SITEMAP, "sitemapindex": INDEX, "rss": FEED, "feed": FEED, "RDF": FEED}
_ROOT = re.compile(r"<([A-Za-z][\w.-]{0,40}+:)?+([A-Za-z][\w.-]{0,40}+)[\s/>]")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
# An entry of a feed: RSS calls it item, Atom entry. Their links stand before the next one begins.
_ENTRY = re.compile(r"<(?:item|(?:\w{1,20}+:)?+entry)[\s>]")
_ATOM_LINK = re.compile(r"<(?:\w{1,20}+:)?+link\s([^<>]{0,4096}+)>")
_ATTRIBUTE = re.compile(r"""([\w:.-]{1,40}+)\s*+=\s*+("[^"<]*+"|'[^'<]*+')""")


@dataclass(frozen=True, slots=True)
class Listing:
    """A document that lists addresses."""

    form: str
    """`SITEMAP`, `INDEX` (of sitemaps) or `FEED`."""
    addresses: list[str]
    """As written, in order, without repeats; relative ones relate to the document."""


def read_listing(body: bytes, content_type: str = "") -> Listing | None:
    """The sitemap or feed in a body, compressed or not; None for any other document. Never raises."""
    if body.startswith(_GZIP):
        try:
            body = zlib.decompressobj(31).decompress(body, MOST_BYTES)
        except zlib.error:
            return None
    if b"<" not in body[:_ROOT_WITHIN].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:2]:
        return None
    text = _without_comments(decode(body, content_type))
    root = _ROOT.search(text, 0, _ROOT_WITHIN)
    form = _FORMS.get(root[2]) if root else None
    if root is None or form is None:
        return None
    start, loc = root.end(), f"{root[1] or ''}loc"  # not that of another name space, such as image:loc
    found = _in_feed(text, start) if form == FEED else _in_elements(text, loc, start)
    addresses = (address for one in found if (address := _plain(one)))
    return Listing(form, list(islice(dict.fromkeys(islice(addresses, 2 * MOST_URLS)), MOST_URLS)))


def _in_elements(text: str, name: str, start: int, end: int | None = None) -> Iterator[str]:
    """The contents of the first elements of a name."""
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
            yield text[begin:until]
            start = until


def _in_feed(text: str, start: int) -> Iterator[str]:
    """The address of each entry of a feed: what it links to, or what names it if it does not say."""
    entries = [found.start() for found in islice(_ENTRY.finditer(text, start), MOST_URLS + 1)]
    for begin, end in pairwise([*entries, len(text)]):
        found = next(_in_elements(text, "link", begin, end), "") or _atom_link(text, begin, end)
        yield found if found.strip() else _permalink(text, begin, end)


def _atom_link(text: str, begin: int, end: int) -> str:
    for link in _ATOM_LINK.finditer(text, begin, end):
        attributes: dict[str, str] = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(link[1])}
        if attributes.get("rel", "alternate") == "alternate" and attributes.get("href"):
            return attributes["href"]
    return ""


def _permalink(text: str, begin: int, end: int) -> str:
    """The guid of an item, which is an address unless it says otherwise."""
    at = text.find("<guid", begin, end)
    tag = text[at : text.find(">", at, end) + 1] if at >= 0 else ""
    is_name = re.search(r"""isPermaLink\s*+=\s*+["']false""", tag[:200], re.IGNORECASE)
    return "" if is_name else next(_in_elements(text, "guid", begin, end), "")


def _plain(content: str) -> str:
    """The text of an element: characters that are written as entities or as CDATA are themselves."""
    if "<" in content:
        content = _CDATA.sub(r"\1", content)
        return "" if "<" in content else content.strip()
    return unescape(content).strip()


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
