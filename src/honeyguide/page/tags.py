"""What an HTML tag means for reading: its number in the parser, and what it does to the words around it."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborHTMLParser

_PARSER = LexborHTMLParser("")


def tag_id(name: str) -> int:
    """The parser's number for a tag of HTML, or a number above `LAST`, another one each time, for any other name."""
    number: int = _PARSER.create_node(name).tag_id
    return number


def tag_ids(names: str) -> frozenset[int]:
    """The numbers of several tags."""
    return frozenset(tag_id(name) for name in names.split())


UNKNOWN: Final = 0
"""What stands for all tags that HTML does not know."""
LAST: Final = tag_id("xmp")  # they are in alphabetical order, and the parser's numbers for unknown tags lie far above
TEXT: Final = 2  # the parser's number for a run of text
COMMENT: Final = 4
A: Final = tag_id("a")
AREA: Final = tag_id("area")
BASE: Final = tag_id("base")
BODY: Final = tag_id("body")
FRAME: Final = tag_id("frame")
IMG: Final = tag_id("img")
META: Final = tag_id("meta")
TITLE: Final = tag_id("title")

BREAKING: Final = tag_ids(
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html img input legend li main "
    "menu nav ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead tr ul"
)
"""Tags that end a word before and after them. All others are inline (``hon<b>ey</b>`` is one word), as in browsers."""

UNSEEN: Final = tag_ids(
    "head script style template noscript noembed noframes iframe svg object audio video canvas datalist"
)
"""Tags whose content is not text of this page for its reader: no node, word or link comes from inside them."""
