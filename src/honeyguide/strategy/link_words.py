"""The words in and around links, hashed to numbers as features for classifiers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context import anchors, windows
from honeyguide.page.spans import Spans, spans_of
from honeyguide.page.url_words import url_words
from honeyguide.relevance.text import NOTHING, Tokens
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.rules import Rule

MOST = 24
"""Maximum number of words per link: those of its anchor first, then of its URL, then of the surrounding text."""

_BITS = 16
NUMBERS = 1 << _BITS
"""Number of hash values; 0 stands for no word."""

_MOST_IN_FIELD = 8  # the first words of an anchor, and the last words of an address, where addresses differ
_ANCHOR, _ADDRESS, _AROUND = 2_654_435_761, 2_246_822_519, 3_266_489_917  # odd: a word's number depends on its field

_Numbered = tuple[NDArray[np.intp], NDArray[np.intp]]  # for each word, the index of its URL, and its number


WORDS = "words"
"""The column that `LinkWords` adds."""


class LinkWords:
    """Extends the table of another rule by a column with the words of each link, as numbers."""

    def __init__(self, rule: Rule, window: int) -> None:
        """`window` is the size of the surrounding text in words, half of them on each side."""
        self._rule = rule
        self._window = window

    def __call__(self, view: PageView) -> LinkTable:
        """The other rule's table, with the column `WORDS`."""
        return self._rule(view).with_columns(**{WORDS: link_words(view, self._window)})


FIELDS = 3
"""The fields of a link: anchor, URL, surrounding text."""


def link_words(view: PageView, window: int) -> NDArray[np.uint16]:
    """One row per link: at most `MOST` numbers, then zeros.

    A number is a hash of the stem of a word and its field: anchor (or the text of its image, or its title, if it has no
    words), URL, or surrounding text; about one pair in 60,000 collides. Each number occurs once per row. A URL that is
    linked several times on the page has the words of all its links.
    """
    return _rows([found for _, found in _fields(view, window)], len(view.links), MOST)


def field_words(view: PageView, window: int) -> NDArray[np.uint16]:
    """Like `link_words`, but by field: for each link and each of the `FIELDS`, at most `MOST` / `FIELDS` numbers."""
    found: dict[int, list[_Numbered]] = {field: [] for field in (_ANCHOR, _ADDRESS, _AROUND)}
    for field, words in _fields(view, window):
        found[field].append(words)
    return np.stack([_rows(words, len(view.links), MOST // FIELDS) for words in found.values()], axis=1)


def _rows(found: list[_Numbered], links: int, most: int) -> NDArray[np.uint16]:
    """The first `most` numbers of each link, each once, then zeros."""
    rows = np.zeros((links, most), np.uint16)
    if not found:
        return rows
    url = np.concatenate([urls for urls, _ in found])
    number = np.concatenate([numbers for _, numbers in found])
    _, firsts = np.unique(url << _BITS | number, return_index=True)
    firsts.sort()  # in the order of preference again
    firsts = firsts[np.argsort(url[firsts], kind="stable")]
    url, number = url[firsts], number[firsts]
    place = np.arange(len(url)) - np.searchsorted(url, url)
    is_kept = place < most
    rows[url[is_kept], place[is_kept]] = number[is_kept]
    return rows


def _fields(view: PageView, window: int) -> Iterator[tuple[int, _Numbered]]:
    """The words of all links, by field, in order of preference."""
    if not len(view.links):
        return
    positions, repeats = view.occurrences
    tokens = view.text.tokens(view.tokenizer)
    own, wide = anchors(view.page)[positions], windows(view.page, window)[positions]
    first, last = own[:, 0], own[:, 1]
    starts_only = spans_of(first, np.minimum(last, first + _MOST_IN_FIELD))
    yield _number_words(tokens, starts_only, repeats.of_link, _ANCHOR)
    for place, text in view.images(positions):
        words = text.words[:_MOST_IN_FIELD]
        yield _number_words(view.tokenizer(words), _whole(len(words)), repeats.of_link[[place]], _ANCHOR)
    addresses = [url_words(url)[-_MOST_IN_FIELD:] for url in view.urls]
    ends = np.cumsum([len(words) for words in addresses], dtype=np.int32)
    starts = np.append(np.zeros(1, np.int32), ends[:-1])
    words = [word for address in addresses for word in address]
    yield _number_words(view.tokenizer(words), spans_of(starts, ends), np.arange(len(addresses)), _ADDRESS)
    yield _number_words(tokens, spans_of(last, wide[:, 1]), repeats.of_link, _AROUND)
    yield _number_words(tokens, spans_of(wide[:, 0], first), repeats.of_link, _AROUND)


def _whole(words: int) -> Spans:
    return np.array([[0, words]], np.int32)


def _number_words(tokens: Tokens, spans: Spans, urls: NDArray[np.intp], field: int) -> tuple[int, _Numbered]:
    """Number the tokens of a field in some spans, without stop words, each with the index of the URL of its span."""
    sizes = spans[:, 1] - spans[:, 0]
    url = np.repeat(urls, sizes)
    before = np.repeat(np.cumsum(sizes) - sizes, sizes)
    token = tokens[np.repeat(spans[:, 0], sizes) + np.arange(len(url)) - before]
    counts = token != NOTHING
    # The upper bits of a product depend on all bits of the factors; 0 is reserved.
    number = (token[counts] * np.uint32(field)) >> np.uint32(32 - _BITS)
    return field, (url[counts], np.maximum(number, 1).astype(np.intp))
