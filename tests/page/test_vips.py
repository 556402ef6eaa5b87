from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.page.blocks import Blocks, vips, vips_tree
from honeyguide.page.blocks.base import NO_BLOCK
from honeyguide.page.blocks.cues import Boxes
from honeyguide.page.blocks.layout import static_cues
from honeyguide.page.blocks.outline import outline_of
from honeyguide.page.blocks.rules import DIVIDE, DIVIDE_BY_COLOUR, DROP, Node, NodeContext
from honeyguide.page.blocks.separators import Block, LayoutRegion, separate, weight
from honeyguide.page.blocks.structure import merge
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.tags import tag_id
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())


def page(html: str) -> Page:
    return parse(html, "http://a.example/", RULES, styled=True)


def view_of(found: Page) -> NodeContext:
    outline = outline_of(found)
    return NodeContext(found, outline, static_cues(found, outline))


# The rules. FILLER is 50 lines of text (6,250 characters), 960 px high: beside it what is one line high (19.2 px) is
# just under 2 % of the page, so that nothing of its coherence is lost by size.
FILLER = "<div>" + "x" * 6250 + "</div>"


def judge(html: str, name: str, *, is_root: bool = False, previous: bool = False, threshold: float = 0.1) -> int:
    """The verdict on the first element of that name. Without a doctype, so that a paragraph may hold a table."""
    found = page(html + FILLER)
    row = found.nodes.tag.index(tag_id(name))
    return Node(view_of(found), row, is_root, previous, threshold).judge()


TWO_PARAGRAPHS = "<p>a</p><p>b</p>"
TWO_CELLS = "<td>a</td><td>b</td>"
TWO_ROWS = f"<tr>{TWO_CELLS}</tr><tr>{TWO_CELLS}</tr>"


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("span", "<span><b></b><br></span>"),
        ("table", "<table><tr><td></td></tr></table>"),
        ("tr", "<table><tr><td></td><td> </td></tr></table>"),
        ("td", "<table><tr><td>&nbsp;</td><td>x</td></tr></table>"),
        ("p", "<p><b></b></p>"),
        ("div", "<div><br><p></p></div>"),
        ("div", "<div><p hidden>x</p></div>"),
    ],
)
def test_rule_1_what_has_no_valid_children_is_dropped(name: str, html: str) -> None:
    assert judge(html, name) == DROP
    assert judge(html, name, is_root=True) == DROP  # before rule 3


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("span", "<span><b>x</b></span>"),
        ("table", f"<table><tr>{TWO_CELLS}</tr></table>"),  # the tbody that the parser adds does not count
        ("tr", "<table><tr><td>a</td></tr></table>"),
        ("td", "<table><tr><td><ul><li>a<li>b</ul></td><td>x</td></tr></table>"),
        ("p", "<p><a href=x>a</a></p>"),
        ("div", "<div> <ul><li>a<li>b</ul> <p></p></div>"),
    ],
)
def test_rule_2_a_single_child_stands_for_its_parent(name: str, html: str) -> None:
    assert judge(html, name, threshold=1) == DIVIDE


def test_rule_2_but_not_a_single_text_or_picture() -> None:
    assert judge("<p>x</p>", "p") == 10
    assert judge("<p><img src=x></p>", "p") == 10


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("span", "<span>a<b>x</b></span>"),
        ("table", f"<table>{TWO_ROWS}</table>"),
        ("tr", f"<table><tr>{TWO_CELLS}</tr></table>"),
        ("td", "<table><tr><td>a<b>b</b></td><td>x</td></tr></table>"),
        ("p", "<p>a<b>b</b></p>"),
        ("div", f"<div>{TWO_PARAGRAPHS}</div>"),
    ],
)
def test_rule_3_the_root_of_a_block_is_divided(name: str, html: str) -> None:
    assert judge(html, name, is_root=True, threshold=1) == DIVIDE
    assert judge(html, name, threshold=1) > 0  # by rule 4 or 10


