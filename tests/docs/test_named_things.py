"""What the documentation names exists: modules, functions, files, and the pages and sections that it links to."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ROOT / "src" / "honeyguide"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*/README.md"))
}
GROUPS = {f"honeyguide.{group}" for group in ("strategies", "models", "exports", "fetchers")}

_DOTTED = re.compile(r"(?<![\w./-])honeyguide(?:\.[A-Za-z_]\w*)+")
_FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[a-z_]+\.pyx?)(?::([A-Za-z_][\w.]*))?")
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def look_up(module: ModuleType, names: list[str]) -> bool:
    """Whether a module has a name, and that one the next, and so on; fields of dataclasses count."""
    found: object = module
    for name in names:
        if not hasattr(found, name) and name not in getattr(found, "__annotations__", {}):
            return False
        found = getattr(found, name, None)
    return True


def exists(name: str) -> bool:
    """Whether there is a module of this dotted name, or a module that has the rest of it."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        path = ROOT.joinpath("src", *parts[:split])
        if path.is_dir() or path.with_suffix(".py").is_file():
            module = importlib.import_module(".".join(parts[:split]))
            return look_up(module, parts[split:])
    return False


def file_of(path: str) -> Path | None:
    """A file that is named by its path in the package, or in the repository."""
    return next((base / path for base in (ROOMS, ROOT) if (base / path).is_file()), None)


def named_files() -> Iterator[tuple[str, str, str]]:
    for page, text in PAGES.items():
        for path, name in _FILE.findall(_CODE.sub("", text)):
            yield page, path, name


@pytest.mark.parametrize(
    ("page", "name"), sorted({(page, name) for page in PAGES for name in _DOTTED.findall(PAGES[page])})
)
def test_a_dotted_name(page: str, name: str) -> None:
    assert name in GROUPS or exists(name), f"{page} names {name}, which does not exist"


@pytest.mark.parametrize(("page", "path", "name"), sorted(set(named_files())))
def test_a_file_and_what_is_in_it(page: str, path: str, name: str) -> None:
    file = file_of(path)
    assert file is not None, f"{page} names {path}, which does not exist"
    if name:
        module = importlib.import_module(".".join(file.relative_to(ROOT / "src").with_suffix("").parts))
        assert look_up(module, name.split(".")), f"{page} names {path}:{name}, which does not exist"


@pytest.mark.parametrize(
    ("page", "target"), sorted({(page, one) for page in PAGES for one in _LINK.findall(_CODE.sub("", PAGES[page]))})
)
def test_a_link_leads_somewhere(page: str, target: str) -> None:
    if "://" in target:
        return
    path, _, section = target.partition("#")
    file = (ROOT / page).parent / path if path else ROOT / page
    assert file.exists(), f"{page} links to {target}"
    if section:
        headings = {slug(found) for found in _HEADING.findall(_CODE.sub("", file.read_text(encoding="utf-8")))}
        assert section in headings, f"{page} links to {target}"


def slug(heading: str) -> str:
    """The name of a section, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_what_does_not_exist_is_noticed() -> None:
    assert exists("honeyguide.strategy.recipe.Recipe")
    assert not exists("honeyguide.strategy.recipe.Receipt")
    assert not exists("honeyguide.pages")
    assert len(set(named_files())) > 60


def test_every_test_that_is_named_exists() -> None:
    named = {name for text in PAGES.values() for name in re.findall(r"`(test_\w+)`", text)}
    assert "test_long_runs" in named
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    defined = set(re.findall(r"^ *(?:async )?def (test_\w+)", tests, re.MULTILINE))
    assert named <= defined, f"named, but not there: {', '.join(sorted(named - defined))}"
