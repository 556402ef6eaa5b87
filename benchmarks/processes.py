"""Processes under measurement: each on its own core."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from benchmarks.serve import READY

CRAWLER_CORE, SERVER_CORE = 0, 1


_ROOT = Path(__file__).parents[1]


def run(module: str, *arguments: object, root: Path = _ROOT, environment: dict[str, str] | None = None) -> Any:
    """Run a module of the benchmarks on the crawlers' core; what it prints last, as JSON.

    `root` is the checkout whose code is run, this one by default; `environment` are further variables.
    """
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, **(environment or {}), "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
        preexec_fn=partial(_pin, CRAWLER_CORE),
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def page_server(web: Path) -> Iterator[psutil.Process]:
    """The page server, while it runs."""
    command = [sys.executable, "-m", "benchmarks.serve", str(web)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=partial(_pin, SERVER_CORE),  # noqa: PLW1509 (there are no threads here)
    )
    try:
        assert process.stdout is not None
        if process.stdout.readline().strip() != READY:
            raise SystemExit("the page server did not start: is its port in use?")
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def cpu_seconds(process: psutil.Process) -> float:
    """CPU time of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def _pin(core: int) -> None:
    os.sched_setaffinity(0, {core})
