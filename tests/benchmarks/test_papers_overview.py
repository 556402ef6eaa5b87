"""The table of all papers, and the command that repeats all experiments."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.papers import __main__ as command
from benchmarks.papers.claims import Claim, check, save
from benchmarks.papers.overview import PAPERS, overview

from honeyguide.lab.statistics import Cell


def values(*of_topics: float) -> dict[Cell, float]:
    return {(f"topic {number}", 0): value for number, value in enumerate(of_topics)}


def test_one_row_per_claim_with_verdicts_of_recorded_and_generated_data_apart(tmp_path: Path) -> None:
    claim = Claim("Fig. 3", "OTIE finds more than OPIC", "otie", "opic", "target_recall")
    high, low = values(0.5, 0.6, 0.7), values(0.1, 0.3, 0.2)
    findings = [check(claim, "wiki", high, low), check(claim, "demo", low, high, generated=True)]
    certain = Claim("Eq. 1", "it is so", "otie", "opic", "target_recall", reason="by the formula")
    save([*findings, check(certain, "wiki", high, low)], tmp_path / "cash-crawl.json")
    lines = overview(tmp_path).splitlines()
    assert "## 001: On-line topical importance estimation (OTIE)" in lines
    assert not any(line.startswith("## 000") for line in lines), "a report that is not there is left out"
    (row,) = (line for line in lines if "OTIE finds more" in line)
    assert row.startswith("| Fig. 3 | OTIE finds more than OPIC | ✔ wiki: 0.600 against 0.200: +0.400 [")
    assert row.endswith("| 1 ✔; 1 ✘ (generated) | [cash-crawl](../results/papers/cash-crawl.md) |")
    (row,) = (line for line in lines if "it is so" in line)
    assert "(by the formula)" in row
    assert "| true by construction |" in row


def test_every_experiment_is_of_a_paper() -> None:
    reports = {report for paper in PAPERS.values() for report in paper.reports}
    assert {name.replace("_", "-") for name in (*command.ON_WEBS, *command.ON_CORPORA)} <= reports


def test_an_experiment_is_run_again_only_if_something_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/runs\ncase "$*" in *bad*) exit 3;; esac\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    assert command.run("weighting", ["--draws", "1"], tmp_path) == ("0 minutes", False)
    assert command.run("weighting", ["--draws", "1"], tmp_path) == ("nothing has changed", False)
    assert command.run("weighting", ["--draws", "2"], tmp_path) == ("0 minutes", False)
    said, is_failed = command.run("weighting", ["--draws", "bad"], tmp_path)
    assert is_failed
    assert "weighting.log" in said
    assert len((tmp_path / "runs").read_text().splitlines()) == 3


def test_data_that_are_not_there_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["papers", "--webs", str(tmp_path / "none"), "--corpora", str(tmp_path)])
    assert command.main() == 2
    assert "no such folder; name the folders of the data" in capsys.readouterr().err