@pytest.mark.parametrize("name", ["span", "p", "div", "td", "li"])
def test_rule_4_text_and_virtual_text_is_kept(name: str) -> None:
    before, after = ("<table><tr>", "</tr></table>") if name == "td" else ("", "")
    assert judge(f"{before}<{name}>a <a href=x>b</a><br><i><u>c</u></i></{name}>{after}", name, threshold=0) == 10
    assert judge(f"{before}<{name}>a <b>b</b></{name}>{after}", name, threshold=0) == 9  # weight
    assert judge(f"{before}<{name}>a <a href=x><big>b</big></a></{name}>{after}", name, threshold=0) == 9  # size


def test_rule_5_a_line_break_child_divides_inline_nodes_and_paragraphs() -> None:
    assert judge("<span>a<div>b</div></span>", "span", threshold=1) == DIVIDE
    assert judge("<p>a<table><tr><td>b</table></p>", "p", threshold=1) == DIVIDE
    # It is not asked of others: rule 9.
    assert judge("<div>a<p>b</p></div>", "div", threshold=1) == 6
    # And an inline child that is no virtual text is no line-break node: rule 9.
    assert judge("<span>a<b>c<div>b</div></b></span>", "span", threshold=1) == 8


def test_rule_6_a_horizontal_rule_divides() -> None:
    assert judge("<div>a<hr>b</div>", "div", threshold=1) == DIVIDE
    assert judge("<span>a<hr>b</span>", "span", threshold=1) == DIVIDE
    # Not in a cell: rule 9.
    assert judge("<table><tr><td>a<hr>b</td><td>x</td></tr></table>", "td", threshold=1) == 7


def test_rule_7_children_larger_than_their_parent_divide_it() -> None:
    # 1,800 px of cells in a row of 1,000 px.
    assert judge("<table><tr><td width=900>a</td><td width=900>b</td></tr></table>", "tr", threshold=1) == DIVIDE
    assert judge("<table><tr><td width=400>a</td><td width=400>b</td></tr></table>", "tr", threshold=1) == 7
    # A table of 3,000 · 19.2 px in a block of 1,000 · 38.4 px. No rule 7 in a cell: rule 9.
    wide = "a<table width=3000><tr><td>b</td></tr></table>"
    assert judge(f"<div>{wide}</div>", "div", threshold=1) == DIVIDE
    assert judge(f"<table><tr><td>{wide}</td><td>x</td></tr></table>", "td", threshold=1) == 7


def test_rule_8_another_background_divides_tables_and_rows() -> None:
    assert (
        judge(f"<table><tr bgcolor=#eeeeee>{TWO_CELLS}</tr><tr>{TWO_CELLS}</tr></table>", "table") == DIVIDE_BY_COLOUR
    )
    assert judge("<table><tr><td bgcolor=silver>a</td><td>b</td></tr></table>", "tr") == DIVIDE_BY_COLOUR
    assert judge("<table bgcolor=silver><tr><td bgcolor=silver>a</td><td>b</td></tr></table>", "tr") == 7  # the same
    # Nothing else: rule 10.
    assert judge("<div><div style='background:#eee'>a</div><div>b</div></div>", "div", threshold=1) == 6


@pytest.mark.parametrize(
    ("html", "name", "doc"),
    [
        ("<span>a<b>c<div>b</div></b></span>", "span", 8),
        ("<table><tr><td>a<p>b</p></td><td>x</td></tr></table>", "td", 7),
        ("<li>a<p>b</p></li>", "li", 7),
        ("<div><b>a</b><p>b</p></div>", "div", 6),  # virtual text
        ("<form>a<p>b</p></form>", "form", 5),
    ],
)
def test_rule_9_small_mixtures_of_text_and_more_are_kept(html: str, name: str, doc: int) -> None:
    assert judge(html, name, threshold=0.1) == doc
    assert judge(html, name, threshold=0) in {DIVIDE, 6}  # rule 12, or 13 for the cell, which has more than 5 % then


def test_rule_10_many_small_children_are_kept() -> None:
    # Two items of 19.2 px: 38.4 of the page's 38.4 + 16 + 16 + 960 px are 3.7 %: one degree lost by size.
    html = "<ul><li>a<li>b</ul>"
    assert judge(html, "ul", threshold=0.02) == 6
    assert judge(html, "ul", threshold=0.01) == DIVIDE  # one item is 1.86 %: rule 12
    # Without text of their own, so that rule 9 does not apply.
    assert judge("<span><div>a</div><div>b</div></span>", "span", threshold=0.1) == DIVIDE  # rule 5 comes first
    assert judge(f"<table><tr><td>{TWO_PARAGRAPHS}</td><td>x</td></tr></table>", "td", threshold=0.1) == 6


