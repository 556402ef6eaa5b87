"""Pages per second of guide, the default strategy, best-first and Scrapy, on one core and on two.

    python -m benchmarks.throughput [--quick] [--web FILE.warc.gz] [--out results/throughput.md]

Each crawler is a process pinned to one core; they run one after the other, in rounds, and the page server has the other
core. All crawl the same pages with the same politeness and write the same records and rows. Time is measured from the
end of the warm-up to the last page. A goal is met if the best rounds meet it, since other load on the machine can only
make a round slower, and the median round does too. CPU time is reported as well, because other load affects it least.
The worker on the second core shares it with the page server, which needs a few percent of it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from benchmarks.listing import measure_listing
from benchmarks.meter import Run
from benchmarks.processes import SERVER_CORE, cpu_seconds, page_server, run
from benchmarks.start import measure_start
from benchmarks.throughput_page import (
    BEST_FIRST,
    BEST_FIRST_WORKER,
    GUIDE,
    GUIDE_PLAIN,
    GUIDE_WORKER,
    IDIOMATIC,
    TUNED,
    Measured,
    Rounds,
    figures,
    report,
)
from benchmarks.web import RenderedWeb, recorded, render
from honeyguide.kernel import SWITCH

_WORKER = ("--worker-core", SERVER_CORE)
_CRAWLERS: dict[str, tuple[str, tuple[object, ...]]] = {
    GUIDE: ("crawl_honeyguide", ("--strategy", "guide")),
    GUIDE_PLAIN: ("crawl_honeyguide", ("--strategy", "guide")),
    BEST_FIRST: ("crawl_honeyguide", ("--strategy", "best-first")),
    GUIDE_WORKER: ("crawl_honeyguide", ("--strategy", "guide", *_WORKER)),
    BEST_FIRST_WORKER: ("crawl_honeyguide", ("--strategy", "best-first", *_WORKER)),
    TUNED: ("crawl_scrapy_tuned", ()),
    IDIOMATIC: ("crawl_scrapy_idiomatic", ()),
}
"""By name: the module and its extra arguments."""
_KEYWORDS = "biology, species, animal, plant, cell, evolution, organism"
_CONNECTIONS = 64
_MARK_UP, _DEMO = "34-KB", "demo"


@dataclass(frozen=True, slots=True)
class Scale:
    """How much to measure."""

    web: int
    pages: int
    warm_up: int
    rounds: int


FULL = Scale(web=8000, pages=2000, warm_up=200, rounds=8)
QUICK = Scale(web=2000, pages=400, warm_up=100, rounds=1)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page."""

    name: str
    about: str
    archive: Path | None = None
    keywords: tuple[str, ...] = ()

    def web(self, scale: Scale, work: Path) -> Path:
        """The file with its pages, generated if it is not in the folder `work` yet."""
        path = work / f"web-{self.name}-{scale.web}.pickle"
        if not path.exists():
            self._made(scale).save(path)
        return path

    def _made(self, scale: Scale) -> RenderedWeb:
        if self.archive:
            return recorded(self.archive, self.keywords)
        return render(scale.web, plain=self.name == _DEMO)


def kinds(options: argparse.Namespace) -> list[Kind]:
    """The requested kinds of pages."""
    found = [
        Kind(_MARK_UP, "half text and half mark-up, like lean real pages, and served with gzip"),
        Kind(_DEMO, "those of the demo, almost all text, and served uncompressed"),
    ]
    if options.web:
        keywords = tuple(word.strip() for word in options.keywords.split(","))
        about = f"recorded, served with gzip from loopback hosts, and crawled for {options.keywords}"
        found.append(Kind(options.web.name.partition(".")[0], about, options.web, keywords))
    return [kind for kind in found if not options.kind or kind.name in options.kind]


def measure(kind: Kind, scale: Scale, work: Path, crawlers: Sequence[str]) -> Rounds:
    """Run everything on one kind of pages. Leaves the last crawl of each crawler in the folder `work`."""
    web = kind.web(scale, work)
    rounds = Rounds()
    with page_server(web) as server:
        for number in range(scale.rounds):
            print(f"{kind.name} pages, round {number + 1}", flush=True)
            for name in crawlers:
                _crawl(rounds, name, scale, web, work, server)
            for name, strategy in ((GUIDE, "guide"), (BEST_FIRST, "best-first")):
                if name in crawlers:
                    commits = max(round(rounds.runs[name][-1].seconds), 1)
                    parts = run("parts", web, _folder(work, name), _CONNECTIONS, commits, strategy)
                    rounds.parts[name].append(parts)
            _check_outputs(rounds, scale)
    return rounds


