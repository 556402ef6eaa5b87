"""The experiments about classifiers and terms, on made-up documents and pages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from benchmarks.papers import weighting_study
from benchmarks.papers.corpora import Corpus
from benchmarks.papers.genre_study import kinds_of, rates
from benchmarks.papers.genre_terms import Dealt
from benchmarks.papers.genre_users import parts, precision, shared
from benchmarks.papers.terms_study import best_of
from benchmarks.papers.trials import Options, Trial, drawn, measured
from benchmarks.papers.weighting_study import BOTH, LABELS, TFC, TFIDF, TFIPNDF, Round, judged, margins_of
from scipy.sparse import csr_array

from honeyguide.relevance.pu.wvc import PEBL, WVC

DRAW = np.random.default_rng(3)
TOPICS = ("bees", "rail")


def corpus(often: float, seldom: float) -> Corpus:
    """Two topics of 60 documents, each with ten words that the other has less often, and twenty that both have."""
    belongs = np.arange(120)[:, None] // 60 == np.arange(2)
    mean = np.where(belongs[:, np.repeat([0, 1], 10)], often, seldom)
    counts = DRAW.poisson(np.hstack([mean, np.full((120, 20), 0.5)])).astype(np.float64)
    matrix = csr_array(counts)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return Corpus("made up", list(TOPICS), matrix, belongs)


CORPUS = corpus(1.2, 0.1)


@pytest.fixture
def trial() -> Trial:
    return drawn(CORPUS, 0, 0)


def test_the_loop_of_the_study_is_that_of_the_models(trial: Trial) -> None:
    for method, weighting, model in (
        (weighting_study.WVC, TFIPNDF, WVC()),
        (weighting_study.WVC, TFIDF, WVC(weighting="tfidf")),
        (weighting_study.PEBL, TFIDF, PEBL()),
    ):
        theirs = model.fit(trial.counts, trial.known).predict(trial.test_counts) == 1
        assert judged(trial, method, weighting, TFC).tolist() == theirs.tolist()
        assert 0 < theirs.sum() < len(theirs)


def test_labels_leak_into_the_test() -> None:
    hard = drawn(corpus(0.6, 0.45), 0, 0)
    right = {
        judging: np.mean(judged(hard, weighting_study.ALL_NEGATIVE, TFIPNDF, judging) == hard.test_truth)
        for judging in (TFC, LABELS)
    }
    assert right[LABELS] > right[TFC]


def test_margins_by_both_hypotheses_and_by_labels() -> None:
    # Two terms of idf 1, each once in the document. As a positive its weights are (.9, .3)/√.9 = (.9487, .3162), as a
    # negative (.4, .3)/.5 = (.8, .6). The margin is the first weight minus the second: .6325 and .2.
    one = Round(lambda rows: rows @ np.array([1.0, -1.0]), np.array([0.9, 0.3]), np.array([0.4, 0.3]))
    document, idf = csr_array([[1.0, 1.0]]), np.ones(2)
    assert margins_of(one, document, idf, BOTH) == pytest.approx([0.8325], abs=1e-4)
    assert margins_of(one, document, idf, LABELS, np.array([True])) == pytest.approx([0.6325], abs=1e-4)
    assert margins_of(one, document, idf, LABELS, np.array([False])) == pytest.approx([0.2], abs=1e-4)
    assert margins_of(one, document, idf, TFC) == pytest.approx([0.0], abs=1e-12)
    assert margins_of(one, csr_array((1, 2)), idf, BOTH) == [-1.0]  # nothing in it: not relevant


def test_trials_are_kept(tmp_path: Path) -> None:
    asked = Options(Path(), Path(), 2, Path(), tmp_path)
    first = measured("x", CORPUS, asked, lambda trial: {"sum": float(trial.known.sum()), "draw": trial.draw})
    assert first["draw"].tolist() == [[0, 1], [0, 1]]

    def fails(_trial: Trial) -> dict[str, float]:
        raise AssertionError("was measured before")

    again = measured("x", CORPUS, asked, fails)
    assert {name: values.tolist() for name, values in again.items()} == {
        name: values.tolist() for name, values in first.items()
    }


def test_the_best_number_of_terms_is_chosen_for_each_topic() -> None:
    cells = [
        {"topic": topic, "repeat": repeat, "fit": f"{number} terms", "F": value}
        for topic, numbers in (("a", {300: 0.9, 500: 0.8, 700: 0.7}), ("b", {300: 0.1, 500: 0.2, 700: 0.6}))
        for number, value in numbers.items()
        for repeat in (0, 1)
    ]
    assert best_of(cells) == {("a", 0): 0.9, ("a", 1): 0.9, ("b", 0): 0.6, ("b", 1): 0.6}


def graph(*rows: list[int]) -> Any:
    starts = np.cumsum([0, *map(len, rows)])
    return SimpleNamespace(
        urls=list(range(len(rows))), indptr=starts, indices=np.array([link for row in rows for link in row])
    )


def test_rates_of_children_and_siblings() -> None:
    # 0 lists 1, 2 and 3; 4 lists 1 and 2. 1 and 2 are relevant. 1 links to itself and to 5, 2 to 1.
    # Children: of 1 {5}, of 2 {1}: one of two. Siblings: of 1 {2, 3}, of 2 {1, 3}: two of four. Of all six: two.
    found = rates(graph([1, 2, 3], [1, 5], [1], [], [1, 2], []), {1, 2})
    assert found == {"children": 0.5, "siblings": 0.5, "all": pytest.approx(1 / 3)}
    # 2 is now on a page of its own, too: 1 beside 3, 2 beside 1 and 3 as before, and nothing else.
    lonely = rates(graph([1, 3], [], [], []), {1, 2})
    assert (lonely["children"], lonely["siblings"]) == (None, 0.0)


def hand(**fields: Any) -> Any:
    return SimpleNamespace(case=SimpleNamespace(targets=frozenset("ab")), **fields)


def test_kinds_of_the_best_pages() -> None:
    found = kinds_of(["a", "c", "d", "e"], hand(), {"a", "c"}, {"d", "c"})
    assert found == {"relevant": 0.25, "only the genre": 0.25, "only the content": 0.25, "neither": 0.25}
    assert precision(["x", "a", "b"], hand()) == 0.5  # two targets: the best two count


def test_users_share_terms_with_the_expert() -> None:
    # Users 1's numbers in tables 9 and 10: 7 of 13 terms are 53.9 %, 8 of 13 are 61.6 %.
    expert = [f"term {number}" for number in range(16)]
    assert shared([*expert[:7], *"abcdef"], expert) == pytest.approx(0.539, abs=1e-3)
    assert shared([], expert) == 0


def test_nobody_has_seen_the_same_pages() -> None:
    pages: Any = tuple(range(30))
    expert, users = parts(Dealt(hand().case, pages, pages, (), ()))
    seen = [set(one.relevant) for one in (expert, *users)]
    assert [len(one) for one in seen] == [15, 5, 5, 5]
    assert set().union(*seen) == set(pages)
