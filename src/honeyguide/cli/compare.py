"""``honeyguide compare``: strategies side by side on a frozen web."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.bar import Bar
from honeyguide.errors import InputError
from honeyguide.topic.file import read_text


def compare(
    web: Annotated[list[str], typer.Option(help="WARC, WACZ, crawl's folder, DIR=URL, demo:2000; repeatable.")],
    topic: Annotated[list[str], typer.Option(help="A label, a prefix of some, or a topic file; repeatable.")],
    strategy: Annotated[list[str], typer.Option(help="NAME, NAME:MODEL, oracle, or all; repeatable. Paths do too.")],
    labels: Annotated[Path | None, typer.Option(help="File of URL, tab, label.")] = None,
    pages: Annotated[str, typer.Option(help="Budget of a crawl: a number, or x2 for twice the topic's size.")] = "1000",
    seeds: Annotated[int, typer.Option(help="Pages of the topic to start from.", min=1)] = 5,
    seed_urls: Annotated[Path | None, typer.Option(help="Start from the URLs of this file instead.")] = None,
    examples: Annotated[int, typer.Option(help="Pages of the topic to learn from.", min=0)] = 30,
    repeats: Annotated[int, typer.Option(help="Random choices of seeds and examples.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="Of all random choices.")] = 0,
    model: Annotated[str, typer.Option(help="The model that steers: NAME, or package.module:Model.")] = "fields",
    judge: Annotated[
        str, typer.Option(help="Who says what is relevant: labels, closure, vote, vsm:0.2 ...")
    ] = "labels",
    connections: Annotated[
        int, typer.Option(help="1: strictly by priority; more: as in a live crawl, by host's turn.", min=1)
    ] = 1,
    at: Annotated[list[int] | None, typer.Option(help="Compare recall after so many pages too; repeatable.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("comparison"),
    orders: Annotated[bool, typer.Option("--orders", help="Write the fetched URLs of each trial, in order.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Replay strategies on a recorded web under the same conditions; say which is better, and whether it is luck."""
    from honeyguide.lab.cases import Split  # noqa: PLC0415 (scikit-learn takes a second)
    from honeyguide.lab.comparison import run_comparison  # noqa: PLC0415
    from honeyguide.lab.plan import Plan  # noqa: PLC0415

    split = Split(seeds, read_urls(seed_urls, "--seed-urls") if seed_urls else (), examples, pages, seed)
    plan = Plan(
        tuple(web),
        str(labels or ""),
        tuple(topic),
        tuple(strategy),
        split,
        repeats,
        model,
        judge,
        connections,
        points=tuple(at or ()),
    )
    with Bar(quiet=quiet) as bar:
        comparison = run_comparison(plan, out, command=_command(), jobs=jobs, progress=bar.show)
    for note in comparison.notes:
        print(f"note: {note}", file=sys.stderr)
    print(comparison.table())
    for line in comparison.write(out, orders=orders):
        print(line)
    print(f"in {out}: results.json, results.csv, curves.svg, report.html")
    for complaint in comparison.complaints():
        print(f"honeyguide: {complaint}", file=sys.stderr)
    if comparison.failures:
        raise typer.Exit(1)


def read_urls(path: Path, option: str) -> tuple[str, ...]:
    """The URLs of a file, one a line; blank lines and lines that begin with # are skipped."""
    lines = read_text(path, option, "name a file of URLs").split("\n")
    urls = tuple(url for line in lines if (url := line.strip()) and not url.startswith("#"))
    if not urls:
        raise InputError(str(path), "holds no URL", "write one a line")
    return urls


def _command() -> str:
    return shlex.join(["honeyguide", *sys.argv[1:]])
