"""The results of a comparison: figures, statistics, and the trials that failed."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from honeyguide.atomic_write import output_file
from honeyguide.errors import PluginError
from honeyguide.lab.plan import OpenPlan
from honeyguide.lab.report import plot, table, to_frame, write_report
from honeyguide.lab.trial import ORACLE
from honeyguide.lab.verdicts import summaries, verdicts
from honeyguide.version import VERSION

_FOUND_ALONE = 20
_NO_NAME = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True)
class TrialFailure:
    """A trial that ended because its strategy or its model failed."""

    topic: str
    repeat: int
    strategy: str
    """The contender, as the user wrote it: ``best-first:vsm``."""
    error: PluginError


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """The results of a comparison.

    A contender that failed in one trial or more is only in `failures` and in ``results["failed"]``:
    figures over its remaining trials would not be comparable with those of the others.
    """

    results: dict[str, Any]
    """Settings, cells (one per trial), summary, tests and failed trials, as in results.json."""
    orders: list[list[str]]
    """For each cell, the pages in the order in which they were fetched."""
    hops: list[list[int]]
    """For each cell, the number of links from a seed to each relevant page, in the same order."""
    failures: tuple[TrialFailure, ...]
    notes: tuple[str, ...]
    """Messages for the user, about missing parts of the web or labels for pages that it does not contain."""

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        settings = self.results["settings"]
        named = ", ".join(settings["strategies"])
        return f"<{type(self).__name__} of {named} on {settings['web']['name']}: {len(self.orders)} trials>"

    def table(self) -> str:
        """The ranking and the verdicts on the best strategy.

        Returns:
            A table and a few sentences, as text.
        """
        return table(self.results)

    def plot(self, path: str | Path) -> None:
        """Write the curves to a file.

        Args:
            path: The file; its extension, .svg or .png, determines the format.

        Raises:
            InputError: The extension is unknown, the file cannot be written, or a PNG is requested without matplotlib.
        """
        plot(self.results, Path(path))

    def to_frame(self) -> Any:
        """The results as a pandas data frame.

        Returns:
            The data frame, one row per trial.

        Raises:
            InputError: pandas is not installed.
        """
        return to_frame(self.results)

    def write(self, folder: Path, *, orders: bool = False) -> list[str]:
        """Write results.json, results.csv, the curves and report.html.

        Args:
            folder: Created if necessary.
            orders: Whether to write the fetched URLs too, one file per trial.

        Returns:
            Messages for the user, one line each.

        Raises:
            HoneyguideError: They cannot be written.
        """
        text = json.dumps(self.results, ensure_ascii=False, indent=1, allow_nan=False)
        _write(folder / "results.json", text + "\n")
        if orders:
            for cell, order in zip(self.results["cells"], self.orders, strict=True):
                name = _NO_NAME.sub("-", f"{cell['topic']}-{cell['strategy']}-{cell['repeat']}")
                _write(folder / "orders" / f"{name}.txt", "".join(f"{url}\n" for url in order))
        return write_report(self.results, folder)

    def complaints(self) -> list[str]:
        """Messages about the strategies and models that failed.

        Returns:
            One line per contender: in how many trials it failed, its first failure, and where to read more.
        """
        first: dict[str, TrialFailure] = {}
        for failure in self.failures:
            first.setdefault(failure.strategy, failure)
        settings = self.results["settings"]
        trials = len(settings["topics"]) * settings["repeats"]
        counts = {name: sum(failure.strategy == name for failure in self.failures) for name in first}
        return [
            f"{name} failed in {counts[name]} of {trials} trials and is left out: {failure.error}"
            for name, failure in first.items()
        ]


def comparison_result(
    opened: OpenPlan,
    outputs: Sequence[dict[str, Any]],
    failures: Sequence[TrialFailure],
    command: str,
    notes: tuple[str, ...],
) -> ComparisonResult:
    """Combine the stored `outputs` of finished trials and the failures of others."""
    cells = [output["cell"] for output in outputs]
    results = {
        "settings": _settings(opened, command),
        "cells": cells,
        "summary": summaries(cells),
        "tests": verdicts(cells, opened.plan.points),
        "only": _found_alone(outputs),
        "failed": [_failed(failure) for failure in failures],
    }
    orders, hops = ([output[part] for output in outputs] for part in ("order", "hops"))
    return ComparisonResult(results, orders, hops, tuple(failures), notes)


def _settings(opened: OpenPlan, command: str) -> dict[str, Any]:
    plan, fixture = opened.plan, opened.fixture
    return {
        "command": command,
        "web": {"name": fixture.web.name, "digest": fixture.web.digest, "pages": len(fixture.graph.urls)},
        "labels": Path(plan.labels).name if plan.labels else None,
        "judge": plan.judge,
        "model": plan.model,
        "topics": list(plan.topics),
        "strategies": [contender.name for contender in plan.contenders()],
        "pages": plan.split.pages,
        "seeds": len(plan.split.seed_urls) or plan.split.seeds,
        "seed_urls": list(plan.split.seed_urls),
        "examples": plan.split.examples,
        "unlabelled": plan.split.unlabelled,
        "repeats": plan.repeats,
        "seed": plan.split.seed,
        "connections": plan.connections,
        "versions": {
            "honeyguide": VERSION,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scikit-learn", "scipy", "selectolax")},
        },
    }


def _failed(failure: TrialFailure) -> dict[str, Any]:
    error = failure.error
    return {
        "strategy": failure.strategy,
        "topic": failure.topic,
        "repeat": failure.repeat,
        "failed": f"{error.kind} {error.name}",
        "url": error.url or None,
        "problem": error.problem,
        "log": error.log.name if error.log else None,
    }


def _found_alone(outputs: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """By strategy and topic, some of the targets that no other strategy found in any repeat; without the oracle."""
    found: dict[str, dict[str, set[str]]] = {}
    for output in outputs:
        cell = output["cell"]
        if cell["strategy"] != ORACLE:
            found.setdefault(cell["topic"], {}).setdefault(cell["strategy"], set()).update(output["found"])
    alone: dict[str, dict[str, list[str]]] = {}
    for topic, by_strategy in found.items():
        for strategy, urls in by_strategy.items():
            others = set().union(*(other for name, other in by_strategy.items() if name != strategy))
            if len(by_strategy) > 1:
                alone.setdefault(strategy, {})[topic] = sorted(urls - others)[:_FOUND_ALONE]
    return alone


def _write(path: Path, text: str) -> None:
    with output_file(path, parents=True) as file:
        file.write(text.encode())
