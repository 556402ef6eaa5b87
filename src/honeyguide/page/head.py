"""The metadata of a document: the elements of its head, and its style sheets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from honeyguide.page import tags
from honeyguide.page.limits import MAX_STYLE

_REFRESH = re.compile(r"\s*+[\d.]*+\s*+[;,]\s*+(?:url\s*+=\s*+)?+['\"]?+([^'\">]++)", re.IGNORECASE).match
_FEEDS = frozenset(("application/rss+xml", "application/atom+xml", "application/rdf+xml"))
_MOST_LISTINGS = 8  # that a document may name; those that name many have one for each of their pages
_LANGUAGE = re.compile(r"\s*([a-z]{2,8})(?![a-z])", re.IGNORECASE | re.ASCII).match


@dataclass(slots=True)
class Head:
    """The declarations of a document's head; "" for what it does not declare."""

    title: str = ""
    language: str = ""
    robots: str = ""
    base: str = ""
    refresh: str = ""
    listings: list[str] = field(default_factory=list)
    """Addresses of sitemaps and feeds, as written."""


def read_head(tree: LexborHTMLParser) -> Head:
    """Read the head of a document, of which everything may be missing."""
    head = Head()
    if tree.root is not None:
        declared = tree.root.attributes
        head.language = _primary(declared.get("lang") or declared.get("xml:lang") or "")
    node = tree.head.first_child if tree.head is not None else None
    while node is not None:
        kind = node.tag_id
        if kind == tags.META:
            _read_meta(node, head)
        elif kind == tags.TITLE:
            head.title = head.title or " ".join(node.text().split())
        elif kind == tags.BASE:
            head.base = head.base or node.attributes.get("href") or ""
        elif kind == tags.LINK:
            _read_link(node, head)
        node = node.next
    return head


def read_sheets(tree: LexborHTMLParser) -> tuple[tuple[str, str], ...]:
    """The media and the text of each style sheet in the document, wherever it is, up to `MAX_STYLE` characters."""
    found: list[tuple[str, str]] = []
    room = MAX_STYLE
    for node in tree.css("style"):
        text = node.text()
        if text and not text.isspace():
            found.append((node.attributes.get("media") or "", text[:room]))
            room -= len(text)
            if room <= 0:
                break
    return tuple(found)


def _primary(language: str) -> str:
    """The primary language of a tag, or of the first of several: "en" for "en-GB, fr"."""
    found = _LANGUAGE(language)
    return found[1].lower() if found else ""


def _read_link(node: LexborNode, head: Head) -> None:
    attributes = node.attributes
    href = attributes.get("href")
    if not href or len(head.listings) == _MOST_LISTINGS:
        return
    rel = (attributes.get("rel") or "").lower().split()
    is_feed = "alternate" in rel and (attributes.get("type") or "").partition(";")[0].strip().lower() in _FEEDS
    if is_feed or "sitemap" in rel:
        head.listings.append(href)


def _read_meta(node: LexborNode, head: Head) -> None:
    attributes = node.attributes
    content = attributes.get("content")
    if not content:
        return
    name = (attributes.get("name") or attributes.get("property") or attributes.get("http-equiv") or "").lower()
    if name == "robots":
        head.robots = f"{head.robots}, {content}" if head.robots else content
    elif name == "content-language":
        head.language = head.language or _primary(content)
    elif name == "refresh" and (found := _REFRESH(content)):
        head.refresh = found[1].strip()
