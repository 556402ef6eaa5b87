"""Checks that a strategy follows the rules."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from honeyguide.crawl.session import Session
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.relevance.models import make_model
from honeyguide.strategy.registry import strategy_named
from honeyguide.testing.process import run_there
from honeyguide.testing.rules import expect, rule
from honeyguide.testing.web import SmallWeb, linked_pages, odd_documents, plain_pages
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

_NO_LIMIT = 0
_BUDGET = 30
_STOPS = (1, 4, 11, 20)
"""The numbers of pages after which a crawl is stopped, to be resumed by the next run."""

_REPLAY_THERE = """
import sys
from honeyguide.testing.strategies import order_of
for strategy in sys.argv[1:]:
    print(*order_of(strategy))
"""


def check_strategy(*strategies: str) -> None:
    """Check that a strategy, or each of several, follows the rules, on a small built-in web.

    It can read any document, and every link it follows gets a priority that is a number; the same web gives the same
    order, also in another process; a crawl fetches no URL twice and no more pages than its budget; a crawl that is
    stopped and resumed fetches in the same order as an uninterrupted one, and so does one with worker processes.

    Checking several at once is faster: they share the other process.

    Args:
        *strategies: Their names or their paths, with parameters if needed: ``best-first``,
            ``package.module:RECIPE(size=3)``. Not objects: worker processes find a strategy by its name.

    Raises:
        AssertionError: A rule is broken; the message says which, and by which strategy if there are several.
        InputError: There is no such strategy.
    """
    for strategy in strategies:
        strategy_named(strategy, "strategy")
    orders = []
    for strategy in strategies:
        with _naming(strategy, len(strategies)):
            orders.append(_checked_order(strategy))
    with rule("the same web gives the same order"):
        elsewhere = run_there(_REPLAY_THERE, *strategies).decode().splitlines()
        expect(len(elsewhere) == len(strategies), "in another process, something else is also printed")
    for strategy, order, there in zip(strategies, orders, elsewhere, strict=True):
        with _naming(strategy, len(strategies)):
            with rule("the same web gives the same order"):
                _expect_same(there.split(), order)
            _check_crawls(strategy)


@contextmanager
def _naming(strategy: str, of: int) -> Iterator[None]:
    """Add the name of the strategy to the error if there are several."""
    try:
        yield
    except AssertionError as error:
        if of == 1:
            raise
        raise AssertionError(f"{strategy}: {error}") from error


def _checked_order(strategy: str) -> list[str]:
    """Check a strategy in a replay. Returns the order of the pages."""
    with rule("it reads any document, and the priority of a link is a number"):
        documents = odd_documents()
        pages = {**linked_pages(), **plain_pages(), **documents}
        read = _replayed(strategy, pages, list(documents), _NO_LIMIT)
        unread = documents.keys() - {step.url for step in read.steps}
        expect(
            not unread,
            f"{len(unread)} documents were not read ({dict(read.tally.errors)}), such as {sorted(unread)[:1]}",
        )
        for step in read.steps:
            expect(not math.isnan(step.promised), f"the priority of {step.url} is {step.promised}")
    order = order_of(strategy)
    with rule("no URL is fetched twice, and no more than the budget allows"):
        expect(len(set(order)) == len(order), "some URLs are fetched twice")
        expect(len(order) <= _BUDGET, f"{len(order)} pages are fetched with a budget of {_BUDGET}")
    with rule("the same web gives the same order"):
        _expect_same(order_of(strategy), order)
    return order


def _check_crawls(strategy: str) -> None:
    with rule("a crawl that is stopped and resumed fetches in the same order as an uninterrupted one"):
        uninterrupted = _crawled(strategy, (_BUDGET,))
        _expect_same(_crawled(strategy, (*_STOPS, _BUDGET)), uninterrupted)
    with rule("a crawl whose pages are read by a worker process fetches in the same order"):
        _expect_same(_crawled(strategy, (_BUDGET,), workers=1), uninterrupted)


def order_of(strategy: str) -> list[str]:
    """The pages of the built-in web in the order in which a strategy fetches them."""
    pages = linked_pages()
    return [step.url for step in _replayed(strategy, pages, [next(iter(pages))], _BUDGET).steps]


def _topic(strategy: str, seeds: list[str], budget: int) -> Topic:
    return Topic.make(
        name="check",
        seeds=seeds,
        keywords="honey, bee, hive",
        strategy={"name": strategy},
        relevance={"model": "vsm"},
        budget={"pages": budget},
        fetch={"connections": 1, "delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "robots": False},
    )


def _replayed(strategy: str, pages: Mapping[str, bytes], seeds: list[str], budget: int) -> ReplayResult:
    topic = _topic(strategy, seeds, budget)
    return replay(topic, make_model(material_of(topic)), SmallWeb(pages))


def _crawled(strategy: str, budgets: tuple[int, ...], workers: int = 0) -> list[str]:
    """The pages that a crawl fetches, in order, run once with each budget. It is saved on disk between the runs."""
    pages = linked_pages()
    order: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for budget in budgets:
            session = Session(
                _topic(strategy, [next(iter(pages))], budget),
                Path(folder, "crawl"),
                workers=workers,
                fetcher=lambda: SmallWeb(pages),
                on_page=lambda page: order.append(page.url),
            )
            asyncio.run(session.run())
    return order


def _expect_same(order: list[str], expected: list[str]) -> None:
    for place, (one, other) in enumerate(zip(order, expected, strict=False), start=1):
        expect(one == other, f"page {place} is {one}, but was {other} before")
    expect(len(order) == len(expected), f"there are {len(order)} pages, but were {len(expected)} before")
