"""What a page turns out to be, and where its links lead."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.readers import reader_config
from honeyguide.errors import InputError
from honeyguide.frontier import Frontier, State
from honeyguide.relevance.models import make_model
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.strategy.registry import recipes, strategy_named
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

URL = "http://a.example/page"


def reader(**tables: Any) -> Reader:
    tables = {"strategy": {"name": "best-first"}, **tables}
    topic = Topic.make(name="bees", seeds=["http://a.example/"], keywords="honey, bee", **tables)
    return Reader(reader_config(topic, make_model(material_of(topic))))


def read(html: str, header: str = "", robots_tag: str = "", **tables: Any) -> Reading:
    return reader(**tables).read(Document(URL, html.encode(), header, robots_tag))


def test_what_it_says_and_what_it_is_worth() -> None:
    # (honey 2, bee 1, tree 1) against (1, 1): 3 / (√6 · √2) = 0.866; the title's words count as well: none here.
    reading = read('<html lang="en"><p>Honey honey bee tree.</p>')
    assert reading.relevance == pytest.approx(0.8660254)
    assert reading.relevant
    assert (reading.words, reading.language) == (4, "en")


def test_the_language_is_that_of_the_text_where_the_page_does_not_say_or_says_wrong() -> None:
    english = (
        "The bees of a hive gather nectar from the flowers that are near it, and turn it into honey for the winter."
    )
    german = "Die Bienen sammeln den Nektar der Blüten in der näheren Umgebung und machen daraus Honig für den Winter. "
    assert read(f"<p>{english}").language == "en"
    assert read(f"<html lang=de><p>{english * 3}").language == "en"
    assert read(f"<p>{german * 3}").language == "de"
    assert read(f"<html lang=en><p>{german * 3}").language == "de"
    assert read(f"<p>{german * 2}", relevance={"language": "german"}).language == "de"


def test_the_signature_is_of_what_a_page_says_outside_its_links() -> None:
    text = " ".join(f"word{chr(97 + number)}" for number in range(26)) * 2
    links = [
        " ".join(f'<a href="/{number}">{word}{chr(97 + number)}</a>' for number in range(20))
        for word in ("tree", "stone")
    ]
    one, other = (read(f"<p>{text}</p>{list_of}").signature for list_of in links)
    assert one == other == read(f"<p>{text}</p>").signature
    assert read(links[0]).signature != read(links[1]).signature  # pages that are nothing but links


@pytest.mark.parametrize(("threshold", "relevant"), [(0.5, True), (0.71, False)])
def test_the_threshold_belongs_to_what_is_relevant(threshold: float, relevant: bool) -> None:
    # (honey 1) against (1, 1): 1 / √2 = 0.7071
    assert read("<p>honey", relevance={"threshold": threshold}).relevant is relevant


def test_links_are_distinct_in_order_in_scope_and_never_the_page_itself() -> None:
    reading = read(
        '<a href="/b">1</a><a href="/a">2</a><a href="/b#part">again</a><a href="#top">self</a><a href="/page">self</a>'
        '<a href="http://b.example/">other</a><a href="/c.zip">file</a><a href="mailto:x@a.example">mail</a>',
        scope={"allow_domains": ["a.example"]},
    )
    assert reading.links.urls == ["http://a.example/b", "http://a.example/a"]
    assert reading.left_out == {"domain": 1, "type": 1}


@pytest.mark.parametrize(
    ("html", "tag", "links", "counts"),
    [
        ('<meta name="robots" content="nofollow"><p>honey <a href="/a">x</a>', "", 0, True),
        ('<meta name="robots" content="noindex"><p>honey <a href="/a">x</a>', "", 1, False),
        ('<meta name="robots" content="none"><p>honey <a href="/a">x</a>', "", 0, False),
        ('<p>honey <a href="/a">x</a>', "nofollow", 0, True),
        ('<p>honey <a href="/a">x</a>', "noindex", 1, False),
        ('<p>honey <a href="/a">x</a>', "otherbot: noindex, nofollow", 1, True),
        ('<p>honey <a rel="nofollow" href="/a">x</a>', "", 0, True),
    ],
)
def test_robots_rules_in_pages(html: str, tag: str, links: int, counts: bool) -> None:
    reading = read(html, robots_tag=tag)
    assert (len(reading.links), reading.relevant) == (links, counts)
    assert reading.left_out == ({} if links else {"nofollow": 1})
    deaf = read(html, robots_tag=tag, fetch={"robots": False})
    assert (len(deaf.links), deaf.relevant) == (1, True)


@given(st.binary(max_size=300), st.text(max_size=30), st.text(max_size=30))
def test_no_document_is_too_bad_to_be_read(body: bytes, content_type: str, robots_tag: str) -> None:
    reading = reader().read(Document(URL, body, content_type, robots_tag))
    assert 0.0 <= reading.relevance <= 1.0
    assert len(reading.links.urls) == len(reading.links.scores)
    assert pickle.loads(pickle.dumps(reading)) == reading


# ---- recipes and steering ----


def test_naive_best_first_gives_every_link_what_the_page_is_worth() -> None:
    reading = read('<p>honey bee</p><a href="/a">honey</a><a href="/b">tree</a>')
    assert reading.links.scores.tolist() == [reading.relevance] * 2


def test_breadth_first_gives_all_links_the_same() -> None:
    html = '<p>honey bee</p><a href="/a">honey</a><a href="/b">tree</a>'
    assert read(html, strategy={"name": "breadth-first"}).links.scores.tolist() == [0.0, 0.0]


def test_an_unknown_strategy_names_those_there_are() -> None:
    with pytest.raises(InputError, match=re.escape(", ".join(recipes()))):
        strategy_named("guess")


def test_steering_offers_the_links_one_deeper_than_the_page() -> None:
    frontier = Frontier()
    page = frontier.offer(URL, 1.0, depth=3)
    reading = read('<p>honey bee</p><a href="/a">1</a><a href="http://b.example/">2</a>')
    PlainQueue().page(frontier, page, reading, 0)
    assert frontier.count(State.WAITING) == 3
    for url in reading.links.urls:
        number = frontier.urls.find(url)
        assert number is not None
        assert frontier.urls.depth(number) == 4
        assert frontier.urls.parent(number) == page
        assert frontier.urls.priority(number) == reading.relevance


@pytest.mark.parametrize(("most", "offered"), [(0, 2), (4, 2), (3, 0)])
def test_steering_stops_at_the_greatest_depth(most: int, offered: int) -> None:
    frontier = Frontier()
    page = frontier.offer(URL, 1.0, depth=3)
    PlainQueue().page(frontier, page, read('<a href="/a">1</a><a href="/b">2</a>'), most)
    assert len(frontier) == 1 + offered
