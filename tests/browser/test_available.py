"""Whether pages can be rendered here, and what is said if not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from honeyguide.browser import available
from honeyguide.cli.main import main
from honeyguide.errors import InputError


def crawl(folder: Path, monkeypatch: pytest.MonkeyPatch, *settings: str) -> object:
    """Try to crawl; the exit code."""
    lines = ['seeds = ["http://a.example/"]', 'keywords = ["honey"]', "[fetch]", *settings]
    (folder / "bees.toml").write_text("\n".join(lines), encoding="utf-8")
    command = ["honeyguide", "crawl", str(folder / "bees.toml"), "--out", str(folder / "crawls")]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not (folder / "crawls").exists()
    return ended.value.code


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_without_playwright_or_chromium_one_line_names_the_remedy(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=rf'"{mode}" needs Playwright; pip install "honeyguide\[browser\]"'):
        available.check_mode(mode)
    monkeypatch.setattr(available, "find_spec", lambda name: name)
    monkeypatch.setattr(available, "find_program", lambda _: None)
    with pytest.raises(InputError, match="needs Chromium, and there is none; apt-get install chromium"):
        available.check_mode(mode)


def test_a_mistake_costs_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("playwright")
    program = tmp_path / "x"
    assert crawl(tmp_path, monkeypatch, 'browser = "auto"', "[browser]", f'program = "{program}"') == 2
    assert "bees.toml:6: there is no program" in capsys.readouterr().err.replace("\n", " ")
    assert crawl(tmp_path, monkeypatch, 'browser = "sometimes"') == 2
    assert "bees.toml:4:" in capsys.readouterr().err


def test_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Auto where everything is there and the browser can lock its pages in; never otherwise, without a word."""
    for has_package in (True, False):
        for program in ("/usr/bin/chromium", None):
            for sandbox in (True, False):
                monkeypatch.setattr(available, "find_spec", lambda name, there=has_package: name if there else None)
                monkeypatch.setattr(available, "find_program", lambda _, found=program: found)
                monkeypatch.setattr(available, "has_sandbox", lambda has=sandbox: has)
                usual = "auto" if has_package and program and sandbox else "never"
                assert available.chosen_mode("") == usual
                assert available.chosen_mode("never") == "never"
