"""The words of links and pages as numbers: cases worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.text import Text, Tokenizer
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.page_words import (
    ANCHOR_WORDS,
    NUMBERS,
    PAGE_WORDS,
    WORDS_BESIDE,
    are_page_words,
    page_words,
    unpack_page_words,
    word_numbers,
    words_of_links,
)

from .littleweb import Told

ENGLISH = Tokenizer("english")


def numbers(words: str) -> list[int]:
    found: list[int] = word_numbers(ENGLISH(words.split())).tolist()
    return found


def of_links(html: str, *links: int) -> list[list[list[int]]]:
    """For each link: the words of its anchor, those before it, and those after it."""
    page = parse(html, "http://a.example/", UrlRules(UrlSettings()))
    view = PageView(page, Text(page.words), links, 0.0, Told(), ENGLISH)
    parts = [ANCHOR_WORDS, ANCHOR_WORDS + WORDS_BESIDE]
    return [[[int(word) for word in part if word] for part in np.split(row, parts)] for row in words_of_links(view)]


def test_words_have_numbers_and_stop_words_have_none() -> None:
    honey, the, honeys = numbers("honey the honeys")
    assert the == 0
    assert honey == honeys  # stems
    assert 0 < honey < NUMBERS


def test_a_link_has_the_words_of_its_anchor_and_the_nearest_on_both_sides() -> None:
    [[anchor, before, after]] = of_links("<p>bee and wasp <a href=/x>the honey jar</a> of wax</p>", 0)
    assert anchor == numbers("honey jar")
    assert before == numbers("wasp bee")  # the nearest first
    assert after == numbers("wax")


def test_words_that_are_too_many_or_too_far_are_left_out() -> None:
    words = " ".join(f"word{number}" for number in range(30))
    [[anchor, before, after]] = of_links(f"<p>{words} <a href=/x>{words}</a> the the the {words}</p>", 0)
    assert anchor == numbers(words)[:ANCHOR_WORDS]
    assert before == numbers(words)[::-1][:WORDS_BESIDE]
    assert after == numbers(words)[:7]  # ten words after it, of which three do not count


def test_of_several_links_to_a_url_the_first_counts() -> None:
    (first, other) = of_links("<p><a href=/x>honey</a> <a href=/y>wax</a> <a href=/x>jar</a></p>", 0, 1)
    assert first[0] == numbers("honey")
    assert other[0] == numbers("wax")


def test_a_page_has_its_distinct_words_with_their_counts() -> None:
    texts = ["honey the wax honeys bee honey", "", "bee bee"]
    words, counts, page = unpack_page_words([page_words(ENGLISH(text.split())) for text in texts])
    honey, wax, bee = numbers("honey wax bee")
    found = set(zip(page.tolist(), words.tolist(), counts.tolist(), strict=True))
    assert found == {(0, honey, 3), (0, wax, 1), (0, bee, 1), (2, bee, 2)}


def test_of_a_long_page_the_most_frequent_words_are_kept() -> None:
    often = [f"often{number}" for number in range(PAGE_WORDS)]
    content = page_words(ENGLISH([*(f"once{number}" for number in range(PAGE_WORDS)), *often, *often]))
    words, counts, _ = unpack_page_words([content])
    assert set(words.tolist()) == set(numbers(" ".join(often)))
    assert set(counts.tolist()) == {2}
    assert are_page_words(content)


@pytest.mark.parametrize("content", [b"x", b"1234", bytes(8 * PAGE_WORDS + 8)])
def test_other_bytes_are_not_the_words_of_a_page(content: bytes) -> None:
    assert not are_page_words(content)
