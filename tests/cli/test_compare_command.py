"""``honeyguide compare`` and ``honeyguide judge`` as a user types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from honeyguide import compare
from honeyguide.demo.web import DemoWeb

from .kit import Command

WEB = DemoWeb(pages=200)
SUBJECT = WEB.subjects[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rows = [f"{url}\tsubject.{SUBJECT}\n" for url in WEB.relevant_urls(SUBJECT)]
    (tmp_path / "labels.tsv").write_text("".join([*rows, "http://gone.example/\tsubject.x\n"]), encoding="utf-8")
    return tmp_path


WHAT = ("--web", "demo:200", "--labels", "labels.tsv", "--topic", f"subject.{SUBJECT}")
SPLIT = ("--seeds", "2", "--examples", "4", "--pages", "x2", "--seed", "3")


def test_a_comparison_and_its_orders_judged_again(folder: Path, honeyguide: Command) -> None:
    asked = ("compare", *WHAT, *SPLIT, "--strategy", "breadth-first", "--strategy", "best-first:vsm", "--orders")
    code, out, err = honeyguide(*asked, "--out", "out", "--at", "10")
    assert code == 0, err
    assert "best-first:vsm" in out
    assert "written to out: results.json, results.csv, curves.svg, curves.png, report.html" in out
    assert all((folder / "out" / name).is_file() for name in out.splitlines()[-1].split(": ")[1].split(", "))
    assert "warning: labels.tsv: 1 of " in err
    assert "http://gone.example/" in err
    results = json.loads((folder / "out" / "results.json").read_text())
    assert results["settings"]["command"] == "honeyguide " + " ".join([*asked, "--out", "out", "--at", "10"])
    assert any(test["pages"] == 10 for test in results["tests"])
    for cell in results["cells"]:
        name = f"subject.{SUBJECT}-{cell['strategy'].replace(':', '-')}-0.txt"
        # Somebody else's list: with a page that was never recorded, and one that comes twice.
        urls = (folder / "out" / "orders" / name).read_text().split()
        (folder / "urls.txt").write_text("\n".join([urls[0], "http://gone.example/", *urls, urls[0]]))
        code, out, err = honeyguide("judge", *WHAT, *SPLIT, "--order", "urls.txt")
        assert code == 0, err
        assert "warning: 1 of " in err
        judged = json.loads(out)
        assert "curve" not in judged
        assert len(out.splitlines()) == len(judged) + 2
        for figure in ("pages", "relevant", "targets", "auc_recall", "harvest_rate", "bytes", "oracle_auc_recall"):
            assert judged[figure] == cell[figure], figure
        assert judged["order_digest"] == cell["order_digest"]
        assert judged["virtual_minutes"] == pytest.approx(cell["virtual_minutes"])
    with_curve = json.loads(honeyguide("judge", *WHAT, *SPLIT, "--order", "urls.txt", "--curve")[1])
    assert {**judged, "curve": with_curve["curve"], "seconds": with_curve["seconds"]} == with_curve
    assert len(with_curve["curve"]) > 10


def test_given_seeds_are_counted_and_a_comparison_prints_its_table(folder: Path) -> None:
    urls = list(WEB.relevant_urls(SUBJECT))[:3]
    found = compare(
        web="demo:200",
        labels=folder / "labels.tsv",
        topics=f"subject.{SUBJECT}",
        strategies="breadth-first",
        pages=5,
        seed_urls=urls,
        examples=2,
    )
    assert found.results["settings"]["seeds"] == 3
    assert str(found) == found.table()
    assert repr(found) == "<ComparisonResult of breadth-first on demo:200:7: 1 trials>"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--strategy", "best"), "no strategy 'best'"),
        (("--strategy", "best-first", "--topic", "subject.none"), "no page has the label subject.none"),
        (("--strategy", "best-first", "--pages", "some"), "some is not a budget"),
        (("--strategy", "best-first", "--seed-urls", "none.txt"), "there is no file none.txt"),
        (("--strategy", "best-first", "--web", "none.warc.gz"), "none.warc.gz"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    folder: Path, changed: tuple[str, ...], message: str, honeyguide: Command
) -> None:
    code, _, err = honeyguide("compare", *WHAT, *changed, "--out", "out", "--quiet")
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert not (folder / "out").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_log_tells_of_every_trial_in_whatever_process(
    folder: Path, jobs: str, honeyguide: Command, installed: Callable[[Path], AbstractContextManager[None]]
) -> None:
    (folder / "broken.py").write_text(
        "import logging\nfrom honeyguide.strategy.recipe import Recipe\n"
        "def rule(view):\n    logging.getLogger('broken').warning('here it comes')\n    raise ValueError('why')\n"
        "RECIPE = Recipe('broken', 'test', '', lambda values: rule)\n"
    )
    strategies = ("--strategy", "best-first", "--strategy", "broken:RECIPE", "--model", "vsm", "--repeats", "2")
    with installed(folder):
        code, _, err = honeyguide(
            "compare", *WHAT, *SPLIT, *strategies, "--jobs", jobs, "--out", "out", "--quiet", "--log-file", "log.jsonl"
        )
    assert code == 1, err
    assert err.count("warning: here it comes\n") == 2
    assert err.count("warning: labels.tsv: 1 of ") == 1
    records = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    trials: dict[str, list[tuple[str, int]]] = {}
    for record in records:
        if str(record.get("event")).startswith("trial "):
            assert (record["logger"], record["level"]) == ("honeyguide.lab", "INFO")
            assert record["topic"] == f"subject.{SUBJECT}"
            trials.setdefault(record["event"], []).append((record["strategy"], record["repeat"]))
    every = [("best-first", 0), ("best-first", 1), ("broken:RECIPE", 0), ("broken:RECIPE", 1)]
    assert {event: sorted(found) for event, found in trials.items()} == {
        "trial begun": every,
        "trial finished": every[:2],
        "trial failed": every[2:],
    }
    failed = next(record for record in records if record.get("event") == "trial failed")
    assert "ValueError: why" in failed["message"]
    assert failed["exception"].rstrip().endswith("ValueError: why")
    assert {"worker" in record for record in records if "event" in record} == {jobs == "2"}
