"""Runs a comparison: every trial of a plan once, optionally in parallel."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from honeyguide.atomic_write import atomic_write, output_errors, refuse_unwritable
from honeyguide.errors import PluginError, log_failure
from honeyguide.lab.judges import Judge
from honeyguide.lab.labels import warning
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.results import ComparisonResult, TrialFailure, comparison_result
from honeyguide.lab.trial import CaseRunner, Contender
from honeyguide.log_records import forward_all, level_for_workers, replay_from_workers

_log = logging.getLogger("honeyguide.lab")

Progress = Callable[[str, int, int], None]
"""Called with the current step, the amount done, and the total."""

ERRORS = "errors.log"
"""The file of the tracebacks, in the folder of a comparison."""

_ELSEWHERE = "choose another folder for the results"


@dataclass(frozen=True, slots=True)
class TrialTask:
    """A trial to run, and the file for its result."""

    topic: str
    repeat: int
    contender: Contender
    path: Path


def run_comparison(
    plan: Plan,
    folder: Path | None,
    *,
    command: str,
    jobs: int = 1,
    progress: Progress = lambda _what, _done, _all: None,
) -> ComparisonResult:
    """Run the trials that have not been run before, and combine all results.

    A trial whose strategy or model raises fails; the others run to their end. Everything that determines the result of
    a trial, including the code of strategy and model, is in the name of its file: after a change, it is run again. The
    results are the same for any number of jobs, apart from the seconds that trials took.

    Args:
        plan: What is compared.
        folder: Finished trials are stored in its subfolder ``cells``, and an interrupted comparison goes on from there;
            tracebacks are added to its ``errors.log``. None to store nothing.
        command: How to repeat the comparison, for the report.
        jobs: The number of processes.
        progress: Called with the progress.

    Returns:
        The results of all contenders but those that failed, and the failures.

    Raises:
        InputError: Something is wrong with the plan, or the folder cannot be written to.
        HoneyguideError: The result of a trial cannot be written.
        PluginError: The judge, being a model, failed.
    """
    if folder is not None:
        refuse_unwritable(folder, _ELSEWHERE)
    opened = open_plan(plan, progress)
    with nullcontext(folder) if folder is not None else TemporaryDirectory() as place:
        try:
            tasks, failures = _run_all(opened, Path(place) / "cells", jobs, progress)
        except PluginError as error:
            if folder is not None:
                log_failure(error, folder / ERRORS)
            raise
        failed = {failure.strategy for failure in failures}
        finished = [task for task in tasks if task.contender.name not in failed]
        outputs = [json.loads(task.path.read_text(encoding="utf-8")) for task in finished]
    if folder is not None:
        for failure in failures:
            log_failure(failure.error, folder / ERRORS, f"{failure.strategy}, {failure.topic}, repeat {failure.repeat}")
    about_labels = warning(opened.labels) if opened.labels else ""
    if about_labels:
        _log.warning("%s", about_labels)
    notes = (*opened.fixture.web.notes, *filter(None, [about_labels]))
    return comparison_result(opened, outputs, failures, command, notes)


def _run_all(
    opened: OpenPlan, cells: Path, jobs: int, progress: Progress
) -> tuple[list[TrialTask], list[TrialFailure]]:
    """All tasks, and the failures among them, in the order of the plan."""
    with output_errors(cells, _ELSEWHERE):
        cells.mkdir(parents=True, exist_ok=True)
    plan = opened.plan
    code = {contender: plan.code(contender) for contender in plan.contenders()}
    tasks = [
        TrialTask(topic, repeat, contender, cells / f"{opened.key(topic, repeat, contender, code[contender])}.json")
        for topic, repeat, contender in plan.cells()
    ]
    waiting = [task for task in tasks if not task.path.exists()]
    failures = []
    progress("trials", len(tasks) - len(waiting), len(tasks))
    for done, failure in enumerate(_run(waiting, opened, jobs), start=len(tasks) - len(waiting) + 1):
        if failure is not None:
            failures.append(failure)
        progress("trials", done, len(tasks))
    order = {(task.topic, task.repeat, task.contender.name): number for number, task in enumerate(tasks)}
    failures.sort(key=lambda failure: order[failure.topic, failure.repeat, failure.strategy])
    return tasks, failures


def _run(tasks: list[TrialTask], opened: OpenPlan, jobs: int) -> Iterator[TrialFailure | None]:
    """Run tasks. Yields, for each completed task, its failure or None."""
    if jobs == 1 or len(tasks) < 2:
        runner = TrialRunner(opened)
        yield from map(runner.run, tasks)
        return
    # Spawned, not forked: a fork would share locks and threads of this process in whatever state they are.
    context = get_context("spawn")
    with (
        replay_from_workers(context) as records,
        ProcessPoolExecutor(jobs, context, _start_process, (opened.plan, records, level_for_workers())) as pool,
    ):
        futures = [pool.submit(_run_in_process, group) for group in _groups(tasks, jobs)]
        try:
            for future in as_completed(futures):
                yield from future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _groups(tasks: list[TrialTask], jobs: int) -> list[list[TrialTask]]:
    """Group tasks per process: all trials of a case, which share their model, if there are enough cases."""
    cases = [list(group) for _, group in groupby(tasks, key=lambda task: (task.topic, task.repeat))]
    return cases if len(cases) >= 2 * jobs else [[task] for task in tasks]


class TrialRunner:
    """Runs trials in sequence. Data shared by the trials of a case is kept for the next trial."""

    def __init__(self, opened: OpenPlan) -> None:
        self._opened = opened
        self._case = lru_cache(maxsize=1)(self._make_case)

    def run(self, task: TrialTask) -> TrialFailure | None:
        """Run a trial and store its result. Returns how it failed, if its strategy or its model did: nothing is stored.

        Raises `PluginError` when the judge fails.
        """
        trial = {"topic": task.topic, "repeat": task.repeat, "strategy": task.contender.name}
        _log_trial("begun", trial)
        began = perf_counter()
        case = self._case(task.topic, task.repeat)
        try:
            result = case.run(task.contender)
        except PluginError as error:
            _log_trial("failed", {**trial, "problem": str(error), "exception": error.traceback})
            return TrialFailure(task.topic, task.repeat, task.contender.name, error)
        with output_errors(task.path, _ELSEWHERE), atomic_write(task.path) as file:
            file.write(json.dumps(asdict(result)).encode())
        _log_trial("finished", {**trial, "pages": result.cell["pages"], "seconds": round(perf_counter() - began, 3)})
        return None

    def _make_case(self, topic: str, repeat: int) -> CaseRunner:
        opened = self._opened
        judge = Judge.named(opened.plan.judge)
        return CaseRunner(opened.judged_case(topic, repeat), judge, opened.fixture, opened.plan.timing)


def _log_trial(what: str, trial: dict[str, Any]) -> None:
    message = f"trial {what}: {trial['topic']}, {trial['strategy']}, repeat {trial['repeat']}"
    _log.info("%s", f"{message}: {trial['problem']}" if "problem" in trial else message,
              extra={"event": f"trial {what}", **trial})  # fmt: skip


_runner: list[TrialRunner] = []  # of this process, when it is one of several


def _start_process(plan: Plan, records: Any, log_level: int) -> None:
    _runner.append(TrialRunner(open_plan(plan)))
    forward_all(records.put, log_level)  # after opening the plan, whose messages were logged by the parent


def _run_in_process(tasks: list[TrialTask]) -> list[TrialFailure | None]:
    return [_runner[0].run(task) for task in tasks]
