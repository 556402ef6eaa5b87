"""Cues from a browser: files as `boxes.js` makes them, matched with the pages that we parse."""

from __future__ import annotations

import gzip
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.page.blocks import vips
from honeyguide.page.blocks.alignment import align
from honeyguide.page.blocks.base import NO_BLOCK
from honeyguide.page.blocks.browser import BrowserCues, file_name, matched, read_rendered, script
from honeyguide.page.blocks.display import BLOCK, INLINE
from honeyguide.page.blocks.layout import static_cues
from honeyguide.page.blocks.outline import outline_of
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

URL = "http://a.example/"


def page(html: str) -> Page:
    return parse(f"<!doctype html><body>{html}", URL, UrlRules(UrlSettings()), styled=True)


def node(depth: int, tag: str, top: float = 0, height: float = 20, left: float = 0, **more: Any) -> dict[str, Any]:
    return {"tag": tag, "depth": depth, "box": [left, top, 500, height], **more}


def body(*nodes: dict[str, Any]) -> bytes:
    return json.dumps({"url": URL, "nodes": [node(0, "body", height=900), *nodes]}).encode()


def found_in(html: str, *nodes: dict[str, Any]) -> tuple[list[int], list[int]]:
    found = page(html)
    rows, pieces = align(found, outline_of(found), read_rendered(body(*nodes)))
    return rows.tolist(), pieces.tolist()


def test_boxes_decide_about_blocks() -> None:
    """The same markup as in test_vips.py: 60 px between two pairs of lines."""
    html = "".join(f"<div><a href={name}>{name}</a></div>" for name in "abcd")
    rendered = []
    for top in (0, 20, 100, 120):
        rendered += [node(1, "div", top, display="block"), node(2, "a", top, display="inline"), node(3, "#text", top)]
    found = page(html)
    cues = matched(found, outline_of(found), read_rendered(body(*rendered)))
    assert cues is not None
    assert vips(found, cues=cues).of_link.tolist() == [0, 0, 1, 1]
    assert vips(found).of_link.tolist() == [0, 0, 0, 0]


def test_what_a_browser_says_of_an_element() -> None:
    html = "<div><p><a href=x>link</a></p><span>text</span></div><ul><li>item</li></ul>"
    rendered = body(
        node(1, "div", background="rgb(1, 2, 3)", display="flex", font_size=20, font_weight=400),
        node(2, "p", display="block", background="rgba(0, 0, 0, 0)", font_size=30, font_weight=700),
        node(3, "a", display="inline"),
        node(4, "#text"),
        node(2, "span", display="block", left=-9999),
        node(3, "#text", left=-9999),
        node(1, "ul", height=0, display="none"),
        node(2, "li", height=0, display="inline", float="left"),
        node(3, "#text", height=0),
    )
    found = page(html)
    cues = matched(found, outline_of(found), read_rendered(rendered))
    assert cues is not None
    # Rows: body, div, p, a, span, ul, li. A link without a size of its own has that of its parent.
    assert cues.font_size.tolist() == [16, 20, 30, 30, 20, 16, 16]
    assert cues.bold.tolist() == [False, False, True, False, False, False, False]
    assert cues.background == ["#ffffff", *["#010203"] * 4, "#ffffff", "#ffffff"]
    assert cues.flow.tolist() == [BLOCK, BLOCK, BLOCK, INLINE, BLOCK, BLOCK, INLINE]
    assert cues.beside.tolist() == [False, False, True, False, True, False, True]
    assert cues.visible.tolist() == [True, True, True, True, True, False, False]
    assert cues.boxes.height.tolist()[4:] == [0, 0, 0]  # left of the page, or not displayed
    assert cues.text_boxes.height.tolist() == [20, 0, 0]


def test_an_element_of_floats_has_the_box_around_them() -> None:
    html = "<div><p>a</p><p>b</p></div>"
    rendered = [node(1, "div", height=0)]
    rendered += [part for top in (40, 90) for part in (node(2, "p", top, float="left"), node(3, "#text", top))]
    found = page(html)
    cues = matched(found, outline_of(found), read_rendered(body(*rendered)))
    assert cues is not None
    assert (cues.boxes.top[1], cues.boxes.height[1]) == (40, 70)
    assert (cues.boxes.top[0], cues.boxes.height[0]) == (0, 110)  # the page is what is in it