def test_rule_10_looks_at_the_largest_child() -> None:
    # Six lines are 115.2 of 1,126.4 px: 10.2 %.
    html = f"<ul><li>a<li>{'x' * 700}</ul>"
    assert judge(html, "ul", threshold=0.1) == DIVIDE
    assert judge(html, "ul", threshold=0.11) == 4


def test_rule_10_coherence_is_lost_with_size() -> None:
    def doc(items: int) -> int:
        return judge("<ul>" + "<li>a" * items + "</ul>", "ul", threshold=0.1)

    # n items are 19.2 n of 19.2 n + 992 px: 1 of 1.9 %, 2 of 3.7 %, 3 of 5.5 %, 6 of 10.4 %, 18 of 25.8 %.
    assert [doc(items) for items in (2, 3, 6, 18)] == [6, 5, 4, 3]


def test_rule_11_a_cell_is_kept_when_the_one_before_it_was() -> None:
    html = f"<table><tr><td>{TWO_PARAGRAPHS}</td><td>x</td></tr></table>"
    # Half a page wide, 86.4 px of 1,046.4 px high: 4.1 %. Without rule 11 it is kept as well, by rule 13.
    assert judge(html, "td", previous=True, threshold=0) == judge(html, "td", threshold=0) == 6


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("span", "<span><b>c<div>b</div></b><i>d</i></span>"),
        ("p", "<p><b>c<table><tr><td>b</table></b><i>d</i></p>"),
        ("div", f"<div>{TWO_PARAGRAPHS}</div>"),
    ],
)
def test_rule_12_others_are_divided(name: str, html: str) -> None:
    assert judge(html, name, threshold=0) == DIVIDE


def test_rule_13_tables_rows_and_cells_are_kept() -> None:
    # Two rows are 38.4 of 998.4 px, 3.8 %; one is 1.9 %.
    assert judge(f"<table>{TWO_ROWS}</table>", "table", threshold=0) == 5
    assert judge(f"<table>{TWO_ROWS}</table>", "tr", threshold=0) == 7


# Separators.


def block(left: float, top: float, right: float, bottom: float, **more: object) -> Block:
    found = Block((0, 0), 10, left, top, right, bottom, 0, 0, 0, 0)
    for name, value in more.items():
        setattr(found, name, value)
    return found


EMPTY = view_of(page(""))
FONTS = view_of(page("plain<b>bold</b><big>big</big><i>plain</i>"))  # pieces 0 to 3


@pytest.mark.parametrize(
    ("gap", "expected"),
    [(0, 1), (8, 1), (8.1, 2), (15, 2), (15.1, 4), (25.1, 6), (35.1, 8), (45.1, 10), (55, 10), (55.1, 12), (999, 12)],
)
@pytest.mark.parametrize("is_horizontal", [True, False])
def test_weight_by_gap(gap: float, expected: int, *, is_horizontal: bool) -> None:
    assert weight(gap, block(0, 0, 1, 1), block(0, 0, 1, 1), EMPTY, is_horizontal=is_horizontal) == expected


def test_weight_by_what_is_seen_around_it() -> None:
    def plus(before: Mapping[str, object], after: Mapping[str, object], *, is_horizontal: bool = True) -> int:
        upper, lower = block(0, 0, 1, 1, **before), block(0, 0, 1, 1, **after)
        return weight(20, upper, lower, FONTS, is_horizontal=is_horizontal) - 4

    plain, bold, big, same = ({"first_piece": piece, "last_piece": piece + 1} for piece in range(4))
    assert plus({}, {"is_after_rule": True}) == 2
    assert plus({"background": "#eeeeee"}, {"background": "#ffffff"}) == 2
    assert plus(plain, same) == 0
    assert plus(plain, bold) == 2
    assert plus(big, plain) == 2  # larger above
    assert plus(plain, big) == 4  # smaller above
    assert plus(plain, {}) == 0  # a picture below
    assert plus({"is_plain": True}, {"is_plain": True}) == -2
    assert plus({"is_plain": True}, {}) == 0
    # Of a vertical one only what holds for both directions counts.
    assert plus(plain, big, is_horizontal=False) == 0
    assert plus({"is_plain": True}, {"is_plain": True, "is_after_rule": True}, is_horizontal=False) == 2
    # The fonts that meet at the separator count, not others in the blocks.
    assert plus({"first_piece": 0, "last_piece": 3}, {"first_piece": 2, "last_piece": 4}) == 0


