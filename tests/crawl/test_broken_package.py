"""A package that brings a strategy which fails, from the command line, and again after its correction."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from honeyguide.cli.main import main
from honeyguide.demo import DemoWeb, run_in_process

from .kit import check_archive, check_tables, rows

SOURCE = """
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import inherited

def rule(view):
    if view.page.url.endswith("{bad}"):
        return inherited(view) + int("none")
    return inherited(view)

RECIPE = Recipe("mine", "test", "", lambda values: rule)
"""


def install(folder: Path, **strategies: str) -> None:
    """A package with strategies as entry points, as pip would leave it."""
    about = folder / "mine-1.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    entries = "".join(f"{name} = {value}\n" for name, value in strategies.items())
    (about / "entry_points.txt").write_text(f"[honeyguide.strategies]\n{entries}")


@pytest.fixture
def command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    installed: Callable[[Path], AbstractContextManager[None]],
) -> Callable[..., tuple[int, str]]:
    """Runs a command with the packages of a folder: exit code and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["honeyguide", *arguments])
        capfd.readouterr()
        with installed(tmp_path / "packages"), pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0), capfd.readouterr().err

    return run


@pytest.mark.parametrize("workers", [0, 1])
def test_a_broken_package_and_its_correction(
    tmp_path: Path, workers: int, command: Callable[..., tuple[int, str]]
) -> None:
    demo = DemoWeb(pages=100, page_kb=1.0)
    seeds = demo.seeds(demo.subjects[0])
    bad = seeds[-1].removeprefix("http://")
    packages = tmp_path / "packages"
    install(packages, mine="mine:RECIPE")
    (packages / "mine.py").write_text(SOURCE.format(bad=bad))
    with run_in_process(demo) as server:
        (tmp_path / "topic.toml").write_text(
            f"""
            seeds = {[*seeds]}
            keywords = ["page"]
            strategy.name = "mine"
            budget.pages = 40
            [fetch]
            proxy = "{server.address}"
            allow_networks = ["127.0.0.0/8"]
            delay = 0.0
            domain_delay = 0.0
            ip_delay = 0.0
            """.replace("'", '"')
        )
        asked = ("crawl", "topic.toml", "--quiet", "--workers", str(workers))
        code, err = command(*asked)
        (line,) = err.splitlines()
        log = Path("crawls", "topic", "errors.log")
        assert line.startswith(f"honeyguide: strategy mine failed on {seeds[-1]}: ValueError: invalid literal")
        assert line.endswith(f"; traceback in {log}")
        assert code == 1
        assert 'int("none")' in (tmp_path / log).read_text()
        check_tables(tmp_path / "crawls" / "topic")
        check_archive(tmp_path / "crawls" / "topic")
        assert rows(tmp_path / "crawls" / "topic", "SELECT count(*) FROM urls WHERE state = 3") == [(0,)]

        (packages / "mine.py").write_text(SOURCE.format(bad="nowhere"))
        code, err = command(*asked)
        assert (code, err) == (0, "")
        found = rows(
            tmp_path / "crawls" / "topic", "SELECT count(*) FROM pages JOIN urls USING (id) WHERE url = ?", seeds[-1]
        )
        assert found == [(1,)]