@pytest.mark.parametrize(
    ("nodes", "rows"),
    [
        # The page is body, div, p, p; a browser adds what scripts insert, and all that we do not read.
        ([node(1, "div"), node(2, "p"), node(2, "p")], [0, 1, 2, 3]),
        ([node(1, "script"), node(2, "#text"), node(1, "div"), node(2, "p"), node(2, "p")], [0, 3, 4, 5]),
        ([node(1, "div"), node(2, "svg"), node(3, "p"), node(2, "p"), node(2, "p")], [0, 1, 4, 5]),
        ([node(1, "span"), node(1, "div"), node(2, "p"), node(2, "h1"), node(2, "p")], [0, 2, 3, 5]),
        ([node(1, "div", id="other"), node(2, "p"), node(2, "p")], [0, -1, -1, -1]),
        ([node(1, "div"), node(2, "p")], [0, 1, 2, -1]),
        ([node(1, "my-element"), node(1, "div"), node(2, "p"), node(3, "#text"), node(2, "p")], [0, 2, 3, 5]),
        ([], [0, -1, -1, -1]),
    ],
)
def test_elements_are_found_among_others(nodes: list[dict[str, Any]], rows: list[int]) -> None:
    assert found_in("<div><p></p><p></p></div>", *nodes)[0] == rows


def test_hidden_texts_and_comments_do_not_shift_the_others() -> None:
    html = "<div hidden>gone</div>a<!-- no -->b<p>c</p>"
    rendered = [node(1, "div"), node(2, "#text"), node(1, "#text"), node(1, "#text"), node(1, "p"), node(2, "#text")]
    assert found_in(html, *rendered) == ([0, 1, 5], [3, 4, 6])


TREE = st.lists(st.tuples(st.sampled_from(["div", "p", "b", "script"]), st.integers(1, 4)), max_size=25)


@settings(deadline=None)
@given(TREE, st.sets(st.integers(0, 24)))
def test_matches_are_alike_and_in_order(tree: list[tuple[str, int]], left_out: set[int]) -> None:
    nodes = [node(0, "body")]
    for number, (tag, depth) in enumerate(tree):
        if number not in left_out:
            nodes.append(node(min(depth, nodes[-1]["depth"] + 1), tag))
    rendered = read_rendered(json.dumps({"nodes": nodes}).encode())
    html = "".join("</div>" * (number % 2) + "<div>x" for number, _ in enumerate(tree))
    found = page(html)
    rows, pieces = align(found, outline_of(found), rendered)
    for row, place in enumerate(rows.tolist()):
        assert place < 0 or rendered[place].tag == ("div" if row else "body")
    assert pieces.max(initial=-1) == -1
    placed = [place for place in rows.tolist() if place >= 0]
    assert len(set(placed)) == len(placed)
    for row, above in enumerate(found.nodes.parent[1:], 1):
        assert rows[row] < 0 or 0 <= rows[above] < rows[row]


# ---- folders ----


def test_pages_without_a_usable_rendering_are_estimated_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = page("<p><a href=x>a</a></p>")
    cues = BrowserCues(tmp_path)
    with caplog.at_level(logging.WARNING):
        for _ in range(12):
            assert (cues(found).boxes.height == static_cues(found).boxes.height).all()
    assert cues.estimated == {"is missing": 12}
    # The first, and the tenth.
    assert [record.message for record in caplog.records] == [
        f"{URL}: its rendering in {tmp_path} is missing: the layout is estimated",
        f"{URL}: its rendering in {tmp_path} is missing: the layout is estimated (10 pages so far)",
    ]
    file = tmp_path / file_name(URL)
    for content, reason in (
        (b"{", "cannot be read"),
        (b"\xff", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
        (b'{"nodes": []}', "cannot be read"),
        (b'{"nodes": [{"tag": "body", "depth": 0, "box": [0, 0, 1]}]}', "cannot be read"),
        (b'{"nodes": [{"tag": "body", "depth": 0, "box": [0, 0, 1, NaN]}]}', "cannot be read"),
        (b'{"nodes": [{"tag": "body", "depth": 1, "box": [0, 0, 1, 1]}]}', "cannot be read"),
        (body(), "does not match the page"),
    ):
        file.write_bytes(content)
        before = cues.estimated[reason]
        cues(found)
        assert cues.estimated[reason] == before + 1


def test_a_rendering_may_be_compressed(tmp_path: Path) -> None:
    rendered = body(node(1, "p", 300), node(2, "a", 300), node(3, "#text", 300))
    (tmp_path / f"{file_name(URL)}.gz").write_bytes(gzip.compress(rendered))
    cues = BrowserCues(tmp_path)
    assert cues(page("<p><a href=x>a</a></p>")).boxes.top.tolist() == [0, 300, 300]
    assert not cues.estimated


def test_there_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder of rendered pages; render the pages first"):
        BrowserCues(tmp_path / "none")


def test_links_that_a_browser_does_not_show_are_in_no_block() -> None:
    found = page("<p><a href=x>a</a></p><p><a href=y>b</a></p>")
    rendered = [node(1, "p"), node(2, "a"), node(3, "#text")]
    rendered += [node(1, "p", display="none"), node(2, "a", height=0), node(3, "#text", height=0)]
    cues = matched(found, outline_of(found), read_rendered(body(*rendered)))
    assert vips(found, cues=cues).of_link.tolist() == [0, NO_BLOCK]


def test_the_script_is_shipped() -> None:
    assert "getBoundingClientRect" in script()
