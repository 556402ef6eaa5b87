"""Best-N-first for link context prediction: the order changes from list to list, not from page to page."""

from __future__ import annotations

from honeyguide.frontier import Frontier, State
from honeyguide.strategy.queues.base import Queue
from honeyguide.strategy.queues.fetch_lists import FetchListQueue
from honeyguide.strategy.registry import strategy_named

from .readings import reading

WEB: dict[str, dict[str, float]] = {
    "s": {"a": 0.5, "b": 0.4, "c": 0.3},
    "a": {"good": 0.9, "c": 0.8},
    "b": {"better": 0.95},
    "c": {},
    "good": {"last": 0.1},
    "better": {},
    "last": {},
}


class Walk:
    """A crawl of `WEB`, one page at a time."""

    def __init__(self, queue: Queue) -> None:
        self.frontier = Frontier()
        self.queue = queue
        self.order: list[str] = []
        queue.begin(self.frontier, [self.frontier.offer(url("s"), 1.0)])

    def steps(self, most: int = 99) -> Walk:
        for _ in range(most):
            taken = self.frontier.take(1e6 * len(self.order) + 1e3)
            if not taken:
                break
            (number,) = taken
            name = self.frontier.urls.url(number).removeprefix("http://h.example/")
            self.order.append(name)
            self.frontier.settle(number, State.DONE, 1e6 * len(self.order))
            self.queue.page(self.frontier, number, reading(0.5, {url(one): WEB[name][one] for one in WEB[name]}), 0)
        return self


def url(name: str) -> str:
    return f"http://h.example/{name}"


def test_one_by_one_is_the_plain_queue() -> None:
    # a is best; it promises good .9 and raises c to .8, which so comes before b; b promises better .95.
    expected = ["s", "a", "good", "c", "b", "better", "last"]
    assert Walk(FetchListQueue(1)).steps().order == expected
    assert Walk(strategy_named("link-context-prediction").queue()).steps().order == expected


def test_a_list_is_fetched_before_what_it_found_counts() -> None:
    # First list: s alone, there is nothing else. Second: a, b (their links are set aside); then better .95, good .9,
    # and c, raised to .8.
    assert Walk(FetchListQueue(2)).steps().order == ["s", "a", "b", "better", "good", "c", "last"]
    # Third in the list is c with the .3 that it had when the list began.
    assert Walk(FetchListQueue(3)).steps().order == ["s", "a", "b", "c", "better", "good", "last"]
    assert Walk(strategy_named("link-context-prediction(n=50)").queue()).steps().order[:4] == ["s", "a", "b", "c"]


def test_a_failed_url_is_one_of_the_list() -> None:
    walk = Walk(FetchListQueue(2)).steps(2)
    (number,) = walk.frontier.take(1e9)
    walk.frontier.settle(number, State.FAILED, 1e9)
    walk.queue.on_failed(walk.frontier, number)
    assert walk.frontier.urls.url(number) == url("b")
    priority = walk.frontier.urls.priority
    assert priority(walk.frontier.offer(url("good"), -2.0)) == 0.9


def test_a_redirect_takes_its_score_along() -> None:
    walk = Walk(FetchListQueue(2)).steps(2)  # good waits behind, with .9 set aside
    good = walk.frontier.urls.find(url("good"))
    assert good is not None
    for name in "bc":
        walk.frontier.change(walk.frontier.offer(url(name), -9.0), -9.0)  # as if their host had to rest
    assert walk.frontier.take(1e9) == [good]
    walk.frontier.settle(good, State.DONE, 1e9)
    target = walk.frontier.offer(url("moved"), walk.frontier.urls.priority(good), good, 1)
    walk.queue.on_redirect(walk.frontier, good, target)
    assert walk.frontier.urls.priority(target) == -1.0, "the list is not over"
    (second,) = walk.frontier.take(2e9)
    assert second == target, "met on the list in place of the URL that led to it"
    walk.frontier.put_back(target, 2e9)
    walk.frontier.change(walk.frontier.offer(url("b"), -9.0), 0.4)
    (second,) = walk.frontier.take(3e9)
    walk.frontier.settle(second, State.FAILED, 3e9)
    walk.queue.on_failed(walk.frontier, second)  # the second of the list
    assert walk.frontier.urls.priority(target) == 0.9


def test_a_url_that_was_met_on_the_list_ends_it() -> None:
    walk = Walk(FetchListQueue(50)).steps(2)
    for name in "bc":
        walk.frontier.change(walk.frontier.offer(url(name), -9.0), -9.0)
    walk.steps(1)
    assert walk.order == ["s", "a", "good"]
    assert walk.frontier.urls.priority(walk.frontier.offer(url("c"), -9.0)) == 0.8


def test_a_run_that_goes_on_continues_its_list() -> None:
    whole = Walk(FetchListQueue(3)).steps()
    walk = Walk(FetchListQueue(3)).steps(3)
    state = dict(walk.queue.dirty_state())
    assert dict(walk.queue.dirty_state()) == {}
    walk.queue = FetchListQueue(3)
    walk.queue.restore(walk.frontier, state)
    assert walk.steps().order == whole.order
