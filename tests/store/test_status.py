"""The status of a crawl: its numbers are those of the tables, and it does not scan them."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from shutil import copytree

import pytest

from honeyguide.cli.main import main
from honeyguide.frontier import State
from honeyguide.store.crawl import Crawl
from honeyguide.store.folder import is_running, lock_folder
from honeyguide.store.status import _LAST_PAGES, RECENT, BudgetLimit, status_of


@pytest.fixture
def folder(demo_folder: Path, tmp_path: Path) -> Path:
    """A copy of a crawl, to be changed."""
    return copytree(demo_folder, tmp_path / "bees")


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()


def test_the_numbers_are_those_of_the_tables(demo_folder: Path, demo_crawl: Crawl) -> None:
    now = status_of(demo_folder)
    assert (now.name, now.state, now.running, now.paused) == ("bees", "stopped", False, False)
    assert (now.stop, now.stop_text) == ("pages", "the budget of 100 pages is used up")
    assert (now.pages, now.relevant) == (demo_crawl.count(relevant=False), demo_crawl.count())
    assert now.harvest == now.harvest_now == now.relevant / now.pages
    assert now.waiting == demo_crawl.states[State.WAITING] + demo_crawl.states[State.IN_FLIGHT] > 0
    assert now.failures == demo_crawl.meta["errors"]
    assert now.refused == demo_crawl.meta["refused"]
    assert now.bytes == demo_crawl.meta["size"]
    assert now.bytes_per_relevant == now.bytes / now.relevant
    assert now.pages_per_second == pytest.approx(now.pages / now.seconds)
    assert now.pages_per_second_now == 0.0
    assert 0 < now.run_seconds <= now.seconds
    assert now.budget == {"pages": BudgetLimit(100, 100, 0)}
    assert (now.blocked, now.pending) == ((), 0)


def test_now_is_the_last_two_hundred_pages(crawl_demo: Callable[..., Path], tmp_path: Path) -> None:
    folder = crawl_demo(tmp_path / "bees", RECENT + 40)
    sql = "SELECT relevant AND duplicate_of IS NULL FROM pages ORDER BY seq DESC LIMIT ?"
    with Crawl.open(folder) as crawl:
        last = [counts for (counts,) in crawl.query(sql, RECENT)]
    now = status_of(folder)
    assert now.harvest_now == sum(last) / RECENT != now.harvest


def test_only_the_last_events_are_read(demo_crawl: Crawl) -> None:
    plan = [row[3] for row in demo_crawl.query(f"EXPLAIN QUERY PLAN {_LAST_PAGES}")]
    assert any("SEARCH events USING INTEGER PRIMARY KEY" in step for step in plan)
    assert any("SEARCH pages USING INTEGER PRIMARY KEY" in step for step in plan)
    assert not any(step.startswith(("SCAN events", "SCAN pages", "SCAN urls")) for step in plan)


def test_a_crawl_runs_while_its_folder_is_locked(folder: Path) -> None:
    assert not is_running(folder)
    with open(lock_folder(folder)):  # noqa: PTH123 (a descriptor)
        assert is_running(folder)
        now = status_of(folder)
    assert (now.state, now.running, now.stop) == ("running", True, "")
    assert now.pages_per_second_now > 0
    assert not is_running(folder)


def test_a_crawl_that_was_killed_is_told_from_one_that_has_ended(folder: Path) -> None:
    change(folder, "UPDATE meta SET value = '' WHERE key IN ('stop', 'stop_text')")
    change(folder, "UPDATE meta SET value = 1 WHERE key = 'paused'")
    now = status_of(folder)
    assert (now.state, now.paused) == ("killed", False)


def test_hosts_that_rest_are_counted(folder: Path) -> None:
    before = status_of(folder).hosts_resting
    change(folder, "INSERT INTO hosts VALUES ('later.example', 9e9), ('ready.example', 1.0)")
    assert status_of(folder).hosts_resting == before + 1


def test_a_crawl_of_an_earlier_version_has_a_status(folder: Path) -> None:
    change(folder, "DELETE FROM meta WHERE key IN ('waiting', 'run_seconds', 'paused', 'told')")
    assert status_of(folder).pages == 100


def test_what_is_printed(
    demo_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["honeyguide", "status", str(demo_folder), "--json"])
    with pytest.raises(SystemExit):
        main()
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(json.dumps(asdict(status_of(demo_folder))))
    monkeypatch.setattr(sys, "argv", ["honeyguide", "status", str(demo_folder)])
    with pytest.raises(SystemExit):
        main()
    text = capsys.readouterr().out
    assert "stopped: the budget of 100 pages is used up" in text
    assert "0 of 100 pages" in text
    assert "status 404" in text
