"""HTML tags: their numbers in the parser, and their effect on the words around them."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborHTMLParser

_PARSER = LexborHTMLParser("")


def tag_id(name: str) -> int:
    """The parser's number for an HTML tag; for any other name a number above `LAST`, a different one each time."""
    number: int = _PARSER.create_node(name).tag_id
    return number


def tag_ids(names: str) -> frozenset[int]:
    """The numbers of several tags."""
    return frozenset(tag_id(name) for name in names.split())


UNKNOWN: Final = 0
"""Represents all tags that are not in HTML."""
LAST: Final = tag_id("xmp")  # numbers are in alphabetical order; those of unknown tags are far above
TEXT: Final = 2  # the parser's number for a run of text
COMMENT: Final = 4
A: Final = tag_id("a")
AREA: Final = tag_id("area")
BASE: Final = tag_id("base")
BODY: Final = tag_id("body")
FRAME: Final = tag_id("frame")
IMG: Final = tag_id("img")
LINK: Final = tag_id("link")
META: Final = tag_id("meta")
TITLE: Final = tag_id("title")

BREAKING: Final = tag_ids(
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html img input legend li main "
    "menu nav ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead tr ul"
)
"""Tags that end a word before and after them. All others are inline (``hon<b>ey</b>`` is one word), as in browsers."""

UNSEEN_NAMES: Final = frozenset(
    "head script style template noscript noembed noframes iframe svg object audio video canvas datalist".split()
)
UNSEEN: Final = frozenset(map(tag_id, UNSEEN_NAMES))
"""Tags whose content is not text of this page for its reader: no node, word or link is read from inside them."""

NAMED: Final = {
    name: tag_id(name)
    for name in (
        "a abbr acronym address area article aside b bdi bdo big blockquote body br button caption center cite "
        "code col colgroup dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer form "
        "frame h1 h2 h3 h4 h5 h6 header hgroup hr html i img input ins kbd label legend li main mark menu nav nobr "
        "ol optgroup option output p picture pre progress q s samp search section select small span strike strong "
        "sub summary sup table tbody td textarea tfoot th thead time tr tt u ul var wbr"
    ).split()
}
"""The numbers of tags with visible content, by name."""
