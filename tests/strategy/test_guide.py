"""The house strategy: its model by hand, what it exists for, and that it goes on as it was."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.cli.why import why
from honeyguide.crawl.explain import explain_url
from honeyguide.frontier import Frontier, Merge, State
from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl
from honeyguide.strategy.guide.evidence import evidence_table
from honeyguide.strategy.guide.features import LABELS, Rates
from honeyguide.strategy.guide.queue import GuideQueue
from honeyguide.strategy.guide.rates import SmoothedRate, earned
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.scaler import RunningScaler
from honeyguide.strategy.guide.texts import TEXT_FEATURES
from honeyguide.strategy.guide.url_rows import URL
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.queues.rows import RowStore
from honeyguide.strategy.registry import strategy_named

from .littleweb import HOME, LittleWeb, fetched_of_demo, page
from .readings import reading

# ---- the model ----


def test_with_few_outcomes_the_prior_decides() -> None:
    model = BayesianRidge(np.array([1.0, 0.5]), stiffness=1.0, fewest=3)
    model.learn(np.array([1.0, 0.0]), 0.0)
    model.fit()
    assert model.predict(np.array([[2.0, 2.0]])).tolist() == [3.0]


def test_weights_by_hand() -> None:
    # One feature, outcomes 0 at 0 and 1 at 1, twice each: mean 1/2 and 1/2, spread 4 · 1/4 = 1, together 1. With prior
    # 0 and stiffness 1: w = 1 / (1 + 1) = 1/2, b = 1/2 - 1/2 · 1/2 = 1/4. With prior 1: w = (1 + 1) / 2 = 1, b = 0.
    for prior, weight, offset in ((0.0, 0.5, 0.25), (1.0, 1.0, 0.0)):
        model = BayesianRidge(np.array([prior]), stiffness=1.0, fewest=1)
        for value in (0.0, 1.0, 0.0, 1.0):
            model.learn(np.array([value]), value)
        model.fit()
        assert model.weights.tolist() == pytest.approx([weight])
        assert model.offset == pytest.approx(offset)
        assert model.mean == 0.5


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), min_size=4, max_size=20))
def test_a_corrected_outcome_is_as_if_it_had_been_so(outcomes: list[tuple[float, float, float]]) -> None:
    at_once, later = (BayesianRidge(np.zeros(2), 1.0, 1) for _ in range(2))
    for one, other, outcome in outcomes:
        at_once.learn(np.array([one, other]), outcome)
        later.learn(np.array([one, other]), 0.0)
    for one, other, outcome in outcomes:
        later.correct(np.array([one, other]), 0.0, outcome)
    for model in (at_once, later):
        model.fit()
    assert at_once.weights.tolist() == pytest.approx(later.weights.tolist(), abs=1e-9)
    assert at_once.offset == pytest.approx(later.offset, abs=1e-9)
    again = BayesianRidge(np.zeros(2), 1.0, 1)
    again.restore(later.dump())
    assert again.dump() == later.dump()
    assert again.predict(np.eye(2)).tolist() == later.predict(np.eye(2)).tolist()
    assert again.deviation(np.eye(2)).tolist() == later.deviation(np.eye(2)).tolist()
    assert at_once.deviation(np.eye(2)).tolist() == pytest.approx(later.deviation(np.eye(2)).tolist(), abs=1e-6)


def test_doubt_by_hand() -> None:
    # As above with prior 0: A = 1 + 1 = 2. Predictions are 1/4 at 0 and 3/4 at 1, each 1/4 off: the noise is 1/16.
    # The doubt at x is √((x - 1/2)² / 2 · 1/16): 0 at the mean, and 1/4 · 3/2 / √2 at 2.
    model = BayesianRidge(np.zeros(1), stiffness=1.0, fewest=1)
    assert model.deviation(np.array([[1.0]])).tolist() == [0.0]
    for value in (0.0, 1.0, 0.0, 1.0):
        model.learn(np.array([value]), value)
    model.fit()
    assert model.deviation(np.array([[0.5], [2.0]])).tolist() == pytest.approx([0.0, 0.375 / 2**0.5])


def test_the_parts_of_a_prediction_add_up() -> None:
    model = BayesianRidge(np.array([1.0, 0.0]), stiffness=1.0, fewest=2)
    features = np.array([0.3, 0.9])
    assert model.parts(features).tolist() == [0.3, 0.0]
    for one, other, outcome in ((0.0, 1.0, 0.2), (1.0, 0.0, 0.9), (0.5, 0.5, 0.1)):
        model.learn(np.array([one, other]), outcome)
    model.fit()
    assert model.mean + model.parts(features).sum() == pytest.approx(model.predict(features[None])[0])


def test_an_outcome_that_counts_less_is_as_that_share_of_one() -> None:
    twice, once = (BayesianRidge(np.zeros(1), 1.0, 1) for _ in range(2))
    for value in (0.0, 1.0):
        twice.learn(np.array([value]), value, weight=0.5)
        twice.learn(np.array([value]), value, weight=0.5)
        once.learn(np.array([value]), value)
    for model in (twice, once):
        model.fit()
    assert twice.weights.tolist() == pytest.approx(once.weights.tolist())
    assert twice.offset == pytest.approx(once.offset)


def test_success_is_drawn_towards_what_is_usual() -> None:
    success = SmoothedRate("s", 2.0)
    success.add(100, 1.0)
    success.add(7, 1.0)
    success.add(7, 0.5)
    assert success.sums(np.array([[100, 7], [5, 10**6]])).tolist() == [[1 + 1j, 2 + 1.5j], [0, 0]]
    # A good one more, and it would be 2 of 2, 2.5 of 3, 1 of 1.
    assert earned(success.sums(np.array([100, 7, 5]))).tolist() == pytest.approx([1.0, 2.5 / 3, 1.0])
    again = SmoothedRate("s", 2.0)
    again.restore(dict(success.dirty_state()))
    assert again.sums(np.array([100, 7, 5])).tolist() == [1 + 1j, 2 + 1.5j, 0]
    assert not dict(success.dirty_state())


def test_rates_by_hand() -> None:
    # Of the host, one success of one and five of the usual 0.1: (1 + 0.5) / 6. Of the folder, three: (1 + 0.3) / 4.
    rates = Rates()
    row = np.zeros(1, URL)
    row["folder"], row["sections"] = 9, (3, 0)
    rates.add((*[0.0] * 13, 1, 3, 0, 9, 0, 0, 0, 0, 2), 5, 1.0)
    found = np.zeros((4, 1))
    rates.compute(row, np.array([5]), 0.1, out=found)
    assert found[:, 0].tolist() == pytest.approx([1.2 / 3, 1.4 / 5, 1.3 / 4, 1.5 / 6])
    rates.compute(np.zeros(1, URL), np.array([6]), 0.1, out=found)
    assert found[:, 0].tolist() == pytest.approx([0.1] * 4)


def test_spread_by_hand() -> None:
    # 0 and 2: mean 1, deviation 1. Always 3: nothing tells rows apart.
    spread = RunningScaler(2, [0, 1, 0])
    values = np.full((3, 1), 5.0)
    spread.scale(values)
    assert values.tolist() == [[0.0], [0.0], [0.0]]
    spread.add(np.array([[0.0, 3.0], [2.0, 3.0]], np.float32))
    values = np.array([[1.5, 99.0, -99.0], [9.0, 3.0, 0.0], [1.0, 2.0, 3.0]])
    again = RunningScaler(2, [0, 1, 0])
    again.restore(spread.dump())
    assert again.dump() == spread.dump()
    again.scale(values)
    assert values.T.tolist() == [[0.5, 0.0, 0.0], [5.0, 0.0, 1.0], [-3.0, 0.0, 2.0]]


def test_rows_are_kept_in_pieces() -> None:
    kind = np.dtype([("a", np.float32), ("b", np.uint8)])
    rows = RowStore("t", kind)
    rows[np.array([3, 300])] = np.array([(1.0, 2), (3.0, 4)], kind)
    kept = dict(rows.dirty_state())
    assert len(kept) == 2
    assert not dict(rows.dirty_state())
    rows[np.array([301])] = np.array([(5.0, 6)], kind)
    kept |= dict(rows.dirty_state())
    other = RowStore("t", kind)
    other.restore({**kept, "u/0": b""})
    assert other[np.array([3, 300, 301, 9])].tolist() == [(1.0, 2), (3.0, 4), (5.0, 6), (0.0, 0)]
    assert other[np.array([3, 10**9])].tolist() == [(1.0, 2), (0.0, 0)]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 700), st.integers(1, 9)), max_size=30))
def test_single_rows_are_those_of_arrays(changes: list[tuple[bool, int, int]]) -> None:
    # Also at the end of what there is room for, which is 128 rows at first, and beyond.
    kind = np.dtype([("a", np.float16, 2), ("b", np.int8), ("c", np.uint32)])
    rows, sums = RowStore("t", kind), RowStore("s", np.dtype(np.complex128))
    known: dict[int, int] = {}
    for is_single, number, value in changes:
        sums.add(number, complex(value, 1))
        if is_single:
            rows.set_one(number, (value / 2, 0.5, -value, 70_000 + value))
        else:
            rows[np.array([number])] = np.array([((value / 2, 0.5), -value, 70_000 + value)], kind)
        known[number] = value
    rows_again, sums_again = RowStore("t", kind), RowStore("s", np.dtype(np.complex128))
    rows_again.restore(dict(rows.dirty_state()))
    sums_again.restore(dict(sums.dirty_state()))
    for number in (*range(140), *known, 699, 10**9):
        last = known.get(number)
        row = (last / 2, 0.5, -last, 70_000 + last) if last else (0.0, 0.0, 0, 0)
        total = sum((complex(value, 1) for _, one, value in changes if one == number), 0j)
        for store in (rows, rows_again):
            assert store.one(number) == row
            (many,) = store[np.array([number])]
            assert (*many["a"], many["b"], many["c"]) == row
        for store in (sums, sums_again):
            assert store.one(number) == store[np.array([number])][0] == total


# ---- what it exists for ----


def told(urls: list[str], score: float) -> LinkTable:
    """Links whose texts all score the same."""
    return evidence_table(urls, np.full((len(urls), len(TEXT_FEATURES)), score, np.float32))


def pages_of(web: LittleWeb, strategy: str, budget: int, **tables: Any) -> list[str]:
    return [step.url for step in web.crawl(strategy, "home", budget={"pages": budget}, **tables).steps]


def test_it_gives_up_on_a_host_that_keeps_failing() -> None:
    # Both hosts promise the same; one keeps the promise. Best-first, which never learns, goes on with both.
    names = [f"{host}.{number}" for number in range(40) for host in ("x", "y")]
    web = LittleWeb({"home": page(60, *names), **{name: page(5 if name[0] == "x" else 90) for name in names}})
    asked = {
        strategy: sum(host_of(url) == "y.example" for url in pages_of(web, strategy, 41))
        for strategy in ("guide", "best-first")
    }
    assert asked["best-first"] <= 21
    assert asked["guide"] >= 34


def test_it_learns_which_lists_lead_somewhere() -> None:
    # Six pages about nothing, each with two lists of the same words: those under "Members" lead to relevant pages,
    # those under "Others" do not. What tells them apart is how their siblings turned out.
    web = {"home": page(20, *(f"list{number}" for number in range(6)))}
    for number in range(6):
        lists = ""
        for heading, kind, score in (("Others", "o", 5), ("Members", "m", 90)):
            names = [f"{kind}{number}-{one}" for one in range(8)]
            web |= {name: page(score) for name in names}
            items = "".join(f'<li><a href="{HOME}{name}">on</a></li>' for name in names)
            lists += f"<h2>{heading}</h2><ul>{items}</ul>"
        far = "word " * 80  # what the page is worth must not stand near one list and not near the other
        web[f"list{number}"] = f"<p>s20 {far}</p>{lists}"
    found = {
        strategy: sum("/m" in url for url in pages_of(LittleWeb(web), strategy, 50))
        for strategy in ("guide", "best-first", "link-context-prediction")
    }
    assert found["guide"] > 1.3 * max(found["best-first"], found["link-context-prediction"])


def test_an_example_of_something_else_comes_last() -> None:
    web = LittleWeb({"home": page(60, "known", "new"), "known": page(90), "new": page(90)})
    known = {"negative": [f"{HOME}known"]}
    assert pages_of(web, "guide", 3, examples=known)[1:] == [f"{HOME}new", f"{HOME}known"]


def test_it_finds_targets_behind_hubs() -> None:
    # Portals promise less (0.2) than dead ends (0.3), and are as little about the topic, but what they lead to is.
    # Links on both promise much (0.8). Eight of each teach it; then a page lists thirty more of each. Only the credit
    # for what portals have led to tells them apart: without it, and for others, dead ends come first.
    def listed(*links: tuple[str, int]) -> str:
        far = "word " * 70
        return "".join(f'<p>{far}<a href="{HOME}{name}">s{score:02d} go</a> {far}</p>' for name, score in links)

    def both(first: int, last: int) -> list[tuple[str, int]]:
        return [link for number in range(first, last) for link in ((f"end{number}", 30), (f"portal{number}", 20))]

    web = {"home": f"<p>s20</p>{listed(*both(0, 8), ('list', 5))}", "list": f"<p>s20</p>{listed(*both(8, 38))}"}
    for number in range(38):
        for kind, behind, score in (("end", "nothing", 5), ("portal", "target", 90)):
            names = [f"{behind}{number}-{one}" for one in range(3)]
            web[f"{kind}{number}"] = f"<p>s10</p>{listed(*((name, 80) for name in names))}"
            web |= {name: page(score) for name in names}
    found = {
        strategy: sum("/target" in url for url in pages_of(LittleWeb(web), strategy, 120))
        for strategy in ("guide", "link-context-prediction", "shark-search")
    }
    assert found["guide"] >= 2 * max(found["link-context-prediction"], found["shark-search"])


def test_what_cannot_be_had_speaks_against_its_surroundings() -> None:
    # Both folders promise the same, until four URLs of one of them turn out to be gone. The promises of the others are
    # made anew with the next page.
    frontier, queue = Frontier(merge=Merge.REPLACE), strategy_named("guide").queue()
    queue.begin(frontier, [frontier.offer(HOME, 1.0), frontier.offer(f"{HOME}other", 1.0)])
    links = [f"{HOME}{folder}/{number}" for number in range(8) for folder in ("gone", "there")]
    queue.page(frontier, 0, reading(0.6, told(links, 0.5)), 0)
    priority = frontier.urls.priority
    assert len({priority(number) for number in range(2, 18)}) == 1
    for number in range(2, 10, 2):
        queue.on_failed(frontier, number)
    queue.page(frontier, 1, reading(0.6), 0)
    assert max(priority(number) for number in range(10, 18, 2)) < min(priority(number) for number in range(11, 18, 2))


def test_a_seed_is_not_credited_for_what_it_shows() -> None:
    # Nobody chose it, so it teaches nothing: the mean outcome is that of the one page that was chosen, 9² / (9² + 1).
    frontier, queue = Frontier(merge=Merge.REPLACE), GuideQueue(stiffness=10.0, caution=1.0, boldness=1.0, clarity=0.0)
    queue.begin(frontier, [frontier.offer(HOME, 1.0)])
    queue.page(frontier, 0, reading(0.9, told([f"{HOME}a"], 0.0)), 0)
    queue.page(frontier, 1, reading(0.9), 0)
    assert queue.known.usual == pytest.approx(81 / 82)


def test_reasons_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fetched_of_demo(tmp_path / "crawl", "guide", 60)
    with Crawl.open(tmp_path / "crawl") as crawl:
        rows = list(crawl.query("SELECT url, depth, state FROM urls"))
        done = [url for url, depth, state in rows if depth and state == State.DONE]
        waiting = [url for url, _, state in rows if state == State.WAITING]
        for url in (done[0], done[-1], waiting[0]):
            parts = explain_url(crawl, url)
            assert {name for name, _ in parts} == set(LABELS)
            assert [abs(part) for _, part in parts] == sorted((abs(part) for _, part in parts), reverse=True)
        assert explain_url(crawl, done[-1]) != explain_url(crawl, waiting[0])
        assert not explain_url(crawl, next(url for url, depth, _ in rows if not depth))
    why(tmp_path / "crawl", done[-1])
    assert re.search(r"promised .*\n\nfetched on .*\n\nEvidence for it .*\n +[+-]0\.\d{3}  \w", capsys.readouterr().out)


def test_pages_without_links_or_words_break_nothing() -> None:
    home = f'<a href="{HOME}1"></a><a href="{HOME}2"><img src=x></a>'
    assert len(pages_of(LittleWeb({"home": home, "1": "", "2": "<p>"}), "guide", 9)) == 3


def test_a_crawl_in_pieces_is_the_same(tmp_path: Path) -> None:
    whole = fetched_of_demo(tmp_path / "whole", "guide", 110)
    assert fetched_of_demo(tmp_path / "pieces", "guide", 1, 7, 50, 51, 90, 110) == whole
    assert len(whole) == 110
