from __future__ import annotations

import pickle
from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from honeyguide.page import tags
from honeyguide.page.parse import NOFOLLOW, Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.page.words import SEAM, split_words

RULES = UrlRules(UrlSettings())
URL = "http://bees.example/hive/index.html"


def page(html: str) -> Page:
    found = parse(html, URL, RULES)
    check(found)
    return found


def check(found: Page) -> None:
    """What is true of every page: nodes are a tree in document order, and spans nest and do not cross."""
    nodes, links = found.nodes, found.links
    count, words = len(nodes), len(found.words)
    assert len(nodes.parent) == len(nodes.last_node) == len(nodes.first_word) == len(nodes.last_word) == count > 0
    assert nodes.parent[0] == -1
    assert (nodes.first_word[0], nodes.last_word[0], nodes.last_node[0]) == (0, words, count)
    first_word, last_word = nodes.first_word.tolist(), nodes.last_word.tolist()
    end_of_sibling = dict.fromkeys(range(-1, count), 0)
    next_row = [row + 1 for row in range(count)]
    for row in range(count):
        above = nodes.parent[row]
        assert above < row < nodes.last_node[row] <= count
        assert first_word[row] <= last_word[row]
        if row:
            assert above >= 0
            assert nodes.last_node[row] <= nodes.last_node[above]
            assert row == next_row[above]  # siblings' sub-trees follow each other without a gap
            assert max(first_word[above], end_of_sibling[above]) <= first_word[row]
            assert last_word[row] <= last_word[above]
            end_of_sibling[above] = last_word[row]
            next_row[above] = nodes.last_node[row]
    assert all(next_row[row] == nodes.last_node[row] for row in range(count))
    assert len(links.url) == len(links.node) == len(links.alt) == len(links.title) == len(links.flags)
    assert links.node == sorted(links.node)
    assert all(0 <= row < count for row in links.node)
    assert all(RULES.canonical(url) == url for url in links.url)
    assert split_words(found.text)[0] == found.words


def anchors(found: Page) -> list[str]:
    nodes = found.nodes
    return [" ".join(found.words[nodes.first_word[row] : nodes.last_word[row]]) for row in found.links.node]


def rows(found: Page, name: str) -> list[str]:
    """The words of each element of a name."""
    nodes = found.nodes
    return [
        " ".join(found.words[nodes.first_word[row] : nodes.last_word[row]])
        for row in range(len(nodes))
        if nodes.tag[row] == tags.tag_id(name)
    ]


# -- words


@pytest.mark.parametrize("tag", ["b", "i", "em", "span", "font", "a", "sup", "code", "abbr", "made-up", "wbr"])
def test_inline_tags_do_not_split_words(tag: str) -> None:
    assert page(f"hon<{tag}>ey</{tag}>guide").words == ["honeyguide"]
    assert page(f"hon<{tag}>ey<i>gu</i></{tag}>ide<!-- x -->s").words == ["honeyguides"]


@pytest.mark.parametrize(
    "tag", ["div", "p", "li", "h1", "td", "blockquote", "section", "pre", "center", "dd", "button"]
)
def test_block_tags_never_merge_words(tag: str) -> None:
    table = ("<table><tr>", "</table>") if tag == "td" else ("", "")
    assert page(f"{table[0]}<{tag}>one</{tag}><{tag}>two</{tag}>{table[1]}").words == ["one", "two"]
    assert page(f"zero{table[0]}<{tag}><b>one</b></{tag}>{table[1]}two").words == ["zero", "one", "two"]


@pytest.mark.parametrize("tag", ["br", "hr", "img", "input"])
def test_empty_tags_split_words(tag: str) -> None:
    assert page(f"one<{tag}>two").words == ["one", "two"]


def test_blocks_inside_inline_tags_split_words() -> None:
    assert page("a<span>b<div>c</div>d</span>e").words == ["ab", "c", "de"]


