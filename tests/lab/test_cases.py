"""Labels, and how a topic's pages are dealt out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.lab.cases import Split, make_case
from honeyguide.lab.labels import read_labels, warning
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())
PAGES = [f"http://a.example/{number}" for number in range(40)]
OTHERS = [f"http://b.example/{number}" for number in range(100)]


@given(st.integers(2, 40), st.integers(1, 10), st.integers(0, 30), st.integers(0, 5), st.integers(0, 5))
def test_no_page_is_two_things(size: int, seeds: int, examples: int, seed: int, repeat: int) -> None:
    split = Split(seeds=seeds, examples=examples, pages="x2", seed=seed)
    if size <= seeds:
        with pytest.raises(InputError, match=f"the topic has {size} pages, too few for {seeds} seeds and a target"):
            make_case("bees", PAGES[:size], OTHERS, split, repeat)
        return
    case = make_case("bees", PAGES[:size], OTHERS, split, repeat)
    parts = [set(case.seeds), set(case.examples), set(case.targets)]
    assert set().union(*parts) == case.relevant == set(PAGES[:size])
    assert sum(map(len, parts)) == size
    assert len(case.seeds) == seeds
    assert len(case.examples) == min(examples, (size - seeds) // 2)
    assert len(case.others) == 2 * len(case.examples)
    assert set(case.others) <= set(OTHERS)
    assert case.budget == 2 * size


def test_a_case_depends_on_its_topic_and_numbers_alone() -> None:
    split = Split(seeds=3, examples=5, seed=1)
    case = make_case("bees", PAGES, OTHERS, split, 0)
    assert make_case("bees", PAGES[::-1], OTHERS[::-1], split, 0) == case
    assert make_case("bees", PAGES, OTHERS, split, 1).seeds != case.seeds
    assert make_case("wasps", PAGES, OTHERS, split, 0).seeds != case.seeds
    assert make_case("bees", PAGES, OTHERS, replace(split, seed=2), 0).seeds != case.seeds
    # Fewer examples are the first of more: what is compared stays comparable.
    assert make_case("bees", PAGES, OTHERS, replace(split, examples=3), 0).examples == case.examples[:3]


def test_seeds_can_be_given() -> None:
    split = Split(seed_urls=("http://home.example/", PAGES[0]), examples=4)
    case = make_case("bees", PAGES, OTHERS, split, 0)
    assert case.seeds == ("http://home.example/", PAGES[0])
    assert PAGES[0] not in case.targets
    assert PAGES[0] not in case.examples
    assert len(case.targets) == 40 - 1 - 4


@pytest.mark.parametrize(("pages", "budget"), [("1000", 1000), ("x2", 80), ("x1.5", 60), ("1", 1)])
def test_budgets(pages: str, budget: int) -> None:
    assert Split(pages=pages).budget(40) == budget


@pytest.mark.parametrize("pages", ["", "x", "0", "-5", "x0", "many", "xnan", "xinf", "1.5"])
def test_what_is_no_budget(pages: str) -> None:
    with pytest.raises(InputError, match="is not a budget"):
        Split(pages=pages).budget(40)


# ---- labels ----


def labels(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "labels.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def landing(url: str) -> str | None:
    return url if url in PAGES else None


def test_a_prefix_names_a_wider_topic(tmp_path: Path) -> None:
    text = (
        f"{PAGES[0]}\tscience.biology\n{PAGES[1]}\tscience.physics\n{PAGES[1]}\tart\r\n\n"
        f"{PAGES[2]}\tscience\n{PAGES[3]}\tsciences.none\nHTTP://A.example/4#x\tart\n"
    )
    found = read_labels(labels(tmp_path, text), RULES, landing)
    assert found.pages("science") == PAGES[:3]
    assert found.pages("science.physics") == [PAGES[1]]
    assert found.pages("art") == [PAGES[1], PAGES[4]]
    with pytest.raises(InputError, match=r"no page has the label music; use one of art, science, science\.biology"):
        found.pages("music")
    assert warning(found) == ""


def test_a_url_that_redirects_labels_where_it_leads(tmp_path: Path) -> None:
    path = labels(tmp_path, "http://a.example/old\tart\n")
    assert read_labels(path, RULES, {"http://a.example/old": PAGES[7]}.get).pages("art") == [PAGES[7]]


def test_labels_of_unknown_urls_are_told(tmp_path: Path) -> None:
    found = read_labels(labels(tmp_path, f"{PAGES[0]}\tart\nhttp://gone.example/\tart\n"), RULES, landing)
    assert warning(found).endswith("labels.tsv: 1 of 2 labelled URLs are not in the web, such as http://gone.example/")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("http://a.example/1 art\n", "labels.tsv:1: is not a URL, a tab and a label"),
        (f"{PAGES[0]}\tart\n{PAGES[1]}\t\n", "labels.tsv:2: is not a URL, a tab and a label"),
        ("http://gone.example/\tart\n", "labels no page of this web"),
        ("", "labels no page of this web"),
    ],
)
def test_what_are_no_labels(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_labels(labels(tmp_path, text), RULES, landing)
