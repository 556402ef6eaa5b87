"""A frontier with a limit: it keeps the best of what it is offered, and never more than it may."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from honeyguide.frontier import Admission, Frontier, State


def offered(frontier: Frontier, admission: Admission, page: int, scores: list[float]) -> int:
    """Offer the links of a page, as many as are accepted. Returns how many were left out."""
    urls = [f"http://h{place % 7}.example/{page}/{place}" for place in range(len(scores))]
    accepted = admission.accepted(urls, np.array(scores))
    is_accepted = [True] * len(urls) if accepted is None else accepted.tolist()
    for url, score, is_one in zip(urls, scores, is_accepted, strict=True):
        if is_one:
            frontier.offer(url, score)
    return is_accepted.count(False)


def test_below_three_quarters_everything_is_accepted() -> None:
    frontier = Frontier()
    admission = Admission(frontier, 1000)
    assert sum(offered(frontier, admission, page, [0.0] * 50) for page in range(15)) == 0
    assert frontier.count(State.WAITING) == 750
    assert offered(frontier, admission, 15, [0.0] * 50) > 0


def test_without_a_limit_nothing_is_left_out() -> None:
    frontier = Frontier()
    assert offered(frontier, Admission(frontier, 0), 0, [0.0] * 10_000) == 0


@pytest.mark.parametrize("size", [1, 30, 400])
def test_the_limit_holds_and_the_best_are_kept(size: int) -> None:
    frontier, dice = Frontier(), Random(3)
    admission = Admission(frontier, 2000)
    left_out = sum(
        offered(frontier, admission, page, [dice.random() for _ in range(size)]) for page in range(20_000 // size)
    )
    assert 1800 <= frontier.count(State.WAITING) <= 2000
    assert frontier.count(State.WAITING) + left_out == 20_000 // size * size
    scores = frontier.urls.priorities(np.arange(len(frontier)))
    assert scores[:1500].mean() < 0.7  # there was room for all, or for the best of a large page
    assert scores[-100:].mean() > 0.9


def test_there_is_room_for_better_links_after_a_page_of_thousands() -> None:
    frontier = Frontier()
    admission = Admission(frontier, 1000)
    assert offered(frontier, admission, 0, [0.1] * 5000) == 4875
    assert offered(frontier, admission, 1, [0.1] * 50 + [0.9] * 50) == 0
    for page in range(2, 60):
        offered(frontier, admission, page, [0.1] * 500)
    assert 750 <= frontier.count(State.WAITING) <= 875  # nothing of that is better than the rest of it
    assert offered(frontier, admission, 99, [0.1, 0.9, 0.1]) == 2
    assert frontier.urls.find("http://h1.example/99/1") is not None


def test_a_full_frontier_takes_seeds_and_known_urls_and_has_room_again_when_urls_are_taken() -> None:
    frontier = Frontier()
    admission = Admission(frontier, 8)
    for number in range(8):
        frontier.offer(f"http://h{number}.example/", 0.5)
    known, new = "http://h3.example/", "http://new.example/"
    accepted = admission.accepted([known, new], np.array([0.1, 1.0]))
    assert accepted is not None
    assert accepted.tolist() == [True, False]
    frontier.offer("http://seed.example/", 1.0)  # nobody asks for a seed
    assert frontier.count(State.WAITING) == 9
    taken = frontier.take(0.0, 4)
    assert len(taken) == 4
    accepted = admission.accepted([new], np.array([1.0]))
    assert accepted is None or accepted.all()


def test_a_page_without_new_links_changes_nothing() -> None:
    frontier = Frontier()
    admission = Admission(frontier, 1)
    frontier.offer("http://a.example/", 0.5)
    accepted = admission.accepted(["http://a.example/"], np.array([0.0]))
    assert accepted is not None
    assert accepted.all()
    assert admission.accepted([], np.zeros(0)) is not None
