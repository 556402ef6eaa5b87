"""Every command that writes, told to write where nothing can be: one line, no traceback, nothing left behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from honeyguide.cli.main import main

TOPIC = """
seeds = ["http://127.0.0.1:9/"]
keywords = ["honey"]
[examples]
positive = ["good-*.html"]
negative = ["bad-*.html"]
"""
CRAWL = ["crawl", "--name", "x", "--seed", "http://127.0.0.1:9/", "--keywords", "honey", "--out"]
COMPARE = ["compare", "--web", "demo:100", "--topic", "beekeeping", "--strategy", "oracle", "--out"]

WRONG = [
    (CRAWL, "x"),
    (["crawl", "bees.toml", "--out"], "bees"),
    (["demo", "--serve", "--pages", "300", "--out"], "demo.toml"),
    (["train", "bees.toml", "--out"], ""),
    (["blocks", "good-1.html", "-o"], ""),
    (COMPARE, ""),
    (["--log-file"], ""),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("bees.toml").write_text(TOPIC)
    for number in range(3):
        Path(f"good-{number}.html").write_text(f"<title>Bees {number}</title><p>honey and hive, part {number}")
        Path(f"bad-{number}.html").write_text(f"<title>Rocks {number}</title><p>granite and lava, part {number}")
    Path("file").write_text("mine")
    return tmp_path


def complaint(arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> str:
    """What the command complains about, in one line."""
    monkeypatch.setattr(sys, "argv", ["honeyguide", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code in (1, 2)
    (error,) = [line for line in capfd.readouterr().err.splitlines() if not line.startswith("warning: ")]
    assert error.startswith("honeyguide: ")
    return error


@pytest.mark.parametrize(("arguments", "below"), WRONG, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_below_a_file(
    arguments: list[str],
    below: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    before = sorted(here.rglob("*"))
    place = "file" if below else "file/deeper"
    more = ["strategies"] if arguments == ["--log-file"] else []
    said = complaint([*arguments, place, *more], monkeypatch, capfd)
    assert str(Path(place, below)) in said
    assert "disk space" not in said
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [
        [*CRAWL, "/proc/nope"],
        ["crawl", "/proc/nope.toml"],
        ["init", "/proc/graphs"],
        ["blocks", "good-1.html", "-o", "/proc/blocks.html"],
        ["train", "bees.toml", "--out", "/proc/nope"],
        [*CRAWL, "x" * 300],
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-1][:12]}",
)
def test_where_even_root_cannot_write(
    arguments: list[str], here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(here.rglob("*"))
    assert arguments[-1] in complaint(arguments, monkeypatch, capfd)
    assert sorted(here.rglob("*")) == before


def test_where_the_folder_is_read_only(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As root, no folder is: it is only said to be. So this is about what is looked at before the work is done."""
    monkeypatch.setattr("os.access", lambda _path, mode, **_: not mode & os.W_OK)
    for arguments in (["crawl", "bees.toml"], ["train", "bees.toml"], [*COMPARE, "results"]):
        assert "is read-only, or belongs to somebody else" in complaint(arguments, monkeypatch, capfd)
