"""The clean web in numbers: what a crawler has to tell apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from statistics import mean

import pytest
import Stemmer
from selectolax.lexbor import LexborHTMLParser

from honeyguide.demo import DemoWeb
from honeyguide.demo.subjects import SUBJECTS, related
from honeyguide.demo.vocabulary import ADJECTIVES, ADVERTS, GENRES, JOINTS, NOUNS, SECTIONS

WEB = DemoWeb(pages=700)
FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
    the a an this that every our their his her some no is was has with in on for and of near from beside without under
    after to at or but not because which as well more than can may will must should had would
    """,
    )
)
stem = Stemmer.Stemmer("english").stemWord


def content_words(url: str) -> Counter[str]:
    body = LexborHTMLParser(WEB.answer(url).body.decode()).body
    assert body is not None
    words = re.findall(r"\w+", body.text(separator=" ").lower())
    return Counter(stem(word) for word in words if word not in FUNCTION_WORDS)


@cache
def shares() -> dict[str, list[float]]:
    """The share of its subject's keywords on pages of each kind; under "others" the largest of any other subject."""
    found = defaultdict(list)
    for url in WEB.page_urls():
        page = WEB.page_of(url)
        assert page is not None
        words = content_words(url)
        by_subject = [sum(words[stem(key)] for key in subject.keywords) / words.total() for subject in SUBJECTS]
        if page.subject >= 0 and not page.copied:
            found[page.kind].append(by_subject[page.subject])
        if page.kind != "portal":
            found["others"].append(mean(share for index, share in enumerate(by_subject) if index != page.subject))
    return found


@pytest.mark.parametrize("kind", ["article", "home", "hub", "course", "job", "product", "tunnel"])
def test_relevant_pages_use_the_keywords(kind: str) -> None:
    assert 0.06 < mean(shares()[kind]) < 0.13
    assert min(shares()[kind]) > 0.03


def test_other_pages_hardly_use_them() -> None:
    assert mean(shares()["others"]) < 0.005
    assert max(shares()["others"]) < 0.02


def test_the_hard_pages_never_use_them() -> None:
    hard = shares()["synonym"]
    assert max(hard) == 0
    relevant = sum(len(values) for kind, values in shares().items() if kind != "others")
    assert 0.07 < len(hard) / relevant < 0.15


def content_links(web: DemoWeb) -> Iterator[bool]:
    """For every link out of a text: whether it leads to the same or a related subject."""
    for url in web.page_urls():
        page = web.page_of(url)
        if page and page.subject >= 0 and not page.copied:
            for link in web.links(url):
                if link.part == "content":
                    target = web.page_of(link.url)
                    assert target is not None
                    yield target.subject in (page.subject, *related(page.subject))


@pytest.mark.parametrize("locality", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("pages", [300, 1500])
def test_locality_is_as_set(locality: float, pages: int) -> None:
    assert mean(content_links(DemoWeb(pages=pages, locality=locality))) == pytest.approx(locality, abs=0.02)


@pytest.mark.parametrize("size", [6, 32])
def test_pages_are_as_large_as_asked_for_and_vary(size: int) -> None:
    web = DemoWeb(pages=300, page_kb=size)
    sizes = [len(web.answer(url).body) for url in web.page_urls()]
    assert mean(sizes) == pytest.approx(size * 1024, rel=0.1)
    assert min(sizes) < 0.75 * size * 1024
    assert max(sizes) > 1.25 * size * 1024


def test_anchors_that_say_nothing() -> None:
    anchors = Counter(link.anchor for url in WEB.page_urls() for link in WEB.links(url) if link.part == "content")
    blank = sum(anchors[text] for text in ("click here", "read more", "here", "more", "this page", "link"))
    assert 0.1 < blank / anchors.total() < 0.2


def test_old_and_new_layouts() -> None:
    bodies = [WEB.answer(url).body for url in WEB.page_urls()]
    for sign in (b"<FONT", b'<div id="content">', b"<article>", b'class="print"'):
        assert sum(sign in body for body in bodies) > 10


def test_vocabularies_are_apart() -> None:
    everyday = " ".join((*NOUNS, *ADJECTIVES, *JOINTS, *ADVERTS, *SECTIONS, *(w for ws in GENRES.values() for w in ws)))
    common = {stem(word) for word in everyday.lower().split()}
    first_words = [word for subject in SUBJECTS for word in subject.site_words]
    assert len(set(first_words)) == len(first_words)
    for subject in SUBJECTS:
        keys = {stem(word) for word in subject.keywords}
        assert len(keys) == len(subject.keywords)
        assert 5 <= len(keys) <= 10
        assert len(subject.words) >= 40
        assert len(set(subject.words)) == len(subject.words)
        assert keys.isdisjoint(common)
        assert keys.isdisjoint(stem(word) for word in (*subject.synonyms, *subject.words, *subject.site_words))
        assert WEB.synonyms(subject.name) == subject.synonyms
