"""Terms from examples and from a crawl's pages, counted by hand and in the plainest way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import Text, TokenForm, Tokenizer
from honeyguide.topic.examples import Example
from honeyguide.topic.feedback import best_f1, cross_validate, propose_changes
from honeyguide.topic.generate import Term, TermRanking, TermTable, generate_terms

TOKENIZER = Tokenizer("english", TokenForm.BARE)


def page(text: str) -> Example:
    """A page of blocks with a bar between them."""
    blocks = [block.split() for block in text.split("|")]
    breaks = np.cumsum([0, *map(len, blocks)])[1:-1].astype(np.int32)
    return Example("", Text([word for block in blocks for word in block]), breaks)


def frequent(texts: Iterable[str], most: int = 99, listed: Sequence[tuple[int, ...]] = ()) -> list[Term]:
    return TermTable([page(text) for text in texts], TOKENIZER).most_frequent(most, listed)


def test_counted_by_hand() -> None:
    # "office hours" twice on the first page and once on the second. "hours" is there once more by itself; "office" is
    # not, so it adds nothing. "grading" stands on one page only.
    found = frequent(["Office hours today, grading grading office hours", "office hours | hours"])
    assert found == [("hours", 2, 4), ("office hours", 2, 3)]


def test_up_to_three_words_with_what_says_nothing_between_them() -> None:
    found = frequent(["history of modern art history", "History of Modern Art | history"])
    # history: 4; "history of modern art" twice, and with it all that stands only inside.
    assert found == [("history", 2, 4), ("history of modern art", 2, 2)]


def test_terms_end_where_a_block_ends() -> None:
    assert frequent(["office | hours", "office | hours"]) == [("hours", 2, 2), ("office", 2, 2)]


def test_spelled_as_most_often() -> None:
    texts = ["Élan vital | élan vital | elan vital", "ELAN of vital"]
    # Case and accents are nothing when terms are counted: four times. Written "élan vital" twice.
    assert frequent(texts) == [("élan vital", 2, 4)]


def test_numbers_alone_are_no_terms() -> None:
    assert frequent(["2009 10 fall", "2009 10 fall"]) == [("2009 10 fall", 2, 2)]
    assert frequent(["2009 10 | cs101", "2009 10 | cs101"]) == [("cs101", 2, 2)]


def test_the_order() -> None:
    # "bee" is on three pages. Of those on two, "wax" is said three times; the others twice: the longest first, then by
    # the alphabet.
    written = ["wax | wax | bee | hive | queen cell | elm", "elm | wax | bee | hive | queen cell", "bee"]
    assert [term.text for term in frequent(written)] == ["bee", "wax", "queen cell", "elm", "hive"]


def test_one_page_is_enough_when_there_is_no_other() -> None:
    assert frequent(["honey | honey"]) == [("honey", 1, 2)]
    assert frequent(["honey", "bee"]) == []
    assert frequent([]) == []
    assert frequent(["", "the"]) == []


def test_content_terms_are_what_pages_say_besides_the_genre() -> None:
    genre = [page("course syllabus | office hours"), page("course syllabus | office hours | trees")]
    relevant = [page("office hours | hash table | course syllabus"), page("office hours | hash table course")]
    found = generate_terms(genre, relevant, "english")
    assert [term.text for term in found.genre] == ["course syllabus", "office hours"]
    # "office" and "hours" are on these pages only inside a genre term; "course" is not.
    assert [tuple(term) for term in found.content] == [("hash table", 2, 2), ("course", 2, 2)]
    # Genre terms that are known from elsewhere count like those that were found.
    alone = generate_terms([], relevant, "english", known=["office hours", "course syllabus"])
    assert (alone.genre, alone.content) == ([], found.content)


def test_the_longest_lists() -> None:
    pages = [page("a1 | b1 | c1"), page("a1 | b1 | c1")]
    found = generate_terms(pages, pages, "english", most_genre=1, most_content=1)
    assert ([term.text for term in found.genre], [term.text for term in found.content]) == (["a1"], ["b1"])


words = st.sampled_from(["the", "of", "bee", "honey", "hive", "7"])
texts = st.lists(st.lists(words, max_size=12).map(" ".join), max_size=4)


@given(texts, st.integers(0, 30))
def test_the_same_as_the_plainest_way(written: list[str], most: int) -> None:
    times: Counter[tuple[str, ...]] = Counter()
    pages: Counter[tuple[str, ...]] = Counter()
    for text in written:
        tokens = [word for word in text.split() if word not in {"the", "of"}]
        grams = [tuple(tokens[i : i + n]) for n in (1, 2, 3) for i in range(len(tokens) - n + 1)]
        times.update(grams)
        pages.update(set(grams))
    found = frequent(written, most)
    assert len(found) <= most
    ranks = [(term.pages, term.times) for term in found]
    assert ranks == sorted(ranks, reverse=True)
    listed = {without_stop_words(term): term for term in found}
    assert len(listed) == len(found)
    for gram, term in listed.items():
        assert (term.times, term.pages) == (times[gram], pages[gram])
    for gram in times:  # whatever is missing has a reason
        covered = any(within(gram, other) and times[other] == times[gram] for other in listed)
        rare = pages[gram] < min(2, len(written))
        assert gram in listed or covered or rare or set(gram) == {"7"} or (
            len(found) == most and (not found or (pages[gram], times[gram]) <= ranks[-1])
        )  # fmt: skip
        assert not (gram in listed and (covered or rare or set(gram) == {"7"}))


def without_stop_words(term: Term) -> tuple[str, ...]:
    return tuple(word for word in term.text.split() if word not in {"the", "of"})


def within(part: tuple[str, ...], gram: tuple[str, ...]) -> bool:
    size = len(part)
    return size < len(gram) and any(gram[i : i + size] == part for i in range(len(gram) - size + 1))


@given(texts)
def test_the_order_of_pages_changes_nothing(written: list[str]) -> None:
    assert frequent(written) == frequent(reversed(written))


# ---- feedback ----


def test_changes_from_the_best_pages() -> None:
    terms = TermSettings(genre=("syllabus", "office hours", "the"), content=("trees", "Hash Table"))
    best = [page("syllabus grading | hash table | queue"), page("syllabus | grading hash table | queue")]
    others = [page("syllabus grading | painting"), page("queue painting"), page("grading | syllabus painting")]
    genre, content = propose_changes(terms, best, others, "english")
    # "syllabus" is on the best pages, "office hours" is not, and "the" says nothing. "grading" is on both pages that
    # the genre terms fit and that are about other things, "queue" is on neither.
    assert (genre.kept, genre.drop) == (["syllabus"], ["office hours", "the"])
    assert [tuple(term) for term in genre.add] == [("grading", 2, 2)]
    assert genre.terms == ("syllabus", "grading")
    assert (content.kept, content.drop) == (["Hash Table"], ["trees"])
    assert content.terms == ("Hash Table", "queue")


def test_without_genre_terms_all_that_is_new_is_content() -> None:
    right, others = [page("syllabus | queue"), page("syllabus | queue")], [page("painting"), page("music")]
    genre, content = propose_changes(TermSettings(content=("queue",)), right, others, "english")
    assert (genre.differ, content.terms) == (False, ("queue", "syllabus"))


def test_lists_that_are_full_keep_what_tells_as_much() -> None:
    terms = TermSettings(genre=("syllabus",), content=("queue",))
    pages = [page("syllabus | queue | grading | tree"), page("syllabus | queue | tree | grading")]
    others = [page("syllabus grading"), page("painting")]
    genre, content = propose_changes(terms, pages, others, "english", most_genre=1, most_content=2)
    assert (genre.terms, content.terms) == (("syllabus",), ("queue", "tree"))
    assert not genre.differ


def test_a_term_that_tells_nothing_is_replaced() -> None:
    """ "home" is on every page; "queue" on half of the right ones and no other, "tree" on all of them."""
    terms = TermSettings(content=("home", "queue"))
    right, others = [page("home | queue | tree"), page("home | tree")], [page("home | art"), page("home | music")]
    _, content = propose_changes(terms, right, others, "english", most_content=1)
    assert (content.drop, content.terms) == (["home", "queue"], ("tree",))


def test_a_term_stays_in_the_list_of_the_user() -> None:
    """By its pages "queue" would be a content term: the user says that it is one of the genre."""
    terms = TermSettings(genre=("syllabus", "queue"))
    right = [page("syllabus | queue"), page("syllabus | queue")]
    others = [page("syllabus | art"), page("syllabus | music"), page("shop"), page("news")]
    genre, content = propose_changes(terms, right, others, "english")
    assert genre.terms == ("syllabus", "queue")
    assert "queue" not in content.terms


# ---- whether changes help ----


@pytest.mark.parametrize(
    ("scores", "truth", "f1", "threshold"),
    [
        ([0.9, 0.5, 0.1], [True, True, False], 1.0, 0.5),
        ([0.9, 0.5, 0.1], [True, False, True], 0.8, 0.1),  # all three: precision 2/3, recall 1
        ([0.5, 0.5, 0.1], [False, True, False], 2 / 3, 0.5),  # equal scores are accepted together
        ([0.0, 0.0], [True, False], 0.0, 0.0),
        ([0.9, 0.0], [False, True], 0.0, 0.9),
    ],
)
def test_the_best_f1(scores: list[float], truth: list[bool], f1: float, threshold: float) -> None:
    assert best_f1(np.array(scores), np.array(truth)) == pytest.approx((f1, threshold))


def test_changes_are_tried_on_pages_that_they_were_not_made_from() -> None:
    """Each right page has "tree" and a word of its own; the present term is on none of them."""
    right = [page(f"tree | own{number}") for number in range(5)]
    others = [page(f"art | other{number}") for number in range(5)]
    found = cross_validate(TermSettings(content=("zebra",)), right, others, "english")
    assert found is not None
    assert (found.present, found.changed, found.helps) == (0.0, 1.0, True)
    # With nothing in common between the right pages, what is on some says nothing about the others.
    alone = [page(f"own{number} own{number}") for number in range(5)]
    found = cross_validate(TermSettings(content=("own0",)), alone, others, "english")
    assert found is not None
    assert found.present == pytest.approx(1 / 3)  # one of five: 2 · 1 / (1 + 5)
    assert (found.changed, found.helps) == (0.0, False)
    assert cross_validate(TermSettings(), right[:4], others, "english") is None


# ---- contrast, and the paper's own way ----


def test_terms_that_tell_pages_from_others() -> None:
    genre = [page("home | syllabus | grading"), page("home | syllabus")]
    relevant = [page("home | syllabus | queue | grading"), page("home | syllabus | queue")]
    against = [page("home | news"), page("home | shop")]
    found = generate_terms(genre, relevant, "english", against=against)
    # "home" is on all pages. "grading" is on one page of the genre only. "queue" is on no page of the genre.
    assert [term.text for term in found.genre] == ["syllabus"]
    assert [term.text for term in found.content] == ["queue"]
    alone = generate_terms([], relevant, "english", against=against)  # no pages of the genre: from all others
    assert [term.text for term in alone.content] == ["queue", "syllabus"]


def test_algorithm_2_literally() -> None:
    """By occurrences: on one page, inside longer ones, across blocks, and numbers, too."""
    genre = [page("exam exam exam 2009 | 2009")]
    found = generate_terms(genre, [page("exam queue queue | queue")], "english", most_genre=3, method=TermRanking.PAPER)
    # exam 3 times; of all that is twice, "exam exam" and "2009", the longer one comes first.
    assert found.genre == [("exam", 1, 3), ("exam exam", 1, 2), ("2009", 1, 2)]
    # queue 3, "queue queue" 2 (also across the blocks), then once each, the longest first, by the alphabet.
    assert [tuple(term) for term in found.content[:3]] == [
        ("queue", 1, 3),
        ("queue queue", 1, 2),
        ("exam queue queue", 1, 1),
    ]
    assert "exam" not in [term.text for term in found.content]