def test_words_of_two_links_are_two_words() -> None:
    found = page("<a href=/1>Home</a><a href=/2>About</a><b><a href=/3>Us</a></b>ed <a href=/4>bee</a>s")
    assert found.words == ["Home", "About", "Used", "bees"]
    assert anchors(found) == ["Home", "About", "Used", "bees"]
    assert page("hon<a name=x></a>ey").words == ["honey"]


def test_text_is_one_line_a_block() -> None:
    found = page("<h1>The\n bird</h1><p>leads <b>peo</b>ple<br>to &amp; fro<ul><li>one<li> two </ul>\n<div></div>")
    assert found.text == "The bird\nleads people\nto & fro\none\ntwo"
    assert found.words == ["The", "bird", "leads", "people", "to", "fro", "one", "two"]


def test_entities_and_white_space() -> None:
    assert page("<p>caf&eacute;&nbsp;noir &#x1F41D; &lt;b&gt; x&shy;y\r\n\tz").words == ["café", "noir", "b", "xy", "z"]


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>no <a href=/no>x</a></script>",
        "<style>no { }</style>",
        "<template><p>no <a href=/no>x</a></template>",
        "<noscript><p>no <a href=/no>x</a></noscript>",
        "<svg><text>no</text><a href=/no>x</a></svg>",
        "<iframe src=/no>no</iframe>",
        "<object data=/no>no <a href=/no>x</a></object>",
        "<canvas>no</canvas>",
        "<video>no<a href=/no>x</a></video>",
        "<!-- no -->",
        "<textarea hidden>no</textarea>",
    ],
)
def test_what_no_reader_sees(unseen: str) -> None:
    found = page(f"<p>be{unseen}fore <b>in{unseen}side</b> {unseen}</p>{unseen}after")
    assert "no" not in found.words
    assert found.words[-1] == "after"
    assert found.links.url == []
    assert " ".join(rows(found, "p")).startswith("be")


def test_unseen_content_does_not_shift_spans() -> None:
    found = page("<script>1 2 3</script><p>one<script>4</script></p><p><style>5</style>two</p><svg></svg><p>three")
    assert rows(found, "p") == ["one", "two", "three"]


@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        'hidden=""',
        "HIDDEN=hidden",
        'style="display:none"',
        "style='color: red; DISPLAY : None'",
        'style="visibility:hidden"',
        'style="Visibility: Hidden;"',
    ],
)
def test_hidden_parts_have_links_but_no_words(attribute: str) -> None:
    found = page(
        f"<p>one</p><div {attribute}>no <p>words <a href=/menu>The <b>me</b>nu <img alt=pic></a> <div hidden>x</div>"
        "</div><p>two <a href=/next>three</a>"
    )
    assert found.words == ["one", "two", "three"]
    assert rows(found, "p") == ["one", "", "two three"]
    assert found.links.url == ["http://bees.example/menu", "http://bees.example/next"]
    assert anchors(found) == ["", "three"]
    assert found.links.alt == ["The menu pic", ""]


@pytest.mark.parametrize(
    "attribute", ['style="display:block"', 'style="overflow:hidden"', "class=hidden", "data-hidden", "aria-hidden=true"]
)
def test_what_only_looks_hidden_is_seen(attribute: str) -> None:
    assert page(f"<div {attribute}>seen</div>").words == ["seen"]


def test_words_go_on_around_hidden_inline_parts() -> None:
    assert page("hon<span hidden>X</span>ey <span hidden>Y</span>guide").words == ["honey", "guide"]


def test_hidden_in_hidden() -> None:
    found = page("one<div hidden>x <p hidden>y <a href=/x>z</a></p> <a href=/y>w</a></div><p hidden>v</p>two")
    assert found.words == ["one", "two"]
    assert found.links.alt == ["z", "w"]


def test_a_hidden_body_is_read() -> None:
    assert page('<body style="display:none">seen <p hidden>not</p>').words == ["seen"]


# -- links


