"""Headings, lists and regions of links, and the words of URLs, on pages worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.context.headings import headings
from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import Region, regions
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.page.url_words import url_words

RULES = UrlRules(UrlSettings())


def read(html: str) -> Page:
    return parse(html, "http://site.example/", RULES, styled=True)


def paths(page: Page) -> list[list[str]]:
    found = headings(page)
    texts = [" ".join(page.words[first:last]) for first, last in found.spans.tolist()]
    return [[texts[heading] for heading in found.path(link)] for link in range(len(page.links))]


def test_a_links_heading_path_is_the_headings_over_it() -> None:
    page = read(
        "<a href=0>top</a><h1>Bees</h1><h2>Honey</h2><a href=1>x</a><h3>Dark honey</h3><a href=2>x</a>"
        "<h2>Hives</h2><a href=3>x</a><h1>Wasps</h1><a href=4>x</a>"
    )
    assert paths(page) == [[], ["Bees", "Honey"], ["Bees", "Honey", "Dark honey"], ["Bees", "Hives"], ["Wasps"]]


def test_a_link_inside_a_heading_stands_under_it() -> None:
    assert paths(read("<h1>All</h1><h2><a href=1>Bees</a></h2>")) == [["All", "Bees"]]


def test_levels_may_be_skipped() -> None:
    assert paths(read("<h4>deep</h4><h2>wide</h2><h5>deeper</h5><a href=1>x</a>")) == [["wide", "deeper"]]


def test_siblings_are_items_of_the_same_shape() -> None:
    page = read(
        "<ul><li><b>new</b> <a href=1>one</a></li><li><a href=2>two</a></li>"
        "<li>no link</li><li><a href=3>three</a></li></ul>"
    )
    found = link_lists(page)
    assert found.siblings == [3, 3, 3]
    assert len(set(found.container)) == 1


def test_a_link_alone_in_its_paragraph_is_an_item_among_paragraphs_with_links() -> None:
    page = read("<div><p>see <a href=1>one</a></p><p>nothing</p><p>and <a href=2>two</a></p></div>")
    assert link_lists(page).siblings == [2, 2]


def test_an_item_with_several_links_is_a_list_of_its_own() -> None:
    page = read("<ul><li><a href=1>a</a> <a href=2>b</a></li><li><a href=3>c</a></li></ul>")
    # The first item holds two links, so each of them is an item of the <li>; the third is one of two <li> with links.
    assert link_lists(page).siblings == [2, 2, 2]


def kinds(page: Page) -> list[Region]:
    return [Region(kind) for kind in regions(page, link_lists(page)).tolist()]


def items(count: int, words: str = "link") -> str:
    return "<ul>" + "".join(f"<li><a href=/{words[:1]}{i}>{words}</a></li>" for i in range(count)) + "</ul>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<nav><a href=1>x</a></nav>", Region.NAVIGATION),
        ("<header><a href=1>x</a></header>", Region.NAVIGATION),
        ("<aside><p>text <a href=1>x</a></p></aside>", Region.ASIDE),
        ("<footer><a href=1>x</a></footer>", Region.FOOTER),
        ("<main><p>some text <a href=1>x</a></p></main>", Region.MAIN),
        ("<main><nav><a href=1>x</a></nav></main>", Region.NAVIGATION),
        ("<div role=navigation><a href=1>x</a></div>", Region.NAVIGATION),
        ("<div role=ContentInfo><a href=1>x</a></div>", Region.FOOTER),
        ("<nav role=main><p>said twice <a href=1>x</a></p></nav>", Region.MAIN),
        ("<p>only text around <a href=1>x</a></p>", Region.MAIN),
    ],
)
def test_declared_regions(html: str, expected: Region) -> None:
    assert kinds(read(html)) == [expected]


def test_a_list_in_the_main_part_is_a_hubs_list() -> None:
    assert kinds(read(f"<main><h1>Links</h1>{items(5)}</main>")) == [Region.LIST] * 5


def test_undeclared_short_links_before_the_heading_are_navigation_and_after_it_a_list() -> None:
    page = read(f"{items(4)}<h1>Title</h1>{items(4, 'other')}<p>{'text ' * 40}</p>")
    assert kinds(page) == [Region.NAVIGATION] * 4 + [Region.LIST] * 4


def test_undeclared_short_links_at_the_end_are_the_foot() -> None:
    page = read(f"<h1>Title</h1><p>{'text ' * 100}</p>{items(4)}")
    assert kinds(page) == [Region.FOOTER] * 4


def test_long_anchors_are_content_wherever_they_stand() -> None:
    page = read(f"{items(4, 'how to keep bees through a hard winter')}<h1>Title</h1>")
    assert kinds(page) == [Region.LIST] * 4


def test_three_links_are_no_list() -> None:
    assert kinds(read(f"{items(3)}<h1>Title</h1>")) == [Region.MAIN] * 3


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://bees.example/", ["bees", "example"]),
        ("https://a.example/wiki/GraphTheory.html", ["a", "example", "wiki", "Graph", "Theory", "html"]),
        (
            "https://a.example/HTMLParser?q=bee+hives&n=12",
            ["a", "example", "HTML", "Parser", "q", "bee", "hives", "n", "12"],
        ),
        ("https://a.example/caf%C3%A9_menu/2024cs101", ["a", "example", "café", "menu", "2024", "cs", "101"]),
        ("https://a.example/%FF", ["a", "example"]),
    ],
)
def test_words_of_a_url(url: str, words: list[str]) -> None:
    assert url_words(url) == words


PIECES = st.lists(
    st.sampled_from(
        [
            "word ",
            "<a href=/a>one</a> ",
            "<h1>",
            "</h1>",
            "<h3>",
            "</h3>",
            "<ul>",
            "<li>",
            "</ul>",
            "<nav>",
            "</nav>",
            "<p>",
            "<main>",
        ]
    ),
    max_size=40,
)


@given(PIECES)
def test_every_link_has_its_features(pieces: list[str]) -> None:
    page = read("".join(pieces))
    found, lists = headings(page), link_lists(page)
    assert len(regions(page, lists)) == len(lists.siblings) == len(found.of_link) == len(page.links)
    assert all(size >= 1 for size in lists.siblings)
    for link in range(len(page.links)):
        levels = [found.level[heading] for heading in found.path(link)]
        assert levels == sorted(set(levels))
