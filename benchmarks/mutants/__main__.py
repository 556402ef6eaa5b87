"""``python -m benchmarks.mutants``: how many mutants the tests kill. Stopped and started again, it goes on."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tomllib
from dataclasses import asdict
from hashlib import sha1
from pathlib import Path
from random import Random

from benchmarks.mutants.cover import Cover
from benchmarks.mutants.mutate import Mutant, mutants
from benchmarks.mutants.report import report
from benchmarks.mutants.run import SURVIVED, TIMEOUT, Result, Runner, copy_tree

_WORK = Path("build/mutants")
_RESULTS = _WORK / "results.jsonl"
_SOURCE = Path("src/honeyguide")


def main() -> int:
    """Draw mutants of each package, run the tests on those that have no result yet, and write the page."""
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutants"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants")
    parser.add_argument("package", nargs="*", help="of those in pyproject.toml (default: all)")
    parser.add_argument("--sample", type=int, help="mutants of each package (default: as pyproject.toml says)")
    parser.add_argument("--only", default="", help="mutants of files whose path has this part")
    parser.add_argument("--again", action="store_true", help="run the tests again on those that survived")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    options = parser.parse_args()
    _WORK.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[str, int, list[Result]]] = []
    for name in options.package or settings["packages"]:
        package = settings["packages"][name]
        files = [str(file) for file in sorted((_SOURCE / name).rglob("*.py")) if options.only in str(file)]
        every = [mutant for file in files for mutant in mutants(Path(), file)]
        count = min(options.sample or package["sample"], len(every))
        drawn = [every[number] for number in sorted(Random(settings["seed"]).sample(range(len(every)), count))]
        known = _known()
        again = (SURVIVED, TIMEOUT) if options.again else ()
        left = [one for one in drawn if (key := _key(one)) not in known or known[key].outcome in again]
        if left:
            _run(name, left, _cover(name, package["tests"]), settings["seconds"], options.jobs)
            known = _known()
        rows.append((name, len(every), [known[_key(mutant)] for mutant in drawn]))
    text = report(rows, settings["seed"])
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    return 0


def _key(mutant: Mutant) -> tuple[str, int, str]:
    return mutant.file, mutant.number, sha1(Path(mutant.file).read_bytes()).hexdigest()


def _known() -> dict[tuple[str, int, str], Result]:
    """The results so far; of several for one mutant the latest."""
    lines = _RESULTS.read_text(encoding="utf-8").splitlines() if _RESULTS.exists() else []
    results = [Result(**json.loads(line)) for line in lines]
    return {(one.file, one.number, one.digest): one for one in results}


def _cover(name: str, tests: list[str]) -> Cover:
    """Which tests of a package execute what, found out anew whenever the code or these tests have changed."""
    digest = sha1(repr(tests).encode())
    for path in map(Path, ("src", *tests)):
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(file.read_bytes())
    out = (_WORK / f"{name}-{digest.hexdigest()[:12]}.json").resolve()
    if not out.exists():
        print(f"{name}: finding out which tests execute what", flush=True)
        tree = _WORK / "tree"
        copy_tree(tree)
        command = [sys.executable, "-m", "benchmarks.mutants.cover", str(out), str(_SOURCE), *tests]
        if subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": "src"}, check=False).returncode:
            sys.exit(f"{name}: tests fail without any mutant")
    return Cover.load(out)


def _run(name: str, left: list[Mutant], cover: Cover, seconds: float, jobs: int) -> None:
    """Share mutants among processes, each with a tree of its own."""
    runners = [Runner(_WORK / f"tree-{number}", cover, seconds) for number in range(jobs)]
    runners[0].load()
    for number in range(jobs):
        copy_tree(_WORK / f"tree-{number}")
    outcome, failed = runners[0].run(list(cover.seconds))
    if outcome != SURVIVED:
        sys.exit(f"{name}: {failed or 'a test'} fails without any mutant: see {_WORK}/tree-0/log")
    children = []
    for number, runner in enumerate(runners):
        child = os.fork()
        if not child:
            try:
                _try_all(name, runner, left[number::jobs])
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    codes = [os.waitpid(child, 0)[1] for child in children]
    if any(codes):
        sys.exit(f"{name}: not all mutants were tried")


def _try_all(name: str, runner: Runner, left: list[Mutant]) -> None:
    counts: dict[str, int] = {}
    for done, mutant in enumerate(left, start=1):
        result = runner.try_one(name, mutant, _key(mutant)[2])
        with _RESULTS.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(result)) + "\n")
        counts[result.outcome] = counts.get(result.outcome, 0) + 1
        so_far = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        print(f"{name} {done}/{len(left)}: {so_far} ({result.seconds:g} s)", flush=True)
        if result.outcome == SURVIVED:
            print(f"  {result.file}:{result.line}\n  - {result.before}\n  + {result.after}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
