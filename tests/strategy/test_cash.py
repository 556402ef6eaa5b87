"""OPIC and OTIE: cash worked out on paper, where it goes when things go wrong, and that none is made or lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoFetcher, DemoWeb
from honeyguide.errors import InputError
from honeyguide.fetch.base import Response
from honeyguide.frontier import Frontier, Limit, Politeness, State
from honeyguide.lab.replay import replay
from honeyguide.relevance.models import Material, make_model
from honeyguide.strategy.queues.cash import Cash, Revision
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic import Topic

Page = tuple[float, Mapping[str, float]]
"""A page on paper: its relevance, and what its links promise."""

Web = Mapping[str, Page | str]
"""By name: a page, or the name that one redirects to. What is not there fails."""

_AT_ONCE = Limit(1_000_000, 0.0)


def even(relevance: float, *links: str) -> Page:
    return relevance, dict.fromkeys(links, 0.0)


class Walk:
    """A crawl by hand: one URL at a time, or several under way."""

    def __init__(self, strategy: str, web: Web, *seeds: str, per_host: int = 0, max_depth: int = 0) -> None:
        self.web, self.seeds = web, seeds
        self._strategy, self._max_depth = strategy, max_depth
        self._limits = Politeness(_AT_ONCE, _AT_ONCE, _AT_ONCE, per_host)
        self._kept: dict[str, bytes] = {}
        self.order: list[str] = []
        self.spent: dict[str, float] = {}
        """What each had when it was visited, by the frontier."""
        self._start(())

    def _start(self, rows: Sequence[Any]) -> None:
        queue = strategy_named(self._strategy).queue()
        assert isinstance(queue, Cash)
        self.queue, self.frontier = queue, Frontier(self._limits, queue.merge)
        if rows:
            self.frontier.restore(rows)
            self.queue.restore(self.frontier, self._kept)
        self.queue.begin(self.frontier, [self.frontier.offer(_url(seed), 1.0) for seed in self.seeds])

    def again(self, *more_seeds: str) -> None:
        """Stop, and go on from what was kept."""
        self._kept.update(self.queue.changed())
        self.seeds = (*self.seeds, *more_seeds)
        self._start([self.frontier.record.row(number) for number in range(len(self.frontier))])

    def take(self, most: int = 1) -> list[str]:
        return [_name(self.frontier.url(number)) for number in self.frontier.take(0.0, most)]

    def come_in(self, name: str) -> None:
        frontier, number = self.frontier, self.number(name)
        self.order.append(name)
        self.spent[name] = frontier.record.priority[number]
        found = self.web.get(name)
        frontier.settle(number, State.FAILED if found is None else State.DONE, 0.0)
        if found is None:
            self.queue.gone(frontier, number)
        elif isinstance(found, str):
            target = frontier.offer(_url(found), frontier.record.priority[number], number)
            self.queue.moved(frontier, number, target)
        else:
            self.queue.page(frontier, number, _reading(*found), self._max_depth)

    def steps(self, most: int = 1000) -> Walk:
        for _ in range(most):
            for name in (taken := self.take()):
                self.come_in(name)
            if not taken:
                break
        return self

    def number(self, name: str) -> int:
        return self.frontier.record.number[_url(name)]

    def cash(self, *names: str) -> list[float]:
        return [self.queue.cash(self.frontier, self.number(name)) for name in names]

    def priority(self, *names: str) -> list[float]:
        return [self.frontier.record.priority[self.number(name)] for name in names]

    def total(self) -> float:
        return sum(self.queue.cash(self.frontier, number) for number in range(len(self.frontier)))


def _url(name: str) -> str:
    """``x.y`` is on the host x; others are on a host of their own."""
    host, _, path = name.partition(".")
    return f"http://{host}.example/{path}"


def _name(url: str) -> str:
    host, _, path = url.removeprefix("http://").partition(".example/")
    return f"{host}.{path}" if path else host


def _reading(relevance: float, links: Mapping[str, float]) -> Reading:
    urls = [_url(link) for link in links]
    return Reading("", "", "", 0, b"", relevance, relevance >= 0.5, False, urls, list(links.values()))


def near(*values: float) -> Any:
    return pytest.approx(list(values))


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
    # One page a host: h.2 waits for ever, and is all that is left of the first list after h.1. What h.1 found comes
    # behind it with no cash yet; once one of these has come in, the rest is in the order of its cash.
    web: Web = {"h.1": (0.5, {"a": 0.1, "b": 0.2, "c": 0.7}), "a": even(0.5), "b": even(0.5), "c": even(0.5)}
    assert Walk("otie", web, "h.1", "h.2", per_host=1).steps().order == ["h.1", "a", "c", "b"]


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


# ---- on any web ----

NAMES = "abcdefgh"
pages = st.tuples(
    st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.0, 0.125, 0.5, 1.0]), max_size=5),
)
webs = st.dictionaries(st.sampled_from(NAMES), pages | st.sampled_from(NAMES), min_size=4).map(
    lambda web: {
        name: page if isinstance(page, str) else (page[0], {link: s for link, s in page[1].items() if link != name})
        for name, page in web.items()
    }
)
strategies = st.builds(
    "{}(n={}, revisit={})".format, st.sampled_from(["opic", "otie"]), st.integers(1, 4), st.integers(0, 2)
)


@given(webs, strategies, st.lists(st.integers(1, 3), max_size=12))
def test_all_cash_is_accounted_for(web: Web, strategy: str, under_way: list[int]) -> None:
    walk = Walk(strategy, web, "a", "b")
    for most in [*under_way, *[1] * 10]:
        for name in reversed(walk.take(most)):
            walk.come_in(name)
            ledger = walk.queue.ledger
            assert walk.total() == pytest.approx(ledger.endowed + ledger.revised - ledger.leaked)
            assert min(walk.cash(*map(_name, walk.frontier.record.url))) >= 0
    assert walk.queue.ledger.endowed == 1
    assert walk.queue.ledger.leaked >= -1e-12
    assert strategy.startswith("otie") or walk.queue.ledger.revised == 0


@given(webs, strategies, st.sets(st.integers(1, 8)))
def test_a_crawl_in_pieces_is_the_same(web: Web, strategy: str, stops: set[int]) -> None:
    whole, pieces = Walk(strategy, web, "a", "b").steps(), Walk(strategy, web, "a", "b")
    for stop in sorted(stops):
        pieces.steps(stop - len(pieces.order))
        pieces.again()
    pieces.steps()
    assert pieces.order == whole.order
    assert pieces.spent == whole.spent
    assert pieces.cash(*whole.order) == whole.cash(*whole.order)
    assert pieces.queue.ledger == whole.queue.ledger


@given(
    webs.map(lambda web: {n: p for n, p in web.items() if not isinstance(p, str)}), st.integers(1, 4), st.integers(0, 3)
)
def test_otie_is_the_algorithm_of_the_paper(web: Mapping[str, Page], n: int, revisit: int) -> None:
    walk = Walk(f"otie(n={n}, revisit={revisit})", web, "a", "b").steps()
    spent = by_the_paper(web, ["a", "b"], n, revisit)
    assert walk.order == list(spent)
    assert walk.spent == pytest.approx(spent)


def by_the_paper(web: Mapping[str, Page], seeds: list[str], n: int, revisit: int) -> dict[str, float]:
    """Algorithm 1 as it is printed, list by list: what each URL had when it was fetched, in that order.

    A page that is visited again comes first on its list.
    """
    cash = dict.fromkeys(seeds, 1 / len(seeds))  # in the order they were met
    spent: dict[str, float] = {}
    lists = 0
    while waiting := [name for name in cash if name not in spent]:
        fetch_list = sorted(waiting, key=lambda name: -cash[name])[:n]
        fetched = [name for name in cash if name in spent and name in web and web[name][1] and cash[name]]
        if revisit and lists and lists % revisit == 0 and fetched:
            fetch_list.insert(0, max(fetched, key=lambda name: cash[name]))
        had = {name: cash[name] for name in fetch_list}
        gains: dict[str, float] = {}
        for name in fetch_list:
            spent.setdefault(name, had[name])
            cash[name] = 0.0
            relevance, links = web.get(name, (0.0, {}))
            money = had[name] + had[name] * Revision().factor(relevance)
            scores = {link: web[link][0] if link in spent and link in web else links[link] for link in links}
            total = sum(scores.values())
            for link, score in scores.items():
                cash.setdefault(link, 0.0)
                gains[link] = gains.get(link, 0.0) + money * (score / total if total else 1 / len(links))
        for name, gain in gains.items():
            cash[name] += gain
        lists += 1
    return spent


# ---- as recipes ----


class Paper:
    """A fetcher for pages that are written down, by URL."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = pages

    def __contains__(self, url: str) -> bool:
        return url in self._pages

    def response(self, url: str) -> Response | None:
        body = self._pages[url].encode()
        return Response(url, 200, "OK", (("Content-Type", "text/html"),), body, body, ())


