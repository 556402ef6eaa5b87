"""Pages a second: guide, the default strategy, beside best-first and Scrapy; with one core, and with a second one.

    python -m benchmarks.throughput [--quick] [--web FILE.warc.gz] [--out results/throughput.md]

Every crawler is a process on one core, one after the other, in rounds; the page server has the other core. All crawl
the same pages with the same politeness and write the same records and rows. The time is that from the end of a warm-up
to the last page. A figure is reached if it is by the best round of each crawler, since other work on the machine can
only make one worse, and also by the median of the rounds. CPU time is told too: other work changes it least. The worker
for the second core shares it with the page server, which needs a few hundredths of it.
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
"""By name: the module, and what it is told besides."""
_KEYWORDS = "biology, species, animal, plant, cell, evolution, organism"
_CONNECTIONS = 64
_MARK_UP, _DEMO = "34-KB", "demo"


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured."""

    web: int
    pages: int
    warm_up: int
    rounds: int


FULL = Scale(web=8000, pages=2000, warm_up=200, rounds=8)
QUICK = Scale(web=2000, pages=400, warm_up=100, rounds=1)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of pages."""

    name: str
    about: str
    archive: Path | None = None
    keywords: tuple[str, ...] = ()

    def web(self, scale: Scale, work: Path) -> Path:
        """The file with its pages, which are made if they are not in the folder `work` yet."""
        path = work / f"web-{self.name}-{scale.web}.pickle"
        if not path.exists():
            self._made(scale).save(path)
        return path

    def _made(self, scale: Scale) -> RenderedWeb:
        if self.archive:
            return recorded(self.archive, self.keywords)
        return render(scale.web, plain=self.name == _DEMO)


def kinds(options: argparse.Namespace) -> list[Kind]:
    """The kinds of pages that are asked for."""
    found = [
        Kind(_MARK_UP, "half text and half mark-up, as lean real pages are; sent with gzip"),
        Kind(_DEMO, "the demo's own, nearly all text; sent without compression"),
    ]
    if options.web:
        keywords = tuple(word.strip() for word in options.keywords.split(","))
        about = f"recorded, moved to loopback hosts, crawled for {options.keywords}; sent with gzip"
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
    """Scrapy as usual takes longer than all others together: on one kind of pages it is enough."""
    return [name for name in _CRAWLERS if name != IDIOMATIC or kind.name == _MARK_UP]


def _crawl(rounds: Rounds, name: str, scale: Scale, web: Path, work: Path, server: psutil.Process) -> None:
    module, more = _CRAWLERS[name]
    before = cpu_seconds(server)
    folder = _folder(work, name)
    shutil.rmtree(folder, ignore_errors=True)
    switched = {SWITCH: "off"} if name == GUIDE_PLAIN else {}
    arguments = (web, folder, scale.pages, scale.warm_up, _CONNECTIONS, *more)
    told = Run(**run(module, *arguments, environment=switched))
    rounds.runs[name].append(told)
    # The server answered a little more than the measured part.
    seconds = told.seconds * scale.pages / told.pages
    rounds.server_share[name].append((cpu_seconds(server) - before) / seconds)
    speed, cpu, workers = told.pages / told.seconds, told.cpu / told.pages * 1e3, told.workers_cpu / told.pages * 1e3
    print(f"{name}: {speed:.0f} pages/s, {cpu:.2f} + {workers:.2f} ms of CPU a page", flush=True)


def _folder(work: Path, name: str) -> Path:
    return work / name.replace(", ", "-").replace(" ", "-")


def _check_outputs(rounds: Rounds, scale: Scale) -> None:
    """All wrote as much. Which URLs are met and which payloads are repeated depends a little on the order of pages."""
    last = {name: runs[-1] for name, runs in rounds.runs.items()}
    met = max(told.rows["urls"] for told in last.values())
    for name, told in last.items():
        answers = told.records["response"] + told.records.get("revisit", 0)
        assert told.rows["pages"] == scale.pages, name
        assert answers == told.records["request"] == scale.pages + told.rows["robots"], name
        assert told.rows["events"] >= scale.pages + told.rows["robots"] + 2, name  # and those of a model that learns
        assert told.rows["urls"] > 0.8 * met, (name, told.rows["urls"], met)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput")
    parser.add_argument("--quick", action="store_true", help="one small round: to see that it works")
    parser.add_argument("--rounds", type=int, help=f"how often each is measured (default: {FULL.rounds})")
    parser.add_argument("--web", type=Path, help="a WARC file whose pages are crawled as well")
    parser.add_argument("--keywords", default=_KEYWORDS, help="the topic on it (default: %(default)s)")
    parser.add_argument("--kind", action="append", help="only these pages: 34-KB, demo, or the name of the WARC file")
    parser.add_argument("--crawler", action="append", choices=_CRAWLERS, help="only these crawlers: without the page")
    parser.add_argument("--out", type=Path, help="write the page here too")
    parser.add_argument("--work", type=Path, help="keep the webs and the crawls in this folder")
    options = parser.parse_args(argv)
    if options.web and not options.web.is_file():
        parser.error(f"{options.web}: no such file; name a WARC file")
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write the page if asked. 1 when a figure is not reached."""
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
        f"- {scale.pages:,} pages a run; the first {scale.warm_up} are warm-up. {scale.rounds} interleaved rounds.\n"
        f"- {_CONNECTIONS} requests at once, one a host, no delays, robots.txt obeyed.\n"
    )
    page = report(found, others, terms)
    print(page)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(page, encoding="utf-8")
    return 0 if all(figure.reached for one in found for figure in figures(one)) and "**no**" not in page else 1


if __name__ == "__main__":
    sys.exit(main())
