"""One name, one thing; and docstrings that say something themselves."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import honeyguide

ROOT = Path(honeyguide.__file__).parent
MODULES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def test_no_two_classes_have_the_same_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert len(places) > 200
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_docstring_only_points_at_another() -> None:
    pointing = [
        f"{path.relative_to(ROOT)}: {docstring}"
        for path, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, DOCUMENTED)
        and (docstring := ast.get_docstring(node))
        and re.fullmatch(r"(As|See|Like) `[\w.]+`\.?", docstring)
    ]
    assert pointing == []
