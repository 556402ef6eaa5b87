"""What sitemaps and feeds bring per request, on the demo web that has them.

    python -m benchmarks.sitemaps [--pages 3000] [--seeds 21 22 23] [--subjects 2] [--out results/sitemaps.md]

Each crawl goes strictly by priority, with one connection, and every request takes a second of its clock: so recall is
compared after equal numbers of requests, those for sitemaps and feeds included, and harvest after equal numbers of
pages, as in a crawl whose budget is in pages.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks import machine
from honeyguide.demo import DemoWeb
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.lab.visits import RequestTiming
from honeyguide.lab.webs.demo import DemoPages
from honeyguide.relevance.models import make_model
from honeyguide.settings import ALWAYS, AUTO, NEVER
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

STRATEGIES = ("guide", "best-first")
CHOICES = (NEVER, AUTO, ALWAYS)
BUDGETS = (0.5, 1.0, 2.0, 3.0)  # in requests, or pages: times the number of relevant pages
_A_SECOND = RequestTiming(1.0, 1e18, 0.0)


class Figures(NamedTuple):
    """Of one crawl, for each of the `BUDGETS`, and of what came from sitemaps and feeds."""

    recall: list[float]
    """After so many requests."""
    harvest: list[float]
    """Among so many pages."""
    urls: int
    pages: int
    relevant: int


def figures(result: ReplayResult, relevant: frozenset[str]) -> Figures:
    """What a crawl has found, by the truth of the web."""
    recall, harvest = [], []
    for budget in BUDGETS:
        most = round(budget * len(relevant))
        recall.append(len({step.url for step in result.steps if step.seconds <= most + 0.5} & relevant) / len(relevant))
        harvest.append(len({step.url for step in result.steps[:most]} & relevant) / most)
    listed = result.tally.listed
    return Figures(recall, harvest, listed["urls"], listed["pages"], listed["relevant"])


def crawls(pages: int, seeds: Iterable[int], subjects: int) -> dict[tuple[str, str], list[Figures]]:
    """The crawls by strategy and setting."""
    found: defaultdict[tuple[str, str], list[Figures]] = defaultdict(list)
    for seed in seeds:
        web = DemoWeb(seed=seed, pages=pages, listings=True)
        recorded = DemoPages(web)
        for subject in web.subjects[:subjects]:
            relevant = frozenset(web.relevant_urls(subject))
            for strategy in STRATEGIES:
                for choice in CHOICES:
                    topic = Topic.make(
                        name="sitemaps",
                        seeds=list(web.seeds(subject)),
                        keywords=list(web.keywords(subject)),
                        strategy={"name": strategy},
                        scope={"sitemaps": choice},
                        budget={"pages": round(BUDGETS[-1] * len(relevant))},
                        fetch={"connections": 1},
                    )
                    result = replay(topic, make_model(material_of(topic)), recorded, _A_SECOND)
                    found[strategy, choice].append(figures(result, relevant))
                    print(seed, subject, strategy, choice, found[strategy, choice][-1], file=sys.stderr, flush=True)
    return found


def page(found: dict[tuple[str, str], list[Figures]], options: argparse.Namespace) -> str:
    """The page of results."""
    count = len(options.seeds) * options.subjects
    command = f"python -m benchmarks.sitemaps --pages {options.pages} --seeds {' '.join(map(str, options.seeds))}"
    web = f"`demo-listings:{options.pages}`"
    about = (
        f"The demo web with sitemaps and feeds, right and wrong ones ({web}): {count} crawls in each row "
        f"({len(options.seeds)} webs, {options.subjects} subjects of each), from three seeds, strictly by priority. "
        "N is the number of relevant pages. Recall is after so many requests, those for sitemaps and feeds included; "
        "harvest is the share of relevant ones among so many pages. All pages of this web can be reached by links, so "
        "what only a sitemap lists is not in these figures."
    )
    lines = [
        "# Sitemaps and feeds",
        "",
        about,
        "",
        f"    {command} --subjects {options.subjects} --out results/sitemaps.md",
        "",
        *_table("Recall after requests", [(name, [one.recall for one in rows]) for name, rows in found.items()]),
        "",
        *_table("Harvest of pages", [(name, [one.harvest for one in rows]) for name, rows in found.items()]),
        "",
        "## What came from them",
        "",
        "Of the whole crawls (3 N pages).",
        "",
        "| strategy | `scope.sitemaps` | new URLs | fetched | relevant |",
        "|---|---|---|---|---|",
    ]
    for (strategy, choice), rows in found.items():
        means = [f"{fmean(getattr(one, name) for one in rows):.1f}" for name in ("urls", "pages", "relevant")]
        lines.append(f"| {strategy} | {choice} | {' | '.join(means)} |")
    return "\n".join([*lines, "", machine.described("numpy"), ""])


def _table(title: str, rows: Sequence[tuple[tuple[str, str], list[list[float]]]]) -> list[str]:
    heads = " | ".join(f"{budget:g} N" for budget in BUDGETS)
    lines = [f"## {title}", "", f"| strategy | `scope.sitemaps` | {heads} |", f"|---|---|{'---|' * len(BUDGETS)}"]
    for (strategy, choice), values in rows:
        cells = " | ".join(f"{fmean(column):.3f}" for column in zip(*values, strict=True))
        lines.append(f"| {strategy} | {choice} | {cells} |")
    return lines


def main() -> int:
    """Crawl, and write or print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sitemaps")
    parser.add_argument("--pages", type=int, default=3000, help="(default: %(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[21, 22, 23], help="of the webs (default: %(default)s)")
    parser.add_argument("--subjects", type=int, default=2, help="of each web (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="where to write the page (default: print it)")
    options = parser.parse_args()
    text = page(crawls(options.pages, options.seeds, options.subjects), options)
    if options.out is None:
        print(text)
    else:
        options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
