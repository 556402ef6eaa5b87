"""What the scripts for papers 002 and 004 work out by themselves, on cases worked by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.papers.genre_crawl import precision_of_best, progress
from benchmarks.papers.genre_order import LAST, POLICIES, Links, fcrawl
from benchmarks.papers.genre_report import short
from benchmarks.papers.genre_scores import THRESHOLDS, quality
from benchmarks.papers.genre_terms import BARE, Lists
from benchmarks.papers.replays import BareWeb, once
from benchmarks.papers.semantic_crawl import errors
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.fetch.base import Response
from honeyguide.lab.cases import Case
from honeyguide.lab.memory_recorder import PageFetch
from honeyguide.relevance.text import Text
from honeyguide.topic.contrast import shares, telling
from honeyguide.topic.examples import Example


def links(*rows: list[int]) -> Links:
    ends = np.cumsum([0, *map(len, rows)])
    return Links(ends.astype(np.int64), np.array([link for row in rows for link in row], np.int64))


# Page 0 is the seed and links to 1, 2, 3; 1 links to 4, 5; 2 to 6; 3, 4, 5 and 6 to nothing.
LITTLE = links([1, 2, 3], [4, 5], [6], [], [], [], [])


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        # The links of 0 get its .1. 1 (.9) lifts its own, 4 and 5, before 2 and 3; 2 (.3) lifts 6 before 3.
        ("PS", [0, 1, 4, 5, 2, 6, 3]),
        # 1 lifts 2 and 3, which come next anyway; 4, 5 and 6 enter with 0.
        ("FS-1", [0, 1, 2, 3, 4, 5, 6]),
        ("FS-2", [0, 1, 2, 3, 4, 5, 6]),
        # 1 gives .9 to 2, 3, 4 and 5. 2 (.3) takes 3 down to .3, and gives 6 the same. 4 (.1) takes 5 down to .1.
        ("PFS-1", [0, 1, 2, 4, 3, 6, 5]),
        # The same, but 4 is not above .2 and leaves 5 at .9.
        ("PFS-2", [0, 1, 2, 4, 5, 3, 6]),
    ],
)
def test_the_order_of_each_policy(policy: str, expected: list[int]) -> None:
    scores = np.array([0.1, 0.9, 0.3, 0.0, 0.1, 0.0, 0.0])
    assert fcrawl(LITTLE, scores, [0], POLICIES[policy]) == expected


def test_the_last_in_may_go_first() -> None:
    # 3, then 2, whose .3 is above the threshold but has no waiting siblings but 1; 1 at .3; then 5, 4 of 1, 6 of 2.
    scores = np.array([0.1, 0.9, 0.3, 0.0, 0.1, 0.0, 0.0])
    assert fcrawl(LITTLE, scores, [0], POLICIES["FS-2"], ties=LAST) == [0, 3, 2, 1, 5, 4, 6]


def test_siblings_on_every_parent_overtake() -> None:
    # In turn: 0, 1, 3, 2, with 4 (met on 1), 6 (on 3) and 5 (on 2) waiting. 4 (.9) also stands on 2: where every
    # parent counts it lifts 5 before 6, which was met first.
    web = links([1, 3, 2], [4], [4, 5], [6], [], [], [])
    scores = np.array([0.0, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0])
    assert fcrawl(web, scores, [0], POLICIES["FS-2"]) == [0, 1, 3, 2, 4, 6, 5]
    assert fcrawl(web, scores, [0], POLICIES["FS-2"], every_parent=True) == [0, 1, 3, 2, 4, 5, 6]


def test_seeds_keep_their_score_and_have_no_siblings() -> None:
    # 0 (.1) links to the seed 1, which stays before the seed 2. 4, a link of 0, waits with .1, and 1 (.9), though
    # it stands beside it, lifts only its own 3.
    web = links([1, 4], [3], [], [], [])
    assert fcrawl(web, np.array([0.1, 0.9, 0.0, 0.0, 0.0]), [0, 1, 2], POLICIES["PFS-1"]) == [0, 1, 2, 3, 4]


WEBS = st.integers(1, 12).flatmap(
    lambda size: st.tuples(
        st.lists(st.lists(st.integers(0, size - 1), unique=True, max_size=6), min_size=size, max_size=size),
        st.lists(st.floats(0, 1), min_size=size, max_size=size),
        st.lists(st.integers(0, size - 1), unique=True, min_size=1, max_size=3),
    )
)


def breadth_first(rows: list[list[int]], seeds: list[int]) -> list[int]:
    order = list(seeds)
    for page in order:
        order += [link for link in dict.fromkeys(rows[page]) if link not in order]
    return order


@given(WEBS)
def test_with_first_in_first_out_fs_is_breadth_first_whatever_pages_score(
    web: tuple[list[list[int]], list[float], list[int]],
) -> None:
    rows, scores, seeds = web
    expected = breadth_first(rows, seeds)
    for policy in ("FS-1", "FS-2"):
        assert fcrawl(links(*rows), np.array(scores), seeds, POLICIES[policy]) == expected


@given(WEBS, st.sampled_from(sorted(POLICIES)), st.booleans(), st.booleans())
def test_every_page_that_can_be_reached_is_fetched_once(
    web: tuple[list[list[int]], list[float], list[int]], policy: str, at_random: bool, every_parent: bool
) -> None:
    rows, scores, seeds = web
    ties = np.random.default_rng(1) if at_random else LAST
    order = fcrawl(links(*rows), np.array(scores), seeds, POLICIES[policy], ties=ties, every_parent=every_parent)
    assert sorted(order) == sorted(breadth_first(rows, seeds))


def test_quality_at_thresholds() -> None:
    # From .30 on three pages are taken, two of them right, of three that are: P = 2/3, R = 2/3, F1 = 2/3.
    found = quality(np.array([True, False, True, True]), np.array([0.5, 0.3, 0.8, 0.1]))
    at = int(np.argmin(abs(THRESHOLDS - 0.3)))
    assert (found.precision[at], found.recall[at], found.f1[at]) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    # Up to .10 all four: F1 = 2·3/(4+3); from .31 to .50 two, both right: 2·2/(2+3); from .51 on one: 2·1/(1+3).
    assert found.f1[[9, 30, 49, 50]] == pytest.approx([6 / 7, 4 / 5, 4 / 5, 1 / 2])
    assert found.best == 0  # the lowest threshold of those with 6/7
    assert not quality(np.array([True]), np.array([0.0])).f1.any()


def example(words: str) -> Example:
    return Example(words, Text(words.split()), np.zeros(0, np.int32))


def test_what_tells_pages_apart() -> None:
    inside = [example("Course homework due"), example("the course"), example("Home work")]
    outside = [example("home"), example("homework homework")]
    of_inside = shares(["course", "homework", "home work", "the"], inside, BARE)
    assert of_inside == pytest.approx({"course": 2 / 3, "homework": 1 / 3, "home work": 1 / 3, "the": 0})
    # "homework": 1/3 against 1/2, less than twice; "course" differs by 2/3, "home work" by 1/3.
    assert telling(of_inside, shares(list(of_inside), outside, BARE)) == ["course", "home work"]
    assert telling({"nowhere": 0.0}, {}) == []


def test_lists_are_named_as_in_the_paper() -> None:
    lists = Lists(("a", "b", "c", "d"), ("x", "y"))
    assert lists.first(0.5, 0.25) == Lists(("a", "b"), ("x",))
    assert lists.name == "04g02c"
    assert short("subject.People+subject.People.Sports_and_games_people") == "People: Sports and games people"


CASE = Case("t", 0, ("s",), (), (), frozenset("ace"), frozenset("ace"), 20, ("t",))


def test_progress_along_a_crawl() -> None:
    # Twenty pages, targets at places 2 and 10, e is never found: 5 % is one page, 15 % three, 30 % six.
    order = [*"sabdfghijc", *"klmnopqrtu"]
    found = progress(order, CASE, {"a", "b"})
    assert found["recall_at_5"] == 0
    assert found["recall_at_15"] == found["recall_at_30"] == pytest.approx(1 / 3)
    assert found["visited_for_90_percent"] == pytest.approx(10 / 20)
    assert found["pages_per_relevant"] == 2  # only a is told to be relevant, at place 2
    nothing = progress(list("sb"), CASE, set())
    assert nothing["visited_for_90_percent"] is None
    assert nothing["pages_per_relevant"] is None


def test_precision_of_the_best_pages_in_the_first_sixth() -> None:
    # Of eighteen pages three are looked at, and three targets are asked for: c and a are right, b is not.
    order = [*"abc", *"defghijklmnopqr"]
    assert precision_of_best(order, CASE, {"a": 0.2, "b": 0.9, "c": 0.5, "e": 1.0}) == pytest.approx(2 / 3)


def step(url: str, hops: int, promised: float, relevance: float) -> PageFetch:
    return PageFetch(url, 1, 0.0, hops, relevance, True, promised, False)


def test_errors_of_the_pages_that_were_chosen() -> None:
    found = errors([step("a", 1, 0.5, 0.4), step("b", 2, 0.3, 0.6)], [0.1, 0.5])
    assert found["average_similarity"] == pytest.approx(0.3)
    assert found["average_error"] == pytest.approx((0.4 + 0.2) / 2)
    assert found["own_error"] == pytest.approx((0.1 + 0.3) / 2)
    assert errors([], [])["average_error"] is None


class OnePage:
    name, digest, notes = "one", "1", ()

    def __init__(self, body: bytes) -> None:
        self.asked = 0
        self._body = body

    def __len__(self) -> int:
        return 1

    def __contains__(self, url: str) -> bool:
        return url == "http://a.example/"

    def urls(self) -> object:
        return iter(["http://a.example/"])

    def response(self, url: str) -> Response | None:
        self.asked += 1
        return Response(url, 200, "OK", (), self._body, self._body, ()) if url in self else None


def test_a_bare_web_does_not_say_its_subjects() -> None:
    inner = OnePage(b'<h1>Manet</h1><h3 id="siteSub">Related subjects: <a href="x">Artists</a></h3><p>Painter</p>')
    web = BareWeb(inner)  # type: ignore[arg-type]
    first, second = web.response("http://a.example/"), web.response("http://a.example/")
    assert first is not None
    assert first.body == first.raw == b"<h1>Manet</h1><p>Painter</p>"
    first.body = b""  # as a fetcher does
    assert second is not None
    assert second.body
    assert inner.asked == 1
    assert web.response("http://b.example/") is None


def test_cells_are_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert once(folder, ["a", 1], lambda: [{"x": 1}]) == [{"x": 1}]
    assert once(folder, ["a", 1], lambda: [{"x": 2}]) == [{"x": 1}]
    assert once(folder, ["a", 2], lambda: [{"x": 2}]) == [{"x": 2}]
    assert once(None, ["a", 1], lambda: [{"x": 3}]) == [{"x": 3}]
    assert sorted(json.loads(path.read_text())[0]["x"] for path in folder.iterdir()) == [1, 2]
