"""``honeyguide compare``: compare strategies on a recorded web."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.bar import Bar
from honeyguide.cli.output import say
from honeyguide.errors import InputError
from honeyguide.topic.file import read_text


def compare(
    web: Annotated[
        list[str],
        typer.Option(
            help="WARC or WACZ file, folder of a crawl, DIR=URL, demo:2000, demo-lists:2000, demo-listings:2000."
        ),
    ],
    topic: Annotated[list[str], typer.Option(help="Label, prefix of labels, or topic file; repeatable.")],
    strategy: Annotated[
        list[str], typer.Option(help="NAME, NAME:MODEL, package.module:Recipe, oracle, or all; repeatable.")
    ],
    labels: Annotated[
        Path | None, typer.Option(help="File with one URL, a tab and a label per line; the demo web needs none.")
    ] = None,
    pages: Annotated[
        str, typer.Option(help="Pages to fetch per trial: a number, or x2 for twice the size of the topic.")
    ] = "1000",
    seeds: Annotated[int, typer.Option(help="Number of relevant pages to start from.", min=1)] = 5,
    seed_urls: Annotated[Path | None, typer.Option(help="Start from the URLs in this file instead.")] = None,
    examples: Annotated[int, typer.Option(help="Number of relevant pages to train the model with.", min=0)] = 30,
    unlabelled: Annotated[
        int,
        typer.Option(
            help="Pages to take out of the web for models that need no negative examples (0: the crawl's own).", min=0
        ),
    ] = 0,
    repeats: Annotated[int, typer.Option(help="Number of random choices of seeds and examples.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the random number generator.")] = 0,
    model: Annotated[
        str, typer.Option(help="Relevance model that guides the crawl: NAME or package.module:Model.")
    ] = "fields",
    judge: Annotated[
        str, typer.Option(help="What decides which pages are relevant: labels, closure, vote, vsm:0.2 ...")
    ] = "labels",
    connections: Annotated[
        int, typer.Option(help="1: strictly by priority; more: as in a live crawl, where hosts take turns.", min=1)
    ] = 1,
    haste: Annotated[
        float,
        typer.Option(
            help="With several connections: 0 waits for the best pages, 1 for none (budget.haste).", min=0, max=1
        ),
    ] = 0.5,
    start_at_examples: Annotated[
        str, typer.Option(help="Start at the positive examples, too: always, never, or auto (as the strategy does).")
    ] = "auto",
    answers: Annotated[
        str, typer.Option(help="Numbers of questions that a teacher answers during a crawl: 0,25,50.")
    ] = "",
    questions: Annotated[
        str, typer.Option(help="How the questions are chosen: ours, uncertain, random; several with commas.")
    ] = "ours",
    wrong: Annotated[float, typer.Option(help="Share of the answers that are wrong.", min=0, max=1)] = 0.0,
    at: Annotated[list[int] | None, typer.Option(help="Compare recall after this many pages, too; repeatable.")] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes.", min=1)] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("comparison"),
    orders: Annotated[
        bool, typer.Option("--orders", help="Also write the URLs of each trial, in the order of fetching.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show progress.")] = False,
) -> None:
    """Compare strategies on a recorded web: which finds more, and whether that may be due to chance."""
    from honeyguide.lab.cases import Split  # noqa: PLC0415 (scikit-learn takes a second)
    from honeyguide.lab.comparison import run_comparison  # noqa: PLC0415
    from honeyguide.lab.plan import Plan  # noqa: PLC0415

    split = Split(seeds, read_urls(seed_urls, "--seed-urls") if seed_urls else (), examples, pages, seed, unlabelled)
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
        haste,
        start_at_examples,
        points=tuple(at or ()),
        answers=_numbers(answers, "--answers"),
        questions=tuple(part.strip() for part in questions.split(",")),
        wrong=wrong,
    )
    with Bar(quiet=quiet) as bar:
        comparison = run_comparison(plan, out, command=_command(), jobs=jobs, progress=bar.show)
    say(comparison.table())
    for line in comparison.write(out, orders=orders):
        say(line)
    files = ("results.json", "results.csv", "curves.svg", "curves.png", "report.html")
    say(f"written to {out}: {', '.join(name for name in files if (out / name).exists())}")
    for complaint in comparison.complaints():
        say(f"honeyguide: {complaint}", file=sys.stderr)
    if comparison.failures:
        raise typer.Exit(1)


def read_urls(path: Path, option: str) -> tuple[str, ...]:
    """The URLs in a file with one per line; blank lines and lines that begin with # are skipped."""
    lines = read_text(path, option, "give a file of URLs").split("\n")
    urls = tuple(url for line in lines if (url := line.strip()) and not url.startswith("#"))
    if not urls:
        raise InputError(str(path), "contains no URLs", "write one per line")
    return urls


def _numbers(text: str, option: str) -> tuple[int, ...]:
    """The comma-separated numbers in a text."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if not all(part.isdecimal() and part.isascii() for part in parts):
        raise InputError(option, f"{text!r} is not a list of numbers", "write them with commas: 0,25,50")
    return tuple(map(int, parts))


def _command() -> str:
    return shlex.join(["honeyguide", *sys.argv[1:]])
