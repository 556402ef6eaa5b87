"""Claims and their verdicts, on made-up values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.papers.claims import Claim, Finding, Verdict, cells, check, equivalent, load, matrix, save, tally

from honeyguide.lab.statistics import Cell

TOPICS = ("birds", "food", "rail", "rome")
CLAIM = Claim("Fig. 1", "one beats two", "one", "two", "harvest_rate")


def values(*of_topics: float) -> dict[Cell, float]:
    return {(topic, 0): value for topic, value in zip(TOPICS, of_topics, strict=False)}


ONE, TWO = values(0.5, 0.6, 0.7, 0.8), values(0.4, 0.4, 0.6, 0.6)


def test_a_difference_is_significant_in_the_papers_direction_or_against_it() -> None:
    # Differences .1 .2 .1 .2: mean .15, deviation .0577, error .0289, t = 5.196 with 3 degrees of freedom: p = .0069.
    # t at 97.5 % is 3.182: the interval is .15 ± .0919.
    found = check(CLAIM, "web", ONE, TWO)
    assert found.verdict is Verdict.YES
    assert found.p == pytest.approx(0.0069, abs=1e-4)
    assert (found.low, found.high) == pytest.approx((0.0581, 0.2419), abs=1e-4)
    assert found.numbers == "0.650 against 0.500: +0.150 [+0.058, +0.242], 4 of 4 topics, p = .007"
    assert check(CLAIM, "web", TWO, ONE).verdict is Verdict.NO


def test_what_may_be_chance_is_not_significant() -> None:
    # Differences .3 -.1 .2 -.1: mean .075, error .103, t = .728: p = .26.
    found = check(CLAIM, "web", values(0.5, 0.3, 0.6, 0.3), values(0.2, 0.4, 0.4, 0.4))
    assert found.verdict is Verdict.OPEN
    assert found.p == pytest.approx(0.26, abs=0.01)


def test_of_minutes_fewer_are_better() -> None:
    claim = Claim("Fig. 1", "one is faster", "one", "two", "virtual_minutes")
    found = check(claim, "web", TWO, ONE)
    assert found.verdict is Verdict.YES
    assert (found.low, found.high) == pytest.approx((-0.2419, -0.0581), abs=1e-4)
    assert check(claim, "web", ONE, TWO).verdict is Verdict.NO


def test_about_the_same_needs_an_interval_inside_the_margin() -> None:
    # Differences .01 -.01 .02 -.02: mean 0, error .0091. Within ±.05: t = 5.48, p = .006; within ±.02: t = 2.19,
    # p = .058.
    near = values(0.41, 0.39, 0.62, 0.58)
    same = Claim("Fig. 1", "one is like two", "one", "two", "harvest_rate", margin=0.05)
    assert check(same, "web", near, TWO).verdict is Verdict.YES
    p, verdict = equivalent(np.array([0.01, -0.01, 0.02, -0.02]), 0.02)
    assert p == pytest.approx(0.058, abs=0.002)
    assert verdict is Verdict.OPEN
    assert check(same, "web", ONE, TWO).verdict is Verdict.NO, "different, and by more than the margin"
    assert check(same, "web", TWO, TWO).verdict is Verdict.YES, "equal on every topic"


def test_a_small_difference_may_be_significant_and_about_the_same() -> None:
    assert equivalent(np.array([0.010, 0.011, 0.009, 0.010]), 0.05)[1] is Verdict.YES


def test_a_bound_is_a_claim_about_one_method() -> None:
    claim = Claim("Table 2", "at least .55", "one", figure="harvest_rate", bound=0.4)
    assert check(claim, "web", ONE).verdict is Verdict.YES  # differences .1 to .4, mean .25, error .065: p = .015
    assert check(claim, "web", values(0.1, 0.2, 0.1, 0.2)).verdict is Verdict.NO


def test_the_same_difference_on_every_topic_has_the_p_of_a_sign_test() -> None:
    found = check(CLAIM, "web", {(str(n), 0): 1.0 for n in range(5)}, {(str(n), 0): 0.0 for n in range(5)})
    assert (found.p, found.verdict) == (1 / 32, Verdict.YES)


def test_repeats_are_averaged_and_unpaired_values_left_out() -> None:
    first = cells(np.array([[0.4, 0.6], [0.8, 0.6]]), ["a", "b"])
    found = check(CLAIM, "web", {**first, ("c", 0): 9.0}, dict.fromkeys(first, 0.5))
    assert found.first == pytest.approx(0.6)
    assert (found.topics, found.ahead) == (2, 1)
    assert check(CLAIM, "web", {}, {}).numbers == "no data"


def findings() -> list[Finding]:
    certain = Claim("Fig. 2", "one is one", "one", "two", "harvest_rate", reason="it is")
    return [
        check(CLAIM, "real", ONE, TWO),
        check(CLAIM, "made", TWO, ONE, generated=True),
        check(certain, "real", ONE, TWO),
    ]


def test_the_matrix_counts_three_verdicts_and_keeps_generated_data_apart() -> None:
    lines = matrix(findings()).splitlines()
    assert lines[0] == "|  | real | made |"
    assert lines[2].startswith("| Fig. 1: one beats two | ✔ as in the paper (0.650 against 0.500")
    assert "✘ **against the paper**" in lines[2]
    assert "by construction" in lines[3]
    assert lines[-2:] == [
        "Recorded data: 1 as in the paper, 0 against the paper, 0 not significant, 1 true by construction.",
        "Generated data: 0 as in the paper, 1 against the paper, 0 not significant.",
    ]
    assert tally([]) == "0 as in the paper, 0 against the paper, 0 not significant"


def test_questions_that_no_paper_asks_are_not_said_to_be_of_a_paper() -> None:
    ours = [replace(finding, place="", reason="") for finding in findings()]
    lines = matrix(ours).splitlines()
    assert lines[2].startswith("| one beats two | ✔ yes (0.650")
    assert lines[-1] == "Generated data: 0 yes, 1 the opposite, 0 not significant."


def test_findings_are_kept_as_json(tmp_path: Path) -> None:
    save(findings(), tmp_path / "x.json")
    assert load(tmp_path / "x.json") == findings()
