from __future__ import annotations

import csv
import importlib.util
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from honeyguide.errors import InputError
from honeyguide.lab.report import plot, table, to_frame, write_report

from .conftest import MakeResults, Results

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def results(make_results: MakeResults) -> Results:
    return make_results(["guide", "otie"], ["bees", "tea"], 2, budgets=(100, 120))


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)


# ---- results.csv ----


def test_a_row_a_cell_with_its_single_figures(results: Results, tmp_path: Path) -> None:
    results["cells"][0]["bytes_per_relevant"] = None
    results["cells"][1]["topic"] = 'tea, "green"\n=1+1'
    write_report(results, tmp_path)
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(results["cells"]) == 12
    assert "curve" not in rows[0]
    assert rows[0]["bytes_per_relevant"] == ""
    for row, cell in zip(rows, results["cells"], strict=True):
        assert (row["topic"], row["strategy"], row["order_digest"]) == (cell["topic"], cell["strategy"], "d1")
        assert float(row["auc_recall"]) == cell["auc_recall"]
        assert set(row) == set(cell) - {"curve"}


# ---- curves ----


def test_the_svg_is_well_formed_and_stands_alone(results: Results, tmp_path: Path) -> None:
    write_report(results, tmp_path)
    root = ET.parse(tmp_path / "curves.svg").getroot()
    assert root.tag == f"{SVG}svg"
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"Target recall", "Harvest rate", "share of the page budget", "guide", "otie", "oracle"} <= set(texts)
    assert len(list(root.iter(f"{SVG}polyline"))) == len(list(root.iter(f"{SVG}polygon"))) == 6
    assert not re.search(r"href|url\(|<style|<script|class=", (tmp_path / "curves.svg").read_text(encoding="utf-8"))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for shape in root.iter(f"{SVG}polyline"):
        points = [tuple(map(float, point.split(","))) for point in shape.attrib["points"].split()]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points)


def test_pictures_survive_any_name(make_results: MakeResults, tmp_path: Path) -> None:
    names = ["$\\frac{$", "_hidden", "<b>&\x00\x1b\udc80\uffff", "蜜", "long " * 20]
    write_report(make_results(names, ["t"], 1, oracle=False), tmp_path)
    texts = [text.text for text in ET.parse(tmp_path / "curves.svg").iter(f"{SVG}text")]
    assert "$\\frac{$" in texts
    assert "<b>&\ufffd\ufffd\ufffd\ufffd" in texts
    assert max(len(text or "") for text in texts) == 40
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("count", [0, 1, 30])
def test_pictures_of_all_sizes(make_results: MakeResults, tmp_path: Path, count: int) -> None:
    made = make_results([f"s{number}" for number in range(count)], ["t"] * min(count, 1), 1, oracle=False)
    for kind in ("svg", "png"):
        plot(made, tmp_path / f"curves.{kind}")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(ET.parse(tmp_path / "curves.svg").iter(f"{SVG}polyline"))) == 2 * count


def test_a_picture_of_another_kind(results: Results, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"curves\.gif: curves are written as SVG or PNG"):
        plot(results, tmp_path / "curves.gif")


def test_without_matplotlib_the_rest_is_written_and_it_says_so(
    results: Results, tmp_path: Path, no_matplotlib: None
) -> None:
    (tmp_path / "curves.png").write_bytes(b"of other results")
    assert write_report(results, tmp_path) == ["curves.png needs matplotlib: pip install 'honeyguide[lab]'"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curves.svg", "report.html", "results.csv"]
    with pytest.raises(InputError, match="needs matplotlib; pip install"):
        plot(results, tmp_path / "x.png")


def test_with_it_there_is_nothing_to_say_and_a_second_time_changes_nothing(results: Results, tmp_path: Path) -> None:
    assert write_report(results, tmp_path) == []
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(first) == ["curves.png", "curves.svg", "report.html", "results.csv"]
    assert write_report(results, tmp_path) == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


def test_a_folder_that_is_not_there(results: Results, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_report(results, tmp_path / "x")


# ---- for the terminal and for pandas ----


def test_the_ranking_as_text(results: Results) -> None:
    heads, *lines = table(results).partition("\n\n")[0].splitlines()
    assert heads.split("  ")[-1] == "better than"
    assert [line.split()[0] for line in lines] == ["1", "2", "oracle"]
    assert [line.split()[1] for line in lines[:2]] == ["guide", "otie"]
    figure = results["summary"]["guide"]["auc_recall"]
    assert f"{figure['mean']:.3f} ± {figure['standard_error']:.3f}" in lines[0]
    # Columns of numbers end below each other's heads.
    end = heads.index("area under recall") + len("area under recall")
    assert all(line[end - 1].isdigit() and line[end] == " " for line in lines)
    assert lines[0].endswith("of 1")
    assert max(map(len, [heads, *lines])) <= 120


def test_sites_are_in_the_ranking_as_text_if_there_are_several(make_results: MakeResults) -> None:
    heads, first, *_ = table(make_results(sites=8)).splitlines()
    found = make_results(sites=8)["summary"]["guide"]["site_recall"]["mean"]
    assert heads.split()[-5:] == ["sites", "bytes/relevant", "minutes", "better", "than"]
    assert f"  {found:.1%}  " in first
    assert "sites" not in table(make_results())


def test_the_verdicts_on_the_best_stand_below_the_ranking(results: Results) -> None:
    (test,) = [test for test in results["tests"] if test["metric"] == "auc_recall"]
    assert table(results).partition("\n\n")[2] == test["verdict"]
    assert test["verdict"].startswith("guide found ")


def test_what_failed_is_named_below(results: Results) -> None:
    failed = [{"strategy": name} for name in ("mine", "yours", "mine")]
    assert table(results | {"failed": failed}).endswith("\n\nfailed and left out: mine, yours")
    nothing = {"cells": [], "summary": {}, "tests": [], "failed": failed}
    assert table(nothing) == "No trial was finished.\n\nfailed and left out: mine, yours"


def test_no_ranking_of_nothing(make_results: MakeResults) -> None:
    assert table(make_results([], [], oracle=False)) == "No trial was run."


def test_a_frame_without_pandas(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="needs the package pandas; pip install pandas"):
        to_frame(results)


@pytest.mark.skipif(importlib.util.find_spec("pandas") is None, reason="pandas is not installed")
def test_a_frame(results: Results) -> None:
    frame = to_frame(results)
    assert len(frame) == len(results["cells"])
    assert frame["auc_recall"].tolist() == [cell["auc_recall"] for cell in results["cells"]]
    assert "curve" not in frame
