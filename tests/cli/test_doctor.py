"""`honeyguide doctor`: what is installed."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from honeyguide.cli import installation
from honeyguide.cli.main import main
from honeyguide.version import VERSION

ROOT = Path(__file__).parents[2]

METADATA = {
    "Provides-Extra": ["wide", "narrow"],
    "Requires-Dist": [
        "pytest>=8",
        'backported>=1; python_version < "3.0"',
        "rich",
        'honeyguide[narrow]; extra == "wide"',
        'no-such-package-as-this>=1; extra == "narrow"',
        'numpy[fast]<3; sys_platform == "linux" and extra == "narrow"',
    ],
}


class Metadata:
    def get_all(self, name: str) -> list[str]:
        return METADATA[name]


def doctor(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["honeyguide", "doctor", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_extras_are_those_of_the_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "metadata", lambda _: Metadata())
    narrow, wide = installation.extras()
    assert (narrow.name, wide.name) == ("narrow", "wide")
    assert narrow.packages.keys() == wide.packages.keys() == {"no-such-package-as-this", "numpy"}
    assert narrow.packages["numpy"]
    assert not narrow.is_installed
    assert narrow.remedy == 'pip install "honeyguide[narrow]"'
    assert set(installation.requirements()) == {"pytest", "rich"}


def test_what_is_installed_for_programs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(monkeypatch, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["honeyguide"] == VERSION
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {re.split(r"[>=<;\[]", text)[0].strip() for text in declared["dependencies"]}
    assert set(found["requirements"]) <= named
    assert found["extras"]["dev"]["packages"]["pytest"] == pytest.__version__
    assert found["disk_free"] > 0


def test_what_is_installed_for_people(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(installation, "metadata", lambda _: Metadata())
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert doctor(monkeypatch) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"honeyguide {VERSION}" in said
    assert "no-such-package-as-this (missing)" in said
    assert 'pip install "honeyguide[narrow]"' in said
    assert "Chromium not found; `apt install chromium`" in said


def test_a_broken_installation_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(METADATA, "Requires-Dist", ["not-there-at-all>=1"])
    monkeypatch.setattr(installation, "metadata", lambda _: Metadata())
    assert doctor(monkeypatch) == 1
    assert "not-there-at-all: not installed" in capsys.readouterr().err