def test_links_have_anchors_titles_and_flags() -> None:
    found = page(
        '<a href="a.html" title="A title">one <b>two</b></a> not <a href=/b rel="external NoFollow">three</a>'
        "<a href=//c.example rel=me>four</a><a href=/d rel=ugc>5</a><a href=/e rel=sponsored>6</a><a href=/f rel>7</a>"
    )
    assert found.links.url == [
        "http://bees.example/hive/a.html",
        "http://bees.example/b",
        "http://c.example/",
        "http://bees.example/d",
        "http://bees.example/e",
        "http://bees.example/f",
    ]
    assert anchors(found) == ["one two", "three", "four", "5", "6", "7"]
    assert found.links.title == ["A title", "", "", "", "", ""]
    assert found.links.flags == [0, NOFOLLOW, 0, NOFOLLOW, NOFOLLOW, 0]


def test_what_is_no_link() -> None:
    html = "<a>1</a><a href>2</a><a href=''>3</a><a href='#top'>4</a><a name=x>5</a><a href='mailto:a@b.example'>6</a>"
    assert page(html + "<a href='javascript:x()'>7</a><a href='http://[bad'>8</a><area><frame>").links.url == []


def test_repeated_links_stay() -> None:
    found = page("<a href=/x>one</a> <a href=/x>two</a> <a href='/x#part'>three</a>")
    assert found.links.url == ["http://bees.example/x"] * 3
    assert anchors(found) == ["one", "two", "three"]


def test_base() -> None:
    html = "<base target=_top><base href='/other/place/'><base href='/second/'><a href=x>y</a>"
    assert page(html).links.url == ["http://bees.example/other/place/x"]
    assert page("<base href='mailto:x'><a href=x>y</a>").links.url == ["http://bees.example/hive/x"]
    assert page("<base href='https://cdn.example/a/b'><a href=../x>y</a>").links.url == ["https://cdn.example/x"]


def test_images_speak_for_the_link_around_them() -> None:
    found = page(
        "<img alt=before><a href=/x><img alt='a bee'> and <span><img title='a hive'></span><img></a><img alt=after>"
        "<a href=/y>z</a><div><img alt=far></div><a href='#'><img alt=none></a>"
    )
    assert found.links.alt == ["a bee a hive", ""]
    assert anchors(found) == ["and", "z"]


def test_image_maps() -> None:
    found = page("<map><area href=/one alt=One title=T><area alt=none><area href=/two></map>")
    assert found.links.url == ["http://bees.example/one", "http://bees.example/two"]
    assert found.links.alt == ["One", ""]
    assert found.links.title == ["T", ""]


def test_frames() -> None:
    found = page(
        "<title>F</title><frameset cols=*><frame src=menu.html><frame src=/main><noframes>no</noframes></frameset>"
    )
    assert found.title == "F"
    assert found.words == []
    assert found.links.url == ["http://bees.example/hive/menu.html", "http://bees.example/main"]


@pytest.mark.parametrize(
    "content", ["0;url=/next", "5; URL='/next'", ' 0 , url = "/next"', "0.5;/next", "0;url=http://bees.example/next"]
)
def test_a_page_that_sends_its_reader_on(content: str) -> None:
    content = content.replace('"', "&quot;")
    found = page(f'<meta http-equiv=Refresh content="{content}"><p>Moved. <a href=/x>x</a>')
    assert found.links.url == ["http://bees.example/next", "http://bees.example/x"]
    assert found.links.node[0] == 0


@pytest.mark.parametrize("content", ["300", "", "x", "0;url=", "0;url=javascript:x()"])
def test_a_page_that_only_reloads(content: str) -> None:
    assert page(f'<meta http-equiv=refresh content="{content}">').links.url == []


def test_links_of_a_node_are_found_by_bisection() -> None:
    found = page("<a href=/1>1</a><ul><li><a href=/2>2</a><li><b><a href=/3>3</a></b></ul><p><a href=/4>4</a>")
    row = found.nodes.tag.index(tags.tag_id("ul"))
    first, last = (bisect_left(found.links.node, at) for at in (row, found.nodes.last_node[row]))
    assert found.links.url[first:last] == ["http://bees.example/2", "http://bees.example/3"]


