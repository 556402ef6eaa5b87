from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.page.content import Content
from honeyguide.page.content.choose import without_gaps
from honeyguide.page.content.metadata import Metadata, read_metadata
from honeyguide.page.content.repeats import block_keys, repeated_keys
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())
URL = "http://a.example/x/"

PARAGRAPHS = [
    "The honey bee lives in a hive, and it makes honey from nectar, which is a sweet liquid that flowers produce.",
    "A colony has one queen, some hundred drones, and up to sixty thousand workers, who do all that is to be done.",
    "In winter they form a cluster around the queen, and keep it warm with what they have stored in the summer.",
]
ARTICLE = (
    "<div class=post-content><h1>Bees</h1>" + "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS) + "</div>"
)


def page_of(body: str) -> Page:
    return parse(f"<title>Bees - Site</title><body>{body}", URL, RULES, styled=True)


def plain(body: str) -> str:
    return Content(page_of(body)).plain()


@pytest.mark.parametrize(
    "around",
    [
        "<nav><ul><li><a href=/>Home</a><li><a href=/news>All the news of the day</a></ul></nav>",
        "<div id=cookie-banner><p>We and our partners use cookies to show you what you want to see.</p></div>",
        "<footer><p>Copyright 2024, all rights reserved. <a href=/terms>Terms of use</a></p></footer>",
        (
            "<div class=related-articles><h3>Read more</h3><ul><li><a href=/1>Ten things you did not know about wasps"
            "</a><li><a href=/2>Why flies fly, and where they go in winter</a></ul></div>"
        ),
        "<aside class=sidebar><p>Subscribe to our newsletter, and we will write to you every week.</p></aside>",
        "<div class=comments><p>Great article, I have learnt much about bees, thank you for it!</p></div>",
    ],
)
def test_what_stands_around_an_article_is_left_out(around: str) -> None:
    whole = "\n".join(["Bees", *PARAGRAPHS])
    assert plain(f"{ARTICLE}{around}") == whole
    assert plain(f"{around}<main>{ARTICLE}</main>") == whole


def test_a_page_without_an_article_has_a_text_all_the_same() -> None:
    assert plain("<p>honey bee") == "honey bee"
    assert plain("<ul><li><a href=/1>one</a><li><a href=/2>two</a></ul>") != ""
    assert plain("") == plain("<p> ") == ""


def test_what_has_most_of_the_text_is_content_whatever_it_is_called() -> None:
    other = "<article><p>One more sentence, which stands alone, outside of it all, and is long enough.</p></article>"
    assert PARAGRAPHS[1] in plain(f"<div class='sidebar comment'><div id=footer>{ARTICLE}</div></div>{other}")
    assert PARAGRAPHS[1] not in plain(
        f"<div class='sidebar comment'><p>{PARAGRAPHS[1]}</div>{ARTICLE.replace(PARAGRAPHS[1], '')}"
    )


def test_of_a_page_without_an_article_what_is_no_link_is_its_text() -> None:
    assert plain("<ul><li><a href=/1>one</a><li>two<li><a href=/3>three</a></ul>") == "two"


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([1, -1, 1], [1, 1, 1]),
        ([1, -1, -1, 1], [1, 1, 1, 1]),
        ([1, -1, -1, -1, 1], [1, 0, 0, 0, 1]),
        ([1, -1, -3, 1], [1, 1, 0, 1]),
        ([-1, 1, -1], [0, 1, 0]),
        ([0, -1], [0, 0]),
    ],
)
def test_a_short_gap_in_the_main_content_is_filled(scores: list[float], chosen: list[int]) -> None:
    assert without_gaps(np.array(scores, np.float32)).tolist() == list(map(bool, chosen))


def test_preformatted_text_keeps_its_white_space() -> None:
    code = "def f(x):\n    return x  # the same\n\nprint(f(1))"
    body = (
        f"<div class=post-content><p>{PARAGRAPHS[0]}</p><pre><code>\n{code}\n</code></pre><p>{PARAGRAPHS[1]}</p></div>"
    )
    content = Content(page_of(body))
    assert content.plain() == f"{PARAGRAPHS[0]}\n{code}\n{PARAGRAPHS[1]}"
    assert f"\n\n```\n{code}\n```\n\n" in content.markdown()


