"""What other shards have learnt changes the promises of URLs that wait here, even if no page is fetched here."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from honeyguide.cluster import shard
from honeyguide.cluster.messages import Orders
from honeyguide.cluster.ring import Ring
from honeyguide.cluster.shard import Shard
from honeyguide.crawl.replaying import unlimited_frontier
from honeyguide.frontier import Frontier
from honeyguide.store.tally import Tally
from honeyguide.strategy.guide.evidence import evidence_table
from honeyguide.strategy.guide.texts import TEXT_FEATURES
from honeyguide.strategy.queues.base import PageElsewhere
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Reading

from .kit import names, topic_of

URLS = [f"http://site{number}.example/" for number in range(8)]
SCORES = [0.9, 0.1] * 4  # what the texts of the links to them say


def page(relevance: float, links: int) -> Reading:
    texts = np.repeat(np.array(SCORES[:links], np.float32)[:, None], len(TEXT_FEATURES), axis=1)
    relevant = relevance >= 0.5
    return Reading("", "", 0, b"", relevance, relevant, False, evidence_table(URLS[:links], texts))


def learnt_elsewhere() -> np.ndarray[Any, np.dtype[np.float64]]:
    """The sums of a queue that has found: what the texts of a link say is true."""
    queue = CheckedQueue("guide")
    frontier = unlimited_frontier(queue.merge)
    home = frontier.offer("http://home.example/", 1.0)
    queue.begin(frontier, [home])
    queue.page(frontier, home, page(0.5, len(URLS)), 0)
    for url, score in zip(URLS, SCORES, strict=True):
        number = frontier.urls.find(url)
        assert number is not None
        queue.page(frontier, number, page(score, 0), 0)
    return queue.learnt()


def made(folder: Path, frontier: Frontier, queue: CheckedQueue) -> Shard:
    """A shard that has just been started."""
    rows = {"channels": [], "outbox": [], "lives": [(0,)]}
    recorder: Any = SimpleNamespace(
        folder=folder, tally=Tally(), query=lambda sql, *_: iter(next(rows[name] for name in rows if name in sql))
    )
    return Shard("00", Ring(names(2)), topic_of(["http://a.example/"]), frontier, queue, recorder, lambda: 0.0)


def test_promises_follow_in_rotation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard, "_RESCORED", 3)
    queue = CheckedQueue("guide")
    frontier = unlimited_frontier(queue.merge)
    one = made(tmp_path, frontier, queue)
    orders = Orders(epoch=0, life=1, wave=1, granted=0, keep=0, learnt=learnt_elsewhere())
    one.take_orders(one.report(), orders, 0)  # nothing waits yet
    elsewhere = frontier.note_elsewhere("http://elsewhere.example/", 1)
    queue.links(frontier, [PageElsewhere(elsewhere, page(0.5, len(URLS)), b"\0" * 5)], 0)
    waiting = [number for number in range(len(frontier)) if frontier.urls.is_waiting(number)]
    assert len(waiting) == len(URLS)
    for number in waiting:
        frontier.change(number, 5.0)
    one.take_orders(one.report(), orders, 0)
    assert [number for number in waiting if frontier.urls.priority(number) == 5.0] == waiting[2:]
    for _ in range(2):
        one.take_orders(one.report(), orders, 0)
    assert all(frontier.urls.priority(number) < 5.0 for number in waiting)
    frontier.change(waiting[0], 5.0)
    one.take_orders(one.report(), orders, 0)
    assert frontier.urls.priority(waiting[0]) < 5.0


def test_nothing_is_rescored_if_nothing_was_learnt(tmp_path: Path) -> None:
    queue = CheckedQueue("guide")
    frontier = unlimited_frontier(queue.merge)
    one = made(tmp_path, frontier, queue)
    elsewhere = frontier.note_elsewhere("http://elsewhere.example/", 1)
    queue.links(frontier, [PageElsewhere(elsewhere, page(0.5, len(URLS)), b"\0" * 5)], 0)
    frontier.change(1, 5.0)
    one.take_orders(one.report(), Orders(epoch=0, life=1, wave=1, granted=0, keep=0), 0)
    assert frontier.urls.priority(1) == 5.0
