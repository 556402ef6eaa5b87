"""A strategy or a model that fails in the lab: its trials fail, the others do not, and corrected it is run again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import honeyguide
from honeyguide.cli.main import main
from honeyguide.demo.web import DemoWeb
from honeyguide.errors import PluginError
from honeyguide.lab.cases import Split
from honeyguide.lab.code import own_code, plugin_code
from honeyguide.lab.comparison import run_comparison
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.lab.results import ComparisonResult

WEB = DemoWeb(pages=300)
TOPIC = f"subject.{WEB.subjects[0]}"

STRATEGY = """
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import inherited

def rule(view):
    {body}
    return inherited(view)

RECIPE = Recipe("mine", "test", "", lambda values: rule)
"""

MODEL = """
from dataclasses import dataclass
import numpy as np

@dataclass(eq=False)
class Model:
    threshold: float = 0.5

    @classmethod
    def fit(cls, material, threshold):
        {fit}
        return cls(threshold)

    def score(self, text, spans):
        {score}
        return np.ones(len(spans))
"""


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labels") / "labels.tsv"
    rows = [f"{url}\tsubject.{subject}\n" for subject in WEB.subjects for url in WEB.relevant_urls(subject)]
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


class Packages:
    """A folder of modules that can be imported, each under a name of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, source: str) -> str:
        """A module; returns its name, which no other test's module has."""
        unique = f"{name}_{self.folder.parent.name.replace('-', '_')}"
        (self.folder / f"{unique}.py").write_text(source)
        return unique


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return Packages(folder)


def plan_of(labels: Path, *strategies: str, pages: str = "30", **changed: Any) -> Plan:
    split = Split(seeds=2, examples=4, pages=pages, seed=5)
    return Plan(("demo:300",), str(labels), (TOPIC,), ("breadth-first", *strategies), split, 2, **changed)


def compare(labels: Path, out: Path | None, *strategies: str, jobs: int = 1, **changed: Any) -> ComparisonResult:
    return run_comparison(plan_of(labels, *strategies, **changed), out, command="x", jobs=jobs)


def strategies_in(results: dict[str, Any]) -> set[str]:
    """All that the results have figures of."""
    of_tests = {name for test in results["tests"] for name in (test["better"], test["worse"])}
    return {cell["strategy"] for cell in results["cells"]} | set(results["summary"]) | of_tests | set(results["only"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_strategy_that_raises_fails_alone(labels: Path, tmp_path: Path, packages: Packages, jobs: int) -> None:
    name = packages.write("bad", STRATEGY.format(body="if len(view.links) > 5: raise KeyError('x')")) + ":RECIPE"
    out = tmp_path / "out"
    found = compare(labels, out, name, "best-first", jobs=jobs, model="vsm")
    assert [(failure.strategy, failure.repeat) for failure in found.failures] == [(name, 0), (name, 1)]
    error = found.failures[0].error
    assert (error.kind, error.name, error.problem) == ("strategy", name, "KeyError: 'x'")
    assert error.url.startswith("http://")
    assert strategies_in(found.results) == {"breadth-first", "best-first"}
    assert len(found.orders) == len(found.hops) == 4
    assert len(list((out / "cells").iterdir())) == 4
    assert (out / "errors.log").read_text().count("raise KeyError('x')") == 2
    assert f" {name}, {TOPIC}, repeat 1: strategy {name} failed on " in (out / "errors.log").read_text()
    (complaint,) = found.complaints()
    assert complaint == (
        f"{name} failed in 2 of 2 trials and is left out: strategy {name} failed on {error.url}: KeyError: 'x'; "
        f"traceback in {out / 'errors.log'}"
    )
    assert found.results["failed"][0] == {
        "strategy": name, "topic": TOPIC, "repeat": 0, "failed": f"strategy {name}", "url": error.url,
        "problem": "KeyError: 'x'", "log": "errors.log",
    }  # fmt: skip
    found.write(out)
    assert json.loads((out / "results.json").read_text())["failed"] == found.results["failed"]
    assert name not in (out / "results.csv").read_text()


def test_one_failed_trial_is_enough_to_be_left_out(labels: Path, tmp_path: Path, packages: Packages) -> None:
    # The strategy goes best-first, and fails on a page that best-first meets in the first repeat alone.
    opened = open_plan(plan_of(labels))
    one, other = (opened.case(TOPIC, repeat) for repeat in (0, 1))
    fetched = compare(labels, None, "best-first", model="vsm", pages="12").orders[3]
    page = next(url for url in one.seeds if url not in {*other.given, *fetched})
    name = packages.write("bad", STRATEGY.format(body=f"assert view.page.url != {page!r}")) + ":RECIPE"
    found = compare(labels, tmp_path / "out", name, model="vsm", pages="6")
    assert [failure.repeat for failure in found.failures] == [0]
    assert strategies_in(found.results) == {"breadth-first"}
    assert "failed in 1 of 2 trials" in found.complaints()[0]
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 3  # what it finished is stored all the same


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"score": "if not text.url: raise OSError('no')"}, "OSError: no"),
        ({"score": "return np.full(len(spans), np.nan)"}, "ValueError: returned nan as the relevance of the page"),
        ({"fit": "raise RuntimeError"}, "RuntimeError"),
    ],
)
def test_a_model_that_raises_fails_what_it_steers(
    labels: Path, packages: Packages, changed: dict[str, str], problem: str
) -> None:
    name = packages.write("model", MODEL.format(**{"fit": "pass", "score": "pass", **changed})) + ":Model"
    found = compare(labels, None, f"guide:{name}", "best-first", model="vsm")
    assert {failure.strategy for failure in found.failures} == {f"guide:{name}"}
    error = found.failures[0].error
    assert (error.kind, error.name) == ("model", name)
    assert error.problem.startswith(problem)
    assert error.log is None  # nothing is stored, so the traceback is here alone
    assert problem.partition(":")[0] in error.traceback
    assert strategies_in(found.results) == {"breadth-first", "best-first"}


