"""``python -m benchmarks.fuzz [TARGET ...] [--runs N] [--out FILE.md]``: fuzz every reader of outside bytes.

Each target first gets inputs that are chosen by which code they reach (atheris), then, at full speed, mutations of
those that reached something new. It has failed when an input makes it raise, take longer than five seconds while what
is reached is recorded (about one without), or more than 500 MB. That input is printed, or written to build/fuzz/TARGET,
and belongs in tests/fuzz/corpus/TARGET, where every test run tries it again. Inputs that reached new code stay in
build/fuzz, so that a second run continues from there.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.fuzz.targets import TARGETS

_WORK = Path("build/fuzz")
_KEPT = Path("tests/fuzz/corpus")
_SECONDS, _SECONDS_UNRECORDED, _MEGABYTES = 5, 1, 500
_GUIDED = {"parse": 50_000, "blocks": 20_000, "read": 20_000}
"""How many inputs of the slow readers are chosen by what they reach: recording it takes memory with every input."""
_LONGEST = {"parse": 512, "blocks": 512, "read": 512}
_LONGEST_OF_OTHERS = 4096  # bytes; whole pages take long, and shorter ones reach as much of the code
_PROGRESS = re.compile(r"^#(\d+).*?cov: (\d+).*?rss: (\d+)Mb", re.MULTILINE)
_DONE = re.compile(r"Done (\d+) (?:runs|in)|stat::number_of_executed_units: (\d+)")


def fuzz(target: str, runs: int) -> str:
    """One row of the table."""
    guided = min(runs, _GUIDED.get(target, runs))
    corpus = _WORK / target
    corpus.mkdir(parents=True, exist_ok=True)
    known = {path.name for path in corpus.iterdir()}
    options = [
        f"-runs={guided}",
        f"-timeout={_SECONDS}",
        f"-rss_limit_mb={_MEGABYTES}",
        f"-max_len={_LONGEST.get(target, _LONGEST_OF_OTHERS)}",
        f"-artifact_prefix={corpus}/failed-",
        "-print_final_stats=1",
        str(corpus),
    ]
    kept = _KEPT / target
    options += [str(kept)] if kept.is_dir() else []
    began = monotonic()
    command = [sys.executable, "-m", "benchmarks.fuzz.one", target, *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    said = done.stderr + done.stdout
    tried = max([int(number) for number, _, _ in _PROGRESS.findall(said)], default=0)
    tried = max([tried, *(int(one or other) for one, other in _DONE.findall(said))])
    memory = max([int(number) for _, _, number in _PROGRESS.findall(said)], default=0)
    failed = sorted({path.name for path in corpus.glob("failed-*")} - known)
    result = "none" if not done.returncode and not failed else f"**no**: {', '.join(failed) or said[-200:]!r}"
    mutations = _mutations(target, runs - guided, [corpus, kept]) if runs > guided and result == "none" else {}
    if mutations.get("failed"):
        result = f"**no**: {mutations['failed']}"
    memory = max(memory, mutations.get("megabytes", 0))
    return f"| {target} | {tried:,} | {mutations.get('tried', 0):,} | {monotonic() - began:.0f} | {memory} | {result} |"


def _mutations(target: str, runs: int, folders: list[Path]) -> dict[str, Any]:
    """Try so many mutations of the inputs in some folders."""
    limits = (runs, _LONGEST.get(target, _LONGEST_OF_OTHERS), _SECONDS_UNRECORDED, _MEGABYTES)
    command = [sys.executable, "-m", "benchmarks.fuzz.mutations", target, *map(str, (*limits, *folders))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": f"exit code {done.returncode}: {done.stderr[-500:]!r}"}
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def main() -> int:
    """Fuzz the targets one after the other, print and write down. 1 when one fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz")
    parser.add_argument("target", nargs="*", choices=[*TARGETS, []], help="(default: all)")
    parser.add_argument("--runs", type=int, default=1_000_000, help="inputs per target (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    options = parser.parse_args()
    lines = [
        "# Fuzzing",
        "",
        f"Coverage-guided inputs, then mutations of those. A failure is an exception, more than {_MEGABYTES} MB,",
        f"or more than {_SECONDS_UNRECORDED} s ({_SECONDS} s while coverage is recorded).",
        "",
        "| reader | coverage-guided inputs | mutations | seconds | MB | failures |",
        "|---|---|---|---|---|---|",
    ]
    for target in options.target or TARGETS:
        lines.append(fuzz(target, options.runs))
        print(lines[-1], flush=True)
    return written("\n".join([*lines, "", machine.described("atheris", "selectolax", "aiohttp")]), options.out)


if __name__ == "__main__":
    raise SystemExit(main())
