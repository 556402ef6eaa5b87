"""Labels by terms: the rule at its edges, and a whole web."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.term_labels import is_about

from benchmarks import term_labels
from honeyguide.demo import DemoWeb

TERMS = frozenset({"bee", "hive", "honey", "wax"})


@pytest.mark.parametrize(
    ("counts", "words", "expected"),
    [
        ({"bee": 4, "hive": 3, "honey": 1}, 100, True),
        ({"bee": 4, "hive": 4}, 100, False),  # two different terms
        ({"bee": 3, "hive": 3, "honey": 1}, 100, False),  # seven in total
        ({"bee": 4, "hive": 3, "honey": 1}, 1000, True),  # 0.8 %
        ({"bee": 4, "hive": 3, "honey": 1}, 1001, False),
        ({"bee": 4, "hive": 3, "badger": 9}, 100, False),
    ],
)
def test_the_rule(counts: dict[str, int], words: int, expected: bool) -> None:
    assert is_about(TERMS, Counter(counts), words) is expected


def test_a_web_is_labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out, keywords = tmp_path / "labels.tsv", DemoWeb(pages=100).keywords("beekeeping")
    arguments = ["--web", "demo:100", "--out", str(out), f"apiculture={','.join(keywords)}", "nothing=zyx,xyz,yzx"]
    monkeypatch.setattr(sys, "argv", ["term_labels", *arguments])
    assert term_labels.main() == 0
    rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert rows
    assert {label for _, label in rows} == {"apiculture"}
    assert f"apiculture: {len(rows)} pages" in capsys.readouterr().out


def test_topics_are_named_with_their_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["term_labels", "--web", "demo:100", "--out", "labels.tsv", "bees"])
    with pytest.raises(SystemExit, match="2"):
        term_labels.main()
