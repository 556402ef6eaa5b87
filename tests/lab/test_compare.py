"""Whole comparisons on the demo web: the same however they are run, and right about what they found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import honeyguide
from honeyguide.demo.web import DemoWeb
from honeyguide.errors import InputError
from honeyguide.lab.cases import Split
from honeyguide.lab.comparison import run_comparison
from honeyguide.lab.metrics import sites_of
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.lab.results import ComparisonResult

WEB = DemoWeb(pages=300)
ONE, OTHER = WEB.subjects[:2]


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labels") / "labels.tsv"
    rows = [f"{url}\tsubject.{subject}\n" for subject in WEB.subjects for url in WEB.relevant_urls(subject)]
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
        yield


def plan(path: Path, /, **changed: Any) -> Plan:
    split = Split(seeds=2, examples=4, pages="x2", seed=5)
    strategies = ("breadth-first", "best-first", "oracle")
    given = Plan(("demo:300",), str(path), (f"subject.{ONE}",), strategies, split, 2, "svm")
    return replace(given, **changed)


def without_seconds(results: dict[str, Any]) -> dict[str, Any]:
    return {**results, "cells": [{**cell, "seconds": None} for cell in results["cells"]]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a comparison has left behind. Not to be changed."""
    return tmp_path_factory.mktemp("comparison")


@pytest.fixture(scope="module")
def one(labels: Path, folder: Path) -> ComparisonResult:
    """That comparison, by one process."""
    return run_comparison(plan(labels), folder, command="honeyguide compare ...")


def test_any_number_of_jobs_gives_the_same(labels: Path, tmp_path: Path, one: ComparisonResult) -> None:
    two = run_comparison(plan(labels), tmp_path, command="honeyguide compare ...", jobs=2)
    assert without_seconds(one.results) == without_seconds(two.results)
    assert (one.orders, one.hops) == (two.orders, two.hops)
    json.dumps(one.results, allow_nan=False)


def test_a_finished_trial_is_never_run_again(labels: Path, tmp_path: Path, folder: Path, one: ComparisonResult) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    cells = sorted((tmp_path / "cells").iterdir())
    assert len(cells) == 6
    lost = cells[0]
    lost.unlink()
    before = {path: path.stat().st_mtime_ns for path in cells[1:]}
    told: list[tuple[str, int, int]] = []
    again = run_comparison(
        plan(labels), tmp_path, command="honeyguide compare ...", progress=lambda *what: told.append(what)
    )
    assert {path: path.stat().st_mtime_ns for path in cells[1:]} == before
    assert lost.exists()
    assert [step for step in told if step[0] == "trials"] == [("trials", 5, 6), ("trials", 6, 6)]
    assert without_seconds(again.results) == without_seconds(one.results)
    # Another budget, or another seed, is another trial.
    run_comparison(plan(labels, split=Split(seeds=2, examples=4, pages="x3", seed=6)), tmp_path, command="x")
    assert len(list((tmp_path / "cells").iterdir())) == 12


def test_what_the_cells_say(folder: Path, one: ComparisonResult) -> None:
    results = one.results
    assert [(cell["repeat"], cell["strategy"]) for cell in results["cells"]] == [
        (repeat, strategy) for repeat in (0, 1) for strategy in ("breadth-first", "best-first", "oracle")
    ]
    relevant = set(WEB.relevant_urls(ONE))
    for cell, order, hops in zip(results["cells"], one.orders, one.hops, strict=True):
        assert cell["pages"] <= len(order) <= cell["pages"] + 6
        assert cell["pages"] <= cell["budget"] == 2 * len(relevant)
        assert cell["relevant"] <= cell["pages"]
        assert (len(hops), sum(hops)) == (cell["relevant"], cell["target_length"])
        assert 0 <= cell["auc_recall"] <= cell["oracle_auc_recall"] <= 1
        assert cell["share_of_oracle"] == pytest.approx(cell["auc_recall"] / cell["oracle_auc_recall"])
        assert 1 < cell["sites"] <= len(set(sites_of(relevant)))
        assert cell["curve"][-1][3] == pytest.approx(cell["site_recall"], abs=1e-6)
        assert cell["curve"][-1][:2] == [cell["pages"], pytest.approx(cell["harvest_rate"], abs=1e-6)]
        sizes = [len(part) for part in np.array_split(range(cell["targets"]), 3)]
        thirds = [cell[f"recall_{name}_linked"] for name in ("least", "medium", "most")]
        assert np.dot(sizes, thirds) == pytest.approx(cell["targets_found"])
        if cell["strategy"] == "oracle":
            assert cell["share_of_oracle"] == 1.0
    assert results["summary"]["oracle"]["share_of_oracle"]["mean"] == 1.0
    assert results["settings"]["command"] == "honeyguide compare ..."
    assert all("oracle" not in (test["better"], test["worse"]) for test in results["tests"])
    # What one strategy alone found is what it found in any repeat, without what the other found in any.
    of: dict[str, set[str]] = {}
    for path in (folder / "cells").iterdir():
        kept = json.loads(path.read_text())
        assert kept["cell"]["sites_found"] == len(set(sites_of(kept["found"])))
        of.setdefault(kept["cell"]["strategy"], set()).update(kept["found"])
    for name, other in (("breadth-first", "best-first"), ("best-first", "breadth-first")):
        assert results["only"][name][f"subject.{ONE}"] == sorted(of[name] - of[other])[:20]
    assert of["best-first"] != of["breadth-first"]


