"""Style sheets in a page: which rules apply to which elements, and what a layout makes of them.

In the comments a specificity is written as in the standard: (ids, classes, tags).
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from honeyguide.page.blocks import cascade, vips
from honeyguide.page.blocks.base import NO_BLOCK
from honeyguide.page.blocks.cues import Cues
from honeyguide.page.blocks.layout import static_cues
from honeyguide.page.blocks.sheets import is_for_screens, read_sheet
from honeyguide.page.blocks.styles import styles_of
from honeyguide.page.limits import MAX_STYLE, MAX_STYLE_RULES
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.tags import tag_id
from honeyguide.page.url import UrlRules


def page(html: str) -> Page:
    return parse(f"<!doctype html>{html}", "http://a.example/", UrlRules(UrlSettings()), styled=True)


def seen(css: str, body: str) -> tuple[Cues, int]:
    """The cues of a page, and the row of its first <p>."""
    found = page(f"<style>{css}</style><body>{body}")
    return static_cues(found), found.nodes.tag.index(tag_id("p"))


P = "<div id=main class='box wide'><p class='lead first'>x</p></div>"


@pytest.mark.parametrize(
    ("css", "size"),
    [
        ("p { font-size: 20px }", 20),
        (".lead{font-size:20px}", 20),
        ("#main p, h1 { font-size: 20px }", 20),
        (".box.wide > P.first { font-size: 20px }", 20),
        ("html body div p { font-size: 20px }", 20),
        ("* { font-size: 20px }", 20),
        (".box .box p { font-size: 20px }", 16),  # one element cannot be both
        ("body > p { font-size: 20px }", 16),
        ("p.other { font-size: 20px }", 16),
        (".Lead { font-size: 20px }", 16),  # names are written exactly so
        # Selectors that are not simple match nothing, and harm none beside them.
        ("p:hover, p[class], h1 + p, p::before, p\\:x { font-size: 9px } p { font-size: 20px }", 20),
        (":is(h1, p, h2) { font-size: 9px }", 16),
        # Order, specificity, importance, and the style of the element itself.
        ("p { font-size: 9px } p { font-size: 20px }", 20),
        ("p.lead { font-size: 20px } p { font-size: 9px }", 20),  # (0,1,1) against (0,0,1)
        ("#main p { font-size: 20px } .box .lead.first { font-size: 9px }", 20),  # (1,0,1) against (0,3,0)
        ("p { font-size: 20px !important } #main p { font-size: 9px }", 20),
        ("p { font-size: 20px; font-size: huge }", 20),  # not a size
        # Sizes relative to the parent and to the document.
        ("div { font-size: 20px } p { font-size: 150% }", 30),
        ("html { font-size: 10px } p { font-size: 2rem }", 20),
        # What is no rule for this screen.
        ("@media print { p { font-size: 9px } }", 16),
        ("@media screen and (min-width: 600px) { p { font-size: 20px } }", 20),
        ("@import 'a.css'; p { font-size: 20px }", 20),
        ("@font-face { font-size: 9px } p { font-size: 20px }", 20),
        ("@supports (x) { p { font-size: 9px } } p { font-size: 20px }", 20),
        ("p { font-size: 20px; & b { font-size: 9px } }", 20),
        # Braces and semicolons that mean nothing; sheets that end in the middle.
        ("/* p { font-size: 9px } */ <!-- p { font-size: 20px } -->", 20),
        ("p { background: url(data:a;font-size:9px}); font-size: 20px }", 20),
        ("p::x { content: '} p { font-size: 9px }' } p { font-size: 20px }", 20),
        ("} p { font-size: 20px", 20),
        ("p { font-size: 20px } /* never closed", 20),
    ],
)
def test_which_rules_apply(css: str, size: float) -> None:
    cues, row = seen(css, P)
    assert cues.font_size[row] == size


def test_the_style_of_an_element_overrides_rules_unless_they_are_important() -> None:
    styled = "<p style='font-size:20px;font-weight:bold'>x</p>"
    cues, row = seen("p { font-size: 9px; font-weight: normal !important }", styled)
    assert (cues.font_size[row], cues.bold[row]) == (20, False)
    cues, row = seen("p { background: #eee }", "<p bgcolor=red width=300>x</p>")  # rules override attributes
    assert (cues.background[row], cues.boxes.width[row]) == ("#eeeeee", 300)


@pytest.mark.parametrize(
    ("css", "background"),
    [
        ("p { background: none repeat scroll 0 0 #EEE }", "#eeeeee"),
        ("p { background: url(a.png) no-repeat }", "url(a.png"),
        ("p { background-color: rgba(1, 2, 3, .5) }", "#010203"),
        ("div { background: red } p { background: blue } p { background: transparent }", "#ff0000"),
        ("div { background: red } p { background-color: rgba(0,0,0,0) }", "#ff0000"),
        ("div { background: red } p { background: var(--a) }", "#ff0000"),
        ("html { background: teal }", "#008080"),
    ],
)
def test_backgrounds(css: str, background: str) -> None:
    cues, row = seen(css, P)
    assert cues.background[row] == background


# 8 px a character, 19.2 px a line, a page of 1,000 px: see test_layout.py.
def test_floats_stand_beside_each_other_with_their_widths() -> None:
    html = (
        "<style>.col { float: left; width: 30% } b { float: left }</style><div class=col>a</div><div class=col>b</div>"
    )
    boxes = static_cues(page(f"{html}<b>cccccc</b>")).boxes
    assert boxes.left[1:].tolist() == [0, 300, 600]
    assert boxes.width[1:].tolist() == [300, 300, 48]
    assert boxes.top[1:].tolist() == [0, 0, 0]


def test_display_makes_lines_and_ends_them() -> None:
    html = "<style>li { display: inline } a { display: block }</style><ul><li>aa</li><li>bb</li></ul><a>c</a><a>d</a>"
    boxes = static_cues(page(html)).boxes  # body, ul, li, li, a, a; a list has a margin of 16 px above and below
    assert boxes.left[2:].tolist() == [0, 16, 0, 0]
    assert boxes.top[2:].tolist() == pytest.approx([16, 16, 51.2, 70.4])


def test_boxes_in_a_line_stand_beside_each_other() -> None:
    html = "<style>.c { display: inline-block; width: 400px }</style>" + "<div class=c><p>a</p></div>" * 3
    boxes = static_cues(page(html)).boxes
    assert boxes.left[[1, 3, 5]].tolist() == [0, 400, 0]  # the third does not fit
    assert boxes.top[1] == boxes.top[3] < boxes.top[5]


def test_what_a_sheet_hides_is_in_no_block_but_its_words_are_read() -> None:
    css = ".m { display: none } .v { visibility: hidden } .v b { visibility: visible } .open { display: block }"
    body = "<p><a href=a>a</a></p><p class=m><a href=b>b</a></p><p class=v><a href=c>c</a><b><a href=d>d</a></b></p>"
    found = page(f"<style>{css} body {{ display: none }}</style>{body}<p class='m open'><a href=e>e</a></p>")
    assert found.words == ["a", "b", "c", "d", "e"]
    assert (vips(found).of_link != NO_BLOCK).tolist() == [True, False, False, True, True]


def test_a_sheet_divides_what_looks_the_same_without_it() -> None:
    items = "".join(f"<div><a href={name}>{name}</a></div>" for name in "abcd")
    assert set(vips(page(items)).of_link.tolist()) == {0}
    styled = page(f"<style>.side {{ background: #eee }}</style><div>{items}</div><div class=side>{items}</div>")
    assert len(set(vips(styled).of_link.tolist())) == 2


@pytest.mark.parametrize(
    ("media", "applies"),
    [
        ("", True),
        ("screen", True),
        ("print, ALL", True),
        ("only screen and (max-width: 1000px)", True),
        ("(min-width: 40em) and (max-width:1200px)", True),  # 640 px
        ("screen and (max-width: 999px)", False),
        ("(min-width: 63em)", False),  # 1,008 px
        ("print", False),
        ("not screen", False),
        ("screen and (orientation: landscape)", False),
        (",", False),
    ],
)
def test_media(media: str, applies: bool) -> None:
    assert is_for_screens(media) == applies
    found = page(f"<style media='{media}'>p {{ font-size: 20px }}</style><p>x</p>")
    assert static_cues(found).font_size[1] == (20 if applies else 16)


# ---- against the parser's own selectors ----

TAGS, NAMES = ("div", "p", "b", "span"), ("x", "y", "z")
COMPOUND = st.builds(
    lambda tag, classes, one: tag + "".join(f".{name}" for name in classes) + one or "*",
    st.sampled_from(["", "*", *TAGS]),
    st.lists(st.sampled_from(NAMES), max_size=2),
    st.sampled_from(["", "", "", "#x", "#y"]),
)
SELECTOR = st.lists(st.tuples(COMPOUND, st.sampled_from([" ", " > "])), min_size=1, max_size=4).map(
    lambda parts: "".join(f"{join}{compound}" for compound, join in parts).lstrip(" >")
)
ELEMENT = st.tuples(
    st.sampled_from(["div", "b", "span"]), st.lists(st.sampled_from(NAMES), max_size=2), st.sampled_from(["", "x", "y"])
)


@settings(deadline=None)
@given(st.lists(SELECTOR, min_size=1, max_size=5), st.lists(st.one_of(ELEMENT, st.none()), max_size=15))
def test_selectors_match_what_they_match_in_the_parser(
    selectors: list[str], elements: list[tuple[str, list[str], str] | None]
) -> None:
    """None closes an element. The sheet is read once for all selectors, and once for each alone."""
    body, opened = "", []
    for number, element in enumerate(elements):
        if element:
            tag, classes, name = element
            opened.append(tag)
            body += f"<{tag} data-n={number} class='{' '.join(classes)}'{f' id={name}' * bool(name)}>"
        elif opened:
            body += f"</{opened.pop()}>"
    tree = LexborHTMLParser(f"<!doctype html><body>{body}x")
    for asked in (*selectors, ", ".join(selectors)):
        found = page(f"<style>{asked} {{ width: 9px }}</style><body>{body}x").nodes
        ours = {found.attributes[row]["data-n"] for row in styles_of(found).width if row in found.attributes}
        assert ours == {node.attributes["data-n"] for node in tree.css(asked) if "data-n" in node.attributes}


# ---- hostile sheets ----


def test_a_sheet_is_read_up_to_its_limits() -> None:
    assert len(read_sheet("a { width: 1px }" * (MAX_STYLE_RULES + 1))) == MAX_STYLE_RULES
    assert len(read_sheet("a," * (MAX_STYLE_RULES + 1) + "a { width: 1px }")) == MAX_STYLE_RULES
    assert read_sheet("a " * 17 + "{ width: 1px }") == ()
    filler = "/*" + "x" * MAX_STYLE + "*/"
    found = page(f"<style>p {{ width: 50px }}</style><style>{filler}</style><style>p {{ width: 90px }}</style><p>x")
    assert static_cues(found).boxes.width[1] == 50


def test_comparisons_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten rules for the class c, and elements that differ in another: each costs eleven comparisons."""
    monkeypatch.setattr(cascade, "MAX_STYLE_TESTS", 32)
    rules = "".join(f".c {{ width: {100 + number}px }}" for number in range(10))
    rules += "".join(f".x{number} {{ width: 50px }}" for number in range(3))
    body = "".join(f"<p class='c x{number}'>a</p>" for number in range(5))
    widths = static_cues(page(f"<style>{rules}</style>{body}")).boxes.width[1:].tolist()
    # Eleven each for the first three: more than 32, so nothing applies to the others.
    assert widths == [50, 50, 50, 1000, 1000]