def markdown(body: str) -> str:
    """A part of an article as Markdown, without the paragraphs around it."""
    begin, middle, end = PARAGRAPHS
    content = Content(
        page_of(f"<article class=entry-content><p>{begin}</p>{body}<p>{middle}</p><p>{end}</p></article>")
    )
    text = content.markdown()
    assert text.startswith(f"{begin}\n\n")
    return text.removeprefix(f"{begin}\n\n").partition(f"\n\n{middle}")[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<h2>On <i>bees</i></h2>", "## On *bees*"),
        (
            "<p>It is <b>very </b>good, <a href='/hive'>a hive</a>.",
            "It is **very** good, [a hive](http://a.example/hive).",
        ),
        ("<p>It is a <a href='/hive(1)'>good hive</a>.", "It is a [good hive](<http://a.example/hive(1)>)."),
        ("<p>Call <code>a_b(*c)</code>, or <b><code>d</code></b>.", "Call `a_b(*c)`, or **`d`**."),
        ("<p>snake_case, *stars*, _this_ and &lt;b&gt; [1]", r"snake_case, \*stars\*, \_this\_ and \<b> \[1\]"),
        ("<p>1. It is no list, and nothing else.", r"1\. It is no list, and nothing else."),
        ("<p># It is no heading, and nothing else.", r"\# It is no heading, and nothing else."),
        ("<ul><li>one bee, of many<li>two bees, of many</ul>", "- one bee, of many\n- two bees, of many"),
        (
            "<ol><li>one bee, of many<ul><li>its wing, of two</ul><li><p>two bees, of many<p>and more, too</ol>",
            "1. one bee, of many\n   - its wing, of two\n2. two bees, of many\n   and more, too",
        ),
        ("<blockquote><p>To bee, or not to bee.</p></blockquote>", "> To bee, or not to bee."),
        (
            "<table><tr><th>Year<th>Honey<tr><td>1999<td>12 | 13 kg<tr><td>2000</table>",
            "| Year | Honey |\n| --- | --- |\n| 1999 | 12 \\| 13 kg |\n| 2000 |  |",
        ),
        ("<pre>a\n  ```\nb</pre>", "````\na\n  ```\nb\n````"),
    ],
)
def test_markdown_shows_how_a_text_is_built(body: str, expected: str) -> None:
    assert markdown(body) == expected


def test_a_table_that_arranges_a_page_is_no_table() -> None:
    assert "|" not in Content(page_of(f"<table><tr><td>{ARTICLE}<td>{ARTICLE}</table>")).markdown()


TAGS = ["div", "p", "ul", "li", "ol", "h1", "h3", "pre", "a href=/x", "b", "code", "table", "tr", "td", "nav", "br",
        "article", "blockquote", "div class=footer", "section hidden", "footer", "span"]  # fmt: skip