# -- head


def test_head() -> None:
    found = page(
        "<html lang=en-GB><head><title>\n The  bird </title><title>2</title>"
        '<meta name=robots content=noindex><meta name=ROBOTS content="nofollow">'
    )
    assert (found.url, found.title, found.language) == (URL, "The bird", "en")
    assert found.robots == "noindex, nofollow"


def test_an_empty_head() -> None:
    found = page("")
    assert (found.title, found.language, found.robots) == ("",) * 3
    assert (list(found.words), found.text, found.links.url, found.nodes.tag) == ([], "", [], [tags.BODY])


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=de>", "de"),
        ("<html xml:lang='pt_BR'>", "pt"),
        ("<html lang=' EN '>", "en"),
        ("<html lang=''>", ""),
        ("<html lang=1>", ""),
        ("<meta http-equiv=content-language content='fr-CA, en'>", "fr"),
        ("<html lang=it><meta http-equiv=content-language content=fr>", "it"),
    ],
)
def test_language(html: str, language: str) -> None:
    assert page(html).language == language


def test_noscript_does_not_end_the_head() -> None:
    found = page("<head><noscript><img src=pixel.gif></noscript><meta name=robots content=noindex><title>T</title>")
    assert (found.robots, found.title) == ("noindex", "T")


# -- nodes


def test_nodes_by_hand() -> None:
    found = page("<div>one <a href=/x>two <b>three</b></a></div><p>four")
    nodes = found.nodes
    assert nodes.tag == [tags.tag_id(name) for name in ("body", "div", "a", "b", "p")]
    assert nodes.parent == [-1, 0, 1, 2, 0]
    assert nodes.last_node == [5, 4, 4, 4, 5]
    assert nodes.first_word.tolist() == [0, 0, 1, 2, 3]
    assert nodes.last_word.tolist() == [4, 3, 3, 3, 4]
    assert found.links.node == [2]


def test_tags_that_html_does_not_know_are_all_one() -> None:
    assert page("<made-up><x-y>one</x-y></made-up>").nodes.tag == [tags.BODY, tags.UNKNOWN, tags.UNKNOWN]
    assert page("<xmp>one</xmp>").nodes.tag == [tags.BODY, tags.LAST]


def test_a_word_counts_where_it_begins() -> None:
    found = page("hon<b>ey </b><i>gui</i>de")
    assert rows(found, "b") == [""]
    assert rows(found, "i") == ["guide"]


def test_a_page_travels_between_processes() -> None:
    found = page("<title>T</title><p>one <a href=/x>two</a>")
    copy = pickle.loads(pickle.dumps(found))
    assert (copy.words, copy.links, copy.text, copy.nodes.parent) == (
        found.words,
        found.links,
        found.text,
        found.nodes.parent,
    )
    assert copy.nodes.last_word.tolist() == found.nodes.last_word.tolist()


