"""``honeyguide judge``: the measures of any crawler's run on a virtual web."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.bar import Bar
from honeyguide.cli.compare import read_urls


def judge(
    web: Annotated[list[str], typer.Option(help="The web, as for `compare`; repeatable.")],
    topic: Annotated[str, typer.Option(help="A label, a prefix of some, or a topic file.")],
    order: Annotated[Path, typer.Option(help="File of the fetched URLs, in order, one a line.")],
    labels: Annotated[Path | None, typer.Option(help="File of URL, tab, label.")] = None,
    pages: Annotated[str, typer.Option(help="Budget: a number, or x2 for twice the topic's size.")] = "1000",
    seeds: Annotated[int, typer.Option(help="Pages of the topic it started from.", min=1)] = 5,
    seed_urls: Annotated[Path | None, typer.Option(help="The URLs it started from instead.")] = None,
    examples: Annotated[int, typer.Option(help="Pages of the topic that were given to learn from.", min=0)] = 30,
    repeat: Annotated[int, typer.Option(help="Which random choice of seeds and examples.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Of all random choices.")] = 0,
    judge: Annotated[str, typer.Option("--judge", help="Who says what is relevant, as for `compare`.")] = "labels",
) -> None:
    """Compute the same figures as `compare` from a plain list of fetched URLs, and print them as JSON."""
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
        print(f"note: {len(unknown):,} of {len(urls):,} URLs are not in the web, as {unknown[0]}", file=sys.stderr)
    print(json.dumps(result.cell, indent=1, ensure_ascii=False))
