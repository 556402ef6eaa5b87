"""Hints about a text from the tags and class names around it, as bits."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from honeyguide.page import tags

# Words in class names and ids that authors of pages use for the same things. Each has a bit; so do some tags and roles.
_NAMES: Final = {
    "menu": (
        r"nav(?!al)|menu|breadcrumb|pagination|pager|paging|toolbar|topbar|skip-?(?:to|link)|jump"
        r"|toc(?![a-z])"
    ),
    "foot": r"footer|foot(?![a-z])|copyright|imprint|impressum|legal|disclaimer|colophon|masthead",
    "head": r"header|hdr(?![a-z])",
    "side": r"sidebar|side-?bar|aside|rail(?![a-z])|widget|gadget|column-?(?:right|left)|(?:right|left)-?col",
    "related": (
        r"relate|recommend|outbrain|taboola|popular|trending|most-?read|read-?(?:more|next|also)"
        r"|more-?(?:from|on|stories|articles|news)|also-?like|similar|latest|headlines|teaser|promo"
        r"|up-?next|see-?also|further"
    ),
    "share": r"share|sharing|social|follow-?us|facebook|twitter|whatsapp|pinterest|addtoany|like-?button",
    "comment": r"comment|disqus|respond|reply|replies|discuss|kommentar|livefyre",
    "advert": r"(?<![a-z])ads?(?![a-z])|advert|sponsor|banner|affiliate|commercial|anzeige|dfp",
    "consent": (
        r"cookie|consent|gdpr|privacy|modal|popup|overlay|lightbox|dialog|toast|notice|alert|paywall"
        r"|regwall"
    ),
    "subscribe": (
        r"newsletter|subscri|sign-?up|login|signin|register|membership|donate|donation|support-?us"
        r"|cta(?![a-z])"
    ),
    "about": r"author|byline|by-line|biograph|(?<![a-z])bio(?![a-z])|profile|contributor|avatar|vcard",
    "meta": (
        r"meta(?![a-z])|dateline|timestamp|published|pub-?date|(?<![a-z])(?:date|time)(?![a-z])"
        r"|tags?(?![a-z])|tagcloud|categor|keyword|topics|labels|info(?![a-z])"
    ),
    "caption": r"caption|credit|figure|gallery|slideshow|photo|image|media|video|player|carousel|slider",
    "unseen": r"hidden|invisible|sr-only|screen-?reader|visually|d-none|print|noprint|tooltip|dropdown",
    "body": (
        r"article|story|entry|post(?!er|al|code|ed)|blog|(?<![a-z])text(?![a-z])|body|content"
        r"|main(?![a-z])|prose|markdown|rich-?text|paragraph|essay"
    ),
    "close": (
        r"article-?(?:body|content|text|copy)|entry-?content|post-?(?:body|content|text)"
        r"|story-?(?:body|content|text)|content-?body|body-?(?:copy|text|content)|articlebody"
        r"|mw-parser-output|field-name-body|textbody"
    ),
    "search": r"search|filter|sort|form(?![a-z])|input|select",
}
_SEARCHES: Final = tuple((1 << number, re.compile(names).search) for number, names in enumerate(_NAMES.values()))
_ANY: Final = re.compile("|".join(_NAMES.values())).search
NAMED: Final = len(_NAMES)

_TAGS: Final = (
    "nav",
    "footer",
    "header",
    "aside",
    "form",
    "figure figcaption",
    "table",
    "ul ol dl menu",
    "article",
    "main",
    "blockquote",
    "pre code",
)
HINTS: Final = (*_NAMES, *(names.split()[0] for names in _TAGS))
"""The names of the bits, from the lowest."""

_ROLES: Final = {
    "navigation": "nav", "menu": "nav", "menubar": "nav", "contentinfo": "footer", "banner": "header",
    "complementary": "aside", "search": "form", "form": "form", "dialog": "consent", "alertdialog": "consent",
    "article": "article", "main": "main", "note": "aside",
}  # fmt: skip
OF_TAG: Final = [0] * (tags.LAST + 1)
"""The bits of each tag."""
for _number, _names in enumerate(_TAGS):
    for _name in _names.split():
        OF_TAG[tags.tag_id(_name)] |= 1 << (NAMED + _number)

_LONGEST: Final = 200  # characters of a class name that are read: longer ones list utilities of a style sheet


@lru_cache(maxsize=20_000)
def bits_of(names: str | None, identity: str | None, role: str | None) -> int:
    """The bits of the class names and id of an element, and of its role."""
    found = 0
    for name in f"{names or ''} {identity or ''}"[:_LONGEST].lower().replace("_", "-").split():
        found |= _bits_of_name(name)
    if role in _ROLES:
        found |= 1 << HINTS.index(_ROLES[role])
    return found


@lru_cache(maxsize=50_000)
def _bits_of_name(name: str) -> int:
    # Most names contain no hint, which a single search detects.
    if not _ANY(name):
        return 0
    return sum(bit for bit, search in _SEARCHES if search(name))
