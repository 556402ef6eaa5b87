"""What the shell proposes, asked for as a shell does it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from honeyguide.cli import complete

_PROGRAM = "import sys; sys.argv[0] = 'honeyguide'; from honeyguide.cli.main import main; main()"


def ask(folder: Path, *arguments: str, **variables: str) -> str:
    environment = {**os.environ, "HOME": str(folder), "SHELL": "/bin/bash", **variables}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout


def proposed(folder: Path, line: str) -> list[str]:
    """What bash gets when Tab is pressed at the end of a line."""
    words = line.split(" ")
    asked = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    return ask(folder, _HONEYGUIDE_COMPLETE="complete_bash", **asked).split()


def test_commands_options_and_names(tmp_path: Path) -> None:
    assert proposed(tmp_path, "honeyguide d") == ["demo", "doctor"]
    assert {"--strategy", "--seed", "--seeds"} & set(proposed(tmp_path, "honeyguide crawl --s")) >= {"--strategy"}
    assert "guide" in proposed(tmp_path, "honeyguide crawl bees.toml --strategy gu")


def test_crawls_are_proposed_for_a_command_about_one(tmp_path: Path) -> None:
    for name in ("bees", "birds"):
        (tmp_path / "crawls" / name).mkdir(parents=True)
        (tmp_path / "crawls" / name / "crawl.sqlite").touch()
    assert proposed(tmp_path, "honeyguide status crawls/be") == ["crawls/bees"]


def test_the_completion_can_be_installed(tmp_path: Path) -> None:
    # Typer looks for the user's shell among the parent processes; there may be none.
    said = ask(tmp_path, "--install-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "bash completion installed" in said
    scripts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_HONEYGUIDE_COMPLETE=complete_bash" in script for script in scripts)


def test_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "best-first" in dict(complete.strategy_names("best"))
    assert {"auto", "vsm"} <= set(dict(complete.model_names("")))
    assert all(name.startswith("v") for name, _ in complete.model_names("v"))


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("crawls/bees", "crawls/birds", "other/deep", ".hidden"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "crawls/bees/crawl.sqlite").touch()
    (tmp_path / "crawls/birds/cluster.json").touch()
    assert list(complete.crawl_folders("")) == ["crawls/", "other/", "crawls/bees", "crawls/birds"]
    assert list(complete.crawl_folders("crawls/")) == ["crawls/bees", "crawls/birds"]
    assert list(complete.crawl_folders("crawls/bi")) == ["crawls/birds"]
    assert list(complete.crawl_folders("ot")) == ["other/"]
    assert list(complete.crawl_folders("missing/")) == []
