"""Content Block Partition, against trees worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.blocks import MODERN, PAPER, Blocks, cbp, whole_page
from honeyguide.page.blocks.base import NO_BLOCK
from honeyguide.page.blocks.cbp import block_heights
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())


def read(html: str) -> Page:
    return parse(html, "http://site.example/", RULES)


def texts(page: Page, blocks: Blocks) -> list[str]:
    return [" ".join(page.words[first:last]) for first, last in blocks.spans.tolist()]


# body > table > tbody > tr > td > (p: "intro", table > tbody > tr > 2 × td: each a p with a link), and beside the outer
# table a p with a link. Content block tags on the longest path below: td 1 (its p); inner tr 2, inner tbody 2 (tbody is
# no block tag, the tr below it is: tr + td + p = 3), inner table 3, outer td 4 (table tr td p), outer tr 5, outer tbody
# 6, outer table 6, body 7.
NESTED = """
<body>
<table><tr><td>
  <p>intro</p>
  <table><tr><td><p>left <a href=l>one</a></p></td><td><p>right <a href=r>two</a></p></td></tr></table>
</td></tr></table>
<p>foot <a href=f>three</a></p>
</body>"""


def test_heights_count_block_tags_strictly_below() -> None:
    page = read(NESTED)
    heights = block_heights(page.nodes.parent, bytes(tag in PAPER for tag in page.nodes.tag))
    # body, table, tbody, tr, td, p, table, tbody, tr, td, p, a, td, p, a, p, a
    assert heights == [7, 6, 6, 5, 4, 0, 3, 3, 2, 1, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        # s = 1.75: everything down to the inner tr (2) is split; its cells (1) are blocks.
        (0.25, ["intro", "left one", "right two", "foot three"]),
        # s = 3.5: the outer td (4) is split; the inner table (3) is a block.
        (0.5, ["intro", "left one right two", "foot three"]),
        # s = 5.25: the outer tbody (6) is split; its tr (5) is a block.
        (0.75, ["intro left one right two", "foot three"]),
        # s = 7: the body (7) is split; the outer table (6) is a block.
        (1.0, ["intro left one right two", "foot three"]),
    ],
)
def test_granularity_follows_alpha(alpha: float, expected: list[str]) -> None:
    page = read(NESTED)
    assert texts(page, cbp(page, alpha)) == expected


def test_links_know_their_block() -> None:
    page = read(NESTED)
    assert cbp(page, 0.25).of_link.tolist() == [1, 2, 3]
    assert cbp(page, 0.5).of_link.tolist() == [1, 1, 2]


def test_k_asks_for_that_many_links_below_one_child() -> None:
    page = read(NESTED)
    # The inner table has two links, but no child of the inner tr has two: the tr stays whole even at alpha .25.
    assert texts(page, cbp(page, 0.25, k=2)) == ["intro", "left one right two", "foot three"]


DIVS = "<body><div><div>a <a href=1>x</a></div><div>b <a href=2>y</a></div></div><div>c</div></body>"


def test_a_page_of_divs_is_one_block_for_the_papers_tags() -> None:
    page = read(DIVS)
    assert texts(page, cbp(page)) == ["a x b y c"]


def test_a_page_of_divs_is_split_by_the_modern_tags() -> None:
    # Heights: body 2, outer div 1. s = max(1, 1) = 1: both are split.
    page = read(DIVS)
    assert texts(page, cbp(page, block_tags=MODERN)) == ["a x", "b y", "c"]


def test_text_directly_under_a_split_node_is_a_block_without_links() -> None:
    page = read("<body>before <p>in <a href=1>x</a></p> between <p>second</p> after</body>")
    blocks = cbp(page)
    assert texts(page, blocks) == ["before", "in x", "between", "second", "after"]
    assert blocks.of_link.tolist() == [1]


def test_a_refresh_is_in_no_block_of_a_split_body() -> None:
    page = read("<meta http-equiv=refresh content='0;url=/on'><body><p>a <a href=1>x</a></p></body>")
    assert cbp(page).of_link.tolist() == [NO_BLOCK, 0]


def test_an_empty_page_has_no_blocks() -> None:
    page = read("")
    assert len(cbp(page)) == 0
    assert whole_page(page).spans.tolist() == [[0, 0]]


def test_deep_nesting_is_no_matter() -> None:
    page = read("<table><tr><td>" * 3000 + "<a href=1>x</a>")
    blocks = cbp(page)
    assert texts(page, blocks) == ["x"]
    assert blocks.of_link.tolist() == [0]


TAGS = ["div", "p", "table", "tr", "td", "ul", "li", "b", "span", "section", "h2", "center"]
TREES = st.recursive(
    st.sampled_from(["word ", "two words ", "<a href=/p>link</a> ", "<br>", "<img alt=x>", ""]),
    lambda inner: st.builds(
        lambda tag, children: f"<{tag}>{''.join(children)}</{tag}>", st.sampled_from(TAGS), st.lists(inner, max_size=4)
    ),
    max_leaves=25,
)


@given(TREES, st.sampled_from([0.25, 0.5, 0.75, 1.0]), st.integers(1, 3), st.booleans())
def test_blocks_are_disjoint_and_hold_every_word_and_link(html: str, alpha: float, k: int, modern: bool) -> None:
    page = read(html)
    blocks = cbp(page, alpha, k, MODERN if modern else PAPER)
    covered = [word for first, last in blocks.spans.tolist() for word in range(first, last)]
    assert covered == list(range(len(page.words)))
    anchors = np.array([(page.nodes.first_word[row], page.nodes.last_word[row]) for row in page.links.node])
    for link, block in enumerate(blocks.of_link.tolist()):
        assert block != NO_BLOCK
        assert blocks.spans[block, 0] <= anchors[link, 0]
        assert anchors[link, 1] <= blocks.spans[block, 1]