def shape(region: LayoutRegion | Block) -> object:
    return [[shape(part) for part in region.parts], region.weights] if isinstance(region, LayoutRegion) else ()


def test_separators_lie_between_rows_and_then_between_columns() -> None:
    header = block(0, 0, 1000, 20)
    left = block(0, 60, 200, 300, column=1)  # 40 px below: 8
    right = block(230, 60, 1000, 100, column=2)  # 30 px to the right: 6
    below = block(230, 110, 1000, 200, column=2)  # 10 px below, but beside the left column: 2
    footer = block(0, 300, 1000, 320)  # touches: 1
    found = separate([header, left, right, below, footer], EMPTY)
    assert shape(found) == [[(), [[(), [[(), ()], [2]]], [6]], ()], [8, 1]]


def test_neighbours_on_a_line_have_no_separator_unless_they_are_columns() -> None:
    words = [block(0, 0, 100, 20), block(150, 0, 200, 20)]
    assert shape(separate(words, EMPTY)) == [[(), ()], []]
    words[0].column = 3
    assert shape(separate(words, EMPTY)) == [[(), ()], []]
    words[1].column = 4
    assert shape(separate(words, EMPTY)) == [[(), ()], [10]]


def naive_separators(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """As the method is told: one separator, which each block splits, shrinks or deletes; none at the border."""
    start, end = min(low for low, _ in intervals), max(high for _, high in intervals)
    separators = [(start - 1, end + 1)]
    for low, high in intervals:
        left: list[tuple[int, int]] = []
        for first, last in separators:
            if high <= first or low >= last:
                left.append((first, last))
            else:
                left += [part for part in ((first, low), (high, last)) if part[0] < part[1]]
        separators = left
    return sorted((first, last) for first, last in separators if first >= start and last <= end)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), min_size=2, max_size=12))
def test_the_sweep_finds_what_splitting_finds(drawn: list[tuple[int, int]]) -> None:
    intervals = sorted((low, low + size) for low, size in drawn)
    found = separate([block(0, low, 1, high) for low, high in intervals], EMPTY)
    tops = [low for low, _ in intervals]
    # Those of no width are left out, which splitting does not leave.
    gaps = [
        (max(high for _, high in intervals[:place]), low)
        for place, low in enumerate(tops)
        if place and max(high for _, high in intervals[:place]) < low
    ]
    assert naive_separators(intervals) == gaps
    touching = sum(max(high for _, high in intervals[:place]) == low for place, low in enumerate(tops) if place)
    assert len(found.weights) == len(gaps) + touching


# Content structure.


def merged(weights: list[int], docs: list[int], pdoc: int = 6) -> object:
    parts: list[Block | LayoutRegion] = [block(0, 0, 1, 1, doc=doc) for doc in docs]
    return outline_doc(merge(LayoutRegion(parts, weights), pdoc))


def outline_doc(found: Block) -> object:
    return [found.doc, *map(outline_doc, found.children)] if found.children else found.doc


def test_merging_begins_at_the_lightest_separators() -> None:
    # From 1 to 10: 1 is 10, 4 is 7, 10 is 1. The second and third are merged first, then the first with them (7).
    assert merged([4, 1, 10], [10, 10, 10, 10]) == [1, 7, 10]
    # The same with a higher bar: what is below it keeps its parts.
    assert merged([4, 1, 10], [10, 10, 10, 10], pdoc=8) == [1, [7, 10, 10], 10]
    assert merged([4, 1, 10], [10, 10, 10, 10], pdoc=11) == [1, [7, 10, [10, 10, 10]], 10]