def test_a_judge_that_raises_ends_the_comparison(labels: Path, tmp_path: Path, packages: Packages) -> None:
    name = packages.write("judge", MODEL.format(fit="pass", score="raise OSError('no')")) + ":Model"
    with pytest.raises(PluginError, match=f"model {name} failed on http://.*: OSError: no; traceback in .*errors.log"):
        compare(labels, tmp_path / "out", judge=name, model="vsm")
    assert "raise OSError" in (tmp_path / "out" / "errors.log").read_text()


def test_from_python(labels: Path, packages: Packages) -> None:
    name = packages.write("bad", STRATEGY.format(body="view.nothing")) + ":RECIPE"
    found = honeyguide.compare(
        web="demo:300", labels=labels, topics=TOPIC, strategies=[name], pages=20, seeds=2, examples=3, model="vsm"
    )
    assert found.results["cells"] == []
    assert found.table() == f"No trial was finished.\n\nfailed and left out: {name}"
    assert "view.nothing" in found.failures[0].error.traceback


# ---- trials that were run with other code ----


@pytest.fixture
def command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    installed: Callable[[Path], AbstractContextManager[None]],
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in a folder, with the packages that are in another one there: exit code and both outputs."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["honeyguide", *arguments])
        capfd.readouterr()
        with installed(tmp_path / "packages"), pytest.raises(SystemExit) as left:
            main()
        code = left.value.code
        return code if isinstance(code, int) else 0, *capfd.readouterr()

    return run