@pytest.mark.parametrize(
    "css",
    [
        "(",
        "{",
        "a{",
        "}",
        "'",
        "/*",
        "url(",
        "@media{",
        "a,",
        "a>",
        ".a",
        "a{width:1px}",
        "*",
        "\\",
        "0",
        "a{b:'",
        "!;",
    ],
)
def test_any_sheet_is_read_in_linear_time(css: str) -> None:
    read_sheet(css * (MAX_STYLE // 2 // len(css)))  # a quadratic step would take minutes


def test_many_rules_on_many_elements() -> None:
    """A million pairs of a rule and an element that share a class; every element is of its own kind."""
    rules = "".join(f".c .x{number} {{ width: {number}px }}" for number in range(1000)) + ".c > b { width: 1px }" * 1000
    body = "".join(f"<b class='c x{number}'>" for number in range(1000))
    assert len(vips(page(f"<style>{rules}</style>{body}word"))) == 1


def test_margins_collapse_as_declared() -> None:
    """A paragraph has 16 px above and below by itself; lines of 19.2 px."""
    css = ".a { margin: 0 auto 2em } .b { margin-top: 10px; margin-bottom: 5px } .c { margin: -5px }"
    found = page(f"<style>{css}</style><p class=a>x</p><p class=b>x</p><p>x</p><p class=c>x</p>")
    # 0; 19.2 + max(32, 10); + 19.2 + max(5, 16); a negative margin is not read: + 19.2 + 16.
    assert static_cues(found).boxes.top[1:].tolist() == pytest.approx([0, 51.2, 86.4, 121.6])


@pytest.mark.parametrize("value", ["##f5f5f5", "#12345", " ", "#"])
def test_colours_that_are_none_are_ignored(value: str) -> None:
    cues, row = seen(f"div {{ background: red }} p {{ background-color: {value} }}", P)
    assert cues.background[row] == "#ff0000"
