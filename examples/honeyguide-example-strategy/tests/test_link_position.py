"""The strategy follows the rules, and learns."""

from __future__ import annotations

import numpy as np
import pytest
from honeyguide_example_strategy import POSITION, PositionQueue

from honeyguide.frontier import Frontier
from honeyguide.strategy.link_table import NO_LINKS, LinkTable
from honeyguide.strategy.reading import Reading
from honeyguide.testing import check_strategy

TOP, MIDDLE = 1, 33


def reading(*, relevant: bool, links: LinkTable = NO_LINKS) -> Reading:
    table = links if len(links) else links.with_columns(**{POSITION: np.zeros(0, np.int64)})
    return Reading("", "en", 100, b"", float(relevant), relevant, noindex=False, links=table)


def two_links(host: str) -> LinkTable:
    urls = [f"http://{host}/top", f"http://{host}/middle"]
    return LinkTable(urls, np.array([0.6, 0.6]), {POSITION: np.array([TOP, MIDDLE])})


def test_it_keeps_the_rules() -> None:
    check_strategy("link-position(window=10)")


def test_it_learns_which_positions_are_good() -> None:
    frontier, queue = Frontier(), PositionQueue()
    seeds = [frontier.offer(f"http://{host}/", 1.0) for host in ("a.example", "b.example")]
    queue.begin(frontier, seeds)
    queue.page(frontier, seeds[0], reading(relevant=True, links=two_links("a.example")), 0)
    top, middle = frontier.urls.children(seeds[0])
    assert frontier.urls.priority(top) == frontier.urls.priority(middle)
    queue.page(frontier, top, reading(relevant=False), 0)
    queue.page(frontier, middle, reading(relevant=True), 0)
    queue.page(frontier, seeds[1], reading(relevant=True, links=two_links("b.example")), 0)
    top, middle = frontier.urls.children(seeds[1])
    assert frontier.urls.priority(top) == pytest.approx(0.6 / 3)
    assert frontier.urls.priority(middle) == pytest.approx(0.6 * 2 / 3)
