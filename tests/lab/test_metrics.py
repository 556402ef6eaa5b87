"""The metrics of the lab, against crawls small enough to work everything out by hand.

The crawl `SIX` that most tests share, of a topic with 4 targets:

    page  relevant  target  bytes  seconds  hops  similarity  predicted
    a     yes (seed)  -      100      0      0      1.0         -
    b     -           -      200     60      1      0.2        0.6
    c     yes         yes    300    120      1      0.8        0.5
    d     -           -      400    180      2      0.0        0.5
    e     yes         yes    500    300      2      0.6        0.9
    f     -           -      600    240      3      0.4        0.1

    H(t): 1/1 1/2 2/3 2/4 3/5 3/6        R(t): 0 0 1/4 1/4 2/4 2/4
"""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.lab import metrics
from honeyguide.lab.metrics import Order

UNKNOWN = float("nan")


def order(
    relevant: Sequence[int],
    target: Sequence[int] | None = None,
    hops: Sequence[int] | None = None,
    similarity: Sequence[float] | None = None,
    predicted: Sequence[float] | None = None,
    seconds: Sequence[float] | None = None,
    hosts: Sequence[str] | None = None,
) -> Order:
    pages = len(relevant)
    return Order(
        urls=[f"http://{hosts[number] if hosts else 'a.example'}/{number}" for number in range(pages)],
        relevant=np.array(relevant, dtype=np.bool_),
        target=np.array(relevant if target is None else target, dtype=np.bool_),
        bytes=100 * np.arange(1, pages + 1),
        seconds=np.array(range(pages) if seconds is None else seconds, dtype=np.float64),
        hops=np.array([0] * pages if hops is None else hops, dtype=np.int64),
        similarity=np.array([UNKNOWN] * pages if similarity is None else similarity, dtype=np.float64),
        predicted=np.array([UNKNOWN] * pages if predicted is None else predicted, dtype=np.float64),
    )


SIX = order(
    relevant=[1, 0, 1, 0, 1, 0],
    target=[0, 0, 1, 0, 1, 0],
    hops=[0, 1, 1, 2, 2, 3],
    similarity=[1.0, 0.2, 0.8, 0.0, 0.6, 0.4],
    predicted=[UNKNOWN, 0.6, 0.5, 0.5, 0.9, 0.1],
    seconds=[0, 60, 120, 180, 300, 240],
)
NOTHING = order([])
NONE_RELEVANT = order([0, 0, 0], hops=[0, 1, 1])


def test_harvest_and_recall_after_every_page() -> None:
    assert metrics.harvest(SIX) == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4, 3 / 5, 3 / 6])
    assert metrics.recall(SIX, 4) == pytest.approx([0, 0, 1 / 4, 1 / 4, 2 / 4, 2 / 4])


def test_recall_refuses_a_number_of_targets_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="needs targets"):
        metrics.recall(SIX, 0)
    with pytest.raises(ValueError, match="2 targets were found, but there are only 1"):
        metrics.recall(SIX, 1)


def test_an_order_refuses_columns_of_another_length_and_revisits() -> None:
    with pytest.raises(ValueError, match="column hops"):
        order([1, 0], hops=[0])
    two = order([1, 0])
    with pytest.raises(ValueError, match="twice"):
        Order(["http://a.example/"] * 2, two.relevant, two.target, two.bytes, two.seconds, two.hops,
              two.similarity, two.predicted)  # fmt: skip


def test_near_duplicates_count_once_and_the_first_found_one_counts() -> None:
    # Pages 0, 2 and 4 are copies of each other, 1 and 3 too. Page 0 was not found relevant, so page 2 counts.
    found = np.array([0, 1, 1, 1, 1, 1], dtype=np.bool_)
    assert metrics.count_once(found, [7, 8, 7, 8, 7, 9]).tolist() == [False, True, True, False, False, True]


def test_area_is_the_mean_over_the_budget_and_a_crawl_that_ended_keeps_its_last_value() -> None:
    # Recall over 6 pages: (0 + 0 + 1/4 + 1/4 + 2/4 + 2/4) / 6 = 1/4. Over 10: (1.5 + 4/2) / 10 = .35. Over 4: .5 / 4.
    recall = metrics.recall(SIX, 4)
    assert metrics.area(recall, 6) == pytest.approx(1 / 4)
    assert metrics.area(recall, 10) == pytest.approx(0.35)
    assert metrics.area(recall, 4) == pytest.approx(0.125)
    # Harvest: 1 + 1/2 + 2/3 + 1/2 + 3/5 + 1/2 = 113/30; then 1/2 for each page that was not fetched.
    assert metrics.area(metrics.harvest(SIX), 6) == pytest.approx(113 / 180)
    assert metrics.area(metrics.harvest(SIX), 8) == pytest.approx((113 / 30 + 1) / 8)
    assert metrics.area(metrics.harvest(NOTHING), 5) == 0
    with pytest.raises(ValueError, match="budget"):
        metrics.area(recall, 0)


