"""OPIC and OTIE: cash worked out on paper, and where it goes when things go wrong."""

from __future__ import annotations

import json

import pytest

from honeyguide.errors import InputError
from honeyguide.strategy.queues.cash import CashQueue, Revision
from honeyguide.strategy.registry import strategy_named

from .cashwalk import Walk, Web, even, near

RING: Web = {"s": even(1, "a", "b"), "a": even(0, "b", "c"), "b": even(1, "c", "a"), "c": even(1)}


def test_opic_by_hand() -> None:
    # s hands 1 on: a 1/2, b 1/2. a was met first: b 3/4, c 1/4. b has most: c 1/4 + 3/8 = 5/8, and a, fetched, 3/8.
    # c has no links: 5/8 are gone. What the pages are worth does not matter.
    walk = Walk("opic(n=1)", RING, "s").steps(2)
    assert walk.cash("s", "a", "b", "c") == near(0, 0, 0.75, 0.25)
    walk.steps()
    assert "".join(walk.order) == "sabc"
    assert list(walk.spent.values()) == near(1, 0.5, 0.75, 0.625)
    assert walk.cash("s", "a", "b", "c") == near(0, 0.375, 0, 0)
    assert walk.queue.ledger.leaked == pytest.approx(0.625)


def test_otie_by_hand() -> None:
    # s  r = 0.5: 1 stays 1.                a 0.8, b 0.2
    # a  r = 1:   0.8 · 1.85 = 1.48.        b 0.2 + 1.48 / 4 = 0.57, c 1.48 · 3/4 = 1.11
    # c  r = 0.5: 1.11 stays.               a promised 0.5 but was fetched and is 1, b promises 1: half each, so
    #                                       a has 0.555, b 0.57 + 0.555 = 1.125
    # b  r = 0:   1.125 · 0.15 = 0.16875.   c promised 0.9 but is 0.5, d promises 0.5: 0.084375 each
    # d  r = 0.5, without links: 0.084375 are gone.
    # Revised by 0.8 · 0.85 - 1.125 · 0.85 = -0.27625; 1 - 0.27625 - 0.084375 = 0.639375 is what a and c have.
    web: Web = {
        "s": (0.5, {"a": 0.8, "b": 0.2}),
        "a": (1.0, {"b": 0.25, "c": 0.75}),
        "b": (0.0, {"c": 0.9, "d": 0.5}),
        "c": (0.5, {"a": 0.5, "b": 1.0}),
        "d": even(0.5),
    }
    walk = Walk("otie(n=1)", web, "s").steps(2)
    assert walk.cash("a", "b", "c") == near(0, 0.57, 1.11)
    walk.steps()
    assert "".join(walk.order) == "sacbd"
    assert list(walk.spent.values()) == near(1, 0.8, 1.11, 1.125, 0.084375)
    assert walk.cash("s", "a", "b", "c", "d") == near(0, 0.555, 0, 0.084375, 0)
    assert walk.queue.ledger.revised == pytest.approx(-0.27625)
    assert walk.total() == pytest.approx(0.639375)


@pytest.mark.parametrize(
    ("a", "d", "relevance", "factor"),
    [
        (0.85, 3, 1.0, 0.85),
        (0.85, 3, 0.0, -0.85),
        (0.85, 3, 0.5, 0.0),
        (0.85, 3, 0.75, 0.10625),  # 0.85 · 0.5³
        (0.85, 3, 0.25, -0.10625),
        (2.0, 1, 0.0, -1.0),  # never more than there is
        (2.0, 1, 1.0, 2.0),
        (1.0, 2, 0.25, -0.25),  # the sign stays, whatever the power
    ],
)
def test_revision(a: float, d: float, relevance: float, factor: float) -> None:
    assert Revision(a, d).factor(relevance) == pytest.approx(factor)


def test_links_that_promise_nothing_share_evenly() -> None:
    assert Walk("otie", {"s": even(0.5, "a", "b", "c", "d")}, "s").steps(1).cash("a", "b", "c", "d") == near(
        *[0.25] * 4
    )


HUB: Web = {
    "s": (0.5, {"p": 0.5, "q": 0.5, "r": 0.5}),
    **{name: (0.5, {"hub": 0.5, f"good{name}": 0.5}) for name in "pqr"},
    "hub": (0.0, {"ad1": 0.2, "ad2": 0.2}),
    **{f"good{name}": (1.0, {f"target{name}": 0.8}) for name in "pqr"},
    **{name: even(0.0) for name in ("ad1", "ad2")},
    **{f"target{name}": even(1.0) for name in "pqr"},
}


