"""Commands, run in the process of the tests: most of the time of a short one would be its start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from honeyguide.cli.main import main

from .kit import Command, Said


@pytest.fixture
def honeyguide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["honeyguide", *arguments])
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code
        return Said(code if isinstance(code, int) else 0, *capfd.readouterr())

    return run