def test_what_links_promise_is_page_and_window_mixed() -> None:
    # The seed's words are honey bee stone stone honey bee stone stone: (honey 2, bee 2) of (2, 2, 4) against (1, 1):
    # r = 4 / (√24 · √2) = 1 / √3. Windows of two words are the anchors: 1 for "honey bee", 0 for "stone stone".
    # It promises r/4 + 3/4 and r/4; the cash is 1 + 0.85 (2r - 1)³.
    web = Paper(
        {
            _url("s"): '<p>honey bee stone stone</p><p><a href="http://dull.example/">stone stone</a></p>'
            '<p><a href="http://good.example/">honey bee</a></p>',
            _url("good"): "<p>honey",
            _url("dull"): "<p>stone",
        }
    )
    wanted = Topic.make(
        name="t",
        seeds=[_url("s")],
        keywords="honey, bee",
        strategy={"name": "otie(window=2)"},
        fetch={"connections": 1},
    )
    found = replay(wanted, make_model(Material(wanted)), web)  # type: ignore[arg-type]
    r = 1 / sqrt(3)
    cash = 1 + 0.85 * (2 * r - 1) ** 3
    assert [_name(step.url) for step in found.steps] == ["s", "good", "dull"]
    good, dull = (step.promised for step in found.steps[1:])
    assert good == pytest.approx(cash * (r / 4 + 3 / 4) / (r / 2 + 3 / 4))
    assert dull == pytest.approx(cash * (r / 4) / (r / 2 + 3 / 4))


