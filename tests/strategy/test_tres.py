"""TRES: its tree, its network and its learning by hand; what it knows of links; and that it goes on as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.frontier import Frontier, Limit, Politeness, State
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.queues import tres_agent
from honeyguide.strategy.queues.tres import ACTION, FEATURES, TresQueue
from honeyguide.strategy.queues.tres_agent import DoubleQ
from honeyguide.strategy.queues.tres_network import Network
from honeyguide.strategy.queues.tres_tree import TreeFrontier, best_split

from .littleweb import LittleWeb, fetched_of_demo, page
from .readings import reading

FREE = Politeness(Limit(100, 0.0), Limit(100, 0.0), Limit(100, 0.0))

# ---- the tree ----


def test_the_best_split_by_hand() -> None:
    # By the second feature, at .3, the rewards are 0, 0 and 1, 1, 1: the whole variance, .4 · .6 = .24, is gone. By the
    # first they are 0, 1 and 0, 1, 1 at best.
    rows = np.array([[1, 0.2], [1, 0.9], [2, 0.3], [2, 0.7], [3, 0.8]])
    assert best_split(rows, np.array([0.0, 1, 0, 1, 1])) == (1, 0.3)
    # Rewards 0, 0, 1, 0 in the order of the only feature. Split after the first: 1/4 · 3/4 · (0 - 1/3)² = .021; after
    # the second: 1/2 · 1/2 · (0 - 1/2)² = .0625; after the third: 3/4 · 1/4 · (1/3 - 0)² = .021.
    assert best_split(np.array([[4.0], [1], [3], [2]]), np.array([0.0, 0, 1, 0])) == (0, 2.0)


def test_nothing_is_split_without_need() -> None:
    same, several = np.ones((5, 2)), np.arange(10.0).reshape(5, 2)
    assert best_split(several, np.ones(5)) is None
    assert best_split(same, np.array([0.0, 1, 0, 1, 1])) is None
    # Neither feature tells anything by itself: 0 and 1 as often on both sides.
    assert best_split(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0.0, 1, 1, 0])) is None


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.25, 1.0])), min_size=2, max_size=9)
)
def test_the_best_split_against_all_splits(samples: list[tuple[int, int, float]]) -> None:
    rows, rewards = np.array([sample[:2] for sample in samples], float), np.array([sample[2] for sample in samples])
    reductions = {}
    for feature in range(2):
        for value in sorted(set(rows[:, feature]))[:-1]:
            is_left = rows[:, feature] <= value
            within = rewards[is_left].var() * is_left.mean() + rewards[~is_left].var() * (~is_left).mean()
            reductions[feature, value] = rewards.var() - within
    best = max(reductions.values(), default=0.0)
    found = best_split(rows, rewards)
    if best < 1e-9:
        assert found is None or reductions[found] == pytest.approx(best, abs=1e-9)
    else:
        assert found is not None
        assert reductions[found] == pytest.approx(best)


def leaves(tree: TreeFrontier, tries: int = 200) -> set[tuple[int, ...]]:
    """The URLs that stand for leaves together."""
    dice = np.random.default_rng(0)
    return {tuple(sorted(tree.representatives(dice, 99).tolist())) for _ in range(tries)}


def test_urls_are_told_apart_by_what_was_learnt() -> None:
    tree = TreeFrontier(2)
    tree.add(np.array([1, 2, 3]), np.array([[0.0, 0.25], [0, 0.75], [0, 1]]))
    assert leaves(tree) == {(1,), (2,), (3,)}  # one leaf, any of them
    for value, reward in ((0.25, 0), (0.5, 0), (0.75, 1), (1.0, 1)):
        tree.learn([0.0, value], reward)
    assert leaves(tree) == {(1,), (2,), (3,)}  # four experiences are too few
    tree.learn([0.0, 0.0], 0.0)
    assert leaves(tree) == {(1, 2), (1, 3)}
    tree.add(np.array([4]), np.array([[0.0, 0.5]]))  # what is as much as the value goes left
    tree.remove(2)
    assert leaves(tree) == {(1, 3), (3, 4)}
    tree.add(np.array([3]), np.array([[0.0, 0.0]]))  # moved
    assert leaves(tree) == {(1,), (3,), (4,)}
    assert tree.features(np.array([2, 3, 9])).tolist() == [[0, 0.75], [0, 0], [0, 0]]


def test_not_all_leaves_need_be_looked_at() -> None:
    tree = TreeFrontier(1)
    tree.add(np.arange(8), np.arange(8.0)[:, None])
    for value in [0, 1, 2, 3, 4, 5, 6, 7] * 4:
        tree.learn([float(value)], float(value))
    dice = np.random.default_rng(0)
    assert len(tree.representatives(dice, 99)) == 8
    assert {len(set(tree.representatives(dice, 3).tolist())) for _ in range(20)} == {3}
    assert set(np.concatenate([tree.representatives(dice, 3) for _ in range(50)]).tolist()) == set(range(8))


# ---- the network ----


def test_a_value_by_hand() -> None:
    # All weights 0 but: the first feature to the first unit of the first layer 2, offset -1; from there to the first of
    # the second layer -1; from there to the output 3, offset .5. Of 1: 2 - 1 = 1; -1, leaking to -.1; 3 · -.1 + .5 is
    # .2. Of 0: -1, leaking to -.1; .1; .3 + .5 = .8.
    network = Network(2, 0)
    weights = np.zeros_like(network.weights)
    first, second, last = 2 * 30, 2 * 30 + 30, 2 * 30 + 30 + 30 * 15 + 15
    weights[0], weights[first], weights[second], weights[last], weights[last + 15] = 2, -1, -1, 3, 0.5
    assert len(weights) == last + 16
    assert network.values(np.array([[1.0, 7], [0, 7]]), weights).tolist() == pytest.approx([0.2, 0.8])


def test_a_step_goes_down_the_gradient() -> None:
    # The first step of Adam moves each weight by the learning rate, .001, against the sign of its slope.
    dice = np.random.default_rng(1)
    rows, targets = dice.random((4, 3)), dice.random(4)
    network = Network(3, 5)
    before = network.weights.copy()

    def loss(weights: Any) -> float:
        return float(((network.values(rows, weights) - targets) ** 2).mean())

    network.fit(rows, targets)
    moved = network.weights - before
    for place in range(0, len(before), 7):
        nudge = np.zeros_like(before)
        nudge[place] = 1e-6
        slope = (loss(before + nudge) - loss(before - nudge)) / 2e-6
        if abs(slope) > 1e-3:
            assert moved[place] == pytest.approx(-0.001 * np.sign(slope), rel=0.01)
    for _ in range(3000):
        network.fit(rows, targets)
    assert loss(network.weights) < 1e-4


def test_gradients_are_clipped() -> None:
    # The slope of the output's offset is 2 · mean(value - target): -2e6, clipped to -1, and then -.2. So Adam's means
    # are .9 · .1 · -1 + .1 · -.2 = -.11 and .999 · .001 · 1 + .001 · .04 = .001039; without their bias -.11 / .19 and
    # .001039 / .001999. The second step is .001 · .5789 / √.5198 = .000803.
    rows, network = np.random.default_rng(1).random((4, 3)), Network(3, 5)
    network.fit(rows, network.values(rows) + 1e6)
    before = network.weights[-1]
    network.fit(rows, network.values(rows) + 0.1)
    assert network.weights[-1] - before == pytest.approx(0.000803, rel=1e-3)


def test_a_network_goes_on_as_it_was() -> None:
    rows, targets = np.eye(3), np.array([0.0, 1, 2])
    whole, other = Network(3, 2), Network(3, 9)
    whole.fit(rows, targets)
    other.restore(whole.dump())
    for network in (whole, other):
        network.fit(rows, targets)
    assert whole.weights.tolist() == other.weights.tolist()


# ---- learning ----


def test_a_link_is_worth_its_reward_and_the_best_link_behind() -> None:
    # Link a gives 0 and leads to b or c; b gives 1 and c 0, and both lead to d, which gives 0 and leads nowhere new.
    # With a discount of one half: d = d / 2 = 0, b = 1, c = 0, a = max(b, c) / 2 = .5.
    a, b, c, d = np.eye(4).tolist()
    agent = DoubleQ(4, 0.5, 20, 3)
    for _ in range(10):
        agent.remember(a, 0.0, np.array([b, c]))
        agent.remember(b, 1.0, np.array([d]))
        agent.remember(c, 0.0, np.array([d]))
        agent.remember(d, 0.0, np.array([d]))
    for pages in range(1, 6000):
        agent.train(pages)
    assert agent.values(np.eye(4)).tolist() == pytest.approx([0.5, 1.0, 0.0, 0.0], abs=0.05)


def test_the_target_network_is_refreshed_after_so_many_pages() -> None:
    agent = DoubleQ(2, 0.5, 6, 0)
    agent.remember([1.0, 0.0], 1.0, np.eye(2))
    targets = []
    for pages in range(1, 13):
        agent.train(pages)
        targets.append(dict(agent.dirty_state())["tres target"])
    # Steps are taken after pages 3, 6, 9 and 12; Q' is what Q was before those of 6 and 12.
    assert [targets.index(target) for target in targets] == [0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 5, 11]


def test_old_experiences_make_room_and_long_pages_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tres_agent, "_CAPACITY", 3)
    agent, again = (DoubleQ(2, 0.5, 5, 0) for _ in range(2))
    kept: dict[str, bytes] = {}
    for number in range(8):
        agent.remember([number, 0.0], 1.0, np.arange(2.0 * (100 if number == 6 else 3)).reshape(-1, 2))
        kept |= dict(agent.dirty_state())
    sizes = {name: len(piece) for name, piece in kept.items() if name.startswith("tres next/")}
    assert sizes == {"tres next/0": 64 * 2 * 2, "tres next/1": 3 * 2 * 2, "tres next/2": 3 * 2 * 2}
    again.restore(kept)
    for pages in range(9, 40):
        agent.train(pages)
        again.train(pages)
    assert agent.values(np.eye(2)).tolist() == again.values(np.eye(2)).tolist()


# ---- what is known of links ----


class Watched(TresQueue):
    """Tells what is known of a URL."""

    def known(self, frontier: Frontier, url: str) -> dict[str, float]:
        (found,) = self._tree.features(frontier.urls.numbers([url]))
        return dict(zip(FEATURES, found.tolist(), strict=True))


def links(*urls: str, action: tuple[float, ...] = (0.25, 0.5, 0.75, 0.375)) -> LinkTable:
    return LinkTable(list(urls), np.zeros(len(urls)), {ACTION: np.array([action] * len(urls))})


def fetched(frontier: Frontier, queue: TresQueue, url: str, relevance: float, *urls: str) -> None:
    """A page comes in, whatever was to be next."""
    number = int(frontier.urls.numbers([url])[0])
    for other in frontier.take(0.0, 99):
        if other != number:
            frontier.withdraw(other, 0.0)
    frontier.settle(number, State.DONE, 0.0)
    queue.page(frontier, number, reading(relevance, links(*urls)), 0)


def test_features_by_hand() -> None:
    def url(name: str) -> str:
        return f"http://{name}.example/"

    frontier, queue = Frontier(FREE), Watched(99, 25, 0.99, 0)
    queue.begin(frontier, [frontier.offer(url("s"), 1.0)])
    fetched(frontier, queue, url("s"), 0.1, url("a.x"), url("b.x"))
    # The seed counts as relevant on the path, though it is not; its own domain, s.example, has no relevant page of one.
    known = queue.known(frontier, url("a.x"))
    assert list(known.values()) == pytest.approx([1, 1, 1, 0.25, 0.5, 0.75, 0.5, 1, 0.375])
    fetched(frontier, queue, url("a.x"), 0.1, url("c.x"), url("www.s"), url("y"))
    # Behind an irrelevant page: two links since a relevant one; one of two pages on the path is relevant. Of x.example
    # and s.example one page each was fetched, and none was relevant; of y.example none.
    assert list(queue.known(frontier, url("c.x")).values())[:3] == pytest.approx([0, 0.5, 0.5])
    assert [list(queue.known(frontier, url(name)).values())[6:8] for name in ("c.x", "www.s", "y")] == [
        [0, 0],
        [0, 0],
        [0.5, 1],
    ]
    fetched(frontier, queue, url("c.x"), 0.1, url("d.x"))
    # Three links since the seed: 1/3 and 1/3, rounded down to tenths.
    assert list(queue.known(frontier, url("d.x")).values())[:3] == pytest.approx([0, 0.3, 0.3], abs=1e-3)
    fetched(frontier, queue, url("d.x"), 0.9, url("e.x"))
    # A relevant page: the way from here is new, but half of the path is relevant; of x.example one page of three.
    known = queue.known(frontier, url("e.x"))
    assert list(known.values())[:3] == pytest.approx([1, 1, 0.5])
    assert known["share of relevant pages of its domain"] == pytest.approx(0.3, abs=1e-3)


def test_a_url_is_known_by_the_link_that_is_worth_most() -> None:
    frontier, queue = Frontier(FREE), Watched(99, 25, 0.99, 0)
    queue.begin(frontier, [frontier.offer("http://s.example/", 1.0), frontier.offer("http://t.example/", 1.0)])
    poor, rich = (0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0)
    values = {}
    for action in (poor, rich):
        row = np.array([[1, 1, 1, *action[:3], 0.5, 1, action[3]]])
        values[action] = queue._agent.values(row)[0]  # by the first weights, which are random
    best = max(values, key=lambda action: values[action])
    for number, action in enumerate((rich, poor)):
        frontier.take(0.0)
        frontier.settle(number, State.DONE, 0.0)
        queue.page(frontier, number, reading(0.9, links("http://a.example/", action=action)), 0)
    assert queue.known(frontier, "http://a.example/")["relevance of its anchor"] == best[0]


def test_max_depth_is_kept_and_redirects_lead_on() -> None:
    web = LittleWeb(
        {
            "": page(60, a="s50", b="s50"),
            "a": "-> c",
            "b": "404",
            "c": page(90, d="s50"),
            "d": page(90, e="s50"),
            "e": page(90),
        }
    )
    assert set(web.order("tres", "").split(" ")) == {"", "c", "d", "e"}
    assert set(web.order("tres", "", scope={"max_depth": 2}).split(" ")) == {"", "c", "d"}


# ---- what it exists for ----


def test_it_learns_what_leads_on() -> None:
    # Half of the links promise by their anchors and keep it; at random one page in two would be relevant.
    names = [f"{kind}{number}" for number in range(150) for kind in ("good", "bad")]
    web = LittleWeb(
        {
            "": page(60, **{name: "s80" if name[0] == "g" else "s20" for name in names}),
            **{name: page(90 if name[0] == "g" else 10, "") for name in names},
        }
    )
    for seed in range(2):
        steps = web.crawl(f"tres(seed={seed})", "", budget={"pages": 130}).steps
        assert sum(step.relevance >= 0.5 for step in steps[30:]) >= 85
        at_first = sum(step.relevance >= 0.5 for step in steps[1:26])
        assert 5 <= at_first <= 20  # the first are chosen at random


def test_the_same_seed_gives_the_same_order_and_another_one_another() -> None:
    names = [f"p{number}" for number in range(40)]
    web = LittleWeb({"": page(60, *names), **{name: page(40, "") for name in names}})
    orders = [web.order(f"tres(seed={seed})", "") for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


@settings(deadline=None, max_examples=3)
@given(st.lists(st.integers(1, 79), max_size=4))
def test_a_crawl_in_pieces_is_the_same(tmp_path_factory: pytest.TempPathFactory, cuts: list[int]) -> None:
    strategy, folder = "tres(warmup=10, refresh=7)", tmp_path_factory.mktemp("crawl")
    whole = fetched_of_demo(folder / "whole", strategy, 80)
    assert fetched_of_demo(Path(folder / "pieces"), strategy, *sorted(set(cuts)), 80) == whole
    assert len(whole) == 80
