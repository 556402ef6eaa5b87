"""``honeyguide train``: from example pages to a model, as a user sees it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from honeyguide.relevance import saved

from .kit import Command

SEEDS = 'seeds = ["https://www.example.org/"]\n'
BEES = "honey bee hive swarm queen drone comb wax nectar pollen keeper smoker".split()
TRAINS = "train rail engine track signal station wagon brake tunnel bridge steam coal".split()


def pages(folder: Path, words: list[str], count: int) -> None:
    folder.mkdir()
    for number in range(count):
        own = " ".join(f"{word} own{number}x{place}" for place, word in enumerate(words[number % 5 :] + words))
        (folder / f"{number:02}.html").write_text(f"<title>Page</title><p>{own} some common text about things</p>")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    pages(tmp_path / "good", BEES, 12)
    pages(tmp_path / "bad", TRAINS, 24)
    (tmp_path / "bees.toml").write_text(
        'seeds = ["https://www.example.org/bees"]\n[examples]\npositive = ["good/*.html"]\nnegative = ["bad/*.html"]\n'
    )
    return tmp_path


def test_it_says_what_it_learnt_and_keeps_it(folder: Path, honeyguide: Command) -> None:
    code, out, err = honeyguide("train", "bees.toml")
    assert code == 0, err
    assert "examples: 12 positive, 24 negative" in out
    assert "warning: 12 positive examples are few" in err
    assert (
        "model: fields, logistic regressions on text, title and address, weighed by the examples; there are 12" in out
    )
    weights = re.findall(r"^ +(\d+)%  0\.\d{3}  words (?:counted|damped)", out, re.MULTILINE)
    assert sum(map(int, weights)) == pytest.approx(100, abs=len(weights))
    assert weights == sorted(weights, key=int, reverse=True)
    for what in ("title and address", "similarity to the positive examples"):
        assert re.search(
            rf"^  {what}: \d+% of the weight; best log loss 0\.\d{{3}} with, 0\.\d{{3}} without$", out, re.MULTILINE
        )
    for figure in ("precision", "recall", "F1", "AUC"):
        assert f"  {figure:<10} 1.000 ± 0.000" in out
    assert ", best F1\n" in out
    (chosen,) = [line for line in out.splitlines() if line.endswith("<")]
    assert chosen.split()[1:4] == ["1.000", "1.000", "1.000"]
    (for_it,) = [line for line in out.splitlines() if line.startswith("terms for: ")]
    assert sum(word in for_it for word in BEES) >= 8
    (against,) = [line for line in out.splitlines() if line.startswith("terms against: ")]
    assert sum(word in against for word in TRAINS) >= 8
    assert "stored in bees.model; to crawl with it, run: honeyguide crawl bees.toml" in out
    about = saved.read_about(folder / "bees.model")
    assert about["model"] == "fields"
    assert about["cross_validation"]["f1"] == [1.0] * 5


def test_an_example_on_the_wrong_side_is_shown(folder: Path, honeyguide: Command) -> None:
    (folder / "bad" / "24.html").write_text((folder / "good" / "03.html").read_text().replace("own3", "other"))
    code, out, _ = honeyguide("train", "bees.toml")
    assert code == 0
    assert "1 of 37 held-out examples classified wrongly:" in out
    assert "  negative  bad/24.html" in out


def test_a_few_good_pages_are_enough_to_begin_with(folder: Path, honeyguide: Command) -> None:
    text = (folder / "bees.toml").read_text()
    (folder / "bees.toml").write_text(text.replace('negative = ["bad/*.html"]\n', ""))
    code, out, _ = honeyguide("train", "bees.toml")
    assert code == 0
    assert "model: votes" in out
    assert "the crawl's first pages" in out
    assert "precision cannot be measured without other examples" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f'{SEEDS}keywords = ["bees"]\n',
            "bees.toml: contains no examples to learn from",
        ),
        (
            f'{SEEDS}[examples]\npositive = ["none/*.html"]\n',
            "none/*.html: matches no file",
        ),
        (
            f'{SEEDS}[examples]\nnegative = ["bad/*.html"]\n',
            "bees.toml: keywords: neither keywords nor description contains a word",
        ),
        (
            f'{SEEDS}[relevance]\nmodel = "svm"\n[examples]\npositive = ["good/*.html"]\n',
            "examples.negative: the model needs at least 2 negative examples, but there are 0",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder: Path, text: str, message: str, honeyguide: Command) -> None:
    (folder / "bees.toml").write_text(text)
    code, _, err = honeyguide("train", "bees.toml", "--quiet")
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert not (folder / "bees.model").exists()


def test_a_folder_that_is_no_model_is_left_alone(folder: Path, honeyguide: Command) -> None:
    (folder / "bees.model").mkdir()
    (folder / "bees.model" / "mine.txt").write_text("mine")
    code, _, err = honeyguide("train", "bees.toml")
    assert code == 2
    assert "bees.model: exists and is not a model" in err
    assert (folder / "bees.model" / "mine.txt").read_text() == "mine"


def test_a_crawl_refuses_a_model_of_other_examples(folder: Path, honeyguide: Command) -> None:
    assert honeyguide("train", "bees.toml", "--quiet")[0] == 0
    text = (folder / "bees.toml").read_text()
    (folder / "bees.toml").write_text(text.replace("good/*.html", "good/0*.html"))
    code, _, err = honeyguide("crawl", "bees.toml")
    assert code == 2
    assert "bees.model: was trained with other values of examples.positive; run `honeyguide train` again" in err
    assert not (folder / "crawls").exists()
