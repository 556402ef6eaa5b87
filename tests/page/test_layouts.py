"""Ten layouts of the web since 1996: which links share a block, and what stands for the marked one.

Beside each page in `layouts/` is what is expected of it, worked out from the page and the rules of the methods before
the code was asked. VIPS depends on pixels, so for most pages its blocks were first looked at and then explained from
the rules, with the sizes and weights that the estimate of the layout gives.

Links are named by their paths, those to other sites by their hosts too. Each page has a link to `/marked`; where it has
several, the first counts. In the comments there, h is the block height of CBP and s the height from which it splits.
Where a method gives what a reader would not, the comment says so.
"""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from honeyguide.page.blocks import MODERN, PAPER, Blocks, cbp, vips
from honeyguide.page.blocks.base import NO_BLOCK
from honeyguide.page.context import anchors, block_texts, block_windows, joined, parents, repeats, windows
from honeyguide.page.context.headings import headings
from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import Region, regions
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.spans import Spans
from honeyguide.page.url import UrlRules

SITE = "http://site.example"
SIZE = 10
WHOLE_PAGE = "(the whole page)"
LAYOUTS = Path(__file__).parent / "layouts"
NAMES = (
    "nested_tables",
    "news_portal",
    "blog",
    "department",
    "forum",
    "shop",
    "docs",
    "directory",
    "gallery",
    "no_blocks",
)
each_layout = pytest.mark.parametrize("name", NAMES)


def read(name: str) -> Page:
    html = (LAYOUTS / f"{name}.html").read_text("utf-8")
    return parse(html, f"{SITE}/", UrlRules(UrlSettings()), styled=True)


def expectations(name: str) -> dict[str, Any]:
    return tomllib.loads((LAYOUTS / f"{name}.toml").read_text("utf-8"))


def labels(page: Page) -> list[str]:
    """The links, as the expectations name them."""
    return [url.removeprefix(SITE).removeprefix("http://") for url in page.links.url]


def text(page: Page, contexts: Spans, number: int) -> str:
    first, last = contexts[number].tolist()
    return WHOLE_PAGE if (first, last) == (0, len(page.words)) else " ".join(page.words[first:last])


def folded(expected: str) -> str:
    return " ".join(expected.split())


def check_contexts(page: Page, blocks: Blocks, expected: dict[str, str]) -> None:
    marked = labels(page).index("/marked")
    assert text(page, block_texts(page, blocks), marked) == folded(expected["block"])
    assert text(page, block_windows(page, blocks, SIZE), marked) == folded(expected["window"])


@pytest.mark.parametrize("tags", ["paper", "modern"])
@each_layout
def test_cbp(name: str, tags: str) -> None:
    page, expected = read(name), expectations(name)["cbp"]
    # Where the modern tags make no difference, they have no expectations of their own.
    expected = expected.get(tags) or expected["paper"]
    blocks = cbp(page, block_tags={"paper": PAPER, "modern": MODERN}[tags])
    groups: dict[int, list[str]] = {}
    for label, block in zip(labels(page), blocks.of_link.tolist(), strict=True):
        groups.setdefault(block, []).append(label)
    assert [groups[block] for block in sorted(groups)] == [group.split() for group in expected["groups"]]
    check_contexts(page, blocks, expected)


@each_layout
def test_vips(name: str) -> None:
    page, expected = read(name), expectations(name)["vips"]
    blocks = vips(page)
    links = labels(page)
    block_of = {label: int(blocks.of_link[links.index(label)]) for label in links}
    for group in expected["together"]:
        found = {block_of[label] for label in group.split()}
        assert len(found) == 1, group
        assert NO_BLOCK not in found
    for one, other in combinations(expected["apart"].split(), 2):
        assert block_of[one] != block_of[other], (one, other)
    check_contexts(page, blocks, expected)


@each_layout
def test_contexts_without_blocks(name: str) -> None:
    page, expected = read(name), expectations(name)["marked"]
    marked = labels(page).index("/marked")
    assert text(page, anchors(page), marked) == expected["anchor"]
    assert text(page, windows(page, SIZE), marked) == folded(expected["window"])
    assert text(page, parents(page), marked) == folded(expected["parent"])
    # On these pages no block of CBP cuts the parent: it lies inside one, or the link itself is the block.
    assert text(page, parents(page, cbp(page)), marked) == folded(expected["parent"])


@each_layout
def test_headings(name: str) -> None:
    page = read(name)
    found = headings(page)
    path = found.path(labels(page).index("/marked"))
    assert [text(page, found.spans, heading) for heading in path] == expectations(name)["headings"]


@each_layout
def test_regions(name: str) -> None:
    page = read(name)
    found = dict(zip(reversed(labels(page)), reversed(regions(page, link_lists(page)).tolist()), strict=True))
    for region, group in expectations(name)["regions"].items():
        assert {label: Region(found[label]).name for label in group.split()} == dict.fromkeys(group.split(), region)


@pytest.mark.parametrize(
    ("name", "link", "alt", "title"),
    [
        ("news_portal", "/marked", "Tug boats in the outer harbour", ""),
        ("shop", "/marked", "Glacier Pro GTX", ""),
        ("gallery", "/marked", "Red fishing cabins at Reine", ""),
        ("gallery", "/lof03.html", "", ""),
        ("gallery", "/lof04.html", "", "Midnight sun at Eggum"),
    ],
)
def test_a_picture_that_is_a_link_says_what_its_author_wrote(name: str, link: str, alt: str, title: str) -> None:
    page = read(name)
    place = labels(page).index(link)
    assert (page.links.alt[place], page.links.title[place]) == (alt, title)


def joined_parents(page: Page) -> str:
    """The aggregation nodes of all links to /marked, as one text."""
    found = repeats(page.links.url)
    pieces = joined(parents(page), found)[found.urls.index(f"{SITE}/marked")]
    return " ".join(word for first, last in pieces for word in page.words[first:last])


@pytest.mark.parametrize("name", ["news_portal", "shop"])
def test_repeats_inside_the_first_ones_parent_add_nothing(name: str) -> None:
    # The picture's parent, a story or a product, has the other links to the same page in it.
    assert joined_parents(read(name)) == folded(expectations(name)["marked"]["parent"])


def test_repeats_elsewhere_on_the_page_are_joined() -> None:
    caption, diary = expectations("gallery")["marked"]["parent"], expectations("gallery")["marked"]["second_parent"]
    assert joined_parents(read("gallery")) == f"{caption} {folded(diary)}"


def test_text_beside_blocks_is_a_block_without_links() -> None:
    # Of the paragraph that is split, as in quirks mode a table is in it: its own words, the links, then the table.
    page = read("directory")
    blocks = cbp(page)
    assert [text(page, blocks.spans, block) for block in range(len(blocks))][-6:-1] == [
        "Birding search on",
        "AltaVista",
        "HotBot",
        "Lycos",
        "Excite",
    ]
    assert len(blocks) - 6 not in blocks.of_link


def test_the_name_of_a_product_stands_under_itself() -> None:
    page = read("shop")
    found = headings(page)
    picture, name, reviews = (link for link, label in enumerate(labels(page)) if label == "/marked")
    assert [text(page, found.spans, heading) for heading in found.path(name)] == ["Hiking boots", "Glacier Pro GTX"]
    assert found.path(reviews) == found.path(name) != found.path(picture)


def test_a_hidden_link_is_in_no_block_that_is_seen() -> None:
    page = read("shop")
    assert vips(page).of_link[labels(page).index("/cookies")] == NO_BLOCK
