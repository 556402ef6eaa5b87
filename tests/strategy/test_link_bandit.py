"""The bandit over link classifiers: UCB1 and rankings by hand, who is paid for what, and that it goes on as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.readers import reader_config
from honeyguide.frontier import Frontier, Limit, Politeness, State
from honeyguide.relevance.base import AcceptAll
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.link_words import FIELDS, MOST
from honeyguide.strategy.queues.link_bandit import ARMS, FIELD_WORDS, GUESSES, LinkBanditQueue, Ranking
from honeyguide.strategy.queues.ucb1 import Ucb1
from honeyguide.strategy.reading import Document, Reader
from honeyguide.topic import Topic

from .littleweb import HOME, LittleWeb, fetched_of_demo, page
from .readings import reading

FREE = Politeness(Limit(100, 0.0), Limit(100, 0.0), Limit(100, 0.0))
NONE = [0, 0, 0]

# ---- UCB1 ----


def played(*rewards: Sequence[float], exploration: float = 1.0) -> Ucb1:
    bandit = Ucb1(len(rewards), exploration)
    for arm, own in enumerate(rewards):
        for reward in own:
            bandit.add(arm, reward)
    return bandit


def test_every_arm_is_tried_and_then_the_highest_bound_wins() -> None:
    assert played([], [], []).best(NONE) == 0
    assert played([1.0], [], []).best(NONE) == 1
    # Seven plays, 2 ln 7 = 3.892. Means .5, .667, 0; bounds .5 + √(3.892 / 2) = 1.895, .667 + √(3.892 / 3) = 1.806,
    # √(3.892 / 2) = 1.395.
    assert played([1, 0], [1, 1, 0], [0, 0]).best(NONE) == 0
    # With half the exploration: .5 + .697 = 1.197, .667 + .570 = 1.236.
    assert played([1, 0], [1, 1, 0], [0, 0], exploration=0.5).best(NONE) == 1


def test_plays_under_way_count_as_plays_of_the_usual_reward() -> None:
    # One more of arm 0, eight plays: .5 + √(2 ln 8 / 3) = 1.677 against .667 + √(2 ln 8 / 3) = 1.844.
    assert played([1, 0], [1, 1, 0], [0, 0]).best([1, 0, 0]) == 1
    assert played([], [], []).best([1, 1, 0]) == 2
    # Two more of arm 0, eight plays: 1 + √(2 ln 8 / 4) against .75 + the same.
    assert played([1, 1], [1, 1, 1, 0]).best([2, 0]) == 0


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40))
def test_bounds_as_published(plays: list[tuple[int, float]]) -> None:
    bandit = Ucb1(3, 1.0)
    for arm, reward in plays:
        bandit.add(arm, reward)
    rewards = [[reward for arm, reward in plays if arm == own] for own in range(3)]
    bounds = [sum(own) / len(own) + sqrt(2 * log(len(plays)) / len(own)) if own else float("inf") for own in rewards]
    assert bounds[bandit.best(NONE)] == pytest.approx(max(bounds)) or max(bounds) == float("inf")


# ---- rankings ----


def test_the_best_is_of_the_highest_level_that_fits() -> None:
    ranking, dice = Ranking("r"), np.random.default_rng(0)
    ranking.put(np.array([1, 2, 3, 4]), np.array([0.3, 0.9, 0.9001, 0.5]))
    assert {ranking.best(dice, lambda _: True) for _ in range(30)} == {2, 3}  # one level
    assert ranking.best(dice, lambda number: number not in (2, 3)) == 4
    ranking.put(np.array([1]), np.array([0.95]))
    assert ranking.best(dice, lambda _: True) == 1
    ranking.remove(1)
    assert ranking.best(dice, lambda number: number > 4) is None
    ranking.put(np.array([5, 6]), np.array([1 - 1e-12, 1e-12]))  # beyond the levels
    assert ranking.best(dice, lambda _: True) == 5


# ---- the words of each field ----


def test_fields_are_kept_apart() -> None:
    topic = Topic.make(name="t", seeds=[HOME], keywords="x", strategy={"name": "link-bandit(window=4)"})
    html = b"<p>red <a href=/quince>rowan sorbus</a> blue</p><p><a href=/rowan><img alt=rowan></a></p>"
    table = Reader(reader_config(topic, AcceptAll())).read(Document(HOME, html, "text/html")).links
    words = table[FIELD_WORDS]
    assert words.shape == (2, FIELDS, MOST // FIELDS)
    assert (words > 0).sum(axis=2).tolist() == [[2, 2, 2], [1, 2, 2]]  # addresses have the host's name, too
    assert set(words[1, 0]) <= set(words[0, 0])  # rowan as an anchor, by its image ...
    assert not set(words[1, 0]) & set(words[1, 1]) - {0}  # ... is another word than in the address
    assert table[GUESSES].tolist() == [[1.0] * len(ARMS)] * 2  # by a model that accepts everything


# ---- choices and rewards ----


class Watched(LinkBanditQueue):
    """Tells how often each arm was played, and what it gave."""

    def plays(self) -> dict[str, tuple[int, float]]:
        found = zip(ARMS, self._bandit.plays, self._bandit.rewards, strict=True)
        return {arm: (plays, rewards) for arm, plays, rewards in found if plays}


# Of each arm a favourite: the page of a and b says nothing, by their anchors c is better than d, and so on.
GUESSED = {"a": (0.9, 0.1, 0.1, 0.1), "b": (0.1, 0.9, 0.1, 0.1), "c": (0.1, 0.1, 0.9, 0.1), "d": (0.1, 0.1, 0.1, 0.9)}


def begun(guessed: Mapping[str, tuple[float, ...]]) -> tuple[Frontier, Watched]:
    frontier, queue = Frontier(FREE), Watched(1.0, 100, 1.0, 0)
    queue.begin(frontier, [frontier.offer("http://s.example/", 1.0)])
    frontier.take(0.0)
    frontier.settle(0, State.DONE, 0.0)
    urls = [f"http://{name}.example/" for name in guessed]
    columns = {
        GUESSES: np.array(list(guessed.values())),
        FIELD_WORDS: np.zeros((len(urls), FIELDS, MOST // FIELDS), np.uint16),
    }
    queue.page(frontier, 0, reading(0.9, LinkTable(urls, np.zeros(len(urls)), columns)), 0)
    return frontier, queue


def test_each_arm_has_its_turn_with_its_favourite_and_is_paid_for_it() -> None:
    frontier, queue = begun(GUESSED)
    assert queue.plays() == {}  # a seed was nobody's choice
    order = []
    for relevance in (0.9, 0.1, None, 0.9):
        (number,) = frontier.take(0.0)
        order.append(frontier.urls.url(number)[7])
        frontier.settle(number, State.DONE if relevance else State.FAILED, 0.0)
        if relevance is None:
            queue.on_failed(frontier, number)
        else:
            queue.page(frontier, number, reading(relevance), 0)
    assert order == ["a", "b", "c", "d"]
    assert queue.plays() == {"page": (1, 1.0), "anchor": (1, 0.0), "address": (1, 0.0), "around": (1, 1.0)}


def test_what_nobody_chose_pays_nobody() -> None:
    many = {f"n{number}": (0.5, 0.5, 0.5, 0.5) for number in range(12)}
    frontier, queue = begun(GUESSED | many)
    *_, last = frontier.take(0.0, 12)
    frontier.settle(last, State.DONE, 0.0)
    queue.page(frontier, last, reading(0.9), 0)
    assert queue.plays() == {}


def test_what_is_in_flight_counts_as_played() -> None:
    # By the page d is next after a; but the arm of the page is being played, by a.
    frontier, queue = begun(GUESSED | {"d": (0.5, 0.1, 0.1, 0.9)})
    first, second = frontier.take(0.0, 2)  # chosen by page and by anchor
    frontier.settle(second, State.DONE, 0.0)
    queue.page(frontier, second, reading(0.1), 0)
    (third,) = frontier.take(0.0)
    assert [frontier.urls.url(number)[7] for number in (first, second, third)] == ["a", "b", "c"]
    frontier.settle(first, State.DONE, 0.0)
    queue.page(frontier, first, reading(0.9), 0)
    assert queue.plays() == {"page": (1, 1.0), "anchor": (1, 0.0)}


def test_the_arm_of_a_redirect_is_paid_for_its_target() -> None:
    frontier, queue = begun(GUESSED)
    (source,) = frontier.take(0.0)
    frontier.settle(source, State.DONE, 0.0)
    target = frontier.offer("http://t.example/", frontier.urls.priority(source), source, frontier.urls.depth(source))
    queue.on_redirect(frontier, source, target)
    assert frontier.take(0.0) == [target]
    frontier.settle(target, State.DONE, 0.0)
    queue.page(frontier, target, reading(0.9), 0)
    assert queue.plays() == {"page": (1, 1.0)}


@pytest.mark.parametrize("telling", ["anchor", "address"])
def test_it_goes_over_to_the_arm_that_is_right(telling: str) -> None:
    # Only anchors, or only addresses, tell good pages from bad ones; all guesses are the same.
    kinds = ["good" if number % 3 == 0 else "bad" for number in range(240)]
    names = [f"{kind if telling == 'address' else 'x'}-{number}" for number, kind in enumerate(kinds)]
    web = LittleWeb(
        {
            "": page(
                50,
                **{
                    name: f"{kind if telling == 'anchor' else 'a'} thing"
                    for name, kind in zip(names, kinds, strict=True)
                },
            ),
            **{name: page(90 if kind == "good" else 10) for name, kind in zip(names, kinds, strict=True)},
        }
    )
    steps = web.crawl("link-bandit(window=0, exploration=0.2)", "", budget={"pages": 81}).steps
    assert sum(step.relevance >= 0.5 for step in steps[1:]) >= 55  # at random it would be 27
    both = {name: web.crawl(name, "", budget={"pages": 81}).steps for name in ("link-bandit(window=0)", "best-first")}
    found = {name: sum(step.relevance >= 0.5 for step in steps) for name, steps in both.items()}
    assert found["link-bandit(window=0)"] > 1.3 * found["best-first"]


def test_a_crawl_in_pieces_is_the_same(tmp_path: Path) -> None:
    strategy = "link-bandit(refit=7, window=6, seed=2)"
    whole = fetched_of_demo(tmp_path / "whole", strategy, 80)
    assert fetched_of_demo(tmp_path / "pieces", strategy, 1, 9, 33, 34, 80) == whole
    assert len(whole) == 80