def test_otie_starves_a_hub_that_opic_feeds() -> None:
    # p, q, r have 1/3 each, and give half of it to the hub: 1/2, and to a good page of their own: 1/6.
    # OPIC: the hub's links get 1/4 each, more than a good page or what it leads to.
    # OTIE: the hub is irrelevant and keeps 0.15 of 1/2: 0.0375 a link; good pages pass 1.85 / 6 = 0.31 on.
    fed, starved = Walk("opic(n=1)", HUB, "s").steps(), Walk("otie(n=1)", HUB, "s").steps()
    assert fed.order[4:7] == ["hub", "ad1", "ad2"]
    assert fed.spent["ad1"] == pytest.approx(0.25)
    assert starved.order[4:] == ["hub", "goodp", "targetp", "goodq", "targetq", "goodr", "targetr", "ad1", "ad2"]
    assert [starved.spent["ad1"], starved.spent["targetp"]] == near(0.0375, 1.85 / 6)


# ---- fetch lists ----


def test_a_list_is_fetched_before_what_is_found_on_it_counts() -> None:
    # Lists of 2: s alone, as there is nothing else; then a and b, with 1/2 each whatever a gives to b. The gains are
    # paid after b: 1/4 from a to b and c each, 1/4 from b to c and a each.
    walk = Walk("opic(n=2)", RING, "s").steps(2)
    assert walk.priority("b", "c") == [0.5, 0.0]
    assert walk.cash("b", "c") == near(0.75, 0.25)
    walk.steps(1)
    assert walk.spent["b"] == 0.5
    assert walk.cash("a", "b", "c") == near(0.25, 0.25, 0.5)
    assert walk.priority("c") == [0.5]


def test_lists_are_as_long_as_asked() -> None:
    # s gives x 0.6, y and z 0.2 each. x gives rich its 0.6: it comes before y and z, but after the list of 1, 2, 3.
    web: Web = {
        "s": (0.5, {"x": 0.6, "y": 0.2, "z": 0.2}),
        "x": (0.5, {"rich": 0.1}),
        **{name: even(0.5) for name in ("rich", "y", "z")},
    }
    orders = ["".join(name[0] for name in Walk(f"otie(n={n})", web, "s").steps().order) for n in (1, 2, 3)]
    assert orders == ["sxryz", "sxyrz", "sxyzr"]


def test_failures_are_places_of_a_list_too() -> None:
    # The list of 2 is the lost page and x; then rich, with its 1/4, is as good as y, z.
    web: Web = {"s": even(1, "lost", "x", "y", "z"), "x": even(1, "rich"), "rich": even(1), "y": even(1), "z": even(1)}
    walk = Walk("opic(n=2)", web, "s").steps(3)
    assert walk.order == ["s", "lost", "x"]
    assert walk.priority("rich") == [0.25]


def test_a_list_ends_where_the_rest_of_it_cannot_be_asked_for() -> None:
    # One page a host: h.2 and h.3 wait for ever, and are all that is left of the first list after h.1. What h.1 found
    # comes behind them with no cash yet; once one of these has come in, the rest is in the order of its cash.
    web: Web = {"h.1": (0.5, {"a": 0.1, "b": 0.2, "c": 0.7}), **{name: even(0.5) for name in "abc"}}
    assert Walk("otie", web, "h.1", "h.2", "h.3", per_host=1).steps().order == ["h.1", "a", "c", "b"]


def test_pages_that_come_in_late_hand_on_what_they_have_by_then() -> None:
    # s and t are under way together with what s finds: x, y. x comes in before t: a list begins, for which y, under
    # way, has the quarter that s gave it. x hands on its own quarter, to y as well.
    web: Web = {"s": even(1, "x", "y"), "t": even(1, "z"), "x": even(1, "y"), "y": even(1, "z"), "z": even(1)}
    walk = Walk("opic", web, "s", "t")
    assert walk.take(2) == ["s", "t"]
    walk.come_in("s")
    assert walk.take(2) == ["x", "y"]
    walk.come_in("x")
    assert walk.cash("s", "t", "x", "y") == near(0, 0.5, 0, 0.5)
    walk.come_in("t")
    walk.come_in("y")
    assert walk.priority("z") == near(1)


# ---- revisits ----


