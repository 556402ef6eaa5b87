from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.extraction_pages import MarkedPage, read_sets
from benchmarks.extraction_score import scores, summary


def page(text: str = "", present: tuple[str, ...] = (), absent: tuple[str, ...] = ()) -> MarkedPage:
    return MarkedPage("", "", "", "", "", text, present, absent)


def test_scores_are_shares_of_runs_of_four_words() -> None:
    wanted = page("one two three four five six")  # three runs
    assert scores(wanted, wanted.text) == (1.0, 1.0)
    assert scores(wanted, "One. one, two three four; five") == pytest.approx((2 / 3, 2 / 3))
    assert scores(wanted, "one two three four") == pytest.approx((1, 1 / 3))
    assert scores(wanted, "") == (0.0, 0.0)
    assert scores(page("蜂蜜是甜的"), "蜂蜜是甜") == (1.0, 0.5)


def test_passages_are_found_or_not() -> None:
    marked = page(present=("a  b", "c"), absent=("d", "e"))
    assert scores(marked, "a\nb and d") == (0.5, 0.5)


def test_f1_is_that_of_the_averages() -> None:
    assert summary([(1.0, 0.5), (0.5, 1.0)]) == (0.75, 0.75, 0.75)
    assert summary([(1.0, 0.0)]) == (0.0, 1.0, 0.0)


def test_sets_are_read_from_unpacked_packages(tmp_path: Path) -> None:
    folder = tmp_path / "article_extractor-1/tests/fixtures/fullpage_to_article_html/a.example/one"
    folder.mkdir(parents=True)
    (folder / "raw.html").write_text("<p>honey bee</p><footer>end</footer>")
    (folder / "expected.html").write_text("<p>honey bee</p>")
    (folder / "meta.json").write_text(json.dumps({"url": "https://www.bees.example/one"}))
    tests = tmp_path / "trafilatura-1.1.0/tests"
    (tests / "cache").mkdir(parents=True)
    (tests / "cache/a.html").write_text("<p>honey bee")
    (tests / "realworld_tests.py").write_text(
        "PAGES = {'http://a.example/': 'a.html'}\n"
        "def test() -> None:\n"
        "    result = load_mock_page('http://a.example/', x)\n"
        "    assert 'honey' in result and 'end' not in result\n"
    )
    article, segments = read_sets(tmp_path)
    assert (article.set, article.site, article.text) == ("articles", "bees", "honey bee")
    assert (segments.set, segments.present, segments.absent) == ("segments", ("honey",), ("end",))
