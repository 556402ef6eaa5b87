"""Genre-aware relevance, against values worked out by hand and against the plainest way to count terms."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.page.spans import spans
from honeyguide.relevance.base import whole
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.genre import Genre, genre
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import Text, TokenForm, Tokenizer
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

SYLLABI = TermSettings(genre=("syllabus", "office hours"), content=("hash table", "tree"))


def score(terms: TermSettings, text: str, url: str = "", frequencies: Frequencies | None = None) -> float:
    found = Text(text.split(), url)
    return float(Genre.of(terms, "english", 0.5, frequencies).score(found, whole(found))[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Genre (2, 1) against (1, 1): 3 / (√5 · √2). Content (0, 1) against (1, 1): 1 / √2. Their mean.
        ("syllabus syllabus office hours tree", (3 / sqrt(10) + 1 / sqrt(2)) / 2),
        # Genre (1, 1): 1. Content (1, 1): 1.
        ("office hours syllabus hash table tree", 1.0),
        # Words of a term apart, or in another order, are not the term.
        ("office tree hours", 1 / sqrt(2) / 2),
        ("hours office", 0.0),
        # Words that say nothing are as if they were not there: between the words of a term, and around it.
        ("the office and its hours of the syllabus", 1 / 2),
        # Case and accents are nothing, but stems are not taken.
        ("SYLLABUS Trée", (1 / sqrt(2) + 1 / sqrt(2)) / 2),
        ("syllabuses trees", 0.0),
        ("", 0.0),
        ("the of", 0.0),
        ("honey", 0.0),
    ],
)
def test_worked_out_by_hand(text: str, expected: float) -> None:
    assert score(SYLLABI, text) == pytest.approx(expected, abs=1e-12)


def test_overlapping_terms_count_each_for_itself() -> None:
    # "data base data" has data twice, base, "data base" and "base data" once. (2, 1, 1, 1) against (1, 1, 1, 1):
    # 5 / (√7 · √4).
    terms = TermSettings(genre=("data", "base", "data base", "base data"))
    assert score(terms, "data base data") == pytest.approx(5 / (2 * sqrt(7)))
    # "data data" is found twice: (3, 2) against (1, 1): 5 / (√13 · √2).
    assert score(TermSettings(genre=("data", "data data")), "data data data") == pytest.approx(5 / sqrt(26))


def test_a_term_in_both_sets_counts_in_both() -> None:
    # Genre: (1) against (1); content: (1, 0) against (1, 1).
    terms = TermSettings(genre=("course",), content=("course", "tree"))
    assert score(terms, "course") == pytest.approx((1 + 1 / sqrt(2)) / 2)


@pytest.mark.parametrize("written", ["Office Hours", "office, hours", "the office of hours", "öffice hours"])
def test_terms_are_read_as_texts_are(written: str) -> None:
    assert score(TermSettings(genre=(written, "office hours")), "OFFICE HOURS") == pytest.approx(1.0)


def test_the_weights_of_genre_and_content() -> None:
    # Genre 1 / √2, content 0; three quarters of it.
    terms = TermSettings(genre=SYLLABI.genre, content=SYLLABI.content, genre_weight=3, content_weight=1)
    assert score(terms, "syllabus") == pytest.approx(0.75 / sqrt(2))


@pytest.mark.parametrize("given", ["genre", "content"])
def test_one_set_without_the_other_counts_alone_whatever_its_weight(given: str) -> None:
    given_terms: dict[str, Any] = {given: ("syllabus", "tree"), "genre_weight": 0, "content_weight": 0}
    assert score(TermSettings(**given_terms), "tree stone") == pytest.approx(1 / sqrt(2))


def test_rare_terms_weigh_more() -> None:
    # idf(course) = log(8 / 4) = log 2 and idf(tree) = log(8 / 1) = 3 log 2 (see test_vsm for the smoothing); so
    # "course" alone is (1, 0) against (1, 3): 1 / √10.
    # A term of two words weighs as the rarer of them: "course tree" is 3, and "course" with it (1, 3, 3) in the set.
    tokenizer = Tokenizer("english", TokenForm.BARE)
    counted = sorted(zip(tokenizer(["course", "tree"]).tolist(), [3.5, 0.5], strict=True))
    known = Frequencies(np.array([t for t, _ in counted], np.uint32), np.array([n for _, n in counted]), 7.0)
    assert score(TermSettings(genre=("course", "tree")), "course", frequencies=known) == pytest.approx(1 / sqrt(10))
    terms = TermSettings(genre=("course", "tree", "course tree"))
    # The text "course tree" has each once: (1, 3, 3), as the set.
    assert score(terms, "course tree", frequencies=known) == pytest.approx(1.0)
    # Without the tree (1, 0, 0): 1 / √19.
    assert score(terms, "course", frequencies=known) == pytest.approx(1 / sqrt(19))


# ---- addresses ----


WITH_URL = TermSettings(genre=("syllabus",), url=("syllabus", "hash table"))


@pytest.mark.parametrize(
    ("url", "cosine"),
    [
        ("http://cs.example/syllabus.html", 1 / sqrt(2)),
        ("http://cs.example/syllabus/hash-table", 1.0),
        ("http://cs.example/HashTable?is=Syllabus", 1.0),
        # (2, 1) against (1, 1)
        ("http://syllabus.example/syllabus/hashtable", 3 / sqrt(10)),
        ("http://cs.example/myhashtables", 1 / sqrt(2)),
        ("http://cs.example/mysyllabus", 0.0),  # a single word is a word, not a part of one
        ("http://cs.example/hash/of/table", 1 / sqrt(2)),
        ("http://cs.example/table/hash", 0.0),
        ("http://cs.example/s%79llabus2024", 1 / sqrt(2)),
        ("http://cs.example/S%C3%BDLLABUS", 1 / sqrt(2)),
        ("http://cs.example/", 0.0),
    ],
)
def test_the_address_of_a_whole_page(url: str, cosine: float) -> None:
    assert score(WITH_URL, "syllabus", url) == pytest.approx(0.7 + 0.3 * cosine)
    # Without a word that counts there is no page to speak of.
    assert score(WITH_URL, "the", url) == 0.0


@pytest.mark.parametrize("term", ["history of art", "historyOfArt"])
@pytest.mark.parametrize("end", ["history-of-art", "historyofart", "HistoryArt", "HistoryOfArt"])
def test_terms_with_words_that_say_nothing_in_an_address(term: str, end: str) -> None:
    terms = TermSettings(genre=("painting",), url=(term,), text_weight=0)
    assert score(terms, "painting", f"http://a.example/{end}") == pytest.approx(1.0)


def test_humps_that_are_mere_spelling() -> None:
    terms = TermSettings(genre=("code",), url=("javascript",), text_weight=0)
    assert score(terms, "code", "http://a.example/JavaScript") == pytest.approx(1.0)


def test_only_the_whole_of_a_text_has_an_address() -> None:
    text = Text(["syllabus", "tree"], "http://cs.example/hashtable")
    model = Genre.of(WITH_URL, "english", 0.5)
    # All of it: 0.7 + 0.3 · (1 / √2); a part of it: the genre alone; a part without the term: 0.
    assert model.score(text, spans([(0, 2), (0, 1), (1, 2), (2, 2)])).tolist() == pytest.approx(
        [0.7 + 0.3 / sqrt(2), 1.0, 0.0, 0.0]
    )
    elsewhere = Text(text.words)
    assert model.score(elsewhere, whole(elsewhere)).tolist() == pytest.approx([1.0])


def test_url_terms_that_say_nothing_are_no_url_terms() -> None:
    assert score(TermSettings(genre=("syllabus",), url=("the", "--")), "syllabus", "http://a.example/") == 1.0


# ---- any text, any spans ----

words = st.sampled_from(["the", "of", "bee", "honey", "hive", "tree"])
terms = st.lists(st.lists(words, min_size=1, max_size=4).map(" ".join), max_size=6)


def without_stop_words(text: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in text if word not in {"the", "of"})


def naive(listed: Sequence[str], text: Sequence[str]) -> float:
    tokens = without_stop_words(text)
    known = {term for one in listed if (term := without_stop_words(one.split()))}
    counts = [sum(tokens[i : i + len(term)] == term for i in range(len(tokens))) for term in known]
    length = sqrt(sum(count * count for count in counts) * len(known))
    return sum(counts) / length if length else 0.0


@given(terms, terms, st.lists(words, max_size=40), st.data())
def test_all_spans_at_once_are_each_alone_and_the_plainest_way(
    genre_terms: list[str], content_terms: list[str], text: list[str], data: st.DataObject
) -> None:
    settings = TermSettings(genre=tuple(genre_terms), content=tuple(content_terms))
    sets = [listed for listed in (genre_terms, content_terms) if any(without_stop_words(t.split()) for t in listed)]
    if not sets:
        with pytest.raises(InputError):
            Genre.of(settings, "english", 0.5)
        return
    model = Genre.of(settings, "english", 0.5)
    place = st.integers(0, len(text))
    chosen = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=12))
    asked = np.array(chosen, np.int32).reshape(-1, 2)
    together = model.score(Text(text), asked)
    assert together.shape == (len(asked),)
    alone = [float(model.score(Text(text), span.reshape(1, 2))[0]) for span in asked]
    plain = [np.mean([naive(listed, text[first:last]) for listed in sets]) for first, last in asked.tolist()]
    assert together.tolist() == pytest.approx(alone, abs=1e-12)
    assert alone == pytest.approx(plain, abs=1e-12)
    assert all(0.0 <= value <= 1.0 for value in alone)


# ---- from a topic ----


def topic(**terms: Any) -> Topic:
    return Topic.make(name="x", seeds=["http://a.example/"], keywords="bees", terms=terms)


def test_a_topic_brings_its_terms_and_its_language() -> None:
    material = material_of(topic(genre=["the syllabus"]).with_settings(relevance={"language": "french"}))
    model = genre(material, 0.4)
    assert model.threshold == 0.4
    # In French "the" says something.
    text = Text(["syllabus", "the", "syllabus"])
    assert model.score(text, spans([(0, 1), (1, 3)])).tolist() == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("idf", ["known", "crawl"])
def test_examples_say_which_terms_are_rare(idf: str) -> None:
    given_topic = topic(genre=["syllabus", "trees"])
    examples = [Text(["syllabus", "of", "trees"]), *(Text(["Syllabus"]) for _ in range(9))]
    pages = Text(["syllabus", "trees"])

    def scores(wanted: Topic) -> list[float]:
        model = genre(material_of(wanted, positive=examples), 0.4)
        return list(model.score(pages, spans([(0, 1), (1, 2)])))

    assert scores(given_topic) == pytest.approx([1 / sqrt(2)] * 2)
    common, rare = scores(given_topic.with_settings(relevance={"idf": idf}))
    assert common < 1 / sqrt(2) < rare


@pytest.mark.parametrize(
    ("given_terms", "message"),
    [
        ({}, "no genre or content term"),
        ({"genre": ["the", "of the", "!"], "url": ["syllabus"]}, "no genre or content term"),
        ({"genre": ["a bee"], "content": ["hive"], "genre_weight": 0, "content_weight": 0}, "are both 0"),
        ({"genre": ["bee"], "url": ["bee"], "text_weight": 0, "url_weight": 0}, "are both 0"),
    ],
)
def test_terms_that_cannot_tell_pages_apart_are_refused(given_terms: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        genre(material_of(topic(**given_terms)), 0.4)
    assert refused.value.place.startswith("terms")


def test_it_travels_to_other_processes() -> None:
    model = Genre.of(SYLLABI, "english", 0.5)
    text = Text(["syllabus", "tree"])
    expected = model.score(text, whole(text)).tolist()
    assert pickle.loads(pickle.dumps(model)).score(text, whole(text)).tolist() == expected