def test_the_richest_fetched_page_hands_its_cash_on() -> None:
    # As the crawl of RING, but b links to a alone and there is d, linked from a. Lists of one, revisits with every 3rd:
    # s; a: 1/3 to b, c and d of 1/2; b: 1/2 + 1/6 go back to a. Now the third list is over: a, fetched, has 2/3 and
    # hands them on once more, 2/9 to b, c, d each. That counts after the next page, c, which has 1/6.
    web: Web = {"s": even(1, "a", "b"), "a": even(1, "b", "c", "d"), "b": even(1, "a"), "c": even(1), "d": even(1)}
    walk = Walk("opic(n=1, revisit=3)", web, "s").steps(3)
    assert walk.order == ["s", "a", "b"]
    assert walk.cash("a", "b", "c", "d") == near(0, 2 / 9, 1 / 6 + 2 / 9, 1 / 6 + 2 / 9)
    assert walk.priority("c", "d") == near(1 / 6, 1 / 6)
    walk.steps(1)
    assert walk.priority("d") == near(1 / 6 + 2 / 9)
    assert Walk("opic(n=1, revisit=0)", web, "s").steps(3).cash("a") == near(2 / 3)


def test_a_revisit_revises_and_goes_by_what_is_known_by_then() -> None:
    # a is worth 1, so what it hands on is 1.85 of what it has. First by promises (3 : 1), then b is known to be worth
    # 0.25, which is as much as c promises.
    # s gives a 1; a 1.85: b 1.3875, c 0.4625; b, whose factor is 0.85 · (-0.5)³ = -0.10625, gives a 0.89375 of
    # its 1.3875: 1.24008. a, revisited: 1.85 · 1.24008 = 2.29414, half to b and half to c.
    web: Web = {"s": (0.5, {"a": 1.0}), "a": (1.0, {"b": 0.75, "c": 0.25}), "b": (0.25, {"a": 0.5}), "c": even(0.5)}
    walk = Walk("otie(n=1, revisit=3)", web, "s").steps(3)
    assert walk.spent["b"] == pytest.approx(1.3875)
    half = 1.3875 * 0.89375 * 1.85 / 2
    assert walk.cash("a", "b", "c") == near(0, half, 0.4625 + half)


# ---- pages without links ----

ENDS: Web = {"s": even(1, "a", "b", "c"), "b": even(1, "d", "e"), **{name: even(1) for name in "acde"}}


def test_what_a_page_without_links_has_is_spread_over_all_that_wait() -> None:
    # s gives 1/3 to each. a, without links: half of its 1/3 to b and to c each, which have 1/2 then. b gives d and e
    # 1/4 each, c's 1/2 gives them 1/4 each again, and d's 1/2 are e's. After e nobody waits: its 1 stays in the pool.
    walk = Walk("opic(n=1)", ENDS, "s", dangling="spread").steps(1)
    walk.frontier.dirty_rows()
    walk.steps(1)
    assert walk.cash("a", "b", "c") == near(0, 0.5, 0.5)
    assert [number for *_, number in walk.frontier.dirty_rows().changed] == [walk.number("a")]  # the others lie still
    walk.steps(1)
    assert walk.cash("c", "d", "e") == near(0.5, 0.25, 0.25)
    assert walk.priority("d") == near(0.25 - 1 / 6)  # it was not there when 1/6 was given to everybody
    walk.steps()
    assert "".join(walk.order) == "sabcde"
    assert list(walk.spent.values()) == near(1, 1 / 3, 0.5, 0.5, 0.5, 1)
    assert (walk.queue.pool, walk.queue.ledger.leaked) == near(1, 0)


def test_what_a_page_without_links_has_is_paid_to_the_seeds() -> None:
    # s gives a and b 1/2, t has 1/2: t was met first and gives c its half. Of a's 1/4, s and t, fetched, get 1/8 each.
    # The seed that fails gets nothing.
    web: Web = {"s": even(1, "a", "b"), "t": even(1, "c"), "a": even(1), "b": even(1, "a"), "c": even(1, "b")}
    walk = Walk("opic(n=1, revisit=0)", web, "s", "t", dangling="virtual").steps(2)
    assert walk.cash("a", "b", "c") == near(0.25, 0.25, 0.5)
    walk.steps(2)  # c, which gives b its half, and b, which gives a all that it has
    assert walk.cash("s", "t", "a") == near(0, 0, 1)
    assert walk.steps().cash("s", "t", "a") == near(0.5, 0.5, 0)
    lost = Walk("opic(n=1)", {"s": even(1, "a"), "a": even(1)}, "s", "lost", dangling="virtual").steps()
    assert lost.cash("s", "lost") == near(0.5, 0)
    assert lost.queue.ledger.leaked == 0.5  # the lost seed's own


