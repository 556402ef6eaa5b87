"""The pictures and tables of the rooms agree with the folders and with the contract that import-linter checks."""

from __future__ import annotations

import re
import tomllib
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def layers() -> list[set[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = (contract for contract in contracts if contract["type"] == "layers")
    return [set(layer.split(" | ")) for layer in contract["layers"]]


def test_the_picture_shows_the_contract() -> None:
    texts = ET.parse(ROOT / "docs" / "rooms.svg").getroot().iter(f"{SVG}text")
    names = [(int(text.get("y", "")), text.text or "") for text in texts if "name" in text.get("class", "").split()]
    assert [{name for _, name in row} for _, row in groupby(names, key=lambda name: name[0])] == layers()


def test_the_readme_lists_every_room() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Where things are")[2]
    packages = {path.parent.name for path in (ROOT / "src" / "honeyguide").glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)) == packages
