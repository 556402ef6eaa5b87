"""The coordinator with its files: what it grants, and what it was told, survives its death."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honeyguide.cluster.head import ClusterHead
from honeyguide.cluster.messages import ShardReport
from honeyguide.errors import InputError
from honeyguide.lab.clock import VirtualClock
from honeyguide.store.commands import Command
from honeyguide.store.inbox import pending, send
from honeyguide.store.shards import read_layout
from honeyguide.store.tally import Tally

from .kit import settled_in, topic_of

SEEDS = ["http://bees.example/"]


def report(shard: str, number: int, *, epoch: int = -1, pages: int = 0, received: str = "", **more: Any) -> ShardReport:
    fields: dict[str, Any] = {"waiting": ((0.5, 10),), "commands": frozenset({received} - {""}), **more}
    return ShardReport(shard, 1, number, epoch, 0, 0, Tally(pages=pages), **fields)


def test_what_is_granted_is_on_disk_first_and_is_not_granted_again(tmp_path: Path) -> None:
    topic = topic_of(SEEDS, budget={"pages": 10})
    head = settled_in(topic, tmp_path / "crawl", 2)
    assert head.report(report("00", 1)).granted == 0  # nobody knows yet how many pages the other one has
    head.report(report("01", 1))
    granted = [head.report(report(shard, 2)).granted for shard in ("00", "01")]
    assert 0 < sum(granted) <= 10
    saved = read_layout(tmp_path / "crawl").ledger
    assert [saved[shard]["granted"] for shard in ("00", "01")] == granted
    with pytest.raises(InputError, match="is being crawled"):
        ClusterHead(tmp_path / "crawl", topic)
    head.close()  # as if it had died
    second = ClusterHead(tmp_path / "crawl", topic)
    try:
        orders = [second.report(report(shard, 3)) for shard in ("00", "01")]
        assert all(one.epoch == 2 for one in orders)
        assert sum(one.granted for one in orders) <= 10
        assert [one.granted >= before for one, before in zip(orders, granted, strict=True)] == [True, True]
    finally:
        second.close()


def test_that_the_run_ends_is_known_after_a_death_though_a_shard_has_ended_and_reports_no_more(tmp_path: Path) -> None:
    topic, folder = topic_of(SEEDS, budget={"pages": 10}), tmp_path / "crawl"
    head = settled_in(topic, folder, 2)
    stops = [head.report(report(shard, 1, pages=5)).stop for shard in ("00", "01")]
    head.close()
    second = ClusterHead(folder, topic)
    try:
        assert second.report(report("00", 2, pages=5)).stop == stops[1] is not None
    finally:
        second.close()
    third = settled_in(topic, folder, 2)  # the next run
    try:
        assert third.report(report("00", 3, pages=5)).stop is None
    finally:
        third.close()


def test_the_last_pages_are_not_left_to_a_shard_that_can_fetch_nothing(tmp_path: Path) -> None:
    head = settled_in(topic_of(SEEDS, budget={"pages": 3, "min_promise": 0.6}), tmp_path / "crawl", 2)
    try:
        for number in (1, 2):
            # What waits there promises too little. Here, a host on probation can be contacted.
            head.report(report("00", number, is_idle=True, is_unpromising=True))
            orders = head.report(report("01", number, waiting=()))
        assert orders.granted == 3
        assert orders.waiting == ()
    finally:
        head.close()


def test_pages_of_earlier_runs_say_nothing_about_the_speed_of_this_one(tmp_path: Path) -> None:
    clock = VirtualClock()
    head = settled_in(topic_of(SEEDS), tmp_path / "crawl", 2, clock=clock)
    try:
        for number, shard in enumerate(("00", "01"), 1):
            clock.wait_until(number)
            orders = head.report(report(shard, 1, pages=1000))
        assert orders.interval == 0.0
    finally:
        head.close()


def test_commands_reach_every_shard(tmp_path: Path) -> None:
    topic = topic_of(SEEDS, budget={"pages": 10})
    folder = tmp_path / "crawl"
    head = settled_in(topic, folder, 2)
    try:
        number = send(folder, Command("budget", ("pages=25",)), by="me")
        head.poll()
        assert head.coordinator.budget.pages == 25
        commands = [head.report(report(shard, 1)).commands for shard in ("00", "01")]
        assert [[message.id for message in one] for one in commands] == [[number], [number]]
        head.report(report("00", 2, received=number))
        head.poll()
        assert len(pending(folder)) == 1  # one shard does not have it yet
        head.report(report("01", 2, received=number))
        head.poll()
        assert not pending(folder)
        assert head.report(report("00", 3, received=number)).commands == ()
    finally:
        head.close()
    second = ClusterHead(folder, topic)  # the first one had died
    try:
        assert second.coordinator.budget.pages == 25
    finally:
        second.close()


def test_a_command_that_is_seen_late_reaches_every_shard(tmp_path: Path) -> None:
    # Sent on another machine: its clock is behind, or the shared folder shows new files late.
    folder = tmp_path / "crawl"
    head = settled_in(topic_of(SEEDS), folder, 1)
    try:
        late, number = (send(folder, Command(name), by="me") for name in ("pause", "resume"))
        file = folder / "inbox" / f"{late}.json"
        file.rename(folder / late)
        head.poll()
        assert [message.id for message in head.report(report("00", 1)).commands] == [number]
        head.report(report("00", 2, received=number))
        (folder / late).rename(file)
        head.poll()
        assert [message.id for message in head.report(report("00", 3)).commands] == [late]
        assert file.exists()
        head.report(report("00", 4, received=late))
        head.poll()
        assert not pending(folder)
    finally:
        head.close()