def test_separators_of_one_weight_are_merged_across_at_once() -> None:
    assert merged([2, 2, 2], [10, 9, 8, 10]) == [1, 10, 9, 8, 10]
    assert merged([5, 2, 2, 5], [10] * 5) == [1, 10, 10, 10]


@pytest.mark.parametrize("weight", [-1, 0])
def test_a_run_of_lines_without_a_heavier_separator_is_one_block(weight: int) -> None:
    # Up to 15 px (2) between plain texts (-2), and nothing else in the region: our resolution of min-max over equals.
    assert merged([weight] * 3, [10, 9, 8, 10]) == 10
    # A block that is to be divided again stays apart here too.
    assert merged([weight] * 3, [10, 10, 5, 10]) == [5, 10, 5, 10]
    # From 1 on there is more to see than the next line.
    assert merged([1] * 3, [10, 9, 8, 10]) == [1, 10, 9, 8, 10]


def test_a_block_that_is_not_coherent_is_merged_with_nothing_that_is() -> None:
    assert merged([1, 1, 1, 9], [10, 10, 5, 10, 10]) == [1, [5, 10, 5, 10], 10]


def test_blocks_without_separators_belong_together() -> None:
    assert merged([], [10, 9, 10]) == 10


def test_a_merged_block_is_as_large_as_all_its_parts() -> None:
    parts: list[Block | LayoutRegion] = [block(4, 4, 5, 5), block(0, 6, 2, 9), block(3, 1, 8, 2)]
    found = merge(LayoutRegion(parts, [1, 9]), 6)
    assert (found.left, found.top, found.right, found.bottom) == (0, 1, 8, 9)


# Whole pages.


def test_nodes_that_begin_with_text_are_what_rule_4_keeps() -> None:
    # Five such nodes, with an inline one in each of two; then five that are none, with two inline ones and two
    # paragraphs in them that are; and one that is empty.
    such = "<div>a</div><div>a <b>b</b></div><p>a <img src=x></p><ul><li>a<li>b <i>c</i> d</ul>"
    none = "<div><b>a</b></div><div><b>a</b> b</div><div>a<p>b</p></div><div><p>a</p>b</div><p><img src=x> a</p><p></p>"
    found = page(such + none)
    view = view_of(found)
    rows = [row for row in range(len(found.nodes)) if view.begins_with_text(row)]
    assert len(rows) == 5 + 2 + 4
    for row in rows:
        expected = view.text_coherence(found.nodes.first_piece[row], found.nodes.last_piece[row])
        assert Node(view, row, False, False, 0.0).judge() == expected


def texts(found: Page, blocks: Blocks) -> list[str]:
    return [" ".join(found.words[start:end]) for start, end in blocks.spans.tolist()]


def blocks_of(html: str, pdoc: int = 6) -> list[str]:
    found = page(html)
    return texts(found, vips(found, pdoc))


LOREM = "lorem ipsum dolor sit amet " * 30
NAVIGATION = "".join(f"<a href={name}>{name}</a><br>" for name in ("home", "news", "people"))
PORTAL = {
    "table": "<table><tr><td width=200>{nav}</td><td>{main}</td></tr></table>",
    "floats": '<div style="float:left;width:200px">{nav}</div><div style="float:left;width:780px">{main}</div>',
}


@pytest.mark.parametrize("layout", PORTAL)
def test_two_columns_of_a_portal_are_two_blocks(layout: str) -> None:
    columns = PORTAL[layout].format(nav=NAVIGATION, main=f"<p>{LOREM}<a href=story>story</a></p>")
    found = page(f"<h1>Portal</h1>{columns}<hr><div>footer <a href=imprint>imprint</a></div>")
    blocks = vips(found)
    assert [text[:24] for text in texts(found, blocks)] == [
        "Portal",
        "home news people",
        "lorem ipsum dolor sit am",
        "footer imprint",
    ]
    assert blocks.of_link.tolist() == [1, 1, 1, 2, 3]


