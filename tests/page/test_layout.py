"""The static estimate of a layout, against numbers worked out by hand.

Unless it says otherwise a font is 16 px: a character is 8 px wide, a line 19.2 px high, a page 1,000 px wide. So 125
characters fill a line of the page.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.blocks.cues import Cues
from honeyguide.page.blocks.layout import static_cues
from honeyguide.page.blocks.outline import outline_of
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.tags import tag_id
from honeyguide.page.url import UrlRules
from honeyguide.page.words import SEAM

RULES = UrlRules(UrlSettings())


class Seen:
    """A page and what is seen of it, asked by tag: the n-th element of that name."""

    def __init__(self, body: str) -> None:
        self.page: Page = parse(f"<!doctype html><body>{body}", "http://a.example/", RULES, styled=True)
        self.cues: Cues = static_cues(self.page)

    def row(self, name: str, number: int = 0) -> int:
        return [row for row, tag in enumerate(self.page.nodes.tag) if tag == tag_id(name)][number]

    def box(self, name: str, number: int = 0) -> tuple[float, float, float, float]:
        row, boxes = self.row(name, number), self.cues.boxes
        return boxes.left[row], boxes.top[row], boxes.width[row], boxes.height[row]

    def text_box(self, text: str) -> tuple[float, float, float, float]:
        piece = self.page.source.split(SEAM).index(text)
        boxes = self.cues.text_boxes
        return boxes.left[piece], boxes.top[piece], boxes.width[piece], boxes.height[piece]

    def font(self, name: str, number: int = 0) -> tuple[float, bool]:
        row = self.row(name, number)
        return round(float(self.cues.font_size[row]), 2), bool(self.cues.bold[row])

    def background(self, name: str, number: int = 0) -> str:
        return self.cues.background[self.row(name, number)]


def near(*numbers: float) -> object:
    return pytest.approx(numbers, abs=1e-6)


def test_text_fills_lines() -> None:
    seen = Seen(f"<div>{'x' * 125}</div><div>{'x' * 126}</div>")
    assert seen.box("div", 0) == near(0, 0, 1000, 19.2)
    assert seen.box("div", 1) == near(0, 19.2, 1000, 38.4)  # one character too many
    assert seen.box("body") == near(0, 0, 1000, 57.6)
    # Two lines of 1,008 px together: 504 px each on average.
    assert seen.text_box("x" * 126) == near(0, 19.2, 504, 38.4)


def test_texts_on_a_line_follow_each_other() -> None:
    seen = Seen("<div>four<b>bold</b> <a href=x>link</a></div>")
    assert seen.text_box("four") == near(0, 0, 32, 19.2)
    assert seen.box("b") == near(32, 0, 32, 19.2)
    assert seen.box("a") == near(64, 0, 32, 19.2)  # the space alone is no text
    assert seen.text_box(" ") == near(0, 0, 0, 0)


def test_inline_over_two_lines() -> None:
    # 100 characters (800 px), then 50 (400 px): the second text is on the first and on the second line.
    seen = Seen(f"<div>{'x' * 100}<i>{'y' * 50}</i></div>")
    assert seen.box("i") == near(0, 0, 200, 38.4)
    assert seen.box("div") == near(0, 0, 1000, 38.4)


def test_white_space_is_folded() -> None:
    seen = Seen("<div>\n   a   b\n  </div><p>&nbsp; </p>")
    assert seen.text_box("\n   a   b\n  ") == near(0, 0, 32, 19.2)  # "a b " of four characters
    assert seen.box("p") == near(0, 0, 0, 0)


def test_breaks_end_lines_and_make_empty_ones() -> None:
    seen = Seen("<div>a<br>b<br><br>c</div>")
    assert [seen.text_box(text)[1] for text in "abc"] == near(0, 19.2, 57.6)
    assert seen.box("div") == near(0, 0, 1000, 76.8)


def test_margins_collapse_between_and_through_elements() -> None:
    # h1: 32 px, a line of 38.4 px, a margin of 0.67 · 32 = 21.44 px; p: a margin of 16 px.
    seen = Seen("<h1>a</h1><div><p>b</p></div><p>c</p>")
    assert seen.box("h1") == near(0, 21.44, 1000, 38.4)
    assert seen.box("p", 0) == near(0, 81.28, 1000, 19.2)  # the larger one of the two margins
    assert seen.box("div") == near(0, 81.28, 1000, 19.2)
    assert seen.box("p", 1) == near(0, 116.48, 1000, 19.2)


def test_a_rule_has_a_height_and_margins() -> None:
    seen = Seen("<div>a</div><hr><div>b</div>")
    assert seen.box("hr") == near(0, 27.2, 1000, 2)
    assert seen.box("div", 1)[1] == pytest.approx(37.2)


def test_cells_share_a_row_evenly() -> None:
    seen = Seen("<table><tr><td>a<td>b<td>c<td>d</table>")
    assert [seen.box("td", number) for number in range(4)] == [near(250 * number, 0, 250, 19.2) for number in range(4)]


def test_cells_say_their_widths_and_the_others_share_what_is_left() -> None:
    seen = Seen("<table><tr><td width=200>a<td>b<td width='30%'>c<td>d</table>")
    assert [seen.box("td", number)[0] for number in range(4)] == near(0, 200, 450, 750)
    assert [seen.box("td", number)[2] for number in range(4)] == near(200, 250, 300, 250)


def test_a_cell_over_two_columns_has_the_width_of_two() -> None:
    seen = Seen("<table width=600><tr><td colspan=2>a<td>b</table>")
    assert [seen.box("td", number)[2] for number in range(2)] == near(400, 200)


def test_cells_that_say_too_much_leave_the_others_their_part_of_the_row() -> None:
    seen = Seen("<table><tr><td width=1200>a<td>b</table>")
    assert [seen.box("td", number)[2] for number in range(2)] == near(1200, 500)


def test_a_row_is_as_high_as_its_highest_cell_and_what_follows_is_below() -> None:
    # The second cell has 500 px: 125 characters are two lines; then a paragraph with its margins, inside the cell.
    seen = Seen(f"<table><tr><td>a<td>{'x' * 125}<p>b</p></table><div>c</div>")
    assert seen.box("tr") == near(0, 0, 1000, 38.4 + 16 + 19.2 + 16)
    assert seen.box("td", 0)[3] == seen.box("td", 1)[3] == pytest.approx(89.6)
    assert seen.box("div")[1] == pytest.approx(89.6)


def test_nested_tables_divide_the_width_of_their_cell() -> None:
    seen = Seen("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>")
    assert seen.box("td", 2)[0::2] == near(500, 250)
    assert seen.box("td", 3)[0::2] == near(750, 250)


def test_an_empty_cell_takes_its_width_but_is_not_seen() -> None:
    seen = Seen("<table><tr><td></td><td>b</table>")
    assert seen.box("td", 0) == near(0, 0, 0, 0)
    assert seen.box("td", 1) == near(500, 0, 500, 19.2)


def test_floated_siblings_stand_beside_each_other_while_they_fit() -> None:
    style = "style='float:left;width:400px'"
    seen = Seen(f"<div {style}>a</div><div {style}>b</div><div {style}>c</div><p>d</p>")
    assert seen.box("div", 0) == near(0, 0, 400, 19.2)
    assert seen.box("div", 1) == near(400, 0, 400, 19.2)
    assert seen.box("div", 2) == near(0, 19.2, 400, 19.2)  # no room: below
    assert seen.box("p")[1] == pytest.approx(54.4)  # below them, and below its margin
    assert seen.cues.beside[seen.row("div")]
    assert not seen.cues.beside[seen.row("p")]


@pytest.mark.parametrize("inner", ["a", "<div>a</div>"])
def test_floated_elements_have_no_margins(inner: str) -> None:
    seen = Seen(f"<ul style='float:left;width:400px'>{inner}</ul><center>b</center>")
    assert seen.box("ul") == near(0, 0, 400, 19.2)
    assert seen.box("center")[1] == pytest.approx(19.2)


def test_a_floated_element_without_a_width_is_as_wide_as_its_text() -> None:
    seen = Seen(f"<div style='float: right'>{'x' * 20}</div><div style='float: right'>b</div>")
    assert seen.box("div", 0)[2] == 160
    assert seen.box("div", 1)[0] == 160


def test_widths_of_blocks() -> None:
    seen = Seen(f"<div style='width: 50%'><div style='width:100px'>{'x' * 25}</div></div>")
    assert seen.box("div", 0)[2] == 500
    assert seen.box("div", 1) == near(0, 0, 100, 38.4)  # 200 px of text


def test_pictures_have_the_size_they_say() -> None:
    seen = Seen("<div><img src=x width=50 height=60> <img src=y>text</div>")
    assert seen.box("img", 0) == near(0, 0, 50, 60)
    assert seen.box("img", 1) == near(50, 0, 100, 20)  # it does not say
    assert seen.box("div")[3] == 60


def test_pictures_that_do_not_fit_go_below() -> None:
    seen = Seen("<div>" + "<img src=x width=400 height=100>" * 3 + "</div>")
    assert seen.box("img", 2) == near(0, 100, 400, 100)
    assert seen.box("div")[3] == 200


def test_a_link_around_a_picture_has_its_box() -> None:
    seen = Seen("<div>text<a href=x><img src=x width=50 height=60></a></div>")
    assert seen.box("a") == near(0, 0, 50, 60)


@pytest.mark.parametrize(
    ("html", "name", "font"),
    [
        ("<h1>x</h1>", "h1", (32, True)),
        ("<h2>x</h2>", "h2", (24, True)),
        ("<h3>x</h3>", "h3", (18.72, True)),
        ("<h4>x</h4>", "h4", (16, True)),
        ("<h5>x</h5>", "h5", (13.28, True)),
        ("<h6>x</h6>", "h6", (10.72, True)),
        ("<h1><i>x</i></h1>", "i", (32, True)),
        ("<big>x</big>", "big", (19.2, False)),
        ("<big><big>x</big></big>", "big", (19.2, False)),
        ("<small>x</small>", "small", (13.33, False)),
        ("<b>x</b>", "b", (16, True)),
        ("<strong><i>x</i></strong>", "i", (16, True)),
        ("<table><tr><th>x</table>", "th", (16, True)),
        *(
            (f"<font size={size}>x</font>", "font", (px, False))
            for size, px in zip("1234567", (10, 13, 16, 18, 24, 32, 48), strict=True)
        ),
        ("<font size='+1'>x</font>", "font", (18, False)),
        ("<font size='-2'>x</font>", "font", (10, False)),
        ("<font size='99'>x</font>", "font", (48, False)),
        ("<font size='huge'>x</font>", "font", (16, False)),
        ("<p style='font-size:20px'>x</p>", "p", (20, False)),
        ("<p style='font-size: 12pt'>x</p>", "p", (16, False)),
        ("<p style='FONT-SIZE: 1.5em'>x</p>", "p", (24, False)),
        ("<p style='font-size:150%; color:red'>x</p>", "p", (24, False)),
        ("<p style='font-size:x-large'>x</p>", "p", (24, False)),
        ("<p style='font-size:smaller'>x</p>", "p", (13.33, False)),
        ("<p style='font-size:calc(1px)'>x</p>", "p", (16, False)),
        ("<p style='font-weight:bold'>x</p>", "p", (16, True)),
        ("<p style='font-weight:700'>x</p>", "p", (16, True)),
        ("<b style='font-weight:normal'>x</b>", "b", (16, False)),
        ("<p style='font: bold 20px/1.5 Arial'>x</p>", "p", (20, True)),
        ("<h1 style='font-size:1em'>x</h1>", "h1", (16, True)),
    ],
)
def test_fonts(html: str, name: str, font: tuple[float, bool]) -> None:
    assert Seen(html).font(name) == font


@pytest.mark.parametrize(
    ("html", "background"),
    [
        ("<div><p>x</p></div>", "#ffffff"),
        ("<div style='background:#EEE'><p>x</p></div>", "#eeeeee"),
        ("<div style='background-color: white'><p>x</p></div>", "#ffffff"),
        ("<div style='background: transparent'><p>x</p></div>", "#ffffff"),
        ("<div style='background:#eee'><p style='background:#ddd'>x</p></div>", "#dddddd"),
        ("<div style='background: rgb(1, 2, 3)'><p>x</p></div>", "#010203"),
        ("<table bgcolor=silver><tr><td><p>x</p></table>", "#c0c0c0"),
        ("<table bgcolor=C0C0C0><tr><td><p>x</p></table>", "#c0c0c0"),
        ("<table background=sky.gif bgcolor=silver><tr><td><p>x</p></table>", "sky.gif"),
    ],
)
def test_backgrounds_are_inherited(html: str, background: str) -> None:
    assert Seen(html).background("p") == background


@pytest.mark.parametrize("hiding", ["hidden", "style='display: none'", "style='visibility:hidden'"])
def test_hidden_elements_take_no_place(hiding: str) -> None:
    seen = Seen(f"<p>a</p><div {hiding}><h1>x</h1><img src=x width=10 height=10><hr></div><p>b</p>")
    assert seen.box("p", 1)[1] == pytest.approx(16 + 19.2 + 16)
    for name in ("div", "h1", "img", "hr"):
        assert seen.box(name) == near(0, 0, 0, 0)
        assert not seen.cues.visible[seen.row(name)]


def test_a_hidden_input_field_is_not_seen() -> None:
    seen = Seen("<form>a<input type=hidden name=x><input name=y></form>")
    assert seen.box("input", 0) == near(0, 0, 0, 0)
    assert seen.box("input", 1)[2:] == near(100, 20)


def test_a_page_without_attributes_can_be_seen_too() -> None:
    page = parse("<p style='display:none'>a<p>b", "http://a.example/", RULES)
    assert static_cues(page).boxes.height[0] > 0


def test_an_empty_page() -> None:
    seen = Seen("")
    assert seen.box("body") == near(0, 0, 1000, 0)


TAGS = st.sampled_from("p div b a table tr td ul li span h2 br hr img font center".split())
SOUP = st.lists(
    st.one_of(
        TAGS.map(lambda tag: f"<{tag}>"),
        TAGS.map(lambda tag: f"</{tag}>"),
        st.sampled_from(["x", " ", "some words ", "y" * 200, "<div style='float:left'>", "<td width=300>"]),
    ),
    max_size=40,
).map("".join)


@given(SOUP)
def test_texts_know_the_element_around_them(html: str) -> None:
    page = parse(html, "http://a.example/", RULES)
    nodes = page.nodes
    for piece, parent in enumerate(outline_of(page).text_parent.tolist()):
        around = [row for row in range(len(nodes)) if nodes.first_piece[row] <= piece < nodes.last_piece[row]]
        assert parent == around[-1]


@given(SOUP)
def test_what_is_seen_has_a_place_on_the_page(html: str) -> None:
    seen = Seen(html)
    outline, boxes, texts = outline_of(seen.page), seen.cues.boxes, seen.cues.text_boxes
    assert (boxes.width >= 0).all()
    assert ((boxes.width > 0) == (boxes.height > 0))[1:].all()
    height = boxes.height[0] + 1e-6
    assert (boxes.top + boxes.height <= height).all()
    assert (texts.top + texts.height <= height).all()
    assert (texts.height[outline.chars > 0] > 0).all()
    for row in range(len(seen.page.nodes)):  # whoever holds text is seen
        first, last = outline.first_piece[row], outline.last_piece[row]
        if outline.chars[first:last].any():
            assert boxes.height[row] > 0