def test_many_seeds_are_not_paid_for_every_page() -> None:
    # 130 seeds: the virtual page pays when three pages have paid it, each for 64 seeds at most.
    seeds = [f"s{number}" for number in range(130)]
    walk = Walk("opic(n=1)", {seed: even(1) for seed in seeds}, *seeds, dangling="virtual").steps(2)
    assert walk.queue.pool == pytest.approx(2 / 130)
    assert walk.steps(1).queue.pool == 0
    assert walk.cash("s0") == near(3 / 130 / 130)
    assert walk.total() == pytest.approx(1)


def test_seeds_that_are_added_later_have_their_share_whatever_was_spread_before() -> None:
    # After a, b and c have 1/2 each. The new seed is one of two, and gets as much as if they had shared 1.
    walk = Walk("opic(n=1)", ENDS, "s", dangling="spread").steps(2)
    walk.again("new")
    assert walk.cash("b", "c", "new") == near(0.5, 0.5, 0.5)
    assert walk.total() == pytest.approx(walk.queue.ledger.endowed) == pytest.approx(1.5)


@pytest.mark.parametrize("dangling", ["leak", "spread", "virtual"])
def test_history_is_all_that_a_page_has_passed_on(dangling: str) -> None:
    # As in the test of revisits: a hands on 1/2, and 2/3 when it is visited again.
    web: Web = {"s": even(1, "a", "b"), "a": even(1, "b", "c", "d"), "b": even(1, "a"), "c": even(1), "d": even(1)}
    walk = Walk("opic(n=1, revisit=3)", web, "s", dangling=dangling).steps(3)
    assert [walk.queue.history(walk.number(name)) for name in "sabc"] == near(1, 0.5 + 2 / 3, 2 / 3, 0)
    total = 1 + 0.5 + 2 / 3 + 2 / 3 + 1  # all history, and all cash
    assert walk.queue.importance(walk.frontier, walk.number("b")) == pytest.approx((2 / 3 + 2 / 9) / total)


# ---- what goes wrong ----


def test_what_fails_is_dropped_with_its_cash() -> None:
    # Of a half each, the lost page's is gone, and so is the half of a's half that comes to it later.
    web: Web = {"s": even(1, "lost", "a"), "a": even(1, "lost", "b"), "b": even(1, "a")}
    walk = Walk("opic(n=1)", web, "s").steps()
    assert walk.order == ["s", "lost", "a", "b"]
    assert walk.cash("lost", "a", "b") == near(0, 0.25, 0)
    assert walk.queue.ledger.leaked == pytest.approx(0.75)


@pytest.mark.parametrize("n", [1, 50])
def test_cash_follows_redirects(n: int) -> None:
    # old leads to new, which has a third of its own: 2/3, then. Who links to old later links to new; to both: once.
    web: Web = {"s": even(1, "old", "new", "a"), "old": "new", "new": even(1, "b"), "a": even(1, "old", "new", "b")}
    walk = Walk(f"opic(n={n}, revisit=0)", web, "s").steps(2)
    assert walk.order == ["s", "old"]
    assert walk.priority("new") == near(2 / 3)
    walk.steps()
    assert walk.spent["new"] == pytest.approx(2 / 3)
    assert walk.cash("old", "new") == near(0, 1 / 6)
    assert walk.queue.ledger.leaked == pytest.approx(5 / 6)  # by b, which fails


def test_gains_of_a_list_follow_a_redirect_on_it() -> None:
    # The list is a and old. a gives its half to old, which leads to new; new comes in with old's half, has a's after.
    walk = Walk("opic(n=2)", {"s": even(1, "a", "old"), "a": even(1, "old"), "old": "new", "new": even(1)}, "s").steps()
    assert walk.spent["new"] == 0.5
    assert walk.cash("new") == [0.5]


def test_what_is_found_and_redirects_at_once_takes_its_gains_along() -> None:
    # s and t are under way. s gives its half to old, which is asked for too, leads to new, and that on to z.
    web: Web = {"s": even(1, "old"), "t": even(1), "old": "new", "new": even(1, "z")}
    walk = Walk("opic", web, "s", "t")
    assert walk.take(2) == ["s", "t"]
    for name in ("s", "old", "new"):
        walk.come_in(name)
        walk.take()
    assert walk.priority("z") == [0.5]


