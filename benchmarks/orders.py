"""The orders in which strategies fetch pages, as digests, to see whether a change of the code has changed any.

    python -m benchmarks.orders > before.txt
    (change the code) python -m benchmarks.orders --compare before.txt

With ``--web``, ``--labels`` and ``--topic`` on a recorded web, otherwise on the demo web. Every strategy replays each
topic with each model; a line has the web, the topic, the strategy, the model, the pages fetched, a digest of their
URLs in order, and a digest of their relevance, rounded. With ``--compare``, the exit code is 1 if an order differs;
``--urls`` writes the orders themselves, to find where.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from honeyguide.lab.cases import Split
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.relevance.models import make_model
from honeyguide.topic.material import material_of

DEMO_TOPICS = ("subject.beekeeping", "subject.astronomy")
STRATEGIES = "guide,best-first,cbp-slc,btw,link-classifier,otie,shark-search,genre".split(",")
MODELS = ("fields", "vsm")
_DIGITS = 6  # of a relevance that count


def main() -> int:
    """Print one line per order. 1 if one differs from the file to compare with."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.orders")
    parser.add_argument("--web", help="as for honeyguide compare (default: demo:2000)", default="demo:2000")
    parser.add_argument("--labels", default="", help="file of URL, tab, label")
    parser.add_argument("--topic", action="append", help="a label; repeatable")
    parser.add_argument("--strategy", action="append", help=f"repeatable (default: {', '.join(STRATEGIES)})")
    parser.add_argument("--model", action="append", help=f"repeatable (default: {', '.join(MODELS)})")
    parser.add_argument("--pages", default="300", help="budget (default: %(default)s)")
    parser.add_argument("--connections", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--urls", type=Path, metavar="DIR", help="write the URLs of each order into a folder")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="an earlier output")
    options = parser.parse_args()
    topics = tuple(options.topic or DEMO_TOPICS)
    plan = Plan(
        (options.web,),
        options.labels,
        topics,
        tuple(options.strategy or STRATEGIES),
        Split(seeds=5, examples=30, pages=options.pages, seed=7),
        connections=options.connections,
    )
    before = dict(_split(options.compare.read_text(encoding="utf-8"))) if options.compare else {}
    changed = 0
    for key, result in _orders(open_plan(plan), topics, plan.strategies, options.model or MODELS):
        urls = [step.url for step in result.steps]
        scores = [f"{step.relevance:.{_DIGITS}f}" for step in result.steps]
        line = f"{len(urls)} {_digest(urls)} {_digest(scores)}"
        was = before.get(key, line)
        changed += was != line
        print(f"{key} {line}" + (f"  CHANGED from {was}" if was != line else ""), flush=True)
        if options.urls:
            options.urls.mkdir(parents=True, exist_ok=True)
            rows = (f"{url}\t{score}\n" for url, score in zip(urls, scores, strict=True))
            (options.urls / f"{key.replace('/', '_').replace(' ', '_')}.tsv").write_text("".join(rows), "utf-8")
    if options.compare:
        print(f"{changed} of {len(before)} orders have changed", file=sys.stderr)
    return int(changed > 0)


def _orders(
    opened: OpenPlan, topics: Sequence[str], strategies: Sequence[str], models: Sequence[str]
) -> Iterator[tuple[str, ReplayResult]]:
    fixture = opened.fixture
    for topic in topics:
        case = opened.case(topic, 0)
        for name in models:
            for strategy in strategies:
                wanted = fixture.topic(case, model=name, strategy=strategy)
                texts = ([fixture.text(url) for url in urls] for urls in (case.examples, case.others))
                model = make_model(material_of(wanted, *texts))
                yield f"{fixture.web.name} {topic} {strategy} {name}", replay(wanted, model, fixture.web)


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def _split(text: str) -> Iterator[tuple[str, str]]:
    """The key and the figures of each line of an output."""
    for line in text.splitlines():
        *key, pages, order, scores = line.partition("  CHANGED")[0].split()
        yield " ".join(key), f"{pages} {order} {scores}"


if __name__ == "__main__":
    raise SystemExit(main())
