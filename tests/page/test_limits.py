"""Documents that would cost hours or gigabytes are simplified before they are parsed; all others are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page import limits
from honeyguide.page.limits import MAX_BYTES, MAX_DEPTH, MAX_LINKS, MAX_TAGS, limited
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())


def read(html: str) -> Page:
    return parse(html, "http://site.example/", RULES)


def depth(page: Page) -> int:
    depths = [0]
    for parent in page.nodes.parent[1:]:
        depths.append(depths[parent] + 1)
    return max(depths)


# Sizes at which the parser alone would take minutes or many gigabytes.

DEEP = {
    "unclosed": "<div>" * 160_000 + "honey <a href=/1>one</a>",
    "closed": "<div>" * 160_000 + "honey <a href=/1>one</a>" + "</div>" * 160_000,
    "never the same": "".join(f"<x{number}>" for number in range(160_000)) + "honey <a href=/1>one</a>",
    "wrong end tags": "<div></span>" * 100_000 + "honey <a href=/1>one</a>",
    "in upper case": "<DIV>" * 160_000 + "honey <A HREF=/1>one</A>",
    "lists": "<ul><li>" * 100_000 + "honey <a href=/1>one</a>",
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_documents(kind: str) -> None:
    page = read(DEEP[kind])
    assert page.words == ["honey", "one"]
    assert page.links.url == ["http://site.example/1"]
    assert depth(page) <= 2 * MAX_DEPTH + 2


def test_what_comes_after_the_depth_is_where_it_was() -> None:
    page = read("<ul>" * 10_000 + "<b>deep</b>" + "</ul>" * 10_000 + "<p>shallow <a href=/1>one</a></p>" * 2000)
    assert page.words == ["deep", *["shallow", "one"] * 2000]
    row = page.links.node[0]
    assert page.nodes.parent[page.nodes.parent[row]] == 0


FORMATTED = {
    "paragraphs in open elements": "".join(f"<i id={number}><p>" for number in range(20_000)),
    "closed at the end": "".join(f"<i id={number}><p>" for number in range(20_000)) + "</i>" * 20_000,
    "several kinds": "".join(f"<font size={number}><strong><p>" for number in range(20_000)),
}


@pytest.mark.parametrize("kind", FORMATTED)
def test_formatting_elements_that_would_be_copied_into_every_paragraph(kind: str) -> None:
    page = read(f"hon<b>ey</b> {FORMATTED[kind]}<a href=/1>one</a>")
    assert page.words == ["honey", "one"]
    assert len(page.links) == 1
    assert len(page.nodes) <= 20_010


@pytest.mark.parametrize("separator", [" ", "\n", "/", " x="])
def test_a_tag_with_thousands_of_attributes(separator: str) -> None:
    attributes = separator.join(f"a{number}" for number in range(200_000))
    page = read(f"<p>honey <a {attributes}>one</a> <a href=/2 title={'x' * 100_000}>two</a>")
    assert page.words == ["honey", "one", "two"]
    assert page.links.url == ["http://site.example/2"]


def test_long_tags_with_few_attributes_are_kept() -> None:
    picture = "A" * 500_000
    page = read(f"<a href=/1><img alt=honey src='data:image/png;base64,{picture}'></a>")
    assert page.links.alt == ["honey"]


def test_only_the_first_bytes_are_read() -> None:
    page = read(f"<p>first {' ' * MAX_BYTES} last")
    assert page.words == ["first"]


def test_only_the_first_tags_are_read() -> None:
    page = read("<i>x</i>" * MAX_TAGS)
    assert len(page.words) == 1  # inline elements part no words
    assert len(page.nodes) == 1 + MAX_TAGS // 2


def test_only_the_first_links_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.page.parse.MAX_LINKS", 3)
    assert read("".join(f"<a href=/{number}>x</a>" for number in range(9))).links.url[-1] == "http://site.example/2"
    assert MAX_LINKS >= 100_000  # lists of files are that long


def test_large_ordinary_documents_are_not_touched() -> None:
    rows = "".join(f"<tr><td><b>{n}</b><td><a href=/{n}><i>x</i></a><br><img src=x><p>y<p>z" for n in range(5000))
    page = f"<html><body><div><ul>{'<li>x' * 5000}</ul><table>{rows}</table></div>"
    icons = "<svg><path d='M0'/><use href=x /></svg>" * 3000
    for html in (page, icons, f"<pre>{'<a href=x>y</a> 1 < 2 ' * 5000}</pre>", "<!-- x -->" * 5000, "<" * 5000):
        assert limited(html.encode()) == html.encode()


TAGS = [
    "<div>",
    "</div>",
    "<b>",
    "</b>",
    "<p>",
    "</p>",
    "<a href=/1>",
    "</a>",
    "<span a b>",
    "</span>",
    "<br>",
    "word ",
]


@given(st.lists(st.sampled_from(TAGS), max_size=60), st.booleans())
def test_simplified_documents_have_the_same_words_and_links(parts: list[str], formats: bool) -> None:
    html = "".join(parts)
    simple = limits._Simplifier(formats=formats)(html.encode()).decode()
    assert read(simple).words == read(html).words
    assert set(read(simple).links.url) == set(read(html).links.url)  # the parser may copy some


@given(st.binary(max_size=300))
def test_any_bytes(html: bytes) -> None:
    assert limited(html) == html
    limited(b"<div>" * 2000 + html)
    limited(html + b"<b>" * 2000 + html)


def test_tags_in_the_strings_of_scripts_are_no_tags() -> None:
    strings = "<script>x = '" + "<div>" * 3000 + "'</script>"
    html = f"{strings}<p>honey</p><div><p>bees {strings}</div>{'<p>more' * 2000}"
    assert limited(html.encode()) == html.encode()
    # If something else is too deep, scripts stay as they are.
    deep = f"{strings}<p>honey</p>{'<div>' * 3000}{strings}bees"
    page = read(deep)
    assert (depth(page), page.text) == (MAX_DEPTH, "honey\nbees")
    assert limited(deep.encode()).count(strings.encode()) == 2


def test_a_comparison_in_a_script_is_no_long_tag() -> None:
    html = f"<script>if (a < b) {{{' x = 1 ;' * 9000}}}</script><p class=a>honey" * 2
    assert limited(html.encode()) == html.encode()
    inside = f"<p a=' < ' {' '.join(f'a{number}=1' for number in range(20_000))}>honey"
    assert len(limited(inside.encode())) < 100