def test_paragraphs_under_their_headings() -> None:
    # Between paragraphs: 16 px are 4, less 2 for plain text on both sides: 2, the lightest. Between heading and
    # paragraph: 19.92 px are 4, the font differs: 6, less 2: 4. Between paragraph and heading: the font above is
    # smaller as well: 6, the heaviest. So paragraphs are 10 together, and a section 10 - 9 · 2 / 4 = 5.5, rounded to 5.
    section = "<h2>{0}</h2><p>{0} one</p><p>{0} two</p>"
    html = "<body>" + "".join(section.format(name) for name in ("bees", "wasps"))
    assert blocks_of(html) == ["bees", "bees one bees two", "wasps", "wasps one wasps two"]
    assert blocks_of(html, pdoc=5) == ["bees bees one bees two", "wasps wasps one wasps two"]
    root = vips_tree(page(html), pdoc=5)
    assert (root.doc, [child.doc for child in root.children]) == (1, [5, 5])
    assert blocks_of(html, pdoc=1) == ["bees bees one bees two wasps wasps one wasps two"]


def test_a_line_of_text_is_not_torn_at_its_links() -> None:
    html = "<body>before <a href=x>one</a> between <b>two</b> after<br><br>far<p>paragraph"
    # Separators: 19.2 px without text between the lines, 4 - 2 (fonts: none differ); 16 px to the paragraph, 4 - 2.
    assert blocks_of(html) == ["before one between two after", "far", "paragraph"]


def test_a_coloured_cell_is_a_block_of_its_own() -> None:
    cells = "<td bgcolor=#eeeeee>" + TWO_PARAGRAPHS + "<td>" + TWO_PARAGRAPHS
    tree = vips_tree(page(f"<body><div>top</div><table><tr>{cells}</table>"))
    leaves = list(leaves_of(tree))
    assert [(leaf.span, leaf.doc) for leaf in leaves] == [((0, 1), 10), ((1, 3), 6), ((3, 4), 10), ((4, 5), 10)]


def test_links_of_pictures_are_in_blocks() -> None:
    found = page("<p>text</p><div><a href=x><img src=x alt=y></a></div><p>more</p>")
    blocks = vips(found)
    assert blocks.of_link.tolist() == [1]
    assert blocks.spans.tolist() == [[0, 1], [1, 1], [1, 2]]


def test_lines_are_not_torn_apart_but_empty_lines_are_seen() -> None:
    assert blocks_of("<body>one<br><a href=x>two</a><br>three<br><br>four") == ["one two three", "four"]


@pytest.mark.parametrize("first", ["", "<img src=x>", "<img src=x><hr>"])
def test_a_link_that_is_divided_is_in_the_block_of_its_first_word(first: str) -> None:
    found = page(f"<p>x</p><a href=y>{first}<h2>title</h2><p>{LOREM}</p></a><p>z</p>")
    blocks = vips(found)
    assert texts(found, blocks)[int(blocks.of_link[0])].startswith("title")


def test_a_link_without_words_that_is_divided_is_in_its_first_block() -> None:
    found = page("<div>x</div><a href=y><div><img src=1></div><div><img src=2></div></a><div>z</div>")
    blocks = vips(found)
    assert blocks.of_link.tolist() == [1]
    assert blocks.spans.tolist() == [[0, 1], [1, 1], [1, 2]]


def test_a_link_that_is_not_seen_is_in_no_block() -> None:
    found = page("<p>a <a href=x>b</a></p><div hidden><a href=y>c</a></div><p>d</p>")
    assert vips(found).of_link.tolist() == [0, NO_BLOCK]
    nothing = vips(page("<div hidden><a href=y>c</a></div>"))
    assert (len(nothing), nothing.of_link.tolist()) == (0, [NO_BLOCK])


def test_the_address_that_a_page_sends_its_reader_to_is_in_no_block() -> None:
    found = page("<head><meta http-equiv=refresh content='0;url=/next'></head><p>a<p>b")
    assert vips(found).of_link.tolist() == [NO_BLOCK]


def test_only_the_cues_decide_where_things_are() -> None:
    """The same markup, seen another way: with 60 px between two pairs, by what a browser could say."""
    found = page("<div>a</div><div>b</div><div>c</div><div>d</div>")
    static = static_cues(found)
    boxes = Boxes(static.boxes.left, np.array([0.0, 0, 20, 100, 120]), static.boxes.width, np.array([140.0] + [20] * 4))
    cues = replace(static, boxes=boxes)
    assert texts(found, vips(found, 6, cues)) == ["a b", "c d"]
    assert texts(found, vips(found)) == ["a b c d"]  # lines of text with nothing between them