SOUP = st.lists(
    st.sampled_from(TAGS).map(lambda tag: f"<{tag}>")
    | st.sampled_from(TAGS).map(lambda tag: f"</{tag.split()[0]}>")
    | st.sampled_from(
        ["honey bee ", "one\n  two", "`*_|", "蜂 蜜", "A long sentence, with commas, that ends here. " * 3]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(SOUP)
def test_any_page_yields_some_of_its_lines_in_order(body: str) -> None:
    page = page_of(body)
    content = Content(page)
    every = [" ".join(line.split()) for line in page.text.split("\n")]
    words = page.text.split()
    chosen = content.plain().split()
    places = iter(words)
    assert all(word in places for word in chosen)  # a subsequence
    assert bool(chosen) == bool(words)
    if "<pre>" not in body:
        assert set(content.plain().split("\n")) <= set(every)
    assert bool(content.markdown()) == bool(words)


@settings(max_examples=50, deadline=None)
@given(SOUP)
def test_the_same_words_are_read_with_and_without_styles(body: str) -> None:
    assert page_of(body).text == parse(f"<title>Bees - Site</title><body>{body}", URL, RULES).text


# ---- what the pages of a site share ----


def test_blocks_on_three_pages_and_three_in_ten_are_repeated() -> None:
    few = [[1, 2], [1, 2], [1, 2, 2], [3, 3, 3]]
    assert repeated_keys(few) == {1, 2}
    assert repeated_keys(few[:2]) == set()
    assert repeated_keys([*few, *[[9 + number] for number in range(7)]]) == set()  # 3 of 11
    assert repeated_keys([*few, *[[9 + number] for number in range(6)]]) == {1, 2}


def test_a_repeated_block_is_left_out_unless_it_is_long_or_all_there_is() -> None:
    notice = "This article was first printed in our magazine, which you can buy in any good shop."
    body = ARTICLE.replace("</div>", f"<p>{notice}</p></div>")
    page = page_of(body)
    keys = block_keys(Content(page).blocks)
    assert len(set(keys)) == len(keys)
    assert notice in Content(page).plain()
    assert Content(page, {keys[-1]}).plain() == "\n".join(["Bees", *PARAGRAPHS])
    assert Content(page, set(keys)).plain() == Content(page).plain()
    (key,) = block_keys(Content(page_of(f"<p>{'honey ' * 81}")).blocks)
    assert key == 0
    assert repeated_keys([[key]] * 5) == set()


def test_keys_are_the_same_in_every_process() -> None:
    assert block_keys(Content(page_of("<p>honey bee")).blocks) == [int.from_bytes(bytes.fromhex("15bb925bdf962497"))]


# ---- what a page says about itself ----


def test_metadata_are_read_from_all_places_where_pages_state_them() -> None:
    script = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [{"@type": "Person",
        "name": "Nobody"}, {"@type": "NewsArticle", "author": [{"@type": "Person", "name": "A. Keeper"}, {"name":
        "B. Keeper"}], "datePublished": "2024-05-31T08:00:00+02:00", "license": "https://a.example/licence"}]}</script>"""
    html = (
        f"<html lang=en-GB><head><title>Bees</title><meta property=og:description content=' On  bees. '>{script}"
        "<link rel=canonical href='/bees#top'></head><body>"
    )
    assert read_metadata(html, URL, RULES) == Metadata(
        title="Bees",
        author="A. Keeper; B. Keeper",
        date="2024-05-31",
        language="en",
        description="On bees.",
        canonical="http://a.example/bees",
        licence="https://a.example/licence",
    )
    html = (
        "<meta name=author content='C. Keeper'><meta property=article:author content='https://a.example/people/c'>"
        "<meta name=date content='Fri, 31 May 2024 23:00:00 GMT'>"
        "<p><a rel='license nofollow' href='https://creativecommons.org/licenses/by/4.0/'>CC BY</a>"
    )
    found = read_metadata(html, URL, RULES)
    assert (found.author, found.date) == ("C. Keeper", "2024-05-31")
    assert found.licence == "https://creativecommons.org/licenses/by/4.0/"
    html = "<meta property=article:author content='https://a.example/people/c'><meta name=byl content='By C. Keeper'>"
    assert read_metadata(html, URL, RULES).author == "By C. Keeper"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<meta name=date content='31 or so'>",
        "<meta name=date content='2024-13-01'>",
        "<meta name=author content=' '>",
    ]
    + [
        f"<script type='application/ld+json'>{script}</script>"
        for script in ("{", "[" * 100_000, "null", '"x"', "[[]]")
    ]
    + ['<script type="application/ld+json">{"@type": "Article", "author": [1, {}, null], "datePublished": 3}</script>'],
)
def test_what_a_page_does_not_state_is_empty(html: str) -> None:
    assert read_metadata(html, URL, RULES) == Metadata()


def test_dates_in_common_forms_become_days() -> None:
    for said in (
        "2024-05-31",
        "2024/5/31",
        "2024.05.31 08:00",
        "2024-05-31T23:59:59-08:00",
        "31 May 2024 08:00:00 +0000",
    ):
        assert read_metadata(f"<meta name=date content='{said}'>", URL, RULES).date == "2024-05-31"


def test_the_lines_of_an_article_are_in_order() -> None:
    lines = plain(f"<nav><a href=/>Home</a></nav>{ARTICLE}").split("\n")
    places = [["Bees", *PARAGRAPHS].index(line) for line in lines]
    assert all(first < second for first, second in pairwise(places))
