"""Limits on the cost of a document: one that exceeds them is simplified before it is parsed.

An HTML parser takes time that grows with depth × tags and with the square of a tag's attributes, and makes nodes that
grow with open formatting elements × paragraphs, as the standard demands. So a page of a few kilobytes, compressed,
could take hours and gigabytes. Ordinary documents are recognised quickly and left as they are.

The estimates trust that an end tag closes what was opened last, so a document written to deceive them gets through. The
deadline and the memory limit of the process that reads it are there for that.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin

MAX_BYTES: Final = 4 << 20
"""Bytes of UTF-8 that are parsed. The longest articles of encyclopedias have a quarter of this."""
MAX_TAGS: Final = 250_000
"""Tags, counted at "<", after which a document is cut off."""
MAX_DEPTH: Final = 512
"""Levels of elements. Deeper ones are dropped, but their text and links are read. Browsers have the same limit."""
MAX_LINKS: Final = 100_000
"""Links that are read from one page."""
MAX_STYLE: Final = 1 << 18
"""Characters of style sheets that are read from one page."""
MAX_STYLE_RULES: Final = 4000
"""Selectors that are read from one style sheet."""
MAX_SELECTOR_PARTS: Final = 16
"""Elements that a selector may name ("ul li a" has three): longer selectors are ignored."""
MAX_STYLE_TESTS: Final = 50_000
"""Maximum number of comparisons of selectors with elements on one page; further elements get no styles."""

_FEW_TAGS = 1500  # cannot exceed any limit by much
_MANY_NODES = 1_000_000  # that open formatting elements could be copied to
_LONG_TAG, _MANY_ATTRIBUTES = 16_384, 1000

_FORMATTING = "b big code em font i nobr s small strike strong tt u"
"""Elements that are opened again in every paragraph until they are closed. A link is closed by the next one."""
_FLAT = (
    "area base body br col dd dt embed head hr html img input li link meta option p param source tbody td tfoot th "
    "thead tr track wbr path use circle rect line stop ellipse polygon polyline"
)
"""Elements that have no content or are closed by the next of their kind, and shapes in pictures."""

_LETTERS = 4  # of a name that are compared: enough for an estimate
_LESS, _SLASH = b"</"
_TABLE_BITS = 14
_MULTIPLIER = np.uint32(2_654_435_769)

_TAG = re.compile(rb"<script(?s:.*?)</script[^>]*>?|<(/?)([A-Za-z][^\s/>]*)[^>]*>?")  # without a name: a script
_TAG_START = re.compile(rb"</?[A-Za-z]")
_ATTRIBUTE_ENDS = re.compile(rb"[\s/]")
_KEPT_WHEN_DEEP = frozenset(b"a area frame img".split()) | frozenset(_FLAT.encode().split())
_FORMATTING_NAMES = frozenset(_FORMATTING.encode().split())


def limited(html: bytes) -> bytes:
    """The document itself if it is within the limits, otherwise a simpler one with the same words and links.

    Args:
        html: A document in UTF-8.

    Returns:
        The document without what is beyond `MAX_BYTES` and `MAX_TAGS`; without elements below `MAX_DEPTH`; without
        formatting elements if copies of them would make too many nodes; without the attributes of a tag that has
        thousands.
    """
    if len(html) > MAX_BYTES:
        html = html[:MAX_BYTES]
    places = _tag_places(html)
    if len(places) > MAX_TAGS:
        html = html[: places[MAX_TAGS]]
        places = places[:MAX_TAGS]
    if len(html) > _LONG_TAG and _has_long_tag(html, places):
        html = _TAG.sub(_without_attributes, html)
        places = _tag_places(html)
    if len(places) <= _FEW_TAGS:
        return html
    is_end, name = _names(np.frombuffer(html, np.uint8), places)
    sign: NDArray[np.int64] = np.where(is_end, -1, 1).astype(np.int64)
    formats = _most_open(sign * _FORMATS[name]) * len(places) > _MANY_NODES
    nested = sign * _NESTED[name]
    if formats or _most_open(nested) > MAX_DEPTH or _unclosed(nested, name) > MAX_DEPTH:
        return _Simplifier(formats=formats)(html)
    return html


@twin("walk")
def _tag_places(html: bytes) -> NDArray[np.intp]:
    """Every "<" that is not in a script: the strings of scripts may be full of tags."""
    places = np.flatnonzero(np.frombuffer(html, np.uint8) == _LESS)
    starts, ends = [], []
    start = html.find(b"<script")
    while start >= 0 and (end := html.find(b"</script", start)) >= 0:
        starts.append(start)
        ends.append(end)
        start = html.find(b"<script", end)
    if not starts:
        return places
    script = np.searchsorted(starts, places) - 1  # the last that begins before each place
    return places[(script < 0) | (places >= np.take(ends, script))]


def _names(characters: NDArray[np.uint8], places: NDArray[np.intp]) -> tuple[NDArray[np.bool_], NDArray[np.uint32]]:
    """For each tag, whether it is an end tag, and a hash of the first letters of its name."""
    is_end = characters.take(places + 1, mode="clip") == _SLASH
    begin = places + 1 + is_end
    letters = _LETTER.take(characters.take(begin[:, None] + np.arange(_LETTERS), mode="clip"))
    for place in range(1, _LETTERS):  # what comes after the end of the name does not count
        letters[:, place] *= letters[:, place - 1] > 0
    return is_end, _hashed(letters.view("<u4")[:, 0])


def _hashed(key: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return (key * _MULTIPLIER) >> np.uint32(32 - _TABLE_BITS)


def _most_open(changes: NDArray[np.int64]) -> int:
    """The most elements that are open at a time. An end tag without a start tag closes nothing."""
    depth = changes.cumsum()
    floor = np.minimum.accumulate(np.minimum(depth, 0))
    return int((depth - floor).max(initial=0))


def _unclosed(changes: NDArray[np.int64], name: NDArray[np.uint32]) -> int:
    """How many more start tags than end tags there are, of all names that have more of them."""
    return int(np.bincount(name, changes).clip(min=0).sum())


def _table(names: str, *, among: bool) -> NDArray[np.int8]:
    """For each hash of a name, 1 if it is among the names, or if it is not."""
    table = np.full(1 << _TABLE_BITS, not among, np.int8)
    for name in names.encode().split():
        key = int.from_bytes(name[:_LETTERS], "little")
        table[_hashed(np.array([key], np.uint32))] = among
    table[_hashed(np.zeros(1, np.uint32))] = False  # comments and lone signs
    return table


_LETTER = np.array(
    [ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 0 for code in range(256)], np.uint8
)
_FORMATS = _table(_FORMATTING, among=True)
_NESTED = _table(_FLAT, among=False)


# ---- documents that exceed the limits ----


def _has_long_tag(html: bytes, places: NDArray[np.intp]) -> bool:
    gaps = np.diff(places, append=len(html))
    return any(_is_long_tag(html, place) for place in places[gaps > _LONG_TAG].tolist())


def _is_long_tag(html: bytes, place: int) -> bool:
    """Whether a "<" begins a tag with thousands of attributes, or is in one: those in scripts most often are not."""
    if not _TAG_START.search(html, html.rfind(b">", 0, place) + 1, place + 3):
        return False
    end = html.find(b">", place)
    ends = _ATTRIBUTE_ENDS.finditer(html, place, end if end >= 0 else len(html))
    return next(islice(ends, _MANY_ATTRIBUTES, None), None) is not None


def _without_attributes(tag: re.Match[bytes]) -> bytes:
    if (
        tag[2] is None
        or tag.end() - tag.start() <= _LONG_TAG
        or len(_ATTRIBUTE_ENDS.findall(tag[0])) <= _MANY_ATTRIBUTES
    ):
        return tag[0]
    return b"<%b%b>" % (tag[1], tag[2])


class _Simplifier:
    """Removes the tags of elements that are too deep, and of formatting elements if these are too many.

    An end tag closes all elements down to the last of its name, and is removed if there is none.
    """

    def __init__(self, *, formats: bool) -> None:
        self._formats = formats
        self._open: list[bytes] = []
        self._count: Counter[bytes] = Counter()

    def __call__(self, html: bytes) -> bytes:
        return _TAG.sub(self._simplified, html)

    def _simplified(self, tag: re.Match[bytes]) -> bytes:
        if tag[2] is None:
            return tag[0]
        name = tag[2].lower()
        if name in _FORMATTING_NAMES and self._formats:
            return b""
        if name in _KEPT_WHEN_DEEP:
            return tag[0]
        if not tag[1]:
            self._open.append(name)
            self._count[name] += 1
            return tag[0] if len(self._open) <= MAX_DEPTH else b""
        if not self._count[name]:
            return b""
        closed = b""
        while closed != name:
            closed = self._open.pop()
            self._count[closed] -= 1
        return tag[0] if len(self._open) < MAX_DEPTH else b""