@pytest.mark.parametrize("depth", [10, 1000, 10_000])
@pytest.mark.parametrize("tags", [["div"], ["b"], ["table", "tr", "td"], ["ul", "li"], ["font size=7", "font size=1"]])
def test_deep_pages(depth: int, tags: list[str]) -> None:
    opened = "".join(f"<{tag}>" for tag in tags)
    found = page((opened + "word <a href=x>link</a> ") * (depth // len(tags)))
    blocks = vips(found)
    check(found, blocks)
    assert blocks.of_link.min() >= 0


def test_floated_elements_inside_each_other() -> None:
    found = page("<div style='float:left'>word" * 2000)
    check(found, vips(found))


def test_an_empty_page_has_no_blocks() -> None:
    blocks = vips(page(""))
    assert len(blocks) == 0
    assert vips_tree(page("")).doc == 1


# What is true of every page.


def leaves_of(root: Block) -> Iterator[Block]:
    stack = [root]
    while stack:
        found = stack.pop()
        if found.children:
            stack.extend(reversed(found.children))
        else:
            yield found


def check(found: Page, blocks: Blocks) -> None:
    edges = blocks.spans.ravel().tolist()
    assert edges == sorted(edges)
    assert not edges or (edges[0] == 0 and edges[-1] == len(found.words))
    # All words are in a block: what has words is seen.
    assert sum(end - start for start, end in blocks.spans.tolist()) == len(found.words)
    nodes = found.nodes
    for row, number in zip(found.links.node, blocks.of_link.tolist(), strict=True):
        if nodes.first_word[row] < nodes.last_word[row] and row:
            start, end = blocks.spans[number]
            assert number != NO_BLOCK
            assert start <= nodes.first_word[row] < end


def check_tree(root: Block, pdoc: int) -> None:
    stack = [root]
    while stack:
        found = stack.pop()
        if not found.children:
            assert found.doc >= min(pdoc, 9) or found is root  # text whose fonts change is 9, and not divided
            continue
        stack += found.children
        for before, after in zip(found.children, found.children[1:], strict=False):
            assert before.end <= after.start
            assert before.span[1] <= after.span[0]
        assert found.start <= found.children[0].start
        assert found.children[-1].end <= found.end


NAMES = "p div b a table tr td th ul li span h1 h3 br hr img font center form small a".split()
OPENINGS = [*(f"<{name}>" for name in NAMES), "<a href=x>", "<a href=y>", "<td bgcolor=red>", "<tr bgcolor=blue>"]
OPENINGS += ["<td width=900>", "<div style='float:left;width:300px'>", "<p hidden>", "<div style='display:none'>"]
OPENINGS += [
    "<font size=6>",
    "<div style='background:#eee'>",
    "<img src=i width=300 height=200>",
    "<input type=hidden>",
]
PARTS = st.one_of(
    st.sampled_from(OPENINGS),
    st.sampled_from(NAMES).map(lambda name: f"</{name}>"),
    st.sampled_from(["word", " two words ", " ", "x" * 300, "long text " * 40, "<", "&nbsp;", "é世界"]),
)
SOUP = st.lists(PARTS, max_size=60).map("".join)


@given(SOUP, st.integers(1, 10))
def test_properties(html: str, pdoc: int) -> None:
    found = page(html)
    blocks = vips(found, pdoc)
    check(found, blocks)
    check_tree(vips_tree(found, pdoc), pdoc)
    again = vips(page(html), pdoc)
    assert (again.spans == blocks.spans).all()
    assert (again.of_link == blocks.of_link).all()


@given(st.data())
@settings(max_examples=50)
def test_nothing_raises_on_mutated_html(data: st.DataObject) -> None:
    html = PORTAL["table"].format(nav=NAVIGATION, main=f"<p style='font-size:12px'>{LOREM}<h2 align=left>x</h2>")
    places = data.draw(st.lists(st.tuples(st.integers(0, len(html)), st.text(max_size=4)), max_size=20))
    for place, text in places:
        html = html[:place] + text + html[place + 1 :]
    found = page(html)
    check(found, vips(found))
