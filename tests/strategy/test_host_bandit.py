"""The host bandit: orders worked out from its draws, what it exists for, and that it goes on as it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.frontier import Frontier, Limit, Politeness, State
from honeyguide.page.url import host_of
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.queues.host_bandit import HostBanditQueue
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.registry import strategy_named

from .littleweb import LittleWeb, fetched_of_demo, page
from .readings import reading, rows_of

FREE = Politeness(Limit(100, 0.0), Limit(100, 0.0), Limit(100, 0.0))
BY_ANCHOR = "score=mixed, page=0, window=0"  # a link is worth what its anchor says

# Links of b promise more, pages of c are relevant.
ARMS = LittleWeb(
    {
        "": page(60, **{"b.one": "s90", "b.two": "s80", "c.one": "s60", "c.two": "s50"}),
        "b.one": page(10),
        "b.two": page(10),
        "c.one": page(90),
        "c.two": page(90),
    }
)


@pytest.mark.parametrize(
    ("seed", "order"),
    [
        # As few hosts as these are all drawn after every page: the page's own first, then a, b, c in turn without it.
        # Draws from Beta(1, 1) at the start: a .567; when home comes in: b .646, c .580; then a (1 good) .867,
        # b .268, c .680: b.one .9 · .268 = .242, c.one .6 · .680 = .408, so c.one. c (1 good) .930, a .820, b .862:
        # b.one .776, c.two .465, so b.one. b (1 bad) .411, a .413, c .997: b.two .329, c.two .498.
        (0, " c.one b.one c.two b.two"),
        # a .419; b .357, c .345; a .084, b .312, c .159: b.one .281, c.one .096. b (1 bad) .113, a .335, c .631:
        # b.two .091, c.one .379. c (1 good) .837, a .999, b .688: b.two .551, c.two .418.
        (5, " b.one c.one b.two c.two"),
    ],
)
def test_worked_out_on_paper(seed: int, order: str) -> None:
    assert ARMS.order(f"host-bandit({BY_ANCHOR}, seed={seed})", "") == order


def test_with_strong_priors_the_links_decide_and_are_promised_their_own_score() -> None:
    # A million pages that a host is taken to have had make its draws the same, up to a thousandth.
    found = ARMS.promised(f"host-bandit({BY_ANCHOR}, alpha=1e6, beta=1e6)", "")
    assert list(found.items()) == [("", 1.0), ("b.one", 0.9), ("b.two", 0.8), ("c.one", 0.6), ("c.two", 0.5)]


def hosts_asked(web: LittleWeb, strategy: str, pages: int) -> Counter[str]:
    return Counter(host_of(step.url)[0] for step in web.crawl(strategy, "", budget={"pages": pages}).steps)


@pytest.mark.parametrize("score", ["learnt", "mixed", "inherited"])
def test_it_leaves_a_host_that_keeps_failing_and_still_tries_unknown_ones(score: str) -> None:
    # x and y promise the same; y keeps the promise. Late, a page of y shows z, of which nothing is known.
    names = [f"{host}.{number}" for number in range(60) for host in ("x", "y")]
    pages = {name: page(5 if name[0] == "x" else 90) for name in names}
    pages |= {f"y.{number}": page(90, f"z.{number}") for number in (20, 21, 22)}
    pages |= {f"z.{number}": page(90) for number in (20, 21, 22)}
    web = LittleWeb({"": page(60, *names), **pages})
    for seed in range(3):
        asked = hosts_asked(web, f"host-bandit(score={score}, seed={seed})", 61)
        assert asked["y"] >= 45
        assert asked["x"] <= 12
        assert asked["z"] >= 1
    assert hosts_asked(web, "best-first", 61)["x"] >= 28


def test_the_same_seed_gives_the_same_order_and_another_one_another() -> None:
    names = [f"{host}.{number}" for number in range(5) for host in "bcdefghijklmnop"]
    web = LittleWeb({"": page(60, *names), **{name: page(ord(name[0]) % 3 * 40) for name in names}})
    orders = [web.order(f"host-bandit(seed={seed})", "") for seed in (1, 1, 2)]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]
    assert sorted(orders[0].split()) == sorted(orders[2].split())


# ---- draws ----


class Watched(Frontier):
    """Notes which hosts are weighed, and how."""

    def __init__(self) -> None:
        super().__init__(FREE)
        self.weighed: list[int] = []
        self.factors: dict[int, float] = {}

    def weigh(self, host: int, factor: float) -> None:
        self.weighed.append(host)
        self.factors[host] = factor
        super().weigh(host, factor)


def found(*links: str, relevant: bool = True) -> Reading:
    return reading(0.5, dict.fromkeys(links, 0.5), relevant=relevant)


def url(host: int, name: int = 0) -> str:
    return f"http://h{host}.example/{name}"


def outcome(frontier: Frontier, bandit: HostBanditQueue, came_in: Reading | None) -> int:
    """Take the best URL, and let it be a page, or come to nothing."""
    (number,) = frontier.take(0.0)
    frontier.settle(number, State.FAILED if came_in is None else State.DONE, 0.0)
    if came_in is None:
        bandit.on_failed(frontier, number)
    else:
        bandit.page(frontier, number, came_in, 0)
    return number


def test_a_page_costs_a_bounded_number_of_draws_and_every_host_has_its_turn() -> None:
    frontier, bandit = Watched(), HostBanditQueue(PlainQueue(), 1.0, 1.0, 0)
    bandit.begin(frontier, [frontier.offer(url(0), 1.0)])
    outcome(frontier, bandit, found(*(url(host, page) for page in range(2) for host in range(1, 100))))
    assert len(frontier.weighed) == 1 + 99 + 1 + 3  # it was its own host's turn
    weighed: set[int] = set()
    for _ in range(25):
        frontier.weighed.clear()
        number = outcome(frontier, bandit, found())
        assert frontier.weighed[0] == frontier.urls.host(number)
        assert len(frontier.weighed) in (4, 5)
        weighed |= set(frontier.weighed)
    assert len(weighed) == 100


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 2**31), st.sampled_from([0.001, 0.5, 1.0, 10.0]))
def test_draws_are_from_the_posterior(good: int, bad: int, seed: int, prior: float) -> None:
    # With one host there is one draw at the start and one after each outcome. What came to nothing is bad as well.
    frontier, bandit = Watched(), HostBanditQueue(PlainQueue(), prior, 2 * prior, seed)
    bandit.begin(frontier, [frontier.offer(url(0, name), 1.0) for name in range(good + bad + 1)])
    dice = Random(seed)
    expected = dice.betavariate(prior, 2 * prior)
    for number in range(good + bad):
        outcome(frontier, bandit, None if number >= good and number % 2 else found(relevant=number < good))
        expected = dice.betavariate(prior + min(number + 1, good), 2 * prior + max(0, number + 1 - good))
    assert frontier.factors[frontier.host_number("h0.example")] == max(expected, 1e-300) > 0


# ---- going on ----


@given(
    st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.booleans()), min_size=1, max_size=25),
    st.integers(0, 24),
    st.booleans(),
)
def test_what_is_kept_is_all_there_is(steps: list[tuple[int, bool, bool]], cut: int, robots: bool) -> None:
    """A run that is cut goes on with the same draws, also if it knew of hosts that no URL is of (by a robots.txt)."""

    def follow(frontier: Frontier, bandit: HostBanditQueue, steps: list[tuple[int, bool, bool]]) -> None:
        for host, is_good, fails in steps:
            if robots:
                frontier.host_number(f"unasked{host}.example")
            links = (url(host), url(host + 1))
            outcome(frontier, bandit, None if fails else found(*links, relevant=is_good))

    def factors(frontier: Watched) -> dict[str, float]:
        return {frontier.hosts.name(host): factor for host, factor in frontier.factors.items()}

    begun = []
    for _ in range(2):
        frontier, bandit = Watched(), HostBanditQueue(PlainQueue(), 1.0, 1.0, 3)
        bandit.begin(frontier, [frontier.offer(url(30, name), 1.0) for name in range(30)])
        begun.append((frontier, bandit))
    (whole, one), (first, two) = begun
    follow(whole, one, steps)
    kept = dict(two.dirty_state())
    follow(first, two, steps[:cut])
    kept |= dict(two.dirty_state())
    second, three = Watched(), HostBanditQueue(PlainQueue(), 1.0, 1.0, 3)
    second.restore(rows_of(first))
    three.restore(second, kept)
    assert factors(second) == factors(first)
    three.begin(second, [second.offer(url(30, name), 1.0) for name in range(30)])
    follow(second, three, steps[cut:])
    assert factors(second) == factors(whole)


@pytest.mark.parametrize("score", ["learnt", "mixed"])
def test_a_crawl_in_pieces_is_the_same(tmp_path: Path, score: str) -> None:
    strategy = f"host-bandit(score={score}, seed=2)"
    whole = fetched_of_demo(tmp_path / "whole", strategy, 80)
    assert fetched_of_demo(tmp_path / "pieces", strategy, 1, 9, 33, 34, 80) == whole
    assert len(whole) == 80


@pytest.mark.parametrize("asked", ["alpha=0", "beta=-1", "seed=x", "score=best", "page=2", "gamma=1"])
def test_wrong_parameters_are_refused(asked: str) -> None:
    with pytest.raises(InputError):
        strategy_named(f"host-bandit({asked})")
