"""Which tests execute which lines, and how long they take."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest
from hypothesis import settings

_OURS = ("honeyguide", "tests", "benchmarks", "conftest", "test_", "__")


@dataclass(frozen=True, slots=True)
class Cover:
    """What is known of the tests of a package."""

    seconds: dict[str, float]
    """How long each test takes, in the order in which they run."""
    tests: dict[str, dict[int, list[str]]]
    """By file and line the tests that execute it."""
    modules: list[str]
    """What the tests import besides our own code."""

    @classmethod
    def load(cls, file: Path) -> Cover:
        """Read what `main` has written."""
        known = json.loads(file.read_text(encoding="utf-8"))
        names = list(known["seconds"])
        tests = {
            path: {int(line): [names[number] for number in numbers] for line, numbers in lines.items()}
            for path, lines in known["tests"].items()
        }
        return cls(known["seconds"], tests, known["modules"])


class _Watch:
    """A pytest plug-in that tells coverage which test is running, or, during set-up, the tests of which file.

    A fixture is made for one test, and others use it.
    """

    def __init__(self, cover: coverage.Coverage) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._cover = cover

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._cover.switch_context(item.nodeid.partition("::")[0])
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._cover.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._cover.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration


def main(out: str, source: str, *tests: str) -> int:
    """Run tests, and write to `out` what they execute of `source`. Returns pytest's exit code."""
    settings.register_profile("cover", deadline=None)  # under coverage everything takes longer
    settings.load_profile("cover")
    cover = coverage.Coverage(data_file=None, source=[source], config_file=False)
    watch = _Watch(cover)
    cover.start()
    options = ["-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of hypothesis
    code = pytest.main([*options, *tests], plugins=[watch])
    cover.stop()
    if code:
        return int(code)
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for number, name in enumerate(watch.seconds):
        numbers[name].add(number)
        numbers[name.partition("::")[0]].add(number)
    data = cover.get_data()
    executed = {
        str(Path(file).relative_to(Path.cwd())): {
            line: sorted(set().union(*(numbers[name] for name in names if name)))
            for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    modules = [name for name in list(sys.modules) if not name.startswith(_OURS)]
    known = {"seconds": watch.seconds, "tests": executed, "modules": modules}
    Path(out).write_text(json.dumps(known), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
