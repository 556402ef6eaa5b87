"""Statistics that require a scan of all URLs of a crawl, computed in the background for a small share of the time."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from honeyguide.dashboard.index import WatchIndex
from honeyguide.frontier import State
from honeyguide.store.command_effects import KEY, CommandEffects
from honeyguide.store.crawl import Crawl
from honeyguide.store.seed_results import seed_results

BARS = 20
"""Bars of the histogram of promises."""
_BEST = 50  # URLs that wait, shown

_SEED_PAGES = """
    WITH RECURSIVE way(seed, id, steps) AS (
        SELECT value, value, 0 FROM json_each(?)
        UNION SELECT seed, target, steps + 1 FROM redirects JOIN way ON source = way.id WHERE steps < 20
    )
    SELECT seed, pages.id, relevance, substr(title, 1, 500) FROM way JOIN pages ON pages.id = way.id
"""


class WaitingUrl(NamedTuple):
    """A URL that waits."""

    url: str
    priority: float
    parent: int
    depth: int
    attempts: int


class SeedState(NamedTuple):
    """A seed and its result."""

    url: str
    page: int | None
    """The number of its page, or of the one that it redirects to; None if there is none."""
    relevance: float | None
    title: str
    text: str
    """Why there is no page, or the kind of listing; "" if there is a page."""
    is_bad: bool


@dataclass(frozen=True, slots=True)
class Census:
    """Counts of all URLs at one time."""

    time: float
    states: dict[State, int]
    promises: Sequence[tuple[float, int]]
    """The URLs that wait, by promise: the lower end of each bar, and how many are in it."""
    bar: float
    """The width of the bars."""
    best: Sequence[WaitingUrl]
    """The URLs with the highest promises."""
    seeds: Sequence[SeedState]
    targets_found: Sequence[int]
    """The positions of fetched targets in the order of fetching, ascending."""


def take_census(index: WatchIndex, crawl: Crawl, targets: Sequence[str]) -> Census:
    """Count. Takes seconds for millions of URLs."""
    index.count_waiting()
    states = dict(index.query("SELECT state, count(*) FROM crawl.urls GROUP BY state"))
    promises, bar = _promises(index)
    best = index.query(
        "SELECT substr(url, 1, 5000), priority, parent, depth, attempts FROM crawl.urls WHERE state <= 1 "
        "ORDER BY priority DESC, id LIMIT ?",
        _BEST,
    )
    return Census(
        time=time.time(),
        states={state: states.get(int(state), 0) for state in State},
        promises=promises,
        bar=bar,
        best=[WaitingUrl(*row) for row in best],
        seeds=_seeds(crawl),
        targets_found=_targets_found(index, targets),
    )


def _promises(index: WatchIndex) -> tuple[list[tuple[float, int]], float]:
    """A histogram of the waiting URLs, from 0 or the lowest promise to the highest."""
    ((low, high),) = index.query("SELECT min(priority), max(priority) FROM crawl.urls WHERE state <= 1")
    if low is None:
        return [], 1.0
    low, high = min(low, 0.0), max(high, 0.0)
    width = (high - low) / BARS or 1.0
    counted = dict(
        index.query(
            "SELECT min(CAST((priority - ?) / ? AS INTEGER), ?), count(*) FROM crawl.urls WHERE state <= 1 GROUP BY 1",
            low,
            width,
            BARS - 1,
        )
    )
    return [(low + width * number, counted.get(number, 0)) for number in range(BARS)], width


def _seeds(crawl: Crawl) -> list[SeedState]:
    """The seeds of the topic, in its order, and those that were added while it ran."""
    (text,) = next(crawl.query("SELECT value FROM meta WHERE key = ?", KEY), ("{}",))
    given = tuple(dict.fromkeys((*crawl.topic.seeds, *CommandEffects.parse(text).seeds)))
    sql = "SELECT url, id FROM urls WHERE parent = -1 AND url IN (SELECT value FROM json_each(?))"
    numbers = dict(crawl.query(sql, json.dumps([*given])))
    told = {one.url: one for one in seed_results(crawl.query, numbers)}
    pages = {seed: rest for seed, *rest in crawl.query(_SEED_PAGES, json.dumps([*numbers.values()]))}
    seeds = []
    for url in given:
        result = told.get(url)
        page, relevance, title = pages.get(numbers.get(url), (None, None, ""))
        text = result.text if result else "" if page is not None else "waits for its turn"
        seeds.append(SeedState(url, page, relevance, title, text, is_bad=result is not None and result.is_bad))
    return seeds


def _targets_found(index: WatchIndex, targets: Sequence[str]) -> list[int]:
    """The positions of fetched targets in the order of fetching."""
    sql = (
        "SELECT p.seq FROM json_each(?) AS wanted CROSS JOIN crawl.urls AS u ON u.url = wanted.value AND u.state = 2 "
        "JOIN crawl.pages AS p ON p.id = u.id"
    )
    return sorted(seq for (seq,) in index.query(sql, json.dumps([*targets]))) if targets else []