@pytest.mark.parametrize(
    "opening",
    [
        "<div>",
        "<table><tr><td>",
        "<b>",
        "<a href=/x>",
        "<span>x",
        "<ul><li><a href=/x><b>",
        "<font>x<p>",
        "<div hidden><a href=/x>y",
        "<a href=/x><object><div><img alt=x>",
        "<blockquote><i>",
        "<made-up>",
    ],
)
def test_ten_thousand_levels(opening: str) -> None:
    found = page(opening * (10_000 // opening.count("<")) + " deep")
    assert (found.words[-1:] == ["deep"]) == ("hidden" not in opening and "object" not in opening)


# -- anything


NAMES = ["div", "p", "b", "i", "a", "span", "table", "tr", "td", "ul", "li", "h1", "pre", "br", "img", "form", "select"]
NAMES += ["option", "textarea", "script", "style", "svg", "math"]
ATTRIBUTES = [
    "",
    " hidden",
    " href=/x",
    ' href="y z#f" rel=nofollow',
    ' style="display:none"',
    " alt=pic",
    " title='<p>'",
]
TEXTS = [
    "one",
    " two ",
    "th",
    "ree",
    "\n",
    "日本",
    "é\u0301",
    "&nbsp;",
    "&#0;",
    "&#x1;",
    "\x00",
    "<",
    ">",
    "&",
    "<!--c-->",
    "]]>",
]
OPENING = st.builds(lambda name, attribute: f"<{name}{attribute}>", st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES))
CLOSING = st.sampled_from(NAMES).map(lambda name: f"</{name}>")
SOUP = st.lists(OPENING | CLOSING | st.sampled_from(TEXTS), max_size=40).map("".join)

ARTICLE = (
    "<!DOCTYPE html><html lang=en><head><title>A &amp; B</title><base href='/d/'></head><body><h1 id=t>Top</h1>"
    "<table><tr><td>1<td>2</table><div hidden><a href=m>Menu</a></div><p>hon<b>ey</b> <a href='x?q=1&amp;r=2' title=T>"
    "two <img alt='a bee' src=i.png></a><script>if (a<b) x='</p>'</script></p><ul><li>one<li>two</ul><!-- e --></body>"
)


@given(SOUP)
def test_any_tag_soup(html: str) -> None:
    page(html)


@given(st.text(max_size=300))
def test_any_text(html: str) -> None:
    page(html)


@given(st.integers(0, len(ARTICLE)), st.text(max_size=5), st.integers(0, 20))
def test_any_mutation(place: int, inserted: str, removed: int) -> None:
    page(ARTICLE[:place] + inserted + ARTICLE[place + removed :])


@given(st.integers(0, len(ARTICLE)))
def test_any_truncation(length: int) -> None:
    page(ARTICLE[:length])


def naive(html: str) -> tuple[str, list[tuple[int, int, int]]]:
    """Text with a line a block, and tag, start and end in it of each element: by recursion, without hiding anything."""
    text = ""
    found: list[tuple[int, int, int]] = []

    def visit(node: LexborNode) -> None:
        nonlocal text
        if node.tag_id == tags.TEXT:
            text += node.text_content or ""
        elif node.tag_id != tags.COMMENT and node.tag_id not in tags.UNSEEN:
            edge = "\n" if node.tag_id in tags.BREAKING else ""
            text += edge
            row, start = len(found), len(text)
            found.append((0, 0, 0))
            for child in node.iter(include_text=True):
                visit(child)
            found[row] = (node.tag_id if node.tag_id <= tags.LAST else tags.UNKNOWN, start, len(text))
            text += edge

    tree = LexborHTMLParser(html, scripting=True)
    top = tree.body or tree.root
    assert top is not None
    visit(top)
    links = [(start, end) for tag, start, end in found if tag == tags.A and start < end]
    between = {start for start, _ in links} & {end for _, end in links}
    for cut in sorted(between, reverse=True):
        text = text[:cut] + "\n" + text[cut:]
        found = [(tag, start + (start > cut), end + (end > cut)) for tag, start, end in found]
    return text, found


@given(SOUP.filter(lambda html: "hidden" not in html and "display" not in html))
def test_like_a_naive_reading(html: str) -> None:
    found = page(html)
    text, expected = naive(html)
    assert found.words == split_words(text)[0]
    assert found.nodes.tag == [tag for tag, _, _ in expected]
    starts = [split_words(text[:start] + SEAM + text[start:])[1][1] for _, start, _ in expected]
    ends = [split_words(text[:end] + SEAM + text[end:])[1][1] for _, _, end in expected]
    assert found.nodes.first_word.tolist() == starts
    assert found.nodes.last_word.tolist() == ends


@given(SOUP)
def test_a_document_written_out_reads_the_same(html: str) -> None:
    written = LexborHTMLParser(html, scripting=True).html or ""
    # Some trees cannot be written as HTML: parsed again, what was out of place moves once more.
    if (LexborHTMLParser(written, scripting=True).html or "") == written:
        first, second = page(html), page(written)
        assert (first.words, first.text, first.links) == (second.words, second.text, second.links)
        assert first.nodes.tag == second.nodes.tag
