"""Runs tests on one mutant after the other."""

from __future__ import annotations

import importlib
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from benchmarks.mutants.cover import Cover
from benchmarks.mutants.mutate import Mutant, difference, mutated

KILLED, SURVIVED, TIMEOUT, INVALID = "killed", "survived", "timeout", "invalid"

_COPIED = ("src", "tests", "benchmarks", "pyproject.toml")
_MEMORY = 6 << 30  # bytes of address space: a mutant must not take the machine with it


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant."""

    package: str
    file: str
    number: int
    digest: str
    """Of the file as it was, since the number means nothing in another."""
    operator: str
    line: int
    before: str
    after: str
    outcome: str
    killer: str
    """The first test that failed."""
    seconds: float


class _Killer:
    """A pytest plug-in that writes down what failed first, and ends the process when a test takes too long."""

    def __init__(self, file: Path, limits: dict[str, float]) -> None:
        self._file = file
        self._limits = limits

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        signal.setitimer(signal.ITIMER_REAL, self._limits[item.nodeid])
        result = yield
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.failed and not self._file.exists():
            self._file.write_text(report.nodeid, encoding="utf-8")


class Runner:
    """A copy of the tree, and forks of this process that run tests in it."""

    def __init__(self, tree: Path, cover: Cover, seconds: float) -> None:
        self._tree = tree.resolve()
        self._cover = cover
        self._seconds = seconds

    def load(self) -> None:
        """Import what the tests import besides our own code, once for all forks."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in self._cover.modules:
                with suppress(Exception):
                    importlib.import_module(name)
        settings.register_profile("mutants", database=None, derandomize=True, deadline=None)
        settings.load_profile("mutants")

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests that execute the mutant, those of the quickest files first.

        What is executed on import may be noticed by any test of a file with a test that executes a line of the
        module: a test of a table of constants executes none. Where no test does in this process (a worker process
        may), it may be any test of the package. Tests run file by file, so that fixtures are made once.
        """
        lines, seconds = self._cover.tests.get(mutant.file, {}), self._cover.seconds
        wanted = lines if mutant.on_import else range(mutant.first_line, mutant.last_line + 1)
        found = {test for line in wanted for test in lines.get(line, ())}
        if not any(lines.values()):
            found = set(seconds)
        elif mutant.on_import:
            near = {test.partition("::")[0] for test in found}
            found = {test for test in seconds if test.partition("::")[0] in near}
        files: dict[str, list[str]] = {}
        for test in sorted(found, key=lambda test: (seconds[test], test)):
            files.setdefault(test.partition("::")[0], []).append(test)
        mean = {file: sum(seconds[test] for test in names) / len(names) for file, names in files.items()}
        return [test for file in sorted(files, key=lambda file: mean[file]) for test in files[file]]

    def try_one(self, package: str, mutant: Mutant, digest: str) -> Result:
        """Put a mutant into the tree, run its tests, and restore the tree."""
        began = time.monotonic()
        path = self._tree / mutant.file
        before, after = path.read_text(encoding="utf-8"), mutated(self._tree, mutant)
        outcome, killer = INVALID, ""
        if _compiles(after):
            path.write_text(after, encoding="utf-8")
            try:
                outcome, killer = self.run(self.tests(mutant))
            finally:
                path.write_text(before, encoding="utf-8")
        line, ours, theirs = difference(before, after)
        seconds = round(time.monotonic() - began, 1)
        where = (package, mutant.file, mutant.number, digest, mutant.operator, line, ours, theirs)
        return Result(*where, outcome, killer, seconds)

    def run(self, tests: list[str]) -> tuple[str, str]:
        """Run tests in a fork until one fails or takes too long: the outcome, and the test that failed."""
        if not tests:
            return SURVIVED, ""
        killer = self._tree / "killer"
        killer.unlink(missing_ok=True)
        child = os.fork()
        if not child:
            self._become(tests, killer)
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):  # processes that the tests have left behind
            os.killpg(child, signal.SIGKILL)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
            return TIMEOUT, ""
        return KILLED if status else SURVIVED, killer.read_text(encoding="utf-8") if killer.exists() else ""

    def _become(self, tests: list[str], killer: Path) -> None:
        """In the fork: run tests in a process group of its own, and end."""
        code = 1
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            os.chdir(self._tree)
            log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for stream in (1, 2):
                os.dup2(log, stream)
            source = str(self._tree / "src")
            sys.path.insert(0, source)
            sys.dont_write_bytecode = True  # two mutants of one second would share it
            os.environ |= {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}
            limits = {test: self._seconds + 4 * self._cover.seconds[test] for test in tests}
            signal.setitimer(signal.ITIMER_REAL, max(limits.values()))  # for what happens on import
            options = ["-x", "-q", "-p", "no:cacheprovider", "--tb=short", f"--basetemp={self._tree / 'tmp'}"]
            options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what is loaded already
            code = int(pytest.main([*options, *tests], plugins=[_Killer(killer, limits)]))
        except BaseException:  # noqa: BLE001 (a fork must not return, whatever happens)
            traceback.print_exc()
        os._exit(code)


def copy_tree(tree: Path) -> None:
    """Copy what the tests need, so that the work tree is never touched."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for part in map(Path, _COPIED):
        if part.is_dir():
            shutil.copytree(part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(part, tree)


def _compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "mutant", "exec")
        except (SyntaxError, ValueError):
            return False
    return True