def test_share_of_the_oracle() -> None:
    assert metrics.share_of_oracle(0.3, 0.6) == pytest.approx(0.5)
    assert metrics.share_of_oracle(0.0, 0.0) is None


def test_f1() -> None:
    # 2 · 1/2 · 1/4 / (1/2 + 1/4) = 1/3.
    assert metrics.f1(0.5, 0.25) == pytest.approx(1 / 3)
    assert metrics.f1(0.0, 0.0) == 0


def test_precision_at_k_ranks_by_score_and_then_by_order() -> None:
    # By predicted: e .9 (yes), b .6 (no), c .5 (yes) before d .5 (no) as it came first, f .1 (no); a has no score.
    assert metrics.precision_at(SIX, 1) == 1
    assert metrics.precision_at(SIX, 2) == pytest.approx(1 / 2)
    assert metrics.precision_at(SIX, 3) == pytest.approx(2 / 3)
    assert metrics.precision_at(SIX, 4) == pytest.approx(2 / 4)
    assert metrics.precision_at(SIX, 20) == pytest.approx(2 / 20)  # five pages are ranked, the other 15 are misses
    # By similarity: a 1.0 (yes), c .8 (yes), e .6 (yes), f .4 (no).
    assert metrics.precision_at(SIX, 4, SIX.similarity) == pytest.approx(3 / 4)
    assert metrics.precision_at(order([1, 0]), 1) is None
    # Fifty pages with two scores, the first half relevant: of the 25 with the higher one the first 13 are, in order.
    fifty = order([1] * 25 + [0] * 25, predicted=[0.5, 0.2] * 25)
    assert metrics.precision_at(fifty, 13) == 1
    assert metrics.precision_at(fifty, 25) == pytest.approx(13 / 25)


def test_average_similarity_and_error() -> None:
    # Similarity: (1 + .2 + .8 + 0 + .6 + .4) / 6 = .5. Errors of b to f: .4 .3 .5 .3 .3, mean 1.8 / 5 = .36.
    assert metrics.average_similarity(SIX) == pytest.approx(0.5)
    assert metrics.average_error(SIX) == pytest.approx(0.36)
    assert metrics.average_similarity(NOTHING) is None
    assert metrics.average_error(order([1], similarity=[0.5])) is None
    assert metrics.average_error(order([1, 0], similarity=[0.5, 0.5], predicted=[float("inf"), 0.0])) == 0.5


def test_target_length_at_equal_numbers_of_relevant_pages() -> None:
    # The relevant pages are a, c, e with 0, 1, 2 hops: sums 0, 1, 3. The other crawl's two have 2 and 3 hops: 2, 5.
    other = order([0, 1, 0, 1], hops=[0, 2, 2, 3])
    assert metrics.target_lengths(SIX).tolist() == [0, 1, 3]
    assert metrics.target_length(SIX, 2) == 1
    assert metrics.target_length(other, 2) == 5
    assert metrics.target_length(other, 3) is None
    assert metrics.target_length(NONE_RELEVANT, 0) == 0


def test_share_of_the_relevant_pages_by_share_of_the_visits() -> None:
    visited, found = metrics.relevant_by_visited(SIX)
    assert visited == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])
    assert found == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3, 1, 1])
    assert metrics.visited_for(SIX, 0.9) == pytest.approx(5 / 6)
    assert metrics.visited_for(SIX, 2 / 3) == pytest.approx(3 / 6)
    assert metrics.visited_for(NONE_RELEVANT, 0.9) is None
    # Nine of ten relevant pages were there after nine of twelve visits.
    assert metrics.visited_for(order([1] * 9 + [0, 0, 1]), 0.9) == pytest.approx(9 / 12)


def test_the_curve_has_the_first_the_last_and_round_numbers_of_pages() -> None:
    assert metrics.curve(SIX, 4, budget=6, points=3) == [[1, 1, 0], [2, 0.5, 0], [4, 0.5, 0.25], [6, 0.5, 0.5]]
    assert metrics.curve(SIX, 4, budget=5, points=2) == [[1, 1, 0], [3, 0.666667, 0.25], [5, 0.6, 0.5]]
    assert metrics.curve(NOTHING, 4, budget=5) == []
    long = metrics.curve(order([0, 1] * 500), 500, budget=1000)
    assert [point[0] for point in long[:3]] == [1, 5, 10]
    assert long[-1] == [1000, 0.5, 1]
    assert len(long) == 201


def test_the_value_of_a_curve_at_a_number_of_pages() -> None:
    points = metrics.curve(SIX, 4, budget=6)
    assert metrics.at(points, 3) == (0.666667, 0.25)
    assert metrics.at(points, 100) == (0.5, 0.5)
    assert metrics.at([], 3) == (0.0, 0.0)


