"""What a spider gains if honeyguide schedules its requests, at equal numbers of pages.

    python -m benchmarks.scrapy_order [--pages 2000] [--fetch 250] [--seeds 7,8,9] [--topics 4] --out results/scrapy.md

One spider, which follows every link, crawls demo webs that are served on loopback, from the same start pages: with
Scrapy's default order (depth first), in breadth-first order as Scrapy's documentation describes it, and with
honeyguide's scheduler, with the keywords of the topic. The web itself defines which pages are relevant.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.demo.process import run_in_process
from honeyguide.demo.web import DemoWeb

_HONEYGUIDE, _DEFAULT = "honeyguide", "Scrapy's default"
ORDERS: dict[str, dict[str, Any]] = {
    _DEFAULT: {},
    "breadth-first": {
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    },
    _HONEYGUIDE: {"SCHEDULER": "honeyguide.scrapy.Scheduler"},
}
_PREFIX = "subject."


@dataclass(frozen=True, slots=True)
class Found:
    """Of one crawl."""

    harvest: float
    recall: float
    relevant_by: tuple[float, ...]
    """Recall after each tenth of the pages."""


def crawl(urls: Sequence[str], topic: Path, pages: int, order: str, proxy: str) -> list[str]:
    """The first pages that a spider fetches, in their order, from a process of its own."""
    asked = {"urls": list(urls), "pages": pages, "settings": {**ORDERS[order], "HONEYGUIDE_TOPIC": str(topic)}}
    command = [sys.executable, "-m", "benchmarks.scrapy_order_spider"]
    environment = {**os.environ, "http_proxy": proxy}
    done = subprocess.run(
        command, input=json.dumps(asked), env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.split()[:pages]


def judged(order: Sequence[str], relevant: set[str], given: set[str]) -> Found:
    """How good an order is; start pages count neither way."""
    found = [url in relevant for url in order if url not in given]
    sought = len(relevant - given)
    tenths = tuple(sum(found[: len(found) * tenth // 10]) / sought for tenth in range(1, 11))
    return Found(sum(found) / len(found), sum(found) / sought, tenths)


def crawls(asked: argparse.Namespace) -> Iterator[tuple[str, str, Found]]:
    """The case and the order of each crawl, and what it has found."""
    for seed in asked.seeds:
        web = DemoWeb(seed=seed, pages=asked.pages)
        labels = dict(web.labels())
        subjects = sorted({label.removeprefix(_PREFIX) for label in labels.values() if label.startswith(_PREFIX)})
        with run_in_process(web) as server, tempfile.TemporaryDirectory() as folder:
            topic = Path(folder, "topic.toml")
            for subject, order in product(subjects[:: max(1, len(subjects) // asked.topics)][: asked.topics], ORDERS):
                topic.write_text(f"keywords = {json.dumps(list(web.keywords(subject)))}\n", encoding="utf-8")
                seeds = web.seeds(subject)
                fetched = crawl(seeds, topic, asked.fetch, order, server.address)
                relevant = {url for url, label in labels.items() if label == _PREFIX + subject}
                found = judged(fetched, relevant, set(seeds))
                print(f"{seed} {subject} {order}: harvest {found.harvest:.3f}, recall {found.recall:.3f}", flush=True)
                yield f"{subject}, web {seed}", order, found


def page(asked: argparse.Namespace, results: Sequence[tuple[str, str, Found]]) -> str:
    """The result as Markdown."""
    by_order = {order: [found for _, one, found in results if one == order] for order in ORDERS}
    means = [
        f"| {order} | {fmean(one.harvest for one in found):.3f} | {fmean(one.recall for one in found):.3f} |"
        for order, found in by_order.items()
    ]
    ours, theirs = by_order[_HONEYGUIDE], by_order[_DEFAULT]
    gain = fmean(one.recall for one in ours) / fmean(one.recall for one in theirs)
    better = sum(one.recall > other.recall for one, other in zip(ours, theirs, strict=True))
    over_time = []
    for tenth in (1, 2, 4, 6, 8, 10):
        recalls = (f"{fmean(one.relevant_by[tenth - 1] for one in found):.3f}" for found in by_order.values())
        over_time.append(f"| {tenth * 10} % | {' | '.join(recalls)} |")
    cases = dict.fromkeys(case for case, _, _ in results)
    recall = {(case, order): found.recall for case, order, found in results}
    each = [f"| {case} | " + " | ".join(f"{recall[case, order]:.3f}" for order in ORDERS) + " |" for case in cases]
    what = (
        f"{len(cases)} crawls with each order, of {asked.fetch} pages out of {asked.pages}; 8 concurrent requests."
        " Harvest is the share of fetched pages that are relevant, recall the share of the relevant pages that were"
        " fetched; start pages are not counted."
    )
    verdict = (
        f"honeyguide's scheduler finds {gain:.1f} times as many relevant pages as Scrapy's default order, and more"
        f" in {better} of {len(cases)} crawls."
    )
    columns = " | ".join(ORDERS)
    rule = "---|" * (len(ORDERS) + 1)
    return "\n".join(
        [
            "# Scrapy with honeyguide's scheduler",
            "",
            (__doc__ or "").partition("\n\n")[2].partition("\n\n")[2].strip(),
            "",
            what,
            "",
            "| order | harvest | recall |",
            "|---|---|---|",
            *means,
            "",
            verdict,
            "",
            "## Recall after a share of the pages",
            "",
            f"| pages | {columns} |",
            f"|{rule}",
            *over_time,
            "",
            "## Recall of each crawl",
            "",
            f"| topic | {columns} |",
            f"|{rule}",
            *each,
            "",
            machine.described("honeyguide", "scrapy"),
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scrapy_order")
    parser.add_argument("--pages", type=int, default=2000, help="of each web (default: %(default)s)")
    parser.add_argument("--fetch", type=int, default=250, help="pages of each crawl (default: %(default)s)")
    parser.add_argument(
        "--seeds", type=lambda text: [int(one) for one in text.split(",")], default=[7, 8, 9], help="of the webs"
    )
    parser.add_argument("--topics", type=int, default=4, help="of each web (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    return written(page(asked, list(crawls(asked))), asked.out)


if __name__ == "__main__":
    sys.exit(main())
