"""How the model that steers does, and unlabelled pages that are taken out of the web."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from honeyguide.errors import InputError
from honeyguide.lab.cases import Split
from honeyguide.lab.comparison import run_comparison
from honeyguide.lab.model_quality import ModelTest, average_precision, is_degenerate
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.report.model_table import model_notes, model_summaries
from honeyguide.relevance.checked import checked_model
from honeyguide.relevance.text import Text

TOPIC = "subject.beekeeping"


def opened(unlabelled: int = 0) -> OpenPlan:
    split = Split(seeds=2, examples=4, pages="10", unlabelled=unlabelled)
    return open_plan(Plan(("demo:300",), "", (TOPIC,), ("best-first",), split))


# ---- average precision ----


def test_average_precision_by_hand() -> None:
    # Ranks: yes, no, yes. Precision at the first 1, at the third 2/3; each has half of the recall: 1/2 + 1/3 = 5/6.
    relevant, scores = np.array([True, False, True]), np.array([0.9, 0.5, 0.1])
    assert average_precision(relevant, scores, np.ones(3)) == pytest.approx(5 / 6)
    # With the negative standing for three: precision 1 at the first, 2/5 at the third.
    assert average_precision(relevant, scores, np.array([1.0, 3.0, 1.0])) == pytest.approx(0.5 + 0.2)
    # All the same score: the share of relevant pages.
    assert average_precision(relevant, np.zeros(3), np.ones(3)) == pytest.approx(2 / 3)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(1, 4)), min_size=1))
def test_average_precision_is_that_of_scikit_learn(rows: list[tuple[bool, float, int]]) -> None:
    relevant, scores, weights = (np.array(column) for column in zip(*[*rows, (True, 0.3, 1)], strict=True))
    expected = average_precision_score(relevant, scores, sample_weight=weights)
    assert average_precision(relevant, scores, weights.astype(float)) == pytest.approx(expected)


# ---- models ----


class Always:
    """A model that says the same of every page."""

    threshold = 0.5

    def __init__(self, score: float) -> None:
        self._score = score

    def score(self, text: Text, spans: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.full(len(np.asarray(spans)), self._score)


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_a_model_that_cannot_tell_is_degenerate(score: float) -> None:
    plan = opened()
    case = plan.case(TOPIC, 0)
    quality = ModelTest(case, plan.fixture).quality(checked_model(Always(score), "always"))
    assert quality is not None
    assert (quality.true_positive_rate, quality.false_positive_rate) == (score, score)
    assert quality.is_degenerate
    relevant, every = len(case.relevant - case.given), len(plan.fixture.graph.urls) - len({*case.given, *case.others})
    assert quality.average_precision == pytest.approx(relevant / every, rel=0.05), "weighted back to the whole web"


def test_pages_that_a_model_has_learnt_from_are_left_out() -> None:
    plan = opened()
    test = ModelTest(plan.case(TOPIC, 0), plan.fixture)
    assert test.quality(checked_model(Always(1.0), "always"), seen=list(plan.fixture.graph.urls)) is None


def test_a_comparison_says_how_its_models_do(tmp_path: Path) -> None:
    split = Split(seeds=2, examples=4, pages="10")
    names = ("breadth-first:svm", "breadth-first:wvc", "oracle")
    found = run_comparison(Plan(("demo:300",), "", (TOPIC,), names, split), None, command="x")
    cells = found.results["cells"]
    assert [cell["model"] for cell in cells] == ["svm", "wvc", "fields"]
    assert cells[0]["model_average_precision"] > 0.5
    assert cells[2]["model_average_precision"] is None, "the oracle has none"
    assert [one.model for one in model_summaries(cells)] == ["svm", "wvc"]
    cells[0] |= {"model_true_positive_rate": 1.0, "model_false_positive_rate": 0.97}
    assert is_degenerate(1.0, 0.97)
    (note,) = model_notes(cells)
    assert note.startswith("the model svm cannot tell relevant pages from others in 1 of 1 cases; there, the results")
    found.write(tmp_path)
    assert "Steering models" in (tmp_path / "report.html").read_text()
    assert model_notes(cells)[0] in found.table()


# ---- unlabelled pages ----


def test_unlabelled_pages_are_taken_out_of_the_web() -> None:
    plan = opened(unlabelled=8)
    case = plan.case(TOPIC, 0)
    assert len(case.unlabelled) == 8
    assert not set(case.unlabelled) & (case.given | case.targets | set(case.others))
    left = plan.fixture.without(case.unlabelled)
    hidden = {left.graph.number[url] for url in case.unlabelled}
    assert not hidden & set(left.graph.indices.tolist()), "nothing links to them"
    assert all(left.graph.indptr[page] == left.graph.indptr[page + 1] for page in hidden), "and they link to nothing"
    assert all(url not in left.web and left.web.response(url) is None for url in case.unlabelled)
    assert len(left.web) == len(plan.fixture.web) - 8 == len(list(left.web.urls()))
    assert left.web.digest != plan.fixture.web.digest
    assert plan.case(TOPIC, 0) == case
    assert set(plan.case(TOPIC, 1).unlabelled) != set(case.unlabelled)


def test_pages_that_cannot_be_reached_come_first() -> None:
    plan = opened(unlabelled=8)
    case, graph = plan.case(TOPIC, 0), plan.fixture.graph
    reached = graph.closure((graph.number[seed] for seed in case.seeds), len(graph.urls))
    beyond = [url for url in graph.urls if graph.number[url] not in reached]
    assert len(set(beyond) & set(case.unlabelled)) == min(len(beyond), 8)


def test_too_many_unlabelled_pages_would_change_the_web() -> None:
    with pytest.raises(InputError, match=r"--unlabelled: only \d+ pages can be set aside.*; write 0"):
        opened(unlabelled=300).case(TOPIC, 0)


def test_models_of_positive_and_unlabelled_pages_learn_from_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def note(material: object) -> Always:
        given.append(material)
        return Always(1.0)

    monkeypatch.setattr("honeyguide.lab.trial.make_model", note)
    for unlabelled in (0, 8):
        split = Split(seeds=2, examples=4, pages="4", unlabelled=unlabelled)
        run_comparison(
            Plan(("demo:300",), "", (TOPIC,), ("best-first:wvc", "best-first:svm"), split), None, command="x"
        )
    counts = [tuple(len(getattr(one, kind)) for kind in ("positive", "negative", "unlabelled")) for one in given]
    assert counts == [(4, 0, 0), (4, 8, 0), (4, 0, 8), (4, 8, 0)]
