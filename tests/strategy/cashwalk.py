"""Crawls by hand through webs on paper, to see where cash goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from honeyguide.frontier import Frontier, Limit, Politeness, State
from honeyguide.strategy.queues.cash import CashQueue
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.registry import strategy_named

from .readings import reading, rows_of

Page = tuple[float, Mapping[str, float]]
"""A page on paper: its relevance, and what its links promise."""

Web = Mapping[str, Page | str]
"""By name: a page, or the name that one redirects to. What is not there fails."""

_AT_ONCE = Limit(1_000_000, 0.0)


def even(relevance: float, *links: str) -> Page:
    return relevance, dict.fromkeys(links, 0.0)


class Walk:
    """A crawl by hand: one URL at a time, or several under way."""

    def __init__(
        self, strategy: str, web: Web, *seeds: str, per_host: int = 0, max_depth: int = 0, dangling: str = "leak"
    ) -> None:
        self.web, self.seeds = web, seeds
        name, _, values = strategy.removesuffix(")").partition("(")
        self._strategy, self._max_depth = f"{name}({values or 'n=50'}, dangling={dangling})", max_depth
        self._limits = Politeness(_AT_ONCE, _AT_ONCE, _AT_ONCE, per_host)
        self._kept: dict[str, bytes] = {}
        self.order: list[str] = []
        self.spent: dict[str, float] = {}
        """What each had when it was visited."""
        self._start(())

    def _start(self, rows: Sequence[Any]) -> None:
        queue = strategy_named(self._strategy).queue()
        assert isinstance(queue, CashQueue)
        self.queue, self.frontier = queue, Frontier(self._limits, queue.merge)
        if rows:
            self.frontier.restore(rows)
            self.queue.restore(self.frontier, self._kept)
        self.queue.begin(self.frontier, [self.frontier.offer(url_of(seed), 1.0) for seed in self.seeds])

    def again(self, *more_seeds: str) -> None:
        """Stop, and go on from what was kept."""
        self._kept.update(self.queue.dirty_state())
        self.seeds = (*self.seeds, *more_seeds)
        self._start(rows_of(self.frontier))

    def take(self, most: int = 1) -> list[str]:
        return [name_of(self.frontier.urls.url(number)) for number in self.frontier.take(0.0, most)]

    def come_in(self, name: str) -> None:
        frontier, number = self.frontier, self.number(name)
        self.order.append(name)
        self.spent[name] = self.queue.held(frontier, number)
        found = self.web.get(name)
        frontier.settle(number, State.FAILED if found is None else State.DONE, 0.0)
        if found is None:
            self.queue.on_failed(frontier, number)
        elif isinstance(found, str):
            target = frontier.offer(url_of(found), frontier.urls.priority(number), number)
            self.queue.on_redirect(frontier, number, target)
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
        number = self.frontier.urls.find(url_of(name))
        assert number is not None
        return number

    def cash(self, *names: str) -> list[float]:
        return [self.queue.cash(self.frontier, self.number(name)) for name in names]

    def priority(self, *names: str) -> list[float]:
        return [self.frontier.urls.priority(self.number(name)) for name in names]

    def total(self) -> float:
        return sum(self.queue.cash(self.frontier, number) for number in range(len(self.frontier)))


def url_of(name: str) -> str:
    """``x.y`` is on the host x; others are on a host of their own."""
    host, _, path = name.partition(".")
    return f"http://{host}.example/{path}"


def name_of(url: str) -> str:
    host, _, path = url.removeprefix("http://").partition(".example/")
    return f"{host}.{path}" if path else host


def _reading(relevance: float, links: Mapping[str, float]) -> Reading:
    return reading(relevance, {url_of(link): score for link, score in links.items()})


def near(*values: float) -> Any:
    return pytest.approx(list(values))