def test_a_list_may_end_with_a_redirect() -> None:
    # a's half is for b. old, the last of the list, leads back to s: no page comes in, but b has its half at once.
    walk = Walk("opic", {"s": even(1, "a", "old"), "a": even(1, "b"), "old": "s"}, "s").steps(3)
    assert walk.order == ["s", "a", "old"]
    assert walk.priority("b") == [0.5]


def test_links_known_to_lead_to_the_page_itself_are_left_out() -> None:
    web: Web = {"s": even(1, "old"), "old": "new", "new": even(1, "old", "b")}
    assert Walk("opic", web, "s").steps(3).priority("b") == [1.0]


def test_links_known_to_lead_to_one_page_count_as_one_with_the_best_promise() -> None:
    # a, which comes after old, links to old (0.1) and new (0.5), which are one page, and to b (0.5): half of 1/2 each.
    web: Web = {"s": (0.5, {"old": 0.5, "a": 0.5}), "old": "new", "a": (0.5, {"old": 0.1, "new": 0.5, "b": 0.5})}
    walk = Walk("otie(n=1)", web, "s").steps(3)
    assert walk.order == ["s", "old", "a"]
    assert walk.priority("new", "b") == near(0.75, 0.25)


def test_a_redirect_to_a_fetched_page_makes_that_richer() -> None:
    web: Web = {"s": even(1, "a", "old"), "a": even(1, "b"), "old": "a", "b": even(1, "a")}
    assert Walk("opic", web, "s").steps(3).cash("a", "b") == near(0.5, 0.5)


@pytest.mark.parametrize("n", [1, 50])
def test_redirects_in_a_circle_lead_nowhere(n: int) -> None:
    web: Web = {"s": even(1, "x", "a"), "x": "y", "y": "x", "a": even(1, "x", "y", "b"), "b": even(1, "a")}
    walk = Walk(f"opic(n={n})", web, "s").steps()
    assert walk.queue.ledger.leaked == pytest.approx(0.75)
    assert walk.cash("x", "y", "a") == near(0, 0, 0.25)


def test_links_that_lie_too_deep_are_not_there() -> None:
    # a may not bring in new pages; what it links to that is known, s, gets all.
    walk = Walk("opic", {"s": even(1, "a"), "a": even(1, "b", "s")}, "s", max_depth=1).steps()
    assert walk.order == ["s", "a"]
    assert walk.cash("s") == [1.0]


# ---- seeds ----


def test_seeds_share_evenly_and_only_once() -> None:
    walk = Walk("opic(n=1)", {"s": even(1, "a"), "t": even(1, "a"), "a": even(1, "s")}, "s", "t", "t")
    assert walk.cash("s", "t") == [0.5, 0.5]
    walk.steps(1)
    walk.again()
    assert walk.cash("s", "t", "a") == [0, 0.5, 0.5]


def test_seeds_that_are_added_get_as_much_as_if_they_had_been_there() -> None:
    # Of three seeds each has a third. a had 1/2 from s; s, which is fetched, gets none although it is named again.
    walk = Walk("opic(n=1)", {"s": even(1, "a"), "t": even(1), "a": even(1)}, "s", "t").steps(1)
    walk.again("a", "s")
    assert walk.cash("s", "t", "a") == near(0, 1 / 2, 1 / 2 + 1 / 3)
    assert walk.total() == pytest.approx(walk.queue.ledger.endowed)


@pytest.mark.parametrize(
    "wrong", ["otie(a=-1)", "otie(d=0)", "opic(n=0)", "opic(revisit=-1)", "opic(a=1)", "otie(n=x)"]
)
def test_wrong_parameters_are_refused(wrong: str) -> None:
    with pytest.raises(InputError):
        strategy_named(wrong)


def test_a_crawl_of_an_earlier_version_goes_on() -> None:
    walk = Walk("opic(n=1)", RING, "s", dangling="spread").steps(2)
    kept = dict(walk.queue.dirty_state())
    state = json.loads(kept["cash state"])
    for name in ("pool", "paying", "level"):
        del state[name]  # which it did not have
    queue = strategy_named("opic(n=1)").queue()
    queue.restore(walk.frontier, kept | {"cash state": json.dumps(state).encode()})
    assert isinstance(queue, CashQueue)
    assert [queue.cash(walk.frontier, walk.number(name)) for name in "abc"] == near(0, 0.75, 0.25)
