"""The metadata of a page: author, date, description, canonical address, licence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from honeyguide.page.head import read_head
from honeyguide.page.limits import limited
from honeyguide.page.unreadable import PAGES
from honeyguide.page.url import UrlRules

_AUTHOR: Final = (
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "parsely-author",
    "sailthru.author",
    "byl",
)
_DATE: Final = (
    "article:published_time", "datepublished", "citation_publication_date", "citation_date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "dc.date", "date", "pubdate", "publishdate", "publish-date", "parsely-pub-date",
    "sailthru.date", "og:published_time", "article:published",
)  # fmt: skip
_DESCRIPTION: Final = ("description", "og:description", "dc.description", "dcterms.description", "twitter:description")
_LICENCE: Final = ("dc.rights", "dcterms.rights", "dcterms.license", "license", "licence")
_ARTICLES: Final = re.compile(r"Article|BlogPosting|Report|WebPage|NewsArticle|Recipe|Book|Dataset|Course|Event")
_DAY: Final = re.compile(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)").match
_LONGEST_NUMBER: Final = 10
_DEEPEST: Final = 6
_LONGEST: Final = 1 << 18  # characters of JSON that are read


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata that a page states; "" for missing values."""

    title: str = ""
    author: str = ""
    """The names of its authors, with semicolons between them."""
    date: str = ""
    """The day on which it was published, such as "2024-05-31"."""
    language: str = ""
    description: str = ""
    canonical: str = ""
    """The address that it names as its own."""
    licence: str = ""
    """The address of its licence, or its name."""
    pages: int = 0
    """How many pages it has, if it is a PDF."""


def read_metadata(html: str, url: str, rules: UrlRules) -> Metadata:
    """Read what a document that was fetched from `url` states about itself. Never raises on any HTML."""
    tree = LexborHTMLParser(limited(html.encode(errors="replace")), scripting=True)
    head = read_head(tree)
    join = rules.joiner((rules.join(url, head.base) if head.base else None) or url)
    said: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        value = " ".join((attributes.get("content") or "").split())
        if name and value:
            said.setdefault(name.lower(), []).append(value)
    links: dict[str, str] = {}
    for node in tree.css("link[rel][href], a[rel][href]"):
        for relation in (node.attributes.get("rel") or "").lower().split():
            if relation == "license" or (relation == "canonical" and node.tag == "link"):
                links.setdefault(relation, join(node.attributes.get("href") or "") or "")
    things = [thing for node in tree.css('script[type="application/ld+json"]') for thing in _things(node.text())]
    author = _first(_names(thing.get("author")) for thing in things) or "; ".join(
        _first(_people(said.get(name, [])) for name in _AUTHOR) or ()
    )
    days = [str(thing.get("datePublished") or "") for thing in things]
    days += [value for name in _DATE for value in said.get(name, [])]
    days += [node.attributes.get("datetime") or "" for node in tree.css("time[itemprop=datePublished], time[pubdate]")]
    return Metadata(
        title=head.title or next(iter(said.get("og:title", [])), ""),
        author=author,
        date=_first(map(_day, days)),
        language=head.language,
        description=_first(said.get(name, [""])[0] for name in _DESCRIPTION)
        or _first(_text(thing.get("description")) for thing in things),
        canonical=links.get("canonical", "") or _first(join(value) or "" for value in said.get("og:url", [])),
        licence=links.get("license", "")
        or _first(_text(thing.get("license")) for thing in things)
        or _first(said.get(name, [""])[0] for name in _LICENCE),
        pages=_count(said.get(PAGES, [""])[0]),
    )


def _count(said: str) -> int:
    return int(said) if said.isascii() and said.isdigit() and len(said) < _LONGEST_NUMBER else 0


def _first(values: Iterator[Any] | Any) -> Any:
    return next(filter(None, values), "")


def _people(values: list[str]) -> list[str]:
    """Names, without addresses of profiles."""
    return list(dict.fromkeys(value for value in values if "://" not in value))


def _things(text: str | None) -> Iterator[dict[str, Any]]:
    """The articles that a script describes, however they are nested."""
    try:
        described = json.loads((text or "")[:_LONGEST])
    except (ValueError, RecursionError):
        return
    waiting = [(described, 0)]
    while waiting:
        thing, depth = waiting.pop(0)
        if depth > _DEEPEST:
            continue
        if isinstance(thing, list):
            waiting.extend((one, depth + 1) for one in thing[:100])
        elif isinstance(thing, dict):
            if _ARTICLES.search(str(thing.get("@type") or "")):
                yield thing
            waiting.extend((thing[name], depth + 1) for name in ("@graph", "mainEntity") if name in thing)


def _names(said: Any) -> str:
    several = said if isinstance(said, list) else [said]
    names = [_text(one.get("name") if isinstance(one, dict) else one) for one in several[:100]]
    return "; ".join(_people([name for name in names if name]))


def _text(said: Any) -> str:
    return " ".join(said.split()) if isinstance(said, str) else ""


def _day(said: str) -> str:
    """The day of a date such as "2024-05-31T08:00Z" or "Fri, 31 May 2024 08:00:00 GMT"; "" for any other text."""
    found = _DAY(said)
    if found and 1 <= int(found[2]) <= 12 and 1 <= int(found[3]) <= 31:
        return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"
    try:
        return parsedate_to_datetime(said).date().isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""
