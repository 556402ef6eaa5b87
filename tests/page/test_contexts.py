"""Link contexts, against pages worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.blocks import Blocks, cbp, whole_page
from honeyguide.page.blocks.base import NO_BLOCK
from honeyguide.page.context import anchors, block_texts, block_windows, joined, parents, repeats, windows
from honeyguide.page.context.repeats import Repeats
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.spans import Spans, spans
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())


def read(html: str) -> Page:
    return parse(html, "http://site.example/", RULES)


def texts(page: Page, contexts: Spans) -> list[str]:
    return [" ".join(page.words[first:last]) for first, last in contexts.tolist()]


LINE = read("<p>w1 w2 w3 w4 w5 <a href=1>the link</a> w6 w7 w8 w9 w10</p>")


def test_a_link_in_no_block_has_the_whole_page_around_it() -> None:
    page = read("<a href=1>a b</a> <a href=2>c</a> <a href=3>d</a>")
    blocks = Blocks(spans([(0, 2), (2, 4)]), np.array([0, NO_BLOCK, 1], np.int32))
    assert texts(page, block_texts(page, blocks)) == ["a b", "a b c d", "c d"]


def test_the_anchor_is_the_words_of_the_link() -> None:
    assert texts(LINE, anchors(LINE)) == ["the link"]


@pytest.mark.parametrize(
    ("size", "counted", "expected"),
    [
        (0, False, "the link"),
        (4, False, "w4 w5 the link w6 w7"),
        # An odd size has its middle word after the link.
        (5, False, "w4 w5 the link w6 w7 w8"),
        # The anchor counts: of 6 words 2 are its own, 4 are around it.
        (6, True, "w4 w5 the link w6 w7"),
        # An anchor longer than the window stays whole.
        (1, True, "the link"),
        (100, False, "w1 w2 w3 w4 w5 the link w6 w7 w8 w9 w10"),
    ],
)
def test_windows_have_half_their_words_on_each_side(size: int, counted: bool, expected: str) -> None:
    assert texts(LINE, windows(LINE, size, anchor_counts=counted)) == [expected]


def test_a_window_is_cut_at_the_edge_and_borrows_nothing() -> None:
    page = read("<p>w1 <a href=1>link</a> w2 w3 w4 w5 w6</p>")
    assert texts(page, windows(page, 6)) == ["w1 link w2 w3 w4"]


TWO_BLOCKS = read("<table><tr><td>a1 a2 a3 <a href=1>first</a></td><td><a href=2>second</a> b1 b2 b3</td></tr></table>")


def test_a_block_text_window_does_not_leave_its_block() -> None:
    # Heights: body 3 (table tr td), s = 1.5; td is 0, tr 1: the tr is no more split, so alpha .25 (s = 1) is asked for.
    blocks = cbp(TWO_BLOCKS, 0.25)
    assert texts(TWO_BLOCKS, blocks.spans) == ["a1 a2 a3 first", "second b1 b2 b3"]
    assert texts(TWO_BLOCKS, windows(TWO_BLOCKS, 4)) == ["a2 a3 first second b1", "a3 first second b1 b2"]
    assert texts(TWO_BLOCKS, block_windows(TWO_BLOCKS, blocks, 4)) == ["a2 a3 first", "second b1 b2"]
    assert texts(TWO_BLOCKS, block_texts(TWO_BLOCKS, blocks)) == ["a1 a2 a3 first", "second b1 b2 b3"]


def test_a_link_in_no_block_has_the_plain_window() -> None:
    nowhere = Blocks(spans([]), np.array([-1], np.int32))
    assert texts(LINE, block_windows(LINE, nowhere, 4)) == texts(LINE, windows(LINE, 4))


def test_the_aggregation_node_is_the_parent_of_the_link() -> None:
    page = read("<div>far <p>near <b>bold <a href=1>link</a></b> text</p></div>")
    assert texts(page, parents(page)) == ["bold link"]


def test_a_parents_text_is_cut_at_the_block() -> None:
    page = read("<p>before <a href=1>link</a> after</p>")
    blocks = Blocks(spans([(0, 2), (2, 3)]), np.array([0], np.int32))
    assert texts(page, parents(page, blocks)) == ["before link"]


def test_a_link_that_is_the_block_has_its_parents_text() -> None:
    page = read("<p>before <a href=1>link</a> after</p>")
    blocks = Blocks(spans([(0, 1), (1, 2), (2, 3)]), np.array([1], np.int32))
    assert texts(page, parents(page, blocks)) == ["before link after"]


def test_an_image_link_has_no_words_but_says_something() -> None:
    page = read("<p>w1 <a href=1 title=t><img alt='a picture'></a> w2</p>")
    assert texts(page, anchors(page)) == [""]
    assert texts(page, windows(page, 2)) == ["w1 w2"]
    assert (page.links.alt, page.links.title) == (["a picture"], ["t"])


REPEATED = read("<p>one <a href=/x>more</a></p><p>two <a href=/y>other</a></p><p>three <a href=/x>again</a></p>")


def test_repeated_links_first_max_and_joined() -> None:
    found = repeats(REPEATED.links.url)
    assert found.urls == ["http://site.example/x", "http://site.example/y"]
    scores = np.array([0.2, 0.3, 0.9])
    assert found.first(scores).tolist() == [0.2, 0.3]
    assert found.max(scores).tolist() == [0.9, 0.3]
    # one more two other three again
    assert joined(parents(REPEATED), found) == [[(0, 2), (4, 6)], [(2, 4)]]


def test_joined_contexts_that_overlap_count_a_word_once() -> None:
    page = read("<p>one <a href=/x>more</a> and <a href=/x>again</a></p>")
    assert joined(parents(page), repeats(page.links.url)) == [[(0, 4)]]


def test_joined_contexts_that_touch_are_one_and_empty_ones_none() -> None:
    found = Repeats(["/x", "/y"], np.array([0, 0, 0, 1, 0]))
    assert joined(spans([(5, 7), (2, 5), (9, 9), (3, 3), (2, 3)]), found) == [[(2, 7)], []]


def test_a_page_without_links_has_no_contexts() -> None:
    page = read("<p>nothing here</p>")
    found = repeats(page.links.url)
    for contexts in (anchors(page), windows(page, 10), parents(page), block_windows(page, whole_page(page), 10)):
        assert contexts.shape == (0, 2)
    assert found.first(np.zeros(0)).tolist() == []
    assert found.max(np.zeros(0)).tolist() == []
    assert joined(parents(page), found) == []


PIECES = st.lists(
    st.sampled_from(
        ["word ", "<a href=/a>one</a> ", "<a href=/b>two words</a> ", "<p>", "</p>", "<td>", "<table><tr>"]
    ),
    max_size=40,
)


@given(PIECES, st.integers(0, 12), st.booleans())
def test_contexts_hold_their_anchor_and_keep_their_size(pieces: list[str], size: int, counted: bool) -> None:
    page = read("".join(pieces))
    own = anchors(page)
    blocks = cbp(page)
    lengths = own[:, 1] - own[:, 0]
    plain = windows(page, size, anchor_counts=counted)
    for contexts in (
        plain,
        block_windows(page, blocks, size),
        parents(page),
        parents(page, blocks),
        block_texts(page, blocks),
    ):
        assert (contexts[:, 0] <= own[:, 0]).all()
        assert (contexts[:, 1] >= own[:, 1]).all()
        assert (contexts >= 0).all()
        assert (contexts <= len(page.words)).all()
    around = plain[:, 1] - plain[:, 0]
    assert (around <= (np.maximum(size, lengths) if counted else size + lengths)).all()
    inside = (plain[:, 0] > 0) & (plain[:, 1] < len(page.words))
    expected = np.maximum(size, lengths) if counted else size + lengths
    assert (around[inside] == expected[inside]).all()