@pytest.mark.parametrize("strategy", ["opic(n=7, revisit=2)", "otie(n=7, revisit=2)"])
def test_a_real_crawl_in_pieces_is_the_same(tmp_path: Path, strategy: str) -> None:
    demo = DemoWeb(pages=120, page_kb=2.0)
    subject = demo.subjects[2]
    found = []
    for name, budgets in (("whole", [60]), ("pieces", [1, 7, 20, 25, 60])):
        fetched: list[Any] = []
        for most in budgets:
            wanted = Topic.make(
                name="t",
                seeds=demo.seeds(subject),
                keywords=", ".join(demo.keywords(subject)),
                strategy={"name": strategy},
                budget={"pages": most},
                fetch={"connections": 1, "delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0},
            )
            session = Session(wanted, tmp_path / name, fetcher=lambda: DemoFetcher(demo), on_page=fetched.append)
            uvloop.run(session.run())
        found.append([(one.url, one.row.priority) for one in fetched])
    assert len(found[0]) == 60
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "wrong", ["otie(a=-1)", "otie(d=0)", "opic(n=0)", "opic(revisit=-1)", "opic(a=1)", "otie(n=x)"]
)
def test_wrong_parameters_are_refused(wrong: str) -> None:
    with pytest.raises(InputError):
        strategy_named(wrong)
