"""The words of pages and of links as numbers: the same for both, for learning from pages which links to follow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin
from honeyguide.page.context import windows
from honeyguide.page.spans import Spans
from honeyguide.relevance.text import NOTHING, Tokens, counted
from honeyguide.strategy.page_view import PageView

NUMBERS = 1 << 18
"""A word's number is a hash of its token below this; 0 stands for no word. Of 10,000 words, 4 % share their number."""

ANCHOR_WORDS, WORDS_BESIDE = 8, 8
LINK_WORDS = ANCHOR_WORDS + 2 * WORDS_BESIDE
"""Maximum number of words per link: the first of its anchor, then the nearest before it, then the nearest after it."""

PAGE_WORDS = 512
"""Maximum number of distinct words per page: the most frequent ones."""

_WINDOW = 20  # words around a link, half of them on each side, stop words included
_FACTOR, _SHIFT = np.uint32(2_654_435_761), np.uint32(14)  # the upper bits of a product depend on all bits of a token

_PAIR = np.dtype([("word", np.uint32), ("count", np.uint32)])

Numbers = NDArray[np.uint32]


def word_numbers(tokens: Tokens) -> Numbers:
    """The number of each token; 0 for a word that does not count, such as a stop word."""
    numbers: Numbers = np.maximum(tokens * _FACTOR >> _SHIFT, 1)
    numbers[tokens == NOTHING] = 0
    return numbers


def words_of_links(view: PageView) -> Numbers:
    """One row per followed URL, with the words of the first link to it; zeros fill up each of its three parts."""
    own = np.array(view.links, np.intp)
    around = windows(view.page, _WINDOW).take(own, axis=0)
    return _words_of_links(view.text.tokens(view.tokenizer), view.page.anchors.take(own, axis=0), around)


@twin("places")
def _words_of_links(tokens: Tokens, anchors: Spans, windows: Spans) -> Numbers:
    """The words of links with the given anchors and windows; `tokens` are those of all words of the page."""
    numbers = word_numbers(tokens)
    counting = numbers.nonzero()[0]
    before = np.searchsorted(counting, np.arange(len(numbers) + 1))  # words that count before each position
    words = np.append(numbers[counting], np.zeros(1, np.uint32))
    (first, last), (begin, end) = before[anchors].T, before[windows].T
    places = np.full((len(anchors), LINK_WORDS), len(counting))
    for column in range(ANCHOR_WORDS):
        places[:, column] = np.where(first + column < last, first + column, len(counting))
    for column in range(WORDS_BESIDE):
        back, on = first - 1 - column, last + column
        places[:, ANCHOR_WORDS + column] = np.where(back >= begin, back, len(counting))
        places[:, ANCHOR_WORDS + WORDS_BESIDE + column] = np.where(on < end, on, len(counting))
    found: Numbers = words[places]
    return found


def page_words(tokens: Tokens) -> bytes:
    """The distinct words of a page, each followed by its count."""
    terms, counts = counted(tokens)
    if len(terms) > PAGE_WORDS:
        kept = np.sort(np.argsort(-counts, kind="stable")[:PAGE_WORDS])
        terms, counts = terms[kept], counts[kept]
    pairs = np.empty((len(terms), 2), np.uint32)
    pairs[:, 0], pairs[:, 1] = word_numbers(terms), counts
    return pairs.tobytes()


def unpack_page_words(pages: Sequence[bytes]) -> tuple[Numbers, Numbers, NDArray[np.intp]]:
    """The words of pages, their counts, and the index of the page that each is from."""
    found = np.frombuffer(b"".join(pages), _PAIR)
    page = np.repeat(np.arange(len(pages)), [len(words) // _PAIR.itemsize for words in pages])
    return found["word"], found["count"], page


def are_page_words(content: bytes) -> bool:
    """Whether `page_words` could have returned these bytes."""
    return len(content) % _PAIR.itemsize == 0 and len(content) <= PAGE_WORDS * _PAIR.itemsize
