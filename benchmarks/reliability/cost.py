"""What safety costs: pages per second of this version beside an earlier one, in the same minutes.

    git worktree add /tmp/earlier 156c293   # the last version that read pages in process and had few limits
    python -m benchmarks.reliability.cost --earlier /tmp/earlier --out results/reliability-cost.md

Both versions crawl the same pages from the same server, in turns. The page server and, where it says so, the reading
worker have the second core. The ratios are those of runs that followed one another, so that other work on the machine
counts in both; the median is of all rounds.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.meter import Run
from benchmarks.processes import CRAWLER_CORE, SERVER_CORE, page_server, run
from benchmarks.web import render

EARLIER, IN_PROCESS, DEFAULT, ONE_CORE = "earlier, no worker", "no worker", "one worker", "one worker, one core"
_ROOT = Path(__file__).parents[2]
_WEB, _PAGES, _WARM_UP, _CONNECTIONS = 8000, 2000, 200, 64


def measure(earlier: Path, rounds: int, work: Path) -> dict[str, list[Run]]:
    """The runs of each candidate, one per round."""
    web = work / "web"
    render(_WEB, plain=False).save(web)
    candidates: dict[str, tuple[Path, list[object]]] = {
        EARLIER: (earlier, []),
        IN_PROCESS: (_ROOT, []),
        DEFAULT: (_ROOT, ["--worker-core", SERVER_CORE]),
        ONE_CORE: (_ROOT, ["--worker-core", CRAWLER_CORE]),
    }
    runs: dict[str, list[Run]] = {name: [] for name in candidates}
    with page_server(web):
        for number in range(rounds):
            for name, (root, arguments) in candidates.items():
                folder = work / "crawl"
                told = [web, folder, _PAGES, _WARM_UP, _CONNECTIONS, *arguments]
                runs[name].append(Run(**run("crawl_honeyguide", *told, root=root)))
                shutil.rmtree(folder)
            print(f"round {number + 1} of {rounds}", flush=True)
    return runs


def _table(runs: dict[str, list[Run]]) -> list[str]:
    lines = ["| | pages/s, best | median | CPU ms per page, best | median |", "|---|---|---|---|---|"]
    for name, done in runs.items():
        rates = [one.pages / one.seconds for one in done]
        cpu = [(one.cpu + one.workers_cpu) / one.pages * 1e3 for one in done]
        lines.append(f"| {name} | {max(rates):.0f} | {median(rates):.0f} | {min(cpu):.2f} | {median(cpu):.2f} |")
    return lines


def _ratio(runs: dict[str, list[Run]], name: str, value: Callable[[Run], float]) -> str:
    ratios = sorted(value(one) / value(base) for one, base in zip(runs[name], runs[EARLIER], strict=True))
    quarter = len(ratios) // 4
    return f"{median(ratios):.3f} | {ratios[quarter]:.3f} to {ratios[-1 - quarter]:.3f}"


def _figure(name: str, ratio: str, goal: str) -> str:
    return f"| {name} / earlier version | {ratio} | {goal} |"


def report(runs: dict[str, list[Run]]) -> str:
    """The results as Markdown."""
    rate: Callable[[Run], float] = lambda one: one.pages / one.seconds  # noqa: E731
    cpu: Callable[[Run], float] = lambda one: one.cpu / one.pages  # noqa: E731
    lines = [
        "# The cost of safety",
        "",
        "| figure | median of rounds | middle half | goal |",
        "|---|---|---|---|",
        _figure("pages/s: one worker (the default)", _ratio(runs, DEFAULT, rate), "≥ 1"),
        _figure("CPU time: no worker (limits, checks, fsyncs)", _ratio(runs, IN_PROCESS, cpu), "≤ 1.03"),
        _figure("pages/s: one worker on the same core", _ratio(runs, ONE_CORE, rate), ""),
        "",
        *_table(runs),
        "",
        f"- {_PAGES:,} pages per run on {_WEB:,}, {len(runs[EARLIER])} interleaved rounds (benchmarks/throughput.py).",
        machine.described("aiohttp", "selectolax", "numpy"),
    ]
    return "\n".join(lines)


def main() -> int:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--earlier", type=Path, required=True, help="a checkout of the version to compare with")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    options = parser.parse_args()
    with TemporaryDirectory() as work:
        runs = measure(options.earlier.resolve(), options.rounds, Path(work))
    return written(report(runs), options.out)


if __name__ == "__main__":
    raise SystemExit(main())
