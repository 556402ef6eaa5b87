"""``honeyguide demo``: crawl or serve the built-in web."""

from __future__ import annotations

import shutil
import signal
import threading
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from honeyguide.atomic_write import refuse_unwritable
from honeyguide.cli.output import say
from honeyguide.cli.run import run
from honeyguide.crawl.budget import INTERRUPTED
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.demo import DemoWeb, run_in_process, write_labels, write_start_files
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.report import Truth, write_report
from honeyguide.topic import Topic

_STRATEGIES = ("guide", "breadth-first")


def demo(
    serve: Annotated[
        bool, typer.Option("--serve", help="Only serve the web, as an HTTP proxy on the loopback interface.")
    ] = False,
    pages: Annotated[int, typer.Option(help="Number of pages in the web.", min=300)] = 2000,
    budget: Annotated[int, typer.Option(help="Pages to fetch; 0 = a fifth of the web.", min=0)] = 0,
    subject: Annotated[str, typer.Option(help="Topic to crawl.")] = "beekeeping",
    seed: Annotated[int, typer.Option(help="Seed of the generated web.")] = 7,
    port: Annotated[int, typer.Option(help="Port of the proxy; 0 = any free port.", min=0, max=65535)] = 0,
    out: Annotated[Path, typer.Option(help="Folder for crawls, or for the files that --serve writes.")] = Path(
        "crawls"
    ),
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the labels of all pages to this file, in the format of `compare --labels`, and crawl nothing.",
            show_default=False,
        ),
    ] = None,
    faults: Annotated[
        bool | None,
        typer.Option(
            "--faults/--no-faults",
            help="Include the faults of the real web: redirects, deleted pages, URLs disallowed by robots.txt, "
            "and hosts that are slow, broken or endless.",
            show_default="faults with --serve, no faults otherwise",
        ),
    ] = None,
    scripted: Annotated[
        float, typer.Option(help="Share of the hosts whose pages need JavaScript.", min=0, max=1)
    ] = 0.0,
    workers: Annotated[
        int,
        typer.Option(
            help="Processes that parse and score pages; 0 = in the main process, without limits.", min=0, max=64
        ),
    ] = 1,
) -> None:
    """Crawl the built-in web and write a report, or serve it. Needs no network."""
    web = DemoWeb(seed=seed, pages=pages, faults=serve if faults is None else faults, scripted=scripted)
    if subject not in web.subjects:
        raise InputError(
            "--subject", f"the demo web has no pages about {subject!r}", f"use one of {', '.join(web.subjects)}"
        )
    if labels is not None:
        write_labels(web, labels)
        say(f"wrote {labels}: the labels of {web.pages:,} pages, for honeyguide compare --web demo:{pages}:{seed}")
        if not serve:
            return
    if serve:
        refuse_unwritable(out / "demo.toml", "choose another folder with --out")
    with run_in_process(web, port=port) as server:
        if serve:
            _serve(web, subject, server.address, out)
        else:
            _crawl(web, subject, server.address, out / "demo", budget or max(pages // 5, 60), workers)


def _serve(web: DemoWeb, subject: str, address: str, out: Path) -> None:
    files = write_start_files(web, subject, address, out)
    say(f"serving a web of {web.pages:,} pages behind the HTTP proxy {address} (stop with Ctrl-C)", flush=True)
    say(f"wrote {files.topic}, {files.seeds.name} and {files.labels.name} (ground truth)", flush=True)
    say(f"to crawl this web, run in another terminal: honeyguide crawl {quote(str(files.topic))}", flush=True)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    stop.wait()


def _crawl(web: DemoWeb, subject: str, address: str, out: Path, budget: int, workers: int) -> None:
    say(f"crawling a web of {web.pages:,} pages for {subject} ({', '.join(web.keywords(subject))})")
    outcomes = {}
    for strategy in _STRATEGIES:
        folder = out / strategy
        if (folder / "topic.toml").is_file():  # an earlier demo: the demo always starts from scratch
            shutil.rmtree(folder)
        topic = Topic.make(
            name=subject,
            seeds=web.seeds(subject),
            keywords=web.keywords(subject),
            strategy={"name": strategy},
            budget={"pages": budget},
            fetch={
                "proxy": address,
                "connections": 4,
                "delay": 0.0,
                "domain_delay": 0.0,
                "ip_delay": 0.0,
            },
        )
        outcomes[strategy] = run(Session(topic, folder, workers=workers))
        if outcomes[strategy].stop is INTERRUPTED:
            say("interrupted; run the same command again to start from scratch")
            raise typer.Exit(130)
    _print_table(outcomes)
    relevant = frozenset(web.relevant_urls(subject))
    truth = Truth(relevant, len(relevant))
    ours, other = _STRATEGIES
    with Crawl.open(out / ours) as best, Crawl.open(out / other) as breadth:
        say(write_report(best, truth, compare=[(other, breadth)]))


def _print_table(outcomes: dict[str, CrawlResult]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for strategy in outcomes:
        table.add_column(strategy, justify="right")
    tallies = [outcome.tally for outcome in outcomes.values()]
    table.add_row("pages fetched", *(f"{tally.pages:,}" for tally in tallies))
    table.add_row("relevant", *(f"{tally.relevant:,}" for tally in tallies))
    table.add_row("harvest rate", *(f"{tally.harvest:.1%}" for tally in tallies))
    table.add_row("bytes per relevant page", *(f"{tally.size / max(tally.relevant, 1):,.0f}" for tally in tallies))
    table.add_row("pages/s", *(f"{tally.pages / tally.seconds:,.0f}" for tally in tallies))
    Console().print(table)
