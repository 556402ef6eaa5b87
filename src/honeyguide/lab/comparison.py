"""Comparing strategies: all trials of a plan, in parallel, each run once, and what they say together."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import version
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from honeyguide.atomic_write import atomic_write
from honeyguide.lab.judges import Judge
from honeyguide.lab.labels import warning
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.report import plot, table, to_frame, write_report
from honeyguide.lab.trial import ORACLE, CaseRunner, Contender
from honeyguide.lab.verdicts import summaries, verdicts
from honeyguide.version import VERSION

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is, and how much there is."""

_FOUND_ALONE = 20
_NO_NAME = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True)
class Task:
    """A trial to run, and where its result goes."""

    topic: str
    repeat: int
    contender: Contender
    path: Path


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """What a comparison came to."""

    results: dict[str, Any]
    """Settings, cells, summary and tests, as in results.json."""
    orders: list[list[str]]
    """The pages of each cell, in the order they were fetched."""
    hops: list[list[int]]
    """Of each cell, the links from a seed to each relevant page, in the same order."""
    notes: tuple[str, ...]
    """What the user should know: what is missing of the web, or labelled in vain."""

    def table(self) -> str:
        """The ranking, as text."""
        return table(self.results)

    def plot(self, path: str | Path) -> None:
        """Write the curves, as SVG or PNG by the name's ending. A PNG needs matplotlib, or it is an `InputError`."""
        plot(self.results, Path(path))

    def to_frame(self) -> Any:
        """The cells as a pandas data frame. Raises `InputError` when pandas is not installed."""
        return to_frame(self.results)

    def write(self, folder: Path, *, orders: bool = False) -> list[str]:
        """Write results.json, results.csv, the curves and report.html. Returns what there is to say about it."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.results, ensure_ascii=False, indent=1, allow_nan=False)
        _write(folder / "results.json", text + "\n")
        if orders:
            (folder / "orders").mkdir(exist_ok=True)
            for cell, order in zip(self.results["cells"], self.orders, strict=True):
                name = _NO_NAME.sub("-", f"{cell['topic']}-{cell['strategy']}-{cell['repeat']}")
                _write(folder / "orders" / f"{name}.txt", "".join(f"{url}\n" for url in order))
        return write_report(self.results, folder)


def compare(
    plan: Plan, folder: Path, *, command: str, jobs: int = 1, progress: Progress = lambda _what, _done, _all: None
) -> ComparisonResult:
    """Run what was not run before, and put all results together. CaseRunner are kept in ``FOLDER/cells``.

    An interrupted comparison goes on where it stopped. The results are the same for any number of jobs, but for the
    seconds that trials took.
    """
    opened = open_plan(plan, progress)
    cells = folder / "cells"
    cells.mkdir(parents=True, exist_ok=True)
    tasks = [
        Task(topic, repeat, contender, cells / f"{opened.plan.key(opened.fixture, topic, repeat, contender)}.json")
        for topic, repeat, contender in opened.plan.cells()
    ]
    waiting = [task for task in tasks if not task.path.exists()]
    for done, _ in enumerate(_run(waiting, opened, jobs), start=len(tasks) - len(waiting)):
        progress("trials", done, len(tasks))
    progress("trials", len(tasks), len(tasks))
    outcomes = [json.loads(task.path.read_text(encoding="utf-8")) for task in tasks]
    notes = (*opened.fixture.web.notes, *filter(None, [warning(opened.labels) if opened.labels else ""]))
    orders, hops = ([outcome[part] for outcome in outcomes] for part in ("order", "hops"))
    return ComparisonResult(_results(opened, outcomes, command), orders, hops, notes)


def _run(tasks: list[Task], opened: OpenPlan, jobs: int) -> Iterator[None]:
    """Run tasks; yields before each that is about to end, or has."""
    if jobs == 1 or len(tasks) < 2:
        desk = TrialRunner(opened)
        for task in tasks:
            yield
            desk.run(task)
        return
    # Spawned, not forked: what a fork shares and what it does not is nobody's business here.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _sit_down, (opened.plan,)) as pool:
        futures = [pool.submit(_work, group) for group in _groups(tasks, jobs)]
        try:
            for future in as_completed(futures):
                for _ in range(future.result()):
                    yield
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _groups(tasks: list[Task], jobs: int) -> list[list[Task]]:
    """What one process does in one go: all trials of a case, which share their model, if there are cases for all."""
    cases = [list(group) for _, group in groupby(tasks, key=lambda task: (task.topic, task.repeat))]
    return cases if len(cases) >= 2 * jobs else [[task] for task in tasks]


class TrialRunner:
    """Where trials are run, one after the other. What trials of one case share is kept for the next."""

    def __init__(self, opened: OpenPlan) -> None:
        self._opened = opened
        self._trials = lru_cache(maxsize=1)(self._make)

    def run(self, task: Task) -> None:
        """Run a trial and write down what it came to, whole or not at all."""
        outcome = self._trials(task.topic, task.repeat).run(task.contender)
        _write(task.path, json.dumps(asdict(outcome)))

    def _make(self, topic: str, repeat: int) -> CaseRunner:
        opened = self._opened
        plan = opened.plan
        return CaseRunner(opened.judged_case(topic, repeat), Judge.named(plan.judge), opened.fixture, plan.timing)


_desk: list[TrialRunner] = []  # of this process, when it is one of several


def _sit_down(plan: Plan) -> None:
    _desk.append(TrialRunner(open_plan(plan)))


def _work(tasks: list[Task]) -> int:
    for task in tasks:
        _desk[0].run(task)
    return len(tasks)


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        file.write(text.encode())


# ---- results ----


def _results(opened: OpenPlan, outcomes: list[dict[str, Any]], command: str) -> dict[str, Any]:
    plan, fixture = opened.plan, opened.fixture
    cells = [outcome["cell"] for outcome in outcomes]
    return {
        "settings": {
            "command": command,
            "web": {"name": fixture.web.name, "digest": fixture.web.digest, "pages": len(fixture.graph.urls)},
            "labels": Path(plan.labels).name if plan.labels else None,
            "judge": plan.judge,
            "model": plan.model,
            "topics": list(plan.topics),
            "strategies": [contender.name for contender in plan.contenders()],
            "pages": plan.split.pages,
            "seeds": plan.split.seeds,
            "seed_urls": list(plan.split.seed_urls),
            "examples": plan.split.examples,
            "repeats": plan.repeats,
            "seed": plan.split.seed,
            "connections": plan.connections,
            "versions": {
                "honeyguide": VERSION,
                "python": platform.python_version(),
                **{name: version(name) for name in ("numpy", "scikit-learn", "scipy", "selectolax")},
            },
        },
        "cells": cells,
        "summary": summaries(cells),
        "tests": verdicts(cells, plan.points),
        "only": _found_alone(outcomes),
    }


def _found_alone(outcomes: list[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """By strategy and topic, targets that no other found in any repeat, the oracle left out; some of them."""
    found: dict[str, dict[str, set[str]]] = {}
    for outcome in outcomes:
        cell = outcome["cell"]
        if cell["strategy"] != ORACLE:
            found.setdefault(cell["topic"], {}).setdefault(cell["strategy"], set()).update(outcome["found"])
    alone: dict[str, dict[str, list[str]]] = {}
    for topic, by_strategy in found.items():
        for strategy, urls in by_strategy.items():
            others = set().union(*(other for name, other in by_strategy.items() if name != strategy))
            if len(by_strategy) > 1:
                alone.setdefault(strategy, {})[topic] = sorted(urls - others)[:_FOUND_ALONE]
    return alone
