"""What guide learns about words during a crawl: cases worked by hand, and what survives the end of a run."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest

from honeyguide.frontier import UNKNOWN
from honeyguide.relevance.text import Tokenizer
from honeyguide.strategy.guide import learnt_words
from honeyguide.strategy.guide.evidence import evidence_table
from honeyguide.strategy.guide.features import FEATURES
from honeyguide.strategy.guide.learnt_words import UNIT, LearntWords, word_weights
from honeyguide.strategy.guide.page_rows import PageRows
from honeyguide.strategy.guide.texts import TEXT_FEATURES
from honeyguide.strategy.guide.url_rows import URL
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_words import ANCHOR_WORDS, LINK_WORDS, page_words, word_numbers

ENGLISH = Tokenizer("english")
GOOD, BAD = "honey bee comb", "wax candle wick"
NOTHING = np.zeros(len(FEATURES))


def words(text: str) -> bytes:
    return page_words(ENGLISH(text.split()))


def counted(words: dict[int, int]) -> bytes:
    """A page with these numbers of words, and their counts."""
    return np.array(list(words.items()), np.uint32).tobytes()


def number(word: str) -> int:
    return int(word_numbers(ENGLISH([word]))[0])


def links(*anchors: str) -> LinkTable:
    """Links with the given anchors, and nothing beside them."""
    rows = np.zeros((len(anchors), LINK_WORDS), np.uint32)
    for row, anchor in zip(rows, anchors, strict=True):
        own = word_numbers(ENGLISH(anchor.split()))[:ANCHOR_WORDS]
        row[: len(own)] = own
    texts = np.zeros((len(anchors), len(TEXT_FEATURES)), np.float32)
    return evidence_table([f"http://a.example/{place}" for place in range(len(anchors))], texts, words=rows)


class Taught(LearntWords):
    """Learns from pages that are numbered from 1, with their outcomes beside them."""

    def __init__(self, pages: PageRows | None = None) -> None:
        self.rows = pages or PageRows()
        super().__init__(self.rows)

    def read(self, text: str, outcome: float) -> None:
        self.learn(self.rows.add(NOTHING, NOTHING, outcome), words(text))


def taught(pages: int, links_known: int = 2) -> Taught:
    """After this many pages, in turns about honey and about wax, which link to honey and to wax."""
    learnt = Taught()
    for page in range(1, pages + 1):
        if page <= links_known:
            learnt.store(np.array([page]), links(GOOD if page % 2 else BAD)["words"])
        learnt.read(f"{GOOD if page % 2 else BAD} own{page}", page % 2)
    return learnt


def row_of(learnt: LearntWords, *linked: str) -> Any:
    """The row of URL 7 after pages have linked to it with these anchors."""
    rows = np.zeros(1, URL)
    for place, anchor in enumerate(linked):
        learnt.add(rows, np.array([7 if place else UNKNOWN]), links(anchor))
        if not place:
            learnt.store(np.array([7]), links(anchor)["words"])
    learnt.refresh(rows, np.array([7]))
    return rows[0]


def test_the_weight_of_a_word() -> None:
    # Two pages: "honey honey bee" is relevant, "bee wax" is not. "bee" is on all pages, so its idf is 0; the others
    # have log 2. Only one word of each page counts, so its share of the page is 1.
    pages = [counted({3: 2, 5: 1}), counted({5: 1, 9: 1})]
    weights = word_weights(pages, np.array([1.0, 0.0]))
    assert weights[[3, 5, 9]] == pytest.approx([log(2), 0.0, -log(2)])
    assert np.count_nonzero(weights) == 2


def test_frequent_words_of_a_page_count_more() -> None:
    # "honey" three times, "bee" once, on one of two pages: v is log 4 and log 2, over √(log² 4 + log² 2), each · log 2.
    pages = [counted({3: 3, 5: 1}), counted({9: 1})]
    weights = word_weights(pages, np.array([1.0, 0.0]))
    assert weights[[3, 5]] == pytest.approx([log(2) * 2 / 5**0.5, log(2) * 1 / 5**0.5])


def test_pages_count_for_both_kinds_by_their_outcomes() -> None:
    # Outcomes .75 and .25: each kind has one page in total, and w of "honey" is idf v (.75 - .25), half of what it is
    # with outcomes 1 and 0.
    pages = [counted({3: 1}), counted({9: 1})]
    assert word_weights(pages, np.array([1.0, 0.0]))[[3, 9]] == pytest.approx([log(2), -log(2)])
    assert word_weights(pages, np.array([0.75, 0.25]))[[3, 9]] == pytest.approx([log(2) / 2, -log(2) / 2])


def test_scores_are_zero_until_there_are_pages_of_both_kinds() -> None:
    assert not taught(7).scores(links(GOOD)).any()
    one_kind = Taught()
    for _ in range(30):
        one_kind.read(GOOD, 1.0)
    assert not one_kind.scores(links(GOOD)).any()


def test_scores_are_numbers_even_if_no_link_had_words_before() -> None:
    scores = taught(20, links_known=0).scores(links(GOOD, BAD, "nothing known"))
    assert np.isfinite(scores).all()
    assert scores[0, 0] > scores[2, 0] == 0.0 > scores[1, 0]


def test_links_with_the_words_of_relevant_pages_have_higher_scores() -> None:
    (good, near_good), (bad, near_bad), (other, _) = taught(20).scores(links(GOOD, BAD, "nothing known")).tolist()
    assert good > other > bad
    assert near_good > near_bad
    # Ten pages of each kind: scores count 10 / (10 + 5). The links known are one of each kind, at one deviation.
    assert (good, bad) == pytest.approx((UNIT * 2 / 3, -UNIT * 2 / 3))


def test_few_pages_of_a_kind_count_less() -> None:
    ratio = taught(10).scores(links(GOOD))[0, 0] / taught(200).scores(links(GOOD))[0, 0]
    assert ratio == pytest.approx((5 / 10) / (99 / 104), rel=0.1)  # at the latest of its fits, of some 200 pages


def test_the_scores_of_a_url_are_means_over_its_links() -> None:
    learnt = taught(20)
    good, bad = learnt.scores(links(GOOD, BAD))[:, 0].tolist()
    assert row_of(learnt, GOOD)["words"][0] == pytest.approx(good, abs=1e-3)
    assert row_of(learnt, GOOD, BAD)["words"][0] == pytest.approx((good + bad) / 2, abs=1e-3)
    assert row_of(learnt, BAD, GOOD, GOOD)["words"][0] == pytest.approx((2 * good + bad) / 3, abs=1e-3)
    assert row_of(learnt, BAD, GOOD, GOOD)["word_links"] == 3


def test_a_link_found_before_anything_was_learnt_is_scored_by_what_is_learnt_later() -> None:
    learnt, rows = Taught(), np.zeros(1, URL)
    learnt.add(rows, np.array([UNKNOWN]), links(GOOD))
    learnt.store(np.array([1]), links(GOOD)["words"])
    learnt.store(np.array([2]), links(BAD)["words"])
    for page in range(1, 21):
        learnt.read(GOOD if page % 2 else BAD, page % 2)
    assert not rows["words"].any()
    learnt.refresh(rows, np.array([1]))
    assert rows["words"][0, 0] > 0.1


def test_a_page_that_is_judged_again_changes_the_weights() -> None:
    learnt = taught(20)
    for page in range(1, 21):
        learnt.rows.correct(page, outcome=-1.0 if page % 2 else 1.0)
    before = learnt.scores(links(GOOD, BAD)).tobytes()
    learnt.refit()
    assert learnt.scores(links(GOOD, BAD)).tobytes() == before  # it has not been told
    learnt.correct()
    learnt.refit()
    assert learnt.scores(links(GOOD))[0, 0] < 0 < learnt.scores(links(BAD))[0, 0]


@pytest.mark.parametrize("pages", [0, 5, 20, 27])
def test_a_crawl_that_was_stopped_goes_on_with_the_same_scores(pages: int) -> None:
    learnt, stored = taught(pages), PageRows()
    stored.restore(dict(learnt.rows.dirty_state()), learnt.rows.count)
    again = Taught(stored)
    again.restore(dict(learnt.dirty_state()))
    for page in range(pages + 1, 40):
        for one in (learnt, again):
            one.read(f"{GOOD if page % 3 else BAD} more{page}", (page % 3) / 2)
            rows = np.zeros(2, URL)
            one.refresh(rows, np.array([1, 2]))
        assert learnt.scores(links(GOOD, BAD)).tobytes() == again.scores(links(GOOD, BAD)).tobytes()
        assert row_of(learnt, GOOD, BAD).tobytes() == row_of(again, GOOD, BAD).tobytes()


def test_only_what_changed_is_saved() -> None:
    learnt = taught(20)
    assert sum(name.startswith("page words/") for name, _ in learnt.dirty_state()) == 20
    assert [name for name, _ in learnt.dirty_state()] == ["word fit"]
    learnt.read(GOOD, 1.0)
    assert [name for name, _ in learnt.dirty_state()] == ["page words/21", "word fit"]


def test_after_many_pages_nothing_more_is_learnt_or_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learnt_words, "MOST_PAGES", 20)
    learnt = taught(20)
    before = learnt.scores(links(GOOD, BAD)).tobytes()
    list(learnt.dirty_state())
    for _ in range(40):
        learnt.read(BAD, 1.0)
    learnt.store(np.array([50]), links(GOOD)["words"])
    assert learnt.scores(links(GOOD, BAD)).tobytes() == before
    assert [name for name, _ in learnt.dirty_state()] == ["word fit"]
    rows = np.zeros(1, URL)
    for anchor in (GOOD, BAD):
        learnt.add(rows, np.array([50]), links(anchor))
    assert rows["words"][0] == pytest.approx(learnt.scores(links(GOOD, BAD)).mean(axis=0), abs=1e-3)


def test_other_machines_get_scores_in_place_of_words() -> None:
    learnt = taught(20)
    table = links(GOOD, BAD)
    passed = learnt.passed(table)
    assert passed.urls == table.urls
    assert "words" not in passed.columns
    assert (
        sum(column[0].nbytes for column in passed.columns.values())
        <= sum(column[0].nbytes for name, column in table.columns.items() if name != "words") + 2
    )
    other, rows = Taught(), np.zeros(2, URL)
    other.add(rows, np.array([UNKNOWN, UNKNOWN]), passed)
    assert rows["words"] == pytest.approx(learnt.scores(table), abs=UNIT / 16)
    assert learnt.passed(passed) is passed


def test_a_redirect_takes_the_words_of_its_source_along() -> None:
    learnt = taught(20)
    learnt.copy(1, 90)
    rows = np.zeros(1, URL)
    learnt.refresh(rows, np.array([90]))
    assert rows["words"][0] == pytest.approx(learnt.scores(links(GOOD))[0], abs=1e-3)