def _crawlers(kind: Kind) -> list[str]:
    """Idiomatic Scrapy takes longer than all the others together, so it runs on one kind of page only."""
    return [name for name in _CRAWLERS if name != IDIOMATIC or kind.name == _MARK_UP]


def _crawl(rounds: Rounds, name: str, scale: Scale, web: Path, work: Path, server: psutil.Process) -> None:
    module, more = _CRAWLERS[name]
    before = cpu_seconds(server)
    folder = _folder(work, name)
    shutil.rmtree(folder, ignore_errors=True)
    switched = {SWITCH: "off"} if name == GUIDE_PLAIN else {}
    arguments = (web, folder, scale.pages, scale.warm_up, _CONNECTIONS, *more)
    result = Run(**run(module, *arguments, environment=switched))
    rounds.runs[name].append(result)
    # The server answered a little more than the measured part.
    seconds = result.seconds * scale.pages / result.pages
    rounds.server_share[name].append((cpu_seconds(server) - before) / seconds)
    cpu, workers = result.cpu / result.pages * 1e3, result.workers_cpu / result.pages * 1e3
    speed = result.pages / result.seconds
    print(f"{name}: {speed:.0f} pages/s, {cpu:.2f} + {workers:.2f} ms of CPU per page", flush=True)


def _folder(work: Path, name: str) -> Path:
    return work / name.replace(", ", "-").replace(" ", "-")


def _check_outputs(rounds: Rounds, scale: Scale) -> None:
    """All wrote the same amount. The URLs seen and the repeated payloads vary slightly with the order of pages."""
    last = {name: runs[-1] for name, runs in rounds.runs.items()}
    met = max(result.rows["urls"] for result in last.values())
    for name, result in last.items():
        answers = result.records["response"] + result.records.get("revisit", 0)
        assert result.rows["pages"] == scale.pages, name
        assert answers == result.records["request"] == scale.pages + result.rows["robots"], name
        assert result.rows["events"] >= scale.pages + result.rows["robots"] + 2, name  # plus those of the model
        assert result.rows["urls"] > 0.8 * met, (name, result.rows["urls"], met)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput")
    parser.add_argument("--quick", action="store_true", help="one small round, as a smoke test")
    parser.add_argument("--rounds", type=int, help=f"number of rounds (default: {FULL.rounds})")
    parser.add_argument("--web", type=Path, help="also crawl the pages of this WARC file")
    parser.add_argument("--keywords", default=_KEYWORDS, help="its topic (default: %(default)s)")
    parser.add_argument(
        "--kind", action="append", help="only this kind of page: 34-KB, demo, or the name of the WARC file"
    )
    parser.add_argument("--crawler", action="append", choices=_CRAWLERS, help="only this crawler, without a report")
    parser.add_argument("--out", type=Path, help="also write the report to this file")
    parser.add_argument("--work", type=Path, help="keep the webs and the crawls in this folder")
    options = parser.parse_args(argv)
    if options.web and not options.web.is_file():
        parser.error(f"{options.web}: no such file; name a WARC file")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write the report if requested. Returns 1 if a goal is not met."""
    options = arguments(argv)
    scale = QUICK if options.quick else FULL
    if options.rounds:
        scale = replace(scale, rounds=options.rounds)
    with TemporaryDirectory() as folder:
        work: Path = options.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        found = [
            Measured(kind.name, kind.about, measure(kind, scale, work, options.crawler or _crawlers(kind)))
            for kind in kinds(options)
        ]
    if options.crawler:
        return 0
    others = [measure_start(scale.rounds), *measure_listing(scale.rounds)]
    terms = (
        f"- {scale.pages:,} pages per run; the first {scale.warm_up} are warm-up. {scale.rounds} interleaved rounds.\n"
        f"- {_CONNECTIONS} concurrent requests, one per host, no delays, robots.txt obeyed.\n"
    )
    page = report(found, others, terms)
    print(page)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(page, encoding="utf-8")
    return 0 if all(figure.reached for one in found for figure in figures(one)) and "**no**" not in page else 1


if __name__ == "__main__":
    sys.exit(main())
