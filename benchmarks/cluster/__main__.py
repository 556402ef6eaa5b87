"""Measures crawls on several machines; measurements made before are not repeated.

    python -m benchmarks.cluster simulate    64 shards on the virtual clock, one dying each minute, against one machine
    python -m benchmarks.cluster harvest     4 shards against one machine at equal budgets, on the virtual clock
    python -m benchmarks.cluster loopback    the same on webs that are served on loopback, recorded ones too
    python -m benchmarks.cluster throughput  pages per second of CPU time: two shards against one process
    python -m benchmarks.cluster faults      nodes, coordinators and drivers of real clusters killed at random moments
    python -m benchmarks.cluster politeness  many requests to a server that checks each, with hosts at shared addresses
    python -m benchmarks.cluster page        write down what was measured

Every measurement is written to results.jsonl in the folder --work as soon as it is made, and results/cluster.md is
compiled from all of them. Those that run on Ray need the extra "cluster"; politeness and throughput also need "bench".
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.cluster import page
from benchmarks.cluster.results import Results
from benchmarks.cluster.simulation import Case, cases, simulate


def main() -> int:
    """Returns 1 if a goal is not reached."""
    options = _options()
    results = Results(options.work)
    {
        "simulate": _simulate,
        "harvest": _harvest,
        "loopback": _loopback,
        "throughput": _throughput,
        "faults": _faults,
        "politeness": _politeness,
        "page": lambda *_: None,
    }[options.what](options, results)
    text = page.text(results)
    options.out.write_text(text, encoding="utf-8")
    print(text)
    return int("**no**" in text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path("build/cluster-benchmark"), help="folder (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("results/cluster.md"), help="page to write (%(default)s)")
    what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    one = what.add_parser("simulate")
    one.add_argument("--web", type=int, default=1_000_000, help="pages of the web (%(default)s)")
    one.add_argument("--budget", type=int, default=20_000, help="pages of the crawl (%(default)s)")
    one.add_argument("--shards", type=int, default=64, help="(%(default)s)")
    one.add_argument("--lost", type=float, default=0.01, help="part of the messages that are lost (%(default)s)")
    one.add_argument("--death-every", type=float, default=60.0, help="seconds; 0 for never (%(default)s)")
    one.add_argument("--seed", type=int, default=7, help="of the web (%(default)s)")
    one = what.add_parser("harvest")
    one.add_argument("--web", type=int, default=50_000, help="pages of the web (%(default)s)")
    one.add_argument("--budget", type=int, default=5_000, help="pages of the crawl (%(default)s)")
    one.add_argument("--shards", type=int, default=4, help="(%(default)s)")
    one.add_argument("--webs", type=int, default=5, help="webs to try (%(default)s)")
    one = what.add_parser("loopback")
    one.add_argument("--web", default="demo:50000:1", help="WARC file, or demo:PAGES:SEED (%(default)s)")
    one.add_argument("--labels", type=Path, help="which pages of a recorded web are about what")
    one.add_argument("--topic", action="append", help="a label, may be repeated (subject.beekeeping)")
    one.add_argument("--budget", type=int, default=2_000, help="pages of the crawl (%(default)s)")
    one.add_argument("--shards", type=int, default=4, help="(%(default)s)")
    one.add_argument("--delay", type=float, default=1.0, help="seconds between requests to a host (%(default)s)")
    one.add_argument("--seeds", type=int, default=1, help="samples of seeds (%(default)s)")
    one.add_argument("--ray", action="store_true", help="shards on Ray, instead of in one process")
    one = what.add_parser("throughput")
    one.add_argument("--budget", type=int, default=16_000, help="pages of each crawl (%(default)s)")
    one.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    one.add_argument("--pages", action="append", choices=("34-KB", "demo"), help="kind of pages (both)")
    one.add_argument(
        "--kind", action="append", choices=("alone", "side-by-side", "in-process", "ray"), help="who crawls (all)"
    )
    one = what.add_parser("faults")
    one.add_argument("--kills", type=int, nargs=3, default=(10, 5, 5), metavar=("NODES", "COORDINATORS", "DRIVERS"))
    one.add_argument("--web", type=int, default=600, help="pages of the web (%(default)s)")
    one = what.add_parser("politeness")
    one.add_argument("--requests", type=int, default=100_000, help="(%(default)s)")
    one.add_argument("--shards", type=int, default=4, help="(%(default)s)")
    what.add_parser("page")
    return parser.parse_args()


class _Line:
    """A status line on the terminal, updated at most twice a second."""

    def __init__(self) -> None:
        self._shown = 0.0

    def __call__(self, text: str) -> None:
        if time.monotonic() - self._shown > 0.5:
            self._shown = time.monotonic()
            print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)


def _run_case(case: Case, results: Results) -> None:
    if results.get(case.key) is None:
        results.add(case.key, simulate(case, results.work / "crawl", _Line()))


def _simulate(options: argparse.Namespace, results: Results) -> None:
    case = Case(options.web, options.budget, options.shards, options.lost, options.death_every, options.seed)
    for one in cases(case):
        _run_case(one, results)


def _harvest(options: argparse.Namespace, results: Results) -> None:
    for seed in range(1, options.webs + 1):
        case = Case(options.web, options.budget, options.shards, 0.0, 0.0, seed, connections=64)
        for one in cases(case):
            _run_case(one, results)


def _loopback(options: argparse.Namespace, results: Results) -> None:
    from benchmarks.cluster import loopback

    for topic in options.topic or ("subject.beekeeping",):
        for seed in range(1, options.seeds + 1):
            for shards in (0, options.shards):
                is_ray = int(options.ray and shards > 0)
                case = loopback.Case(options.web, topic, options.budget, shards, options.delay, seed, is_ray)
                if results.get(case.key) is None:
                    results.add(case.key, loopback.measure(case, options.labels, results.work / "loopback", _Line()))


def _throughput(options: argparse.Namespace, results: Results) -> None:
    from benchmarks.cluster.throughput import KINDS, measure

    for turn in range(options.rounds):
        for pages in options.pages or ("34-KB", "demo"):
            for kind in options.kind or KINDS:
                key = f"throughput pages={pages} kind={kind} budget={options.budget} round={turn}"
                if results.get(key) is None:
                    results.add(key, measure(kind, pages, options.budget, results.work))


def _faults(options: argparse.Namespace, results: Results) -> None:
    from benchmarks.cluster.faults import KINDS, kill_one

    for kind, kills in zip(KINDS, options.kills, strict=True):
        for seed in range(1, kills + 1):
            key = f"faults kind={kind} web={options.web} seed={seed}"
            if results.get(key) is not None:
                continue
            try:
                figures = {"problem": "", **kill_one(kind, seed, options.web, results.work / "fault", _Line())}
            except AssertionError as error:
                figures = {"problem": str(error) or "a check of the tables or the archive failed"}
            results.add(key, figures)


def _politeness(options: argparse.Namespace, results: Results) -> None:
    from benchmarks.cluster.politeness import measure

    key = f"politeness requests={options.requests} shards={options.shards}"
    if results.get(key) is None:
        results.add(key, measure(options.requests, options.shards, results.work / "polite", _Line()))


if __name__ == "__main__":
    raise SystemExit(main())