def test_all_is_written(labels: Path, tmp_path: Path) -> None:
    found = run_comparison(plan(labels, repeats=1), tmp_path, command="x")
    found.write(tmp_path, orders=True)
    assert json.loads((tmp_path / "results.json").read_text()) == found.results
    assert {"results.csv", "curves.svg", "report.html"} <= {path.name for path in tmp_path.iterdir()}
    orders = sorted((tmp_path / "orders").iterdir())
    assert [path.read_text().split() for path in orders] == [
        order for _, order in sorted(zip(["breadth-first", "best-first", "oracle"], found.orders, strict=True))
    ]
    assert "best-first" in found.table()


def test_from_python_and_without_labels_since_the_demo_web_knows() -> None:
    found = honeyguide.compare(
        web="demo:300",
        topics=f"subject.{ONE}",
        strategies=["best-first:vsm"],
        pages=20,
        seeds=2,
        examples=3,
    )
    (cell,) = found.results["cells"]
    assert cell["pages"] == 20
    assert cell["strategy"] == "best-first:vsm"
    assert cell["targets"] == len(list(WEB.relevant_urls(ONE))) - 2 - 3


@pytest.mark.parametrize("judge", ["closure:1", "svm", "vsm:0.3"])  # svm steers, too, and was trained apart
def test_other_judges(labels: Path, tmp_path: Path, judge: str) -> None:
    found = run_comparison(plan(labels, judge=judge, strategies=("best-first",), repeats=1), tmp_path, command="x")
    (cell,) = found.results["cells"]
    assert cell["targets"] > 0
    has_scores = judge != "closure:1"
    assert (cell["average_similarity"] is not None) is has_scores
    assert (cell["average_error"] is not None) is has_scores


def test_a_closure_has_fewer_targets(labels: Path, tmp_path: Path) -> None:
    near, all_ = (
        run_comparison(plan(labels, judge=judge, strategies=("oracle",), repeats=1), tmp_path, command="x")
        for judge in ("closure:1", "labels")
    )
    assert 0 < near.results["cells"][0]["targets"] < all_.results["cells"][0]["targets"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"topics": ("subject.nothing",)}, r"labels.tsv: no page has the label subject\.nothing; use one of"),
        ({"strategies": ("best",)}, "no strategy 'best'"),
        ({"strategies": ("best-first:magic",)}, "no model 'magic'"),
        ({"model": "magic"}, "no model 'magic'"),
        ({"judge": "nobody"}, "there is no judge 'nobody'"),
        ({"judge": "vsm", "strategies": ("best-first:vsm",)}, "the model vsm would judge"),
        ({"split": Split(seeds=500)}, r"the topic has \d+ pages, too few for 500 seeds and a target"),
        ({"split": Split(seed_urls=("http://gone.example/",))}, "http://gone.example/ is not in the web"),
        ({"split": Split(seeds=2, pages="none")}, "none is not a budget"),
        ({"webs": ("nowhere.warc.gz",)}, "nowhere.warc.gz"),
        ({"labels": "nowhere.tsv"}, "there is no file nowhere.tsv"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_run(
    labels: Path, tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        open_plan(plan(labels, **changed))


# ---- topic files ----


def topic_file(folder: Path, *seeds: str) -> Path:
    path = folder / "mine.toml"
    keywords = ", ".join(WEB.keywords(ONE))
    path.write_text(f'seeds = {json.dumps(list(seeds))}\nkeywords = "{keywords}"\n', encoding="utf-8")
    return path


def test_a_topic_file_is_judged_by_a_model(labels: Path, tmp_path: Path) -> None:
    seeds = WEB.seeds(ONE, 2)
    path = topic_file(tmp_path, *seeds)
    found = run_comparison(
        plan(labels, labels="", topics=(str(path),), judge="vsm:0.2", strategies=("best-first", "oracle"), repeats=1),
        tmp_path / "out",
        command="x",
    )
    first, _ = found.results["cells"]
    assert first["topic"] == "mine"
    assert found.orders[0][: len(seeds)] == list(seeds)
    assert first["pages"] <= len(found.orders[0]) - len(seeds), "what a crawl was given, it did not choose"
    relevant = set(WEB.relevant_urls(ONE))
    assert first["targets"] > len(relevant) / 2
    assert first["average_similarity"] > 0


@pytest.mark.parametrize(
    ("judge", "seed", "message"),
    [
        ("labels", "http://a.example/", "labels cannot judge a topic file; name a model"),
        ("vsm:0.2", "http://a.example/", "http://a.example/ is not in the web"),
        ("svm", "http://a.example/", "the model svm would judge the crawls that it steers"),  # by the same examples
    ],
)
def test_what_a_topic_file_needs(labels: Path, tmp_path: Path, judge: str, seed: str, message: str) -> None:
    path = topic_file(tmp_path, seed)
    with pytest.raises(InputError, match=message):
        run_comparison(plan(labels, topics=(str(path),), judge=judge), tmp_path / "out", command="x")


def test_a_label_needs_labels(labels: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>honey")
    with pytest.raises(InputError, match=f"--labels: nothing says which pages are about subject.{ONE}"):
        open_plan(plan(labels, labels="", webs=(f"{tmp_path}=http://a.example/",)))
