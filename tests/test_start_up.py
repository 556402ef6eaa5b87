"""What is imported when: saying a version must not cost a second."""

from __future__ import annotations

import subprocess
import sys

import pytest

from honeyguide.cli import main

HEAVY = ("numpy", "scipy", "sklearn", "aiohttp", "uvloop", "selectolax", "sqlite3")


def imported(program: str) -> list[str]:
    """Which of the heavy packages a program imports."""
    ask = f"import sys\n{program}\nprint(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", ask], check=True, capture_output=True, text=True)
    return done.stderr.split()


def test_the_package_is_light() -> None:
    assert imported("import honeyguide") == []


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_needs_no_command_imports_none(option: str) -> None:
    program = f"sys.argv = ['honeyguide', {option!r}]; from honeyguide.cli.main import main"
    assert imported(f"{program}\ntry:\n    main()\nexcept SystemExit as left:\n    assert not left.code") == []


def test_a_name_is_imported_when_it_is_used() -> None:
    assert "numpy" in imported("import honeyguide; assert honeyguide.Topic.make and honeyguide.Crawl.open")
    assert imported("import honeyguide; assert {'Crawl', 'Topic', 'compare'} <= set(dir(honeyguide))") == []
    assert imported("import honeyguide; assert not hasattr(honeyguide, 'nothing')") == []


@pytest.mark.parametrize("module", ["crawl.session", "crawl.worker", "lab.replay", "testing.strategies", "demo"])
def test_what_starts_often_imports_nothing_that_it_may_not_need(module: str) -> None:
    assert {"scipy", "sklearn", "aiohttp"}.isdisjoint(imported(f"import honeyguide.{module}"))


def test_crawl_is_a_function_whatever_else_is_imported() -> None:
    imported("import honeyguide.crawl.session, honeyguide; assert honeyguide.crawl.__name__ == 'crawl'")


@pytest.mark.parametrize("name", main.COMMANDS)
def test_the_list_of_commands_says_what_they_say_of_themselves(name: str) -> None:
    command = main.load_command(name)
    assert command.name == name
    assert " ".join(command.help.split("\n\n")[0].split()) == main.COMMANDS[name]
