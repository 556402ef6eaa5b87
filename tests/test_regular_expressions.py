"""Every regular expression that meets text from outside takes linear time: long runs are thrown at each of them."""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

import pytest

import honeyguide
from honeyguide.page.scope import Scope
from honeyguide.page.settings import ScopeSettings

LENGTH = 10_000  # a quadratic expression takes the better part of a second for it
LIMIT = 0.25  # seconds of computing, for what takes a fraction of a millisecond
# Those that meet what users write themselves, or our own demo web, are not at the mercy of others.
OWN = ("honeyguide.cli", "honeyguide.demo", "honeyguide.topic", "honeyguide.lab", "honeyguide.settings")


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(honeyguide.__path__, "honeyguide."):
        if not found.name.startswith(OWN) and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def searches() -> dict[str, tuple[bool, Callable[[Any], object]]]:
    """How each is used: whether on bytes, and the method that a module holds; by default it searches."""
    found = {}
    for module in modules():
        for name, value in vars(module).items():
            pattern = getattr(value, "__self__", value)
            if isinstance(pattern, re.Pattern):
                use = pattern.search if pattern is value else value
                found[f"{module.__name__}.{name}"] = (isinstance(pattern.pattern, bytes), use)
    return found


SEARCHES = searches()
STARTS = ("", "0;url=", "charset=", "charset", "<meta charset=", ";width", "width:", "/(", "http://", "a:", "x\n")
RUNS = (*" a0./;='\"(-%:<é", "\n", "a.", "0 ", " ;", "A(a)", ";a", "a=", "/(A(")


@contextmanager
def deadline() -> Iterator[None]:
    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def test_there_are_some() -> None:
    assert "honeyguide.page.head._REFRESH" in SEARCHES
    assert "honeyguide.page.url._PARTS" in SEARCHES
    assert len(SEARCHES) > 20


@pytest.mark.parametrize("name", SEARCHES)
def test_long_runs(name: str) -> None:
    of_bytes, search = SEARCHES[name]
    for run in RUNS:
        text = run * (LENGTH // len(run))
        for whole in (start + text for start in STARTS):
            with deadline():
                search(whole.encode() if of_bytes else whole)
                search(f"{whole}\0".encode() if of_bytes else f"{whole}\0")


@pytest.mark.parametrize("run", RUNS)
def test_long_paths_against_patterns_with_many_stars(run: str) -> None:
    scope = Scope(ScopeSettings(allow_paths=("*a*b*a*b*c", "/*;*=*x")))
    with deadline():
        scope.refusal(f"http://a.example/{run * LENGTH}")
