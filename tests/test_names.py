"""One name, one thing; and docstrings that say something themselves."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import honeyguide

ROOT = Path(honeyguide.__file__).parent
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def statements(within: ast.AST) -> Iterator[ast.AST]:
    """A node and all statements in it. The expressions, most of a tree, are left out: nothing is defined there."""
    yield within
    for part in ("body", "orelse", "handlers", "finalbody"):
        found = getattr(within, part, ())
        for inner in found if isinstance(found, list) else ():
            yield from statements(inner)


@pytest.fixture(scope="module")
def documented() -> list[tuple[str, Documented]]:
    """Every module, class and function, and the path of its file."""
    return [
        (str(path.relative_to(ROOT)), node)
        for path in sorted(ROOT.rglob("*.py"))
        for node in statements(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, Documented)
    ]


def test_no_two_classes_have_the_same_name(documented: list[tuple[str, Documented]]) -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, node in documented:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            places[node.name].append(path)
    assert len(places) > 200
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_docstring_only_points_at_another(documented: list[tuple[str, Documented]]) -> None:
    pointing = [
        f"{path}: {docstring}"
        for path, node in documented
        if (docstring := ast.get_docstring(node)) and re.fullmatch(r"(As|See|Like) `[\w.]+`\.?", docstring)
    ]
    assert pointing == []