def test_all_figures_of_a_crawl() -> None:
    # 2,100 bytes and 300 s (e came after f) for 3 relevant pages; F1 of .5 and .5.
    assert metrics.figures(SIX, targets=4, budget=10, oracle_auc_recall=0.7) == pytest.approx(
        {
            "pages": 6,
            "relevant": 3,
            "targets": 4,
            "targets_found": 2,
            "harvest_rate": 0.5,
            "target_recall": 0.5,
            "f1": 0.5,
            "sites": 1,
            "sites_found": None,
            "site_recall": None,
            "precision_at_20": 0.1,
            "average_similarity": 0.5,
            "average_error": 0.36,
            "auc_recall": 0.35,
            "auc_harvest": (113 / 30 + 4 / 2) / 10,
            "oracle_auc_recall": 0.7,
            "share_of_oracle": 0.5,
            "pages_per_relevant": 2.0,
            "visited_for_90_percent": 5 / 6,
            "bytes": 2100,
            "bytes_per_relevant": 700.0,
            "virtual_minutes": 5.0,
            "virtual_minutes_per_relevant": 5 / 3,
            "target_length": 3,
        }
    )


# Targets are the first, third, fourth and last page, on a.co.uk, a.co.uk by another host, b.example and 10.0.0.1.
SITES = order(
    relevant=[1, 1, 1, 1, 0, 1],
    target=[1, 0, 1, 1, 0, 1],
    hosts=["www.a.co.uk", "c.example", "old.a.co.uk:8080", "x.b.example", "d.example", "10.0.0.1"],
)


def test_sites_with_a_target_are_found_once_each() -> None:
    # Of five sites: a.co.uk at page 1, b.example at 4, 10.0.0.1 at 6. The page of c.example is no target.
    assert metrics.site_recall(SITES, 5) == pytest.approx([1 / 5, 1 / 5, 1 / 5, 2 / 5, 2 / 5, 3 / 5])
    assert metrics.curve(SITES, 4, budget=6, points=2, sites=5)[-2:] == [[3, 1, 0.5, 0.2], [6, 0.833333, 1, 0.6]]
    found = metrics.figures(SITES, targets=4, budget=6, sites=5)
    assert [found["sites"], found["sites_found"], found["site_recall"]] == pytest.approx([5, 3, 0.6])
    early = metrics.figures(SITES, targets=4, budget=3, sites=5)
    assert [early["sites_found"], early["site_recall"]] == pytest.approx([1, 0.2])
    nothing = metrics.figures(NOTHING, targets=4, budget=3, sites=2)
    assert (nothing["sites_found"], nothing["site_recall"]) == (0, 0.0)
    with pytest.raises(ValueError, match="on 3 sites, but there are only 2"):
        metrics.site_recall(SITES, 2)


def test_of_one_site_nothing_is_said() -> None:
    found = metrics.figures(SIX, targets=4, budget=6, sites=1)
    assert (found["sites"], found["sites_found"], found["site_recall"]) == (1, None, None)
    assert all(len(point) == 3 for point in metrics.curve(SIX, 4, budget=6, sites=1))


def test_pages_past_the_budget_do_not_count() -> None:
    figures = metrics.figures(SIX, targets=4, budget=4)
    assert (figures["pages"], figures["relevant"], figures["targets_found"], figures["bytes"]) == (4, 2, 1, 1000)
    assert (figures["target_recall"], figures["virtual_minutes"], figures["target_length"]) == (0.25, 3.0, 1)


@pytest.mark.parametrize("crawl", [NOTHING, NONE_RELEVANT])
def test_a_crawl_that_found_nothing_has_no_prices(crawl: Order) -> None:
    figures = metrics.figures(crawl, targets=4, budget=5, oracle_auc_recall=0.0)
    for name in ("harvest_rate", "target_recall", "f1", "auc_recall", "auc_harvest", "target_length"):
        assert figures[name] == 0, name
    for name in ("bytes_per_relevant", "pages_per_relevant", "virtual_minutes_per_relevant", "share_of_oracle"):
        assert figures[name] is None, name


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0, 1) | st.just(UNKNOWN)), max_size=40),
    st.integers(1, 50),
)
def test_figures_are_bounded_and_can_be_written_as_json(rows: list[tuple[bool, bool, float]], budget: int) -> None:
    relevant = [row[0] for row in rows]
    target = [row[0] and row[1] for row in rows]
    scores = [row[2] for row in rows]
    crawl = order(relevant, target=target, similarity=scores, predicted=scores[::-1])
    targets = sum(target) + 1
    figures = metrics.figures(crawl, targets, budget)
    json.dumps([figures, metrics.curve(crawl, targets, budget)], allow_nan=False)
    for name in ("harvest_rate", "target_recall", "f1", "auc_recall", "auc_harvest"):
        figure = figures[name]
        assert figure is not None
        assert 0 <= figure <= 1
    assert figures["auc_recall"] <= figures["target_recall"] + 1e-12  # type: ignore[operator]  # recall never falls
