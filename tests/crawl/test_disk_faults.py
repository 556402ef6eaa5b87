"""Faults of the disk that a crawl meets: another program locks its database, or nothing can be written at all."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from errno import EROFS
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from honeyguide.cli.main import main
from honeyguide.crawl import crawler, recorder
from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Request

from .kit import PaperWeb, about, check_archive, check_tables, rows, run, topic

A = "http://a.example"
PAGES = {f"{A}/{number}": about(f"honey {number}", f"/{number + 1}") for number in range(6)}
WANTED = topic([f"{A}/0"], fetch={"robots": False})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A crawl with two pages, and four to go."""
    run(topic([f"{A}/0"], budget={"pages": 2}, fetch={"robots": False}), tmp_path / "crawl", lambda: PaperWeb(PAGES))
    return tmp_path / "crawl"


class Locking(PaperWeb):
    """While a page is asked for, another program locks the database, or unlocks it."""

    def __init__(self, folder: Path, other: sqlite3.Connection, lock: str, unlock: str = "", after: float = 0) -> None:
        """Unlocks when the page `unlock` is asked for, or some seconds after locking, or never."""
        self.seen: list[int] = []
        self.timer = Timer(after, other.execute, ["ROLLBACK"])

        def locked(_request: Request, _times: int) -> str:
            other.execute("BEGIN IMMEDIATE")
            self.seen.append(pages_of(folder))
            if after:
                self.timer.start()
            return PAGES[lock]

        def unlocked(_request: Request, _times: int) -> str:
            self.seen.append(pages_of(folder))
            other.execute("ROLLBACK")
            return PAGES[unlock]

        super().__init__({**PAGES, lock: locked, unlock: unlocked})


@pytest.fixture
def other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """Another program that uses the database of a crawl that commits all the time."""
    monkeypatch.setattr(recorder, "_PATIENCE", 0.0)
    monkeypatch.setattr(crawler, "COMMIT_EVERY", 0.0)
    with closing(sqlite3.connect(folder / "crawl.sqlite", check_same_thread=False)) as connection:
        yield connection


def pages_of(folder: Path) -> int:
    return int(rows(folder, "SELECT count(*) FROM pages")[0][0])


def test_the_crawl_goes_on_while_its_database_is_locked(
    folder: Path, other: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    web = Locking(folder, other, f"{A}/2", f"{A}/5")
    assert run(WANTED, folder, lambda: web).tally.pages == 6
    assert web.seen == [2, 2], "nothing could be committed meanwhile"
    assert pages_of(folder) == 6
    assert len([one for one in caplog.records if "is locked by another program" in one.message]) == 1
    check_tables(folder)
    check_archive(folder)


def test_the_last_commit_waits_for_the_lock(folder: Path, other: sqlite3.Connection) -> None:
    web = Locking(folder, other, f"{A}/2", after=0.2)
    assert run(WANTED, folder, lambda: web).tally.pages == 6
    web.timer.join()
    assert pages_of(folder) == 6


def test_a_lock_that_stays_is_said_in_one_line(
    folder: Path, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "_LONG_PATIENCE", 0.1)
    with pytest.raises(HoneyguideError, match=r"crawl\.sqlite: has been locked by another program"):
        run(WANTED, folder, lambda: Locking(folder, other, f"{A}/2"))
    other.execute("ROLLBACK")
    assert run(WANTED, folder, lambda: PaperWeb(PAGES)).tally.pages == 6
    check_tables(folder)
    check_archive(folder)


# ---- a read-only disk ----


@pytest.fixture
def read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that cannot be written to, for whoever runs the tests: root can write anywhere, permissions or not."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    access, open_file = os.access, os.open

    def denied(path: Any, mode: int, **more: Any) -> bool:
        return access(path, mode, **more) and not (mode & os.W_OK and Path(path).is_relative_to(folder))

    def refused(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR) and Path(path).is_relative_to(folder):
            raise OSError(EROFS, os.strerror(EROFS), str(path))
        return open_file(path, flags, *more, **options)

    monkeypatch.setattr("os.access", denied)
    monkeypatch.setattr("os.open", refused)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def without_log(_folder: Path) -> None:
    """As a crawl that ended leaves it."""


def with_log(folder: Path) -> None:
    """As a crash leaves it: the last page is in the log alone, whose index is lost."""
    database = folder / "crawl.sqlite"
    with closing(sqlite3.connect(database)) as other:
        other.execute("PRAGMA wal_autocheckpoint=0")
        other.execute("UPDATE pages SET title = 'from the log'")
        other.commit()
        kept = {name: Path(f"{database}{name}").read_bytes() for name in ("", "-wal")}
    for name, content in kept.items():
        Path(f"{database}{name}").write_bytes(content)


@pytest.mark.parametrize("leave", [without_log, with_log])
def test_a_crawl_on_a_read_only_disk_can_be_read(
    request: pytest.FixtureRequest,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    leave: Callable[[Path], None],
) -> None:
    leave(folder)
    request.getfixturevalue("read_only")
    report, export = tmp_path / "report.html", tmp_path / "pages.csv"
    for arguments in (
        ["report", folder, "-o", report],
        ["export", folder, "--all", "--format", "csv", "--out", export],
        ["why", folder, f"{A}/1"],
        ["report", folder],
    ):
        monkeypatch.setattr(sys, "argv", ["honeyguide", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == (2 if arguments == ["report", folder] else 0), arguments
    said = capsys.readouterr()
    assert "report.html: cannot be written: Read-only file system; choose another path" in said.err
    assert f"{A}/1" in said.out
    assert export.read_text().count("from the log") == (2 if leave is with_log else 0)


def test_a_crawl_on_a_read_only_disk_does_not_go_on(read_only: Path) -> None:
    with pytest.raises(HoneyguideError, match="cannot be written: Read-only file system; copy the crawl"):
        run(WANTED, read_only, lambda: PaperWeb(PAGES))
