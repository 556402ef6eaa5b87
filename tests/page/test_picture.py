"""The picture of a page's blocks: everything is in it, and nothing in it can act."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from honeyguide.page.blocks.cbp import MODERN, cbp
from honeyguide.page.blocks.picture import picture
from honeyguide.page.context import parents
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())


def read(html: str) -> Page:
    return parse(html, "http://site.example/", RULES)


def draw(page: Page) -> LexborHTMLParser:
    blocks = cbp(page, block_tags=MODERN)
    return LexborHTMLParser(
        picture(page, blocks, parents(page, blocks), "CBP", [f"note {i}" for i in range(len(blocks))])
    )


PAGE = read(
    "<title>A <b>title</b></title><div>one <a href=/x>first &lt;link&gt;</a></div>"
    "<div>two <a href=/y><img alt='a & b'></a></div>"
)


def test_each_block_is_a_box_that_says_what_it_is() -> None:
    boxes = draw(PAGE).css("section.block")
    assert [box.attributes["data-about"] for box in boxes] == [
        "block 1 · 3 words · 1 link · note 0",
        "block 2 · 1 word · 1 link · note 1",
    ]


def test_each_link_has_its_context_and_its_address() -> None:
    contexts = [node.text() for node in draw(PAGE).css(".link .context")]
    assert contexts == ["http://site.example/xone first link", "http://site.example/ytwo"]


def test_an_image_link_shows_its_text() -> None:
    assert "[a & b]" in draw(PAGE).css(".link")[1].text()


EVIL = (
    "<title><script>x()</script></title><body onload=x()><p style='background:url(http://e.example/)'>hi "
    "<a href='javascript:x()'>a</a> <a href='/ok\"><script>x()</script>'>b</a> &lt;script&gt;x()&lt;/script&gt;"
    "<img src=http://e.example/i.png><iframe src=/f></iframe><script src=http://e.example/s.js></script></p>"
)


def test_nothing_in_it_acts_or_asks() -> None:
    page = read(EVIL)
    drawn = draw(page)
    assert not drawn.css("script, img, iframe, link, object, embed, form, a, base, video, audio")
    for node in drawn.css("*"):
        assert not any(name.startswith("on") or name in ("src", "href", "style", "action") for name in node.attributes)
    (style,), (policy,) = drawn.css("style"), drawn.css("meta[http-equiv]")
    assert "url(" not in style.text()
    assert "@import" not in style.text()
    assert (policy.attributes["content"] or "").startswith("default-src 'none'")


@given(
    st.lists(
        st.sampled_from(["word ", "<a href=/a>one</a> ", "<div>", "</div>", "<p>", "<b>x</b> ", "<td>", "&lt; "]),
        max_size=30,
    )
)
def test_every_word_is_shown_once(pieces: list[str]) -> None:
    page = read("".join(pieces))
    drawn = draw(page)
    for context in drawn.css(".context"):
        context.decompose()
    shown = read("".join(box.html or "" for box in drawn.css("section.block")))
    assert shown.words == page.words
