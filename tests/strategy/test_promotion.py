"""Genre-aware crawling: which links a page lifts, in what order pages come, and what is not followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.frontier import Frontier, State
from honeyguide.strategy.queues.promotion import PromotionQueue
from honeyguide.strategy.registry import recipes, strategy_named

from .littleweb import LittleWeb, fetched_of_demo, page
from .readings import reading

# What a page is worth, and where it leads:  home .30 → a b c;  a .10 → a1 a2;  b .80 → b1;  c .40 → c1;  b1 0 → d
WEB = LittleWeb(
    {
        "": page(30, "a", "b", "c"),
        "a": page(10, "a1", "a2"),
        "b": page(80, "b1"),
        "c": page(40, "c1"),
        "b1": page(0, "d"),
        **{name: page(0) for name in ("a1", "a2", "c1", "d")},
    }
)


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        # Children get .30 from home; a's .10; b's .80; b1's 0; c's .40.
        ("genre(queue=ps, ties=first)", " 1, a .3, b .3, b1 .8, c .3, c1 .4, a1 .1, a2 .1, d 0"),
        # All enter with 0. a gives b and c .10, b gives c .80, a1 gives a2 its 0.
        ("genre(queue=fs-1, ties=first)", " 1, a 0, b .1, c .8, a1 0, a2 0, b1 0, c1 0, d 0"),
        # The same, but .10 is not enough to give.
        ("genre(ties=first)", " 1, a 0, b 0, c .8, a1 0, a2 0, b1 0, c1 0, d 0"),
        ("genre(change=0.05, ties=first)", " 1, a 0, b .1, c .8, a1 0, a2 0, b1 0, c1 0, d 0"),
        # More than .80 is asked for, and that is just not more.
        ("genre(change=0.8, ties=first)", " 1, a 0, b 0, c 0, a1 0, a2 0, b1 0, c1 0, d 0"),
        # home gives .30 to a, b, c; a takes b and c down to .10, and gives a1, a2 as much; b lifts c and b1 to .80, and
        # c was met first; a1 takes a2 down to 0.
        ("genre(queue=pfs-1, ties=first)", " 1, a .3, b .1, c .8, b1 .8, c1 .4, a1 .1, a2 0, d 0"),
        # Where the best counts, nothing is taken down.
        ("genre(queue=pfs-1, merge=max, ties=first)", " 1, a .3, b .3, c .8, b1 .8, c1 .4, a1 .1, a2 .1, d 0"),
        # .10 is not enough to change anything.
        ("genre(queue=pfs-2, ties=first)", " 1, a .3, b .3, c .8, b1 .8, c1 .4, a1 0, a2 0, d 0"),
        # The last found goes first: c, whose .40 lifts a and b; b, found after a, lifts it to .80. Then those with 0:
        # a2, a1, b1, and d, which is found on b1, before c1.
        ("genre(ties=last)", " 1, c 0, b .4, a .8, a2 0, a1 0, b1 0, d 0, c1 0"),
    ],
)
def test_worked_out_on_paper(strategy: str, order: str) -> None:
    expected = [each.rpartition(" ") for each in order.split(", ")]
    found = WEB.promised(strategy, "")
    assert list(found) == [name.strip() for name, _, _ in expected]
    assert list(found.values()) == pytest.approx([float(value) for _, _, value in expected])


def test_siblings_come_before_children() -> None:
    # The trait: next to one syllabus there are others, and what a syllabus links to is something else.
    web = LittleWeb(
        {
            "": page(0, "hub", "news"),
            "hub": page(30, "one", "two", "three"),
            "news": page(0, "n1", "n2"),
            "one": page(90, "x", "y"),
            "two": page(80, "z"),
            "three": page(70),
            **{name: page(0) for name in ("n1", "n2", "x", "y", "z")},
        }
    )
    assert web.order("genre(ties=first)", "") == " hub news one two three n1 n2 x y z"
    # Children first: hub's get .30 and news's 0; one gives x and y .90, two gives z .80.
    assert web.order("genre(queue=ps, ties=first)", "") == " hub one x y two z three news n1 n2"


def test_a_sibling_overtakes_what_was_met_before_it() -> None:
    # Where hosts must rest the order is no longer that of discovery: y1 is read while x2 and z1 wait. Its sibling y2
    # gets .90 and is next, before z1, which was met earlier.
    frontier, queue = Frontier(), PromotionQueue(children=False, siblings=True, above=0.2)
    seeds = [frontier.offer("http://seed.example/", 1.0), frontier.offer("http://other.example/", 1.0)]
    queue.begin(frontier, seeds)
    assert frontier.take(0.0, 2) == seeds
    visit(frontier, queue, seeds[0], 0.0, "http://x.example/1", "http://z.example/1")
    visit(frontier, queue, seeds[1], 0.0, "http://y.example/1", "http://w.example/2")
    (x, z, y) = frontier.take(0.0, 3)
    assert [frontier.urls.url(number) for number in (x, z, y)] == [
        "http://x.example/1",
        "http://z.example/1",
        "http://y.example/1",
    ]
    visit(frontier, queue, x, 0.0, "http://x2.example/")
    frontier.put_back(z, 0.0)
    visit(frontier, queue, y, 0.9)
    assert [frontier.urls.url(number) for number in frontier.take(10.0, 1)] == ["http://w.example/2"]


def visit(frontier: Frontier, queue: PromotionQueue, number: int, relevance: float, *links: str) -> None:
    read = reading(relevance, dict.fromkeys(links, 0.0), relevant=True)
    frontier.settle(number, State.DONE, 0.0)
    queue.page(frontier, number, read, 0)


def test_what_a_redirect_leads_to_stands_in_its_place() -> None:
    # old leads to new, b leads to b2. x (.80) lifts its siblings: b, and new, which stands for old. b hands its .80 to
    # b2; and new (.90) lifts b2, which stands for b. old1, that new links to, enters with 0, as x1 did.
    web = LittleWeb(
        {
            "": page(0, "old", "x", "b"),
            "old": "-> new",
            "b": "-> b2",
            "new": page(90, "old1"),
            "x": page(80, "x1"),
            **{name: page(0) for name in ("x1", "b2", "old1")},
        }
    )
    found = web.promised("genre(ties=first)", "")
    assert list(found) == ["", "x", "new", "b2", "x1", "old1"]
    assert [found[name] for name in ("x", "new", "b2", "x1", "old1")] == [0.0, 0.8, 0.9, 0.0, 0.0]


def test_seeds_have_no_siblings_and_keep_their_place() -> None:
    # s leads to u, which is as good as a seed: its .30 changes nothing of t, although it links to it; only v is new.
    web = LittleWeb({"s": "-> u", "t": page(0), "u": page(30, "t", "v"), "v": page(0)})
    assert web.promised("genre(queue=pfs-1, ties=first)", "s", "u", "t") == {"u": 1.0, "t": 1.0, "v": 0.3}
    assert web.promised("genre(queue=pfs-1, ties=first)", "s", "t") == {"t": 1.0, "u": 1.0, "v": 0.3}


def test_no_deeper_inside_a_site_than_seven_links() -> None:
    chain = {f"n{place}": page(0, f"n{place + 1}") for place in range(1, 10)}
    other = {"b.1": page(0, "b.2"), "b.2": page(0, "n9")}
    web = LittleWeb({"": page(0, "n1"), **chain, "n7": page(0, "n8", "b.1"), **other, "n10": page(0)})
    # The eighth link inside the first site is not followed; the one to another site is, and what leads back enters.
    assert web.order("genre", "") == " n1 n2 n3 n4 n5 n6 n7 b.1 b.2 n9 n10"
    assert web.order("genre(levels=2)", "") == " n1 n2"
    assert "n8" in web.order("genre(levels=0)", "")


def test_no_more_than_two_hundred_links_of_a_page() -> None:
    names = [f"n{place}" for place in range(230)]
    web = LittleWeb({"": page(0, *names), **{name: page(0) for name in names}})
    found = web.crawl("genre", "")
    assert len(found.steps) == 201
    assert found.tally.refused == {"strategy": 30}
    assert len(web.crawl("genre(links=0)", "").steps) == 231


steps = st.tuples(st.integers(0, 2), st.integers(0, 40), st.lists(st.integers(0, 40), max_size=6))


@given(st.lists(steps, max_size=40), st.booleans())
def test_siblings_are_all_that_wait_and_were_first_met_on_the_same_page(
    visits: list[tuple[int, int, list[int]]], again: bool
) -> None:
    frontier, queue = Frontier(), PromotionQueue(children=False, siblings=True, above=-1.0)
    queue.begin(frontier, [frontier.offer("http://h0.example/", 1.0)])
    urls = frontier.urls
    for step, (choice, score, links) in enumerate(visits, start=1):
        taken = frontier.take(1e6 * step, 3)
        if not taken:
            return
        number = taken.pop(choice % len(taken))  # any of the best three, as where hosts must rest
        for other in taken:
            frontier.put_back(other, 1e6 * step)
        if again:  # as after a restart: the frontier is what remembers
            queue = PromotionQueue(children=False, siblings=True, above=-1.0)
            queue.restore(frontier, {})
        parent = urls.parent(number)
        expected = {
            other: score / 50 if parent >= 0 and urls.parent(other) == parent else urls.priority(other)
            for other in range(len(urls))
            if urls.is_waiting(other)
        }
        visit(frontier, queue, number, score / 50, *(f"http://h{link}.example/" for link in links))
        assert {other: urls.priority(other) for other in expected} == expected


@pytest.mark.parametrize(
    "strategy", ["genre", "genre(queue=ps, ties=first)", "genre(queue=fs-1, ties=last)", "genre(queue=pfs-1)"]
)
def test_a_crawl_in_pieces_is_the_same(tmp_path: Path, strategy: str) -> None:
    whole = fetched_of_demo(tmp_path / "whole", strategy, 50)
    assert len(whole) == 50
    assert fetched_of_demo(tmp_path / "pieces", strategy, 1, 6, 19, 20, 50) == whole


def test_one_page_at_a_time_siblings_are_what_breadth_first_fetches_next(tmp_path: Path) -> None:
    # All that waits has 0, first in, first out: the siblings of what is taken are next, lifted or not.
    breadth = [url for url, _ in fetched_of_demo(tmp_path / "breadth", "breadth-first", 50)]
    for queue, same in (("fs-1", True), ("fs-2", True), ("ps", False), ("pfs-1", False)):
        found = fetched_of_demo(tmp_path / queue, f"genre(queue={queue}, ties=first)", 50)
        assert ([url for url, _ in found] == breadth) is same


def test_ties_at_random_are_the_same_for_the_same_seed() -> None:
    names = [f"n{place}" for place in range(8)]
    web = LittleWeb({"": page(0, *names), **{name: page(0) for name in names}})
    orders = [web.order(f"genre(ties=random, seed={seed})", "") for seed in (0, 1, 2, 0)]
    assert orders[3] == orders[0] == web.order("genre", "")
    assert len({*orders, web.order("genre(ties=first)", ""), web.order("genre(ties=last)", "")}) == 5
    assert all(sorted(order.split()) == names for order in orders)


def test_redirects_are_known_again_in_the_next_piece(tmp_path: Path) -> None:
    words = "<p>honey bee {}</p>"
    web = LittleWeb(
        {
            "": page(0, "old", "c", "x", "b"),
            "old": "-> new",
            "b": "-> b2",
            "c": "<p>stone of c</p>",
            "x": words.format("hive"),
            "new": words.format("honey honey"),
            "b2": words.format("stone"),
        }
    )
    whole = web.fetched(tmp_path / "whole", "genre", "honey, bee", 9)
    assert web.fetched(tmp_path / "pieces", "genre", "honey, bee", *range(1, 10)) == whole
    assert all(priority > 0.2 for _, priority in whole[3:])  # the targets were lifted by x and by new


def test_the_recipes() -> None:
    assert recipes()["genre"].model == "genre"
    assert recipes()["genre-svm"].model == "rbf"
    assert recipes()["genre"].parameters == recipes()["genre-svm"].parameters
    with pytest.raises(InputError, match='queue cannot be "fs"; did you mean "fs-2"'):
        strategy_named("genre(queue=fs)")
    with pytest.raises(InputError, match="change must be at most 1"):
        strategy_named("genre-svm(change=2)")