def test_a_corrected_package_is_run_again_into_the_same_folder(
    labels: Path, tmp_path: Path, command: Callable[..., tuple[int, str, str]]
) -> None:
    packages = tmp_path / "packages"
    (packages / "mine-1.0.dist-info").mkdir(parents=True)
    (packages / "mine-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    entry = "[honeyguide.strategies]\nmine = minepackage.strategy:RECIPE\n"
    (packages / "mine-1.0.dist-info" / "entry_points.txt").write_text(entry)
    (packages / "minepackage").mkdir()
    (packages / "minepackage" / "__init__.py").touch()
    body = "from minepackage.helper import factor; factor(view)"
    (packages / "minepackage" / "strategy.py").write_text(STRATEGY.format(body=body))
    helper = packages / "minepackage" / "helper.py"
    asked = (
        "compare", "--web", "demo:300", "--labels", str(labels), "--topic", TOPIC, "--strategy", "breadth-first",
        "--strategy", "mine", "--model", "vsm", "--pages", "30", "--seeds", "2", "--examples", "4", "--out", "out",
        "--quiet",
    )  # fmt: skip

    helper.write_text("def factor(view):\n    return 1 / 0\n")
    code, out, err = command(*asked, "--jobs", "2")
    assert code == 1
    (line,) = err.splitlines()
    assert line.startswith("honeyguide: mine failed in 1 of 1 trials and is left out: strategy mine failed on http://")
    assert line.endswith(": ZeroDivisionError: division by zero; traceback in out/errors.log")
    assert "failed and left out: mine" in out
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert strategies_in(results) == {"breadth-first"}
    assert "return 1 / 0" in (tmp_path / "out" / "errors.log").read_text()
    stored = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cells").iterdir()}
    assert len(stored) == 1

    helper.write_text("def factor(view):\n    pass\n")
    code, out, err = command(*asked)
    assert (code, err) == (0, "")
    assert "failed" not in out
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert strategies_in(results) == {"breadth-first", "mine"}
    assert results["failed"] == []
    assert {path: path.stat().st_mtime_ns for path in stored} == stored

    # Code that works, and is changed, is other code; nothing else is run again for it.
    before = set((tmp_path / "out" / "cells").iterdir())
    helper.write_text("def factor(view):\n    view.relevance = 0.25\n")
    assert command(*asked)[0] == 0
    assert len(set((tmp_path / "out" / "cells").iterdir()) - before) == 1


def test_what_the_code_of_a_plugin_is(packages: Packages) -> None:
    alone = packages.write("alone", "x = 1\n")
    other = packages.write("other", "y = 1\n")
    package = packages.folder / f"{alone}_package"
    (package / "inner").mkdir(parents=True)
    for place in ("__init__.py", "inner/__init__.py", "inner/part.py", "strategy.py"):
        (package / place).touch()
    space = packages.folder / f"{alone}_space"
    (space / "one").mkdir(parents=True)
    (space / "one" / "__init__.py").touch()
    (space / "two").mkdir()

    def digests() -> list[str]:
        return [plugin_code(name) for name in (alone, f"{package.name}.strategy", f"{space.name}.one")]

    first = digests()
    assert len(set(first)) == 3
    assert digests() == first
    (packages.folder / f"{other}.py").write_text("y = 22\n")
    (space / "two" / "__init__.py").touch()  # another package that shares the namespace
    (package / "notes.txt").touch()
    (package / "__pycache__").mkdir(exist_ok=True)
    (package / "__pycache__" / "strategy.cpython-311.pyc").touch()
    assert digests() == first
    (packages.folder / f"{alone}.py").write_text("x = 22\n")
    (package / "inner" / "part.py").write_text("z = 1\n")
    (space / "one" / "__init__.py").write_text("z = 1\n")
    assert not set(digests()) & set(first)


def test_the_code_of_strategy_model_and_judge_counts(packages: Packages) -> None:
    modules = [packages.write("strategy", STRATEGY.format(body="pass"))]
    modules += [packages.write(name, MODEL.format(fit="pass", score="pass")) for name in ("model", "judge")]
    strategy, model, judge = modules
    plan = Plan(("demo:300",), "", (TOPIC,), (f"{strategy}:RECIPE:{model}:Model",), judge=f"{judge}:Model")
    (contender,) = plan.contenders()
    assert (contender.strategy, contender.model) == (f"{strategy}:RECIPE", f"{model}:Model")
    seen = [plan.code(contender)]
    for name in modules:
        path = packages.folder / f"{name}.py"
        path.write_text(f"{path.read_text()}# changed\n")
        seen.append(plan.code(contender))
    assert len({tuple(code) for code in seen}) == 4


def test_our_own_code_is_known_by_its_version_and_sources() -> None:
    assert plugin_code("") == plugin_code("honeyguide.strategy.recipes.guide") == ""
    program = "import sys; from honeyguide.lab import code; code.VERSION = sys.argv[1]; print(code.own_code())"

    def ask(version: str) -> str:
        done = subprocess.run([sys.executable, "-c", program, version], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert ask(honeyguide.__version__) == own_code()
    assert ask("99") != own_code()


def test_code_without_a_file_is_never_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("typed_at_a_prompt")
    monkeypatch.setitem(sys.modules, "typed_at_a_prompt", module)
    assert plugin_code("typed_at_a_prompt") != plugin_code("typed_at_a_prompt")
