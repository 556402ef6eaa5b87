"""``honeyguide judge``: measure a run of any crawler on a recorded web."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.bar import Bar
from honeyguide.cli.compare import read_urls
from honeyguide.cli.output import say

_log = logging.getLogger("honeyguide.cli")


def judge(
    web: Annotated[list[str], typer.Option(help="The recorded web, as for `compare`; repeatable.")],
    topic: Annotated[str, typer.Option(help="Label, prefix of labels, or topic file.")],
    order: Annotated[Path, typer.Option(help="File with the fetched URLs, one per line, in the order of fetching.")],
    labels: Annotated[
        Path | None, typer.Option(help="File with one URL, a tab and a label per line; the demo web needs none.")
    ] = None,
    pages: Annotated[
        str, typer.Option(help="Pages that could be fetched: a number, or x2 for twice the size of the topic.")
    ] = "1000",
    seeds: Annotated[int, typer.Option(help="Number of relevant pages the crawler started from.", min=1)] = 5,
    seed_urls: Annotated[Path | None, typer.Option(help="File with the URLs it started from instead.")] = None,
    examples: Annotated[int, typer.Option(help="Number of relevant pages that were given as examples.", min=0)] = 30,
    repeat: Annotated[int, typer.Option(help="Number of the random choice of seeds and examples, from 0.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the random number generator.")] = 0,
    judge: Annotated[
        str, typer.Option("--judge", help="What decides which pages are relevant, as for `compare`.")
    ] = "labels",
    curve: Annotated[bool, typer.Option("--curve", help="Also print the figures after each page.")] = False,
) -> None:
    """Compute the metrics of `compare` for a list of fetched URLs, and print them as JSON."""
    from honeyguide.lab.cases import Split  # noqa: PLC0415 (scikit-learn takes a second)
    from honeyguide.lab.judges import Judge  # noqa: PLC0415
    from honeyguide.lab.plan import Plan, open_plan  # noqa: PLC0415
    from honeyguide.lab.trial import CaseRunner  # noqa: PLC0415

    split = Split(seeds, read_urls(seed_urls, "--seed-urls") if seed_urls else (), examples, pages, seed)
    plan = Plan(tuple(web), str(labels or ""), (topic,), ("oracle",), split, repeat + 1, judge=judge)
    with Bar(quiet=not sys.stderr.isatty()) as bar:
        opened = open_plan(plan, bar.show)
        urls = read_urls(order, "--order")
        judged = opened.judged_case(topic, repeat)
        result = CaseRunner(judged, Judge.named(judge), opened.fixture, plan.timing).judge(order.stem, urls)
    unknown = [url for url in urls if opened.fixture.page(url) is None]
    if unknown:
        _log.warning("%d of %d URLs are not in the web, such as %s", len(unknown), len(urls), unknown[0])
    figures = {name: figure for name, figure in result.cell.items() if curve or name != "curve"}
    entries = (f" {json.dumps(name)}: {json.dumps(figure, ensure_ascii=False)}" for name, figure in figures.items())
    say("{\n" + ",\n".join(entries) + "\n}")  # one line each, the curve as well
